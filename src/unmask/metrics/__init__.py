"""Metrics, one idea a file; `catalog` finds them."""
