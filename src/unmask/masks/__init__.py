"""Published forms of quasi-identifiers, and the notation of cells."""
