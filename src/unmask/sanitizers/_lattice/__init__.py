"""The generalization lattice: groups at a node, who is safe there, what it loses, and the search for the best."""

from unmask.masks.levels import Levels
from unmask.sanitizers._lattice.cell_losses import CellLoss, Mean
from unmask.sanitizers._lattice.groups import Groups, Lattice, Node, profiles_of
from unmask.sanitizers._lattice.losses import BY_CELL, Loss, Measure, measure_of
from unmask.sanitizers._lattice.recoding import Recoding, recode
from unmask.sanitizers._lattice.safety import Demand, demand, whole_table
from unmask.sanitizers._lattice.search import Found, Search

__all__ = [
    "BY_CELL", "CellLoss", "Demand", "Found", "Groups", "Lattice", "Levels", "Loss", "Mean", "Measure", "Node",
    "Recoding", "Search", "demand", "measure_of", "profiles_of", "recode", "whole_table",
]  # fmt: skip
