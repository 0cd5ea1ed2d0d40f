"""Numbers as they are written, and which of them count as equal."""
