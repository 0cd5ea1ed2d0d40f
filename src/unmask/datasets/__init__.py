"""Data sets of the package, and small tables from papers."""
