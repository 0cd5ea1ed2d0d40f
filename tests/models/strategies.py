"""Groups of people with one sensitive value, as counts."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from unmask.arrays import Float64

Groups = list[list[int]]
"""Counts, (groups, values); every group has people."""


@st.composite
def groups(draw: st.DrawFn, max_groups: int = 4, max_values: int = 5) -> Groups:
    """Draw counts by group; a value may occur nowhere."""
    n_values = draw(st.integers(1, max_values))
    row = st.lists(st.integers(0, 6), min_size=n_values, max_size=n_values).filter(any)
    return draw(st.lists(row, min_size=1, max_size=max_groups))


def arrays(counts: Groups) -> tuple[Float64, Float64, Float64]:
    """Return size, counts and overall as a model takes them."""
    table = np.array(counts, float)
    return table.sum(axis=1), table, table.sum(axis=0)
