"""Disclosure rules: algorithms that choose the attributes of each record to disclose, one in each file."""
