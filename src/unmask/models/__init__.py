"""Privacy models, one a file; `catalog` finds them."""
