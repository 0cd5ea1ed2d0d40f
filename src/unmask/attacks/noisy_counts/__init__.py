"""Noisy counts: counts read by the likelihood of their noise."""
