"""Guarantees: proven bounds for a release, one a file, listed by `catalog`."""
