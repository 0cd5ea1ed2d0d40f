"""The deFinetti attack: inference of sensitive values by learning from all groups of a release (Kifer 2009)."""
