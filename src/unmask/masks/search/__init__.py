"""Search among published boxes and points."""
