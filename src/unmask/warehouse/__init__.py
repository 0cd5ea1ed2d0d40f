"""Statistics of a table where it lives: portable SQL, run by an engine; only aggregates leave it."""
