"""Measures of utility, one idea a file; `catalog` finds them."""
