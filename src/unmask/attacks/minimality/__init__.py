"""Minimality: inference from the known closing rule of the grouping algorithm (Cormode et al. 2010)."""
