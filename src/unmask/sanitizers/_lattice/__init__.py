"""The generalization lattice: groups at a node, their safety, their loss, and the search for the best node."""

from unmask.masks.levels import LevelLabels
from unmask.sanitizers._lattice.cell_losses import CellLoss, Mean
from unmask.sanitizers._lattice.demands import demand, whole_table
from unmask.sanitizers._lattice.groups import Lattice, LatticeGroups, Node, profiles_of
from unmask.sanitizers._lattice.losses import BY_CELL, LatticeLoss, Loss, loss_by_name
from unmask.sanitizers._lattice.recoding import Recoding, recode
from unmask.sanitizers._lattice.safety import Demand
from unmask.sanitizers._lattice.search import SafeNode, Search

__all__ = [
    "BY_CELL", "CellLoss", "Demand", "Lattice", "LatticeGroups", "LatticeLoss", "LevelLabels", "Loss", "Mean", "Node",
    "Recoding", "SafeNode", "Search", "demand", "loss_by_name", "profiles_of", "recode", "whole_table",
]  # fmt: skip
