"""Miners: models that are trained on published rows and predict one of their attributes."""
