"""Metrics of attacks, one idea a file, listed by `catalog`."""
