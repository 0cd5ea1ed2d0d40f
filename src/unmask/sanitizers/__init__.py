"""Sanitizers, one a file; `catalog` finds them."""
