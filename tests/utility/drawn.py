"""Small tables with groups, drawn at random, for laws that hold of every release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tests import stories, strategies
from tests.utility.reference import Value
from unmask.table import Table
from unmask.utility.utility_measure import PublishedTable


@dataclass(frozen=True)
class Drawn:
    """A table, who shares a group, and the same as plain lists."""

    table: Table
    group_of: list[int]
    columns: Mapping[str, Sequence[Value]]
    ill: list[str]

    @property
    def case(self) -> PublishedTable:
        """The release with each group's ranges, beside the table."""
        made = stories.boxed(self.table, self.group_of)
        return PublishedTable.of(made.release, self.table, made.row_of)


@st.composite
def grouped(draw: st.DrawFn) -> Drawn:
    """Draw a table of whole numbers and texts, some of them missing, and groups."""
    rows = draw(st.integers(2, 8))
    kinds: dict[str, st.SearchStrategy[Value]] = {
        "age": st.integers(20, 26).map(float),
        "sex": st.sampled_from("fm"),
        "zip": st.sampled_from("148"),
    }
    names = draw(st.sets(st.sampled_from(sorted(kinds)), min_size=1).map(sorted))
    columns: dict[str, list[Value]] = {
        n: draw(st.lists(kinds[n] | st.none(), min_size=rows, max_size=rows)) for n in names
    }
    columns = {n: column if any(column) else ["x"] * rows for n, column in columns.items()}
    ill = draw(st.lists(st.sampled_from(["cold", "flu", "none"]), min_size=rows, max_size=rows))
    group_of = draw(strategies.groupings(rows))
    return Drawn(Table.of({**columns, "ill": ill}, quasi=names, sensitive=["ill"]), group_of, columns, ill)


RNG = np.random.default_rng
