"""Disclosure rules: which attributes of each record to disclose, one way to choose them in each file."""
