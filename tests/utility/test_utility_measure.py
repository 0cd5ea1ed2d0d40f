"""Case: a release beside the table it was made of, and where each person was published."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests import stories
from tests.utility import made
from tests.utility.drawn import Drawn, grouped
from unmask.errors import InvalidInputError
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.utility.utility_measure import PublishedTable

FOUR = Table.of({"age": [20, 30, 30, 40], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])


def test_disjoint_groups_are_found_by_the_values_of_people():
    """The groups need not be given: 20 is in the first group only."""
    release = stories.boxed(FOUR, [0, 1, 1, 1]).release
    case = PublishedTable.of(release, FOUR)
    assert case.group_of is not None
    assert case.group_of.tolist() == [0, 1, 1, 1]


def test_who_fits_nothing_was_left_out():
    """Three are published, one is not."""
    release = made.recoded(FOUR, {"age": ["20", "30", "30", "40"]}, kept=[True, True, True, False]).release
    case = PublishedTable.of(release, FOUR)
    assert case.line_of is not None
    assert case.line_of[3] == -1
    assert case.n == 4


def test_ambiguous_groups_are_unknown():
    """Ranges that overlap at 30."""
    case = PublishedTable.of(stories.boxed(FOUR, [0, 0, 1, 1]).release, FOUR)
    assert case.line_of is None
    assert "several" in case.why_unknown


def test_another_table_is_not_taken_for_the_original():
    """Two people fit a group of one: who of them it is, is open."""
    release = stories.boxed(FOUR, [0, 1, 1, 2]).release
    others = Table.of({"age": [20, 20, 30, 40], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    case = PublishedTable.of(release, others)
    assert case.line_of is None
    assert "other people" in case.why_unknown


def test_exact_rows_show_the_same_cells_whosever_they_are():
    """Equal people in two groups: what was published of them is known, their group is not."""
    release = stories.exact(FOUR, [0, 0, 1, 1]).release
    case = PublishedTable.of(release, FOUR)
    assert case.line_of is not None
    assert case.group_of is None
    ages = release.masked.exact_table()["age"]
    assert ages[case.line_of].tolist() == [20, 30, 30, 40]


def test_a_table_without_the_quasi_identifiers_is_refused():
    """The column is named."""
    other = Table.of({"sex": list("abab")}, quasi=["sex"])
    with pytest.raises(InvalidInputError, match="lacks age"):
        PublishedTable.of(stories.boxed(FOUR, [0] * 4).release, other)


@pytest.mark.parametrize("row_of", [[0, 1, 2], [0, 1, 2, 9]])
def test_places_belong_to_this_table_and_release(row_of):
    """One person too few, or a row that there is not."""
    with pytest.raises(InvalidInputError, match="published rows must be one"):
        PublishedTable.of(stories.boxed(FOUR, [0] * 4).release, FOUR, np.array(row_of))


@given(grouped())
def test_what_was_published_of_a_person_fits_the_person(drawn: Drawn):
    """By the rows that were kept; and where people are found by their values, lines that show the same."""
    case = drawn.case
    assert case.line_of is not None
    for attribute in drawn.table.schema.quasi:
        fits = case.release.masked.likelihood(attribute.name, drawn.table[attribute.name])
        cell = case.release.masked.cell_of(attribute.name)[case.line_of]
        assert (fits.at(cell, np.arange(cell.size)) == 1).all()
    found = PublishedTable.of(case.release, drawn.table)
    if found.line_of is not None:
        for attribute in drawn.table.schema.quasi:
            cell = case.release.masked.cell_of(attribute.name)
            assert np.array_equal(cell[found.line_of], cell[case.line_of])


def test_strict_partitions_are_found():
    """Every Mondrian."""
    rng = np.random.default_rng(0)
    table = Table.of(
        {"age": rng.integers(0, 50, 300).tolist(), "sex": rng.choice(["f", "m"], 300).tolist(), "ill": ["a"] * 300},
        quasi=["age", "sex"],
        sensitive=["ill"],
    )
    publication = Mondrian(5).sanitize(table, rng)
    found = PublishedTable.of(publication.release, table)
    assert found.group_of is not None
    assert np.array_equal(found.group_of, publication.group_of)
