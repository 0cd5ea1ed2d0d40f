"""Studies: reproductions of papers' experiments beside their printed numbers, one paper in each file."""
