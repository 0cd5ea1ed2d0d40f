"""ARX's Adult, its 4,320 generalizations, and what each shows: shared by the lessons on agreement with ARX."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from tests.sanitizers.test_full_domain_peers import adult
from unmask.arrays import Int32
from unmask.sanitizers import _lattice
from unmask.table import Table

N = 30_162
"""The people of Adult without a missing value."""

Node = tuple[int, ...]


def lattice_of(table: Table) -> tuple[_lattice.Lattice, Int32]:
    """Return the lattice of a table's hierarchies, and which distinct row each row is, (rows,)."""
    levels = tuple(_lattice.LevelLabels.of(table, a.name) for a in table.schema.quasi)
    profile_of, profiles = _lattice.profiles_of(levels)
    return _lattice.Lattice(levels, profiles), profile_of


@cache
def of_adult(folder: Path) -> tuple[_lattice.Lattice, Int32]:
    """Return the same of Adult."""
    return lattice_of(adult(folder))


def resampled(folder: Path, n: int) -> Table:
    """Return people of Adult drawn with replacement, as ARX was given them."""
    return adult(folder).take(np.random.default_rng(20261127).integers(0, N, n))
