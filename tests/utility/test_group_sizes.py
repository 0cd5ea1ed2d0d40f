"""Discernibility and average group size: what sizes alone say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests import stories
from tests.utility import made
from tests.utility.drawn import RNG, Drawn, grouped
from unmask.errors import InvalidInputError
from unmask.table import Table
from unmask.utility.average_group_size import AverageGroupSize
from unmask.utility.classification import Classification
from unmask.utility.discernibility import Discernibility
from unmask.utility.utility_measure import PublishedTable

SIX = Table.of({"x": list("aaabbc"), "ill": list("ababab")}, quasi=["x"], sensitive=["ill"])


def test_each_person_is_charged_by_those_who_look_the_same():
    """Groups of 3, 2 and 1: 9 + 4 + 1."""
    case = made.case_of(SIX, stories.boxed(SIX, [0, 0, 0, 1, 1, 2]))
    assert Discernibility().measure(case, RNG(0)).value.value == 14
    assert AverageGroupSize().measure(case, RNG(0)).value.value == 2
    assert AverageGroupSize(k=2).measure(case, RNG(0)).value.value == 1


def test_who_was_left_out_is_charged_by_all():
    """One of six: 9 + 4 + 6; and all who were left out are one group."""
    gone = made.case_of(SIX, made.recoded(SIX, {"x": list("aaabbc")}, kept=[True] * 5 + [False]))
    assert Discernibility().measure(gone, RNG(0)).value.value == 19
    assert AverageGroupSize().measure(gone, RNG(0)).value.value == 2
    two = made.case_of(SIX, made.recoded(SIX, {"x": list("aaabbc")}, kept=[True] * 3 + [False] * 3))
    assert AverageGroupSize().measure(two, RNG(0)).value.value == 3


def test_rows_of_stars_are_charged_like_people_who_were_left_out():
    """Two of six show nothing in both columns: 9 + 1 + 2 · 6 either way; in one column a star is a cell like others."""
    both = Table.of({"x": list("aaabcc"), "y": list("aaabcc"), "ill": list("ababab")}, quasi=["x", "y"],
                    sensitive=["ill"])  # fmt: skip
    starred = made.case_of(both, made.recoded(both, {name: [*"aaab", "*", "*"] for name in "xy"}))
    gone = made.case_of(
        both, made.recoded(both, {name: list("aaabcc") for name in "xy"}, kept=[True] * 4 + [False] * 2)
    )
    for case in (starred, gone):
        assert Discernibility().measure(case, RNG(0)).value.value == 9 + 1 + 2 * 6
        assert AverageGroupSize().measure(case, RNG(0)).value.value == 6 / 3
        assert Classification().measure(case, RNG(0)).value.value == pytest.approx((1 + 0 + 2) / 6)
    one = made.case_of(SIX, made.recoded(SIX, {"x": [*"aaab", "*", "*"]}))
    assert Discernibility().measure(one, RNG(0)).value.value == 9 + 1 + 4


def test_exact_rows_of_a_group_are_distinguished():
    """Anatomy publishes groups of values, but exact attributes: only equal ones are one class."""
    case = made.case_of(SIX, stories.exact(SIX, [0, 1, 0, 1, 0, 1]))
    assert Discernibility().measure(case, RNG(0)).value.value == 2**2 + 1 + 1 + 1 + 1
    assert AverageGroupSize().measure(case, RNG(0)).value.value == 6 / 5


def test_all_in_one_group_is_the_worst():
    """So is leaving out all people."""
    together = made.case_of(SIX, stories.boxed(SIX, [0] * 6))
    suppressed = made.case_of(SIX, made.recoded(SIX, {"x": list("aaabbc")}, kept=[False] * 6))
    for case in (together, suppressed):
        assert Discernibility().measure(case, RNG(0)).parts["share"].value == 1


def test_k_is_at_least_one():
    """Said with the value."""
    with pytest.raises(InvalidInputError, match="at least 1; got 0"):
        AverageGroupSize(k=0)


@given(grouped())
def test_stacking_a_table_on_itself_doubles_sizes(drawn: Drawn):
    """Discernibility quadruples, its share stays."""
    size = [drawn.group_of.count(g) for g in set(drawn.group_of)]
    once, twice = drawn.case, PublishedTable.of(stories.boxed(stacked(drawn.table), drawn.group_of * 2).release)
    alone, both = Discernibility().measure(once, RNG(0)), Discernibility().measure(twice, RNG(0))
    assert alone.value.value == sum(n * n for n in size)
    assert both.value.value == 4 * (alone.value.value or 0)
    assert both.parts["share"].value == pytest.approx(alone.parts["share"].value)
    one, two = AverageGroupSize().measure(once, RNG(0)), AverageGroupSize().measure(twice, RNG(0))
    assert (one.value.value, two.value.value) == pytest.approx((sum(size) / len(size), 2 * sum(size) / len(size)))


def stacked(table: Table) -> Table:
    """Return every row twice."""
    return table.take(np.tile(np.arange(table.n_rows), 2))
