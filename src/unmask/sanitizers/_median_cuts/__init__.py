"""The cuts that every Mondrian of this folder shares."""

from unmask.sanitizers._median_cuts.groups import Accept, Cuts, partition

__all__ = ["Accept", "Cuts", "partition"]
