"""Coarser tables: a sanitizer sees labels, and the release shows the values under them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.changes.test_coarser_cells import sets_of
from tests.changes.test_release_changes import cells_of, unfit
from tests.strategies import row_numbers, tables
from unmask.changes.choose_levels import levels_of
from unmask.changes.coarser_tables import COARSER, CoarserTable
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.release import Sanitizer
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Attribute, Numeric, Ordered, Role, Schema
from unmask.table import Table


def people(**more: list[str]) -> Table:
    """Return eight people with their ages."""
    columns = {"age": [21, 24, 26, 29, 33, 38, 52, 57], "ill": [*"abababab"], **more}
    return Table.of(columns, quasi=["age", *more], sensitive=["ill"])


def test_mondrian_cuts_at_the_edges_of_ten_years():
    """Ages that a sanitizer sees as ranges of ten years are published as unions of these ranges."""
    made = CoarserTable.of(people(), {"age": 2})
    release = made.lifted(Mondrian(k=2).sanitize(made.table, np.random.default_rng(0))).release
    assert set(cells_of(release, "age")) == {"20-29", "30-39", "50-59"}
    assert release.provenance.parameters[COARSER] == {"age": "ranges of 10"}


def test_a_hierarchy_gives_the_levels_and_their_names():
    """A sanitizer sees North and South, and publishes these names."""
    table = people(town=[*"ABCDABCD"])
    tree = Hierarchy.from_csv("A;North;*\nB;North;*\nC;South;*\nD;South;*\n")
    attributes = {a.name: a for a in table.schema}
    attributes["town"] = Attribute("town", Role.QUASI_IDENTIFIER, attributes["town"].domain, tree)
    table = Table(type(table.schema)(tuple(attributes.values())), table.columns, table.n_rows)
    made = CoarserTable.of(table, {"town": 1})
    assert made.table.schema["town"].values == ("North", "South")
    lifted = made.lifted(FullDomain(k=2).sanitize(made.table, np.random.default_rng(0)))
    assert set(cells_of(lifted.release, "town")) <= {"North", "South", "*"}
    assert unfit(table, lifted.release, row_numbers(lifted)) == 0


def test_codes_lose_characters_and_declared_orders_are_joined_in_pairs():
    """Postcodes become `1300*`, schools two neighbors each."""
    codes = Attribute("zip", Role.QUASI_IDENTIFIER, Ordered(tuple(f"13{i:03}" for i in range(12)), declared=False))
    found = levels_of(codes)
    assert found is not None
    assert found.names(1) == ("1300*", "1301*")
    assert found.texts[0] == "4 characters"
    masked = Attribute("zip", Role.QUASI_IDENTIFIER, codes.domain, Hierarchy.masks(codes.values))
    assert levels_of(masked).texts[0] == "4 characters"  # type: ignore[union-attr]
    ages = Attribute("age", Role.QUASI_IDENTIFIER, Numeric(step=1.0), Hierarchy.intervals(range(20, 70), [5, 10]))
    assert levels_of(ages, [20.0, 69.0]).texts == ("ranges of 5", "ranges of 10")  # type: ignore[union-attr]
    school = Attribute("school", Role.QUASI_IDENTIFIER, Ordered(("none", "primary", "secondary", "university")))
    pairs = levels_of(school)
    assert pairs is not None
    assert pairs.names(1) == ("none..primary", "secondary..university")


def test_dates_become_months_and_years():
    """Dates over more than a year have months, quarters and years as levels."""
    days = [(date(2020, 1, 15) + timedelta(days=40 * i) - date(1970, 1, 1)).days for i in range(12)]
    found = levels_of(Attribute("day", Role.QUASI_IDENTIFIER, Numeric(step=1.0, dates=True)), days)
    assert found is not None
    assert found.texts == ("months", "quarters", "years")
    assert (np.diff(found.codes(np.array(days, float), 3)) >= 0).all()


@pytest.mark.parametrize(("column", "levels"), [("ill", 1), ("age", 9), ("sex", 1)])
def test_a_column_without_such_a_level_is_refused(column: str, levels: int):
    """A sensitive column, too many levels, and a column of words."""
    with pytest.raises(InvalidInputError, match=f"column '{column}' must"):
        CoarserTable.of(people(sex=[*"ffmmffmm"]), {column: levels})


@given(table=tables(2, 10), level=st.integers(1, 3), k=st.integers(1, 3))
def test_everybody_fits_the_cells_of_a_coarser_release(table: Table, level: int, k: int):
    """The cells that are published contain the values themselves, not only their labels."""
    ladder = levels_of(table.schema["age"], table["age"].tolist())
    if ladder is None or table.n_rows < k:
        return
    made = CoarserTable.of(table, {"age": min(level, ladder.n)})
    lifted = made.lifted(Mondrian(k=k).sanitize(made.table, np.random.default_rng(0)))
    assert lifted.release.schema.names == table.schema.names
    assert unfit(table, lifted.release, row_numbers(lifted)) == 0


SCHOOL = ("none", "primary", "middle", "high", "college", "bachelor", "master", "doctor")


@given(
    codes=st.lists(st.integers(0, 7), min_size=4, max_size=12),
    level=st.integers(1, 2),
    sanitizer=st.sampled_from([Mondrian(k=2), FullDomain(k=2), KMember(k=2)]),
)
def test_a_declared_order_is_published_in_whole_pairs_or_fours(codes: list[int], level: int, sanitizer: Sanitizer):
    """Law: whatever the sanitizer, a cell has the values of whole labels, and everybody's value is among them."""
    columns = {
        "school": [SCHOOL[code] for code in codes],
        "ill": ["a", "b"] * (len(codes) // 2) + ["a"] * (len(codes) % 2),
    }
    table = Table.of(columns, quasi=["school"], sensitive=["ill"])
    school = replace(table.schema["school"], domain=Ordered(SCHOOL))
    table = replace(
        table, schema=Schema((school, *(a for a in table.schema if a.name != "school"))),
        columns={**table.columns, "school": np.array(codes, np.int32)},
    )  # fmt: skip
    made = CoarserTable.of(table, {"school": level})
    lifted = made.lifted(sanitizer.sanitize(made.table, np.random.default_rng(0)))
    assert unfit(table, lifted.release, row_numbers(lifted)) == 0
    width = 2**level
    for cell in sets_of(lifted.release, "school"):
        assert cell == {v for v in range(8) if v // width in {one // width for one in cell}}
    assert lifted.release.schema["school"].domain == Ordered(SCHOOL)
