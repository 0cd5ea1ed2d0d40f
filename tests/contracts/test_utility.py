"""What every measure of utility keeps, whatever it measures."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import stories
from tests.utility import made
from tests.utility.drawn import RNG, Drawn, grouped
from unmask import catalog
from unmask.datasets.adult import adult
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.utility.utility_measure import PublishedTable, Quality, Utility

ALL = [
    pytest.param(example, id=f"{entry.name}-{i}")
    for entry in catalog.entries("utility").values()
    for i, example in enumerate(entry.examples)
]


def numbers(quality: Quality) -> dict[str, float | None]:
    """Return all numbers of a measure."""
    return {"": quality.value.value, **{name: part.value for name, part in quality.parts.items()}}


@pytest.mark.parametrize("measure", ALL)
@given(drawn=grouped(), order=st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_the_order_of_people_changes_nothing(measure: Utility, drawn: Drawn, order):
    """Shuffled people and groups give the same numbers, unless people are drawn to be held out."""
    rows = list(range(drawn.table.n_rows))
    order.shuffle(rows)
    if measure.name == "learning":
        return
    label = {group: i for i, group in enumerate(dict.fromkeys(drawn.group_of[row] for row in rows))}
    other = drawn.table.take(np.array(rows))
    shuffled = made.case_of(other, stories.boxed(other, [label[drawn.group_of[row]] for row in rows]))
    ours, theirs = (numbers(measure.measure(case, RNG(0))) for case in (drawn.case, shuffled))
    assert ours == pytest.approx(theirs, nan_ok=True)


@pytest.mark.parametrize("measure", ALL)
def test_without_the_original_it_is_a_number_or_says_why_not(measure: Utility):
    """A release alone."""
    table = Table.of({"age": [20, 21, 22, 23], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    found = measure.measure(PublishedTable.of(stories.boxed(table, [0, 0, 1, 1]).release), RNG(0)).value
    assert (found.value is None) == bool(found.why)


@cache
def grouped_adult(quasi: tuple[str, ...], every: int, *ks: int) -> list[PublishedTable]:
    """Publish every so many people of Adult by Mondrian, once for each k."""
    table = adult(quasi=quasi, sensitive=["income"])
    table = table.take(np.arange(0, table.n_rows, every))
    return [made.case_of(table, Mondrian(k).sanitize(table, RNG(0))) for k in ks]


@pytest.mark.parametrize("measure", ALL)
def test_who_is_better_is_told_by_its_direction(measure: Utility):
    """Groups of 5 are of more use than groups of 200, by every measure and by the direction that it declares."""
    cases = grouped_adult(("age", "education", "sex"), 15, 5, 200)
    one, two = (measure.measure(case, RNG(1)).value.value for case in cases)
    if measure.name == "precision":
        assert one is None  # no hierarchies
        return
    assert one is not None
    assert two is not None
    slack = 0.05 if measure.name == "learning" else 0.0  # 500 people held out
    assert one >= two - slack if measure.higher_is_better else one <= two + slack
    assert math.isfinite(one)


@pytest.mark.parametrize("measure", ALL)
def test_the_same_seed_gives_the_same_numbers(measure: Utility):
    """And the case is left as it was."""
    (case,) = grouped_adult(("age", "sex"), 100, 20)
    assert measure.measure(case, RNG(3)) == measure.measure(case, RNG(3))
