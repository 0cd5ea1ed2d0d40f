"""Fusion of data miners: many classifiers learn from published rows, one rule combines them (Sramka et al. 2010)."""
