"""NCP and ILoss: how wide the cells are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests import stories
from tests.utility import made, reference
from tests.utility.drawn import RNG, Drawn, grouped
from unmask.datasets.adult import adult
from unmask.hierarchies import Hierarchy
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Numeric
from unmask.table import Table
from unmask.utility.information_loss import NCP, InformationLoss
from unmask.utility.utility_measure import PublishedTable

BOTH = [NCP(), InformationLoss()]
CITIES = Hierarchy.from_rows([
    ("Bonn", "Germany", "*"), ("Köln", "Germany", "*"), ("Lyon", "France", "*"), ("Nice", "France", "*"),
    ("Oslo", "Norway", "*"),
])  # fmt: skip


def value(measure: NCP | InformationLoss, case: PublishedTable) -> float | None:
    """Return the loss."""
    return measure.measure(case, RNG(0)).value.value


@pytest.mark.parametrize("measure", BOTH)
def test_a_range_costs_its_part_of_the_whole_range(measure):
    """Ages 20 to 60: the range 20 to 30 is a quarter, 50 to 60 too."""
    table = Table.of({"age": [20, 30, 50, 60], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    assert value(measure, made.case_of(table, stories.boxed(table, [0, 0, 1, 1]))) == pytest.approx(1 / 4)


def test_adult_by_mondrian_loses_2_57_percent():
    """Seven columns, k = 5: text counts by its alphabetical order, education by its own: 2,967 groups."""
    names = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
    table = adult(quasi=names, sensitive=["occupation"])
    case = made.case_of(table, Mondrian(5).sanitize(table, RNG(0)))
    assert case.release.n_groups == 2967
    assert value(NCP(), case) == pytest.approx(0.0257, abs=5e-5)
    assert value(InformationLoss(), case) == pytest.approx(value(NCP(), case) or 0)  # no gaps, no hierarchies


def test_a_label_costs_by_the_leaves_below_it():
    """Germany is 2 of 5 cities: 2/5 by Xu et al., (2 − 1) / (5 − 1) by Iyengar; one leaf costs nothing by either."""
    table = Table.of({"city": ["Bonn", "Köln", "Oslo"], "ill": list("aba")}, quasi=["city"], sensitive=["ill"])
    release = made.recoded(table, {"city": ["Germany", "Germany", "Oslo"]}, hierarchies={"city": CITIES})
    assert value(NCP(), made.case_of(table, release)) == pytest.approx(2 / 3 * 2 / 5)
    assert value(InformationLoss(), made.case_of(table, release)) == pytest.approx(2 / 3 * 1 / 4)


def test_a_set_with_gaps_is_a_wide_range_of_few_values():
    """{a, d} of a, b, c, d: all of the range, but two values of four."""
    table = Table.of({"x": list("abcd"), "ill": list("abab")}, quasi=["x"], sensitive=["ill"])
    case = made.case_of(table, made.recoded(table, {"x": ["{a, d}", "b", "c", "{a, d}"]}))
    assert value(NCP(), case) == pytest.approx(1 / 2)
    assert value(InformationLoss(), case) == pytest.approx(1 / 2 * 1 / 3)


@pytest.mark.parametrize("measure", BOTH)
def test_half_open_intervals_of_whole_numbers_end_before_their_end(measure):
    """[20, 30) is 20 to 29."""
    table = Table.of({"age": [20, 29, 30, 39], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    texts = ["[20, 30)"] * 2 + ["[30, 40)"] * 2
    case = made.case_of(table, made.recoded(table, {"age": texts}, domains={"age": Numeric(step=1.0)}))
    assert value(measure, case) == pytest.approx(9 / 19)


@pytest.mark.parametrize("measure", BOTH)
def test_who_was_left_out_lost_everything(measure):
    """Three of four people as they are, one left out; and a cell `*` costs as much."""
    table = Table.of({"x": list("abcd"), "ill": list("abab")}, quasi=["x"], sensitive=["ill"])
    gone = made.recoded(table, {"x": list("abcd")}, kept=[True, True, True, False])
    assert value(measure, made.case_of(table, gone)) == pytest.approx(1 / 4)
    star = made.recoded(table, {"x": ["a", "b", "c", "*"]})
    assert value(measure, made.case_of(table, star)) == pytest.approx(1 / 4)
    every = made.recoded(table, {"x": ["*"] * 4})
    assert value(measure, made.case_of(table, every)) == 1


@pytest.mark.parametrize("measure", BOTH)
def test_a_constant_column_has_nothing_to_lose(measure):
    """Not a division by zero."""
    table = Table.of({"x": [3, 3], "y": list("aa"), "ill": list("ab")}, quasi=["x", "y"], sensitive=["ill"])
    assert value(measure, made.case_of(table, stories.boxed(table, [0, 0]))) == 0


@pytest.mark.parametrize("measure", BOTH)
def test_without_the_original_declared_bounds_are_the_range(measure):
    """Else what is published: 20 to 60."""
    table = Table.of({"age": [20, 30, 50, 60], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    texts = ["20-30"] * 2 + ["50-60"] * 2
    release = made.recoded(table, {"age": texts}, domains={"age": Numeric(step=1.0)}).release
    declared = made.recoded(table, {"age": texts}, domains={"age": Numeric(0.0, 100.0, 1.0)}).release
    assert value(measure, PublishedTable.of(release)) == pytest.approx(1 / 4)
    assert value(measure, PublishedTable.of(declared)) == pytest.approx(1 / 10)


@pytest.mark.parametrize("measure", BOTH)
def test_numbers_without_a_step_count_by_length(measure):
    """1.5 to 2.5 of 0 to 4; a missing value has no length and costs nothing."""
    table = Table.of({"x": [0.0, 1.5, 2.5, 4.0, None], "ill": list("ababa")}, quasi=["x"], sensitive=["ill"])
    case = made.case_of(table, stories.boxed(table, [0, 1, 1, 2, 3]))
    assert value(measure, case) == pytest.approx(2 / 5 * 1 / 4)


def test_empty_table_has_undefined_loss():
    """Undefined is not 0."""
    table = Table.of({"x": list("ab"), "ill": list("ab")}, quasi=["x"], sensitive=["ill"]).take(np.arange(0))
    found = (
        NCP()
        .measure(PublishedTable.of(stories.boxed(table, []).release if table.n_rows else _empty(table)), RNG(0))
        .value
    )
    assert found.value is None
    assert found.why


def _empty(table: Table):
    return made.recoded(table, {"x": []}).release


@given(grouped())
@pytest.mark.parametrize("measure", BOTH)
def test_it_is_what_the_definition_says(measure, drawn: Drawn):
    """Every attribute of every small table, missing values among them."""
    quality = measure.measure(drawn.case, RNG(0))
    expected = {name: reference.width(column, drawn.group_of) for name, column in drawn.columns.items()}
    assert {name: part.value for name, part in quality.parts.items()} == pytest.approx(expected)
    assert quality.value.value == pytest.approx(np.mean(list(expected.values())))
