"""Written forms of numbers, and equality up to rounding."""
