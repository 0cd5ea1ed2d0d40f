"""Utility measures, one in each file; `catalog` lists them."""
