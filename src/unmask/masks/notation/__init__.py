"""How cells are written and read: numbers, intervals, labels, sets and masks."""
