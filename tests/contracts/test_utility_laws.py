"""Laws of every measure of utility: names and values without rows change nothing, nor does a duplicated table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from tests import stories
from tests.contracts.test_utility import ALL, numbers
from tests.utility.drawn import RNG, Drawn, grouped
from unmask.schema import Categorical, Schema
from unmask.table import Table
from unmask.utility.utility_measure import PublishedTable, Utility

DRAWS = ("learning", "query-error")
"""Measures that draw people or questions: another table is asked other questions."""

DOUBLES = ("average-group-size", "discernibility")
"""Measures whose value counts people: if all rows are published twice, the first doubles, the second quadruples."""


def case_of(table: Table, group_of: list[int]) -> PublishedTable:
    """Publish groups as boxes."""
    made = stories.boxed(table, group_of)
    return PublishedTable.of(made.release, table, made.row_of)


def with_domain(table: Table, name: str, values: tuple[str, ...]) -> Table:
    """Return the table with other values of a column, whose codes stay what they are."""
    changed = replace(table.schema[name], domain=Categorical(values))
    return replace(table, schema=Schema(tuple(changed if a.name == name else a for a in table.schema)))


@pytest.mark.parametrize("measure", ALL)
@given(drawn=grouped())
@settings(max_examples=6)
def test_the_names_of_values_change_nothing(measure: Utility, drawn: Drawn):
    """Every text gets another name, in the same order."""
    other = drawn.table
    for attribute in drawn.table.schema:
        if not attribute.is_numeric:
            other = with_domain(other, attribute.name, tuple(f"no. {value}" for value in attribute.values))
    ours, theirs = (numbers(measure.measure(case_of(t, drawn.group_of), RNG(0))) for t in (drawn.table, other))
    assert ours == pytest.approx(theirs, nan_ok=True)


@pytest.mark.parametrize("measure", ALL)
@given(drawn=grouped())
@settings(max_examples=6)
def test_a_diagnosis_that_nobody_has_changes_nothing(measure: Utility, drawn: Drawn):
    """One more value in the domain of the sensitive column."""
    if measure.name in DRAWS:
        return
    other = with_domain(drawn.table, "ill", (*drawn.table.schema["ill"].values, "unused"))
    ours, theirs = (numbers(measure.measure(case_of(t, drawn.group_of), RNG(0))) for t in (drawn.table, other))
    assert ours == pytest.approx(theirs, nan_ok=True)


@pytest.mark.parametrize("measure", ALL)
@given(drawn=grouped())
@settings(max_examples=6)
def test_twice_everybody_tells_as_much(measure: Utility, drawn: Drawn):
    """What is a share or a distance stays; sizes double, bits do, and pairs quadruple."""
    if measure.name in DRAWS:
        return
    twice = drawn.table.take(np.tile(np.arange(drawn.table.n_rows), 2))
    once = measure.measure(case_of(drawn.table, drawn.group_of), RNG(0))
    both = measure.measure(case_of(twice, drawn.group_of * 2), RNG(0))
    factor = 2.0 ** (1 + DOUBLES.index(measure.name)) if measure.name in DOUBLES else 1.0
    if once.value.value is None:
        assert both.value.value is None
        return
    assert both.value.value == pytest.approx(factor * once.value.value, abs=1e-12)
    if "bits" in once.parts:
        assert both.parts["bits"].value == pytest.approx(2 * (once.parts["bits"].value or 0), abs=1e-9)
