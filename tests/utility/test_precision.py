"""Precision: steps up the hierarchy."""

from __future__ import annotations

import pytest

from tests.utility import made
from tests.utility.drawn import RNG
from tests.utility.test_information_loss import CITIES
from unmask.hierarchies import Hierarchy
from unmask.schema import Numeric
from unmask.table import Table
from unmask.utility.precision import Precision

TABLE = Table.of(
    {"city": ["Bonn", "Köln", "Lyon", "Oslo"], "sex": list("fmfm"), "ill": list("abab")},
    quasi=["city", "sex"],
    sensitive=["ill"],
)


def precision(cells: dict[str, list[str]], kept: list[bool] | None = None):
    """Return the precision of TABLE shown like this."""
    release = made.recoded(TABLE, cells, kept=kept, hierarchies={"city": CITIES})
    return Precision().measure(made.case_of(TABLE, release), RNG(0))


def test_each_cell_counts_its_steps():
    """Cities: two cells one step of two up, two at the leaf: a quarter lost; sex kept."""
    found = precision({"city": ["Germany", "Germany", "Lyon", "Oslo"], "sex": list("fmfm")})
    assert found.parts["city"].value == pytest.approx(3 / 4)
    assert found.value.value == pytest.approx((3 / 4 + 1) / 2)


def test_a_level_that_explains_all_cells_is_the_level():
    """Norway has one city: its cell loses nothing, but it was taken one step up with the others."""
    found = precision({"city": ["Germany", "Germany", "France", "Norway"], "sex": list("fmfm")})
    assert found.parts["city"].value == pytest.approx(1 / 2)


def test_who_was_left_out_is_at_the_top():
    """One of four; and `*` too, also where there is no hierarchy."""
    cells = {"city": ["Bonn", "Köln", "Lyon", "Oslo"], "sex": ["*", "m", "f", "m"]}
    found = precision(cells, [True, True, True, False])
    assert {name: part.value for name, part in found.parts.items()} == {"city": 3 / 4, "sex": 1 / 2}


def test_a_cell_that_is_no_label_has_no_level():
    """{Bonn, Oslo} lies in no country: undefined, and the column is named."""
    found = precision({"city": ["{Bonn, Oslo}", "Köln", "{Bonn, Oslo}", "Oslo"], "sex": list("fmfm")})
    assert found.value.value is None
    assert "'city'" in found.value.why
    open_sets = precision({"city": ["Bonn", "Köln", "Lyon", "Oslo"], "sex": ["{f, m}"] * 4})
    assert "'sex' has no hierarchy" in open_sets.value.why


def test_numbers_have_levels_too():
    """[20, 30) is the first of two steps."""
    table = Table.of({"age": [20, 25, 31, 39], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    rules = Hierarchy.intervals(range(20, 40), [10])
    texts = ["[20, 30)"] * 2 + ["[30, 40)"] * 2
    made_of = made.recoded(table, {"age": texts}, hierarchies={"age": rules}, domains={"age": Numeric(step=1.0)})
    assert Precision().measure(made.case_of(table, made_of), RNG(0)).value.value == 1 / 2
