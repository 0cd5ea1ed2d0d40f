"""Differential privacy: budgets, audits of a claimed epsilon, games on neighboring tables."""
