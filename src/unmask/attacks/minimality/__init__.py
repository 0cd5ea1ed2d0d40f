"""Minimality: what the grouping algorithm itself discloses (Cormode et al. 2010)."""
