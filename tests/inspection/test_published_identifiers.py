"""Safe Harbor on published columns: cells are ranges, prefixes and categories, and groups look like keys."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from unmask.files.raw import Raw
from unmask.inspection.published_identifiers import safe_harbor_of


def kind(name: str, values: Sequence[object], person_key: str | None = None) -> str:
    """Return the letter of the kind that a column seems to hold; empty if none."""
    found = safe_harbor_of(Raw.of({name: list(values), "job": ["clerk"] * len(values)}), person_key)[name]
    return "" if found is None else found.letter


@pytest.mark.parametrize(
    ("cells", "letter"),
    [
        (["20-29", "30-39"] * 10, ""),
        (["[80, 90)", "90+"] * 10, ""),
        (["80-89", "90-97"] * 10, "C"),
        (["[70, 100)"] * 20, "C"),
        ([30, 45] * 10, ""),
        ([30, 95] * 10, "C"),
    ],
)
def test_ages_above_89_are_one_category(cells, letter):
    """A range that ends above 90 tells more than 90 or older."""
    assert kind("age", cells) == letter


def test_groups_of_equal_cells_are_no_keys():
    """Many ranges whose rows agree in other columns are ages, not record numbers of people."""
    ages = [f"{low}-{low + 2}" for low in range(20, 80) for _ in range(5)]
    assert kind("age", ages) == ""


def test_pseudonyms_and_telling_names():
    """A published person key is a code; what is called like an identifier is one."""
    assert kind("pid", [f"x{i}" for i in range(20)], "pid") == "R"
    assert kind("zip", ["130**", "036**"] * 10) == "B"
    assert kind("diagnosis", ["flu", "gout"] * 10) == ""
