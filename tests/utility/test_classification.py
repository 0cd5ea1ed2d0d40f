"""The classification metric: who is not like most of the own group."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from tests import stories
from tests.utility import made
from tests.utility.drawn import RNG, Drawn, grouped
from unmask.table import Table
from unmask.utility.classification import Classification
from unmask.utility.utility_measure import PublishedTable


def test_the_minority_of_each_group_is_lost():
    """Groups aab, bb and one person left out: one of the first, and who was left out."""
    table = Table.of({"x": list("pppqqr"), "ill": list("aabbba")}, quasi=["x"], sensitive=["ill"])
    release = made.recoded(table, {"x": list("pppqqr")}, kept=[True] * 5 + [False]).release
    assert Classification().measure(PublishedTable.of(release), RNG(0)).value.value == pytest.approx(2 / 6)


def test_nothing_sensitive_is_undefined():
    """Not 0."""
    table = Table.of({"x": list("ab")}, quasi=["x"])
    assert Classification().measure(PublishedTable.of(stories.boxed(table, [0, 0]).release), RNG(0)).value.value is None


@given(grouped())
def test_it_is_one_minus_what_random_worlds_gets_right(drawn: Drawn):
    """Counted person by person."""
    n = len(drawn.ill)
    right = sum(
        max(Counter(ill for ill, other in zip(drawn.ill, drawn.group_of, strict=True) if other == group).values())
        for group in set(drawn.group_of)
    )
    assert Classification().measure(drawn.case, RNG(0)).value.value == pytest.approx(1 - right / n)
