"""Linkage: assignment of published rows to people."""
