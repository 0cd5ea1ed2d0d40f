"""The cuts that every Mondrian of this folder shares."""

from unmask.sanitizers._median_cuts.groups import Accept, AcceptPeople, Cuts, partition, partition_people

__all__ = ["Accept", "AcceptPeople", "Cuts", "partition", "partition_people"]
