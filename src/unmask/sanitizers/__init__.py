"""Sanitizers: algorithms that turn a table into a release."""
