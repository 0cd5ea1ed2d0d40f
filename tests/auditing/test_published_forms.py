"""The published form of each column: exact, coarser or withheld, by the share of rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests import stories
from unmask import catalog
from unmask.auditing.published_forms import ColumnForm, published_forms
from unmask.schema import Role
from unmask.table import Table

WARD = Table.of(
    {
        "age": [20, 20, 30, 40],
        "sex": ["f", "f", "m", "f"],
        "ill": ["flu", "cold", "flu", "flu"],
        "town": ["X", "X", "Y", "Y"],
    },
    quasi=["age", "sex"], sensitive=["ill"], insensitive=["town"],
)  # fmt: skip


def forms(release: object) -> dict[str, str]:
    """Return the form of each column."""
    return {one.name: one.form for one in published_forms(release)}  # type: ignore[arg-type]


def test_exact_and_coarser_cells_are_counted_by_rows():
    """One group of equal people keeps their values; the other one shows a range and a set."""
    found = forms(stories.boxed(WARD, [0, 0, 1, 1]).release)
    assert found["age"] == "exact values in 50 % of rows, ranges in 50 % of rows"
    assert found["sex"] == "exact values in 50 % of rows, sets of values in 50 % of rows"
    assert found["ill"] == "exact values"
    assert found["town"] == "exact values"


@pytest.mark.parametrize(
    ("name", "parameters", "column", "form"),
    [
        ("anatomy", {"l": 2}, "ill", "counts of groups"),
        ("anatomy", {"l": 2}, "age", "exact values"),
        ("microaggregation", {"k": 2}, "age", "typical values of groups: means, most frequent values"),
    ],
)
def test_each_way_of_publishing_has_its_form(name, parameters, column, form):
    """As its sanitizer publishes it."""
    if name not in catalog.entries("sanitizers"):
        pytest.skip(f"there is no sanitizer {name}")
    made = catalog.build("sanitizers", name, parameters)
    table = WARD if name != "anatomy" else Table.of(
        {"age": [20, 20, 30, 40], "ill": ["flu", "cold", "flu", "cold"]}, quasi=["age"], sensitive=["ill"]
    )  # fmt: skip
    assert forms(made.sanitize(table, np.random.default_rng(1)).release)[column] == form


def test_roles_stand_beside_the_forms():
    """In the order of the schema."""
    found = list(published_forms(stories.boxed(WARD, [0, 0, 1, 1]).release))
    assert ColumnForm("town", Role.INSENSITIVE, "exact values") in found
    assert [one.role for one in found if one.name == "age"] == [Role.QUASI_IDENTIFIER]


def test_neighbors_in_a_declared_order_are_a_range_and_labels_are_told_apart():
    """Not all cells of a column are called labels because one is."""
    sizes = {"size": ["s", "m", "s", "l"], "ill": ["flu", "cold", "flu", "flu"]}
    table = Table.of(sizes, quasi=["size"], sensitive=["ill"], orders={"size": ["s", "m", "l", "xl"]})
    release = stories.boxed(table, [0, 0, 1, 1]).release
    assert forms(release)["size"] == "ranges"
    lines = release.masked.lines
    labelled = replace(lines, cells=(replace(lines.cells[0], label=("small", "")),))
    assert forms(replace(release, masked=labelled))["size"] == "labels in 50 % of rows, ranges in 50 % of rows"
