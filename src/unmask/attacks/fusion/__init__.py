"""Fusion of data miners: combined predictions of many classifiers trained on published rows (Sramka et al. 2010)."""
