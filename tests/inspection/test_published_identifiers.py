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
        (["60-71", "72-90"] * 10, "C"),
        (["[72, 90]"] * 20, "C"),
        (["{85, 90}", "20"] * 10, "C"),
        ([">=90", "90 or older", "20-29", "<90"] * 5, ""),
        ([30, 45] * 10, ""),
        ([30, 95] * 10, "C"),
    ],
)
def test_ages_above_89_are_one_category(cells, letter):
    """A range that ends above 90 tells more than 90 or older."""
    assert kind("age", cells) == letter


@pytest.mark.parametrize(
    ("cells", "letter"),
    [
        (["2018-01-20..2019-07-19", "2018-01-01..2018-12-03", "*"], "C"),
        (["[2018-01-20, 2019-07-19]", "2018"], "C"),
        (["{2018-01-20, 2018-03-01}", "2018-2019"], "C"),
        (["2018-01-01..2018-12-31"], "C"),
        (["2018-Q1", "2018-H2"], "C"),
        (["2018-03..2018-05"], "C"),
        (["20.01.2018..19.07.2019"], "C"),
        (["2018", "2018-2019", ">=2020"], ""),
        (["1000-1250", "4000-5000"], ""),
        (["[57.68, 63.33]", "[11.32, 19.86]"], ""),
        (["4211", "8924"], ""),
        (["flu on 2018-01-20", "cold"], ""),
        (["42 years on 2020-10-04", "90+ years on 2020-10-04"], ""),
    ],
)
def test_ranges_of_dates_are_dates(cells, letter):
    """The year alone may be published; days, months, quarters and ranges of them are dates, whatever the name says."""
    assert kind("Aufnahme", cells * 8) == letter


def test_groups_of_equal_cells_are_no_keys():
    """Many ranges whose rows agree in other columns are ages, not record numbers of people."""
    ages = [f"{low}-{low + 2}" for low in range(20, 80) for _ in range(5)]
    assert kind("age", ages) == ""


def test_pseudonyms_and_telling_names():
    """A published person key is a code; what is called like an identifier is one."""
    assert kind("pid", [f"x{i}" for i in range(20)], "pid") == "R"
    assert kind("zip", ["130**", "036**"] * 10) == "B"
    assert kind("diagnosis", ["flu", "gout"] * 10) == ""
