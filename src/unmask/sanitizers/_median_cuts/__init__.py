"""Median cuts: the Mondrian rule, its variants, and its people-counting form."""

from unmask.sanitizers._median_cuts.groups import Cuts, partition, partition_people
from unmask.sanitizers._median_cuts.judging import Accept, AcceptPeople
from unmask.sanitizers._median_cuts.retraced import RefusedCut, refused_cuts
from unmask.sanitizers._median_cuts.trees import Trees
from unmask.sanitizers._median_cuts.variants import STRICT, Cut, Variant

__all__ = [
    "STRICT",
    "Accept",
    "AcceptPeople",
    "Cut",
    "Cuts",
    "RefusedCut",
    "Trees",
    "Variant",
    "partition",
    "partition_people",
    "refused_cuts",
]
