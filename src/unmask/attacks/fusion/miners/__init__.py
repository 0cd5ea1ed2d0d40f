"""Miners: models that learn from published rows and predict the attribute asked about."""
