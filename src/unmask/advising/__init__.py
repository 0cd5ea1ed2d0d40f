"""Advice: which changes of a release to try after a broken limit, in which order, and which to name."""
