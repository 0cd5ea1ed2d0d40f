"""How quasi-identifiers are published, and how cells are written."""
