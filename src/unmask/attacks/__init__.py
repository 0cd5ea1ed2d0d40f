"""Attacks, one a file; `catalog` finds them."""
