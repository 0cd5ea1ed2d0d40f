"""Exact inference on small tables from all possible worlds."""
