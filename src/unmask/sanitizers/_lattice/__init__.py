"""The generalization lattice: groups at a node, who is safe there, what it loses, and the search for the best."""

from unmask.masks.levels import Levels
from unmask.sanitizers._lattice.groups import Groups, Lattice, Node, profiles_of
from unmask.sanitizers._lattice.losses import BY_CELL, LOSSES, MEANS, Loss, Mean, Measure
from unmask.sanitizers._lattice.recoding import Recoding, recode
from unmask.sanitizers._lattice.safety import Demand, demand, whole_table
from unmask.sanitizers._lattice.search import Found, Search

__all__ = [
    "BY_CELL", "LOSSES", "MEANS", "Demand", "Found", "Groups", "Lattice", "Levels", "Loss", "Mean", "Measure", "Node",
    "Recoding", "Search", "demand", "profiles_of", "recode", "whole_table",
]  # fmt: skip
