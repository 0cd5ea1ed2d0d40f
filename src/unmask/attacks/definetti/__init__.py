"""deFinetti: who has which value, learned from all groups of a release at once (Kifer 2009)."""
