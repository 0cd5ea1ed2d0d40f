"""The notation of cells: numbers, intervals, labels, sets and masks."""
