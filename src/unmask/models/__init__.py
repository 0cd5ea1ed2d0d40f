"""Privacy models, one a file, listed by `catalog`."""
