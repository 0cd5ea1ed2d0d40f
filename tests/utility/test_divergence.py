"""Divergence of marginals and of pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from tests import stories
from tests.utility import made, reference
from tests.utility.drawn import RNG, Drawn, grouped
from unmask.table import Table
from unmask.utility.divergence import KLMarginals, KLPairs
from unmask.utility.utility_measure import PublishedTable

FOUR = Table.of({"x": list("aaab"), "y": list("cccd"), "ill": list("ppqq")}, quasi=["x", "y"], sensitive=["ill"])


def test_even_cells_hide_an_uneven_column():
    """Three a and one b behind {a, b}: the release tells one half, one half."""
    found = KLMarginals().measure(made.case_of(FOUR, stories.boxed(FOUR, [0] * 4)), RNG(0))
    expected = 3 / 4 * math.log(3 / 2) + 1 / 4 * math.log(1 / 2)
    assert {name: part.value for name, part in found.parts.items()} == pytest.approx({"x": expected, "y": expected})


def test_anatomy_keeps_quasi_identifiers_and_loosens_their_tie_to_the_values():
    """Exact rows: marginals and pairs of quasi-identifiers are perfect, pairs with the illness are not."""
    case = made.case_of(FOUR, stories.exact(FOUR, [0, 1, 1, 0]))
    assert KLMarginals().measure(case, RNG(0)).value.value == 0
    parts = {name: part.value for name, part in KLPairs().measure(case, RNG(0)).parts.items()}
    assert parts["x × y"] == 0
    # told by the release: a with p 3/2, a with q 3/2, b with p and with q 1/2 each; true: 2, 1, 0 and 1
    expected = 2 / 4 * math.log(2 / 1.5) + 1 / 4 * math.log(1 / 1.5) + 1 / 4 * math.log(1 / 0.5)
    assert parts["x × ill"] == pytest.approx(expected)


def test_who_was_left_out_is_spread_over_everything():
    """Person b was left out: without spreading the release would rule it out, and the divergence would be infinite."""
    release = made.recoded(FOUR, {"x": list("aaab"), "y": list("cccd")}, kept=[True] * 3 + [False])
    found = KLMarginals().measure(made.case_of(FOUR, release), RNG(0))
    expected = 3 / 4 * math.log(6 / 7) + 1 / 4 * math.log(2)  # told: 3.5 and 0.5 of 4
    assert found.parts["x"].value == pytest.approx(expected)


def test_pairs_of_who_was_left_out_are_spread_over_all_pairs():
    """Of b, d and q nothing is published: a quarter of a person in each of the four pairs."""
    release = made.recoded(FOUR, {"x": list("aaab"), "y": list("cccd")}, kept=[True] * 3 + [False])
    parts = {name: part.value for name, part in KLPairs().measure(made.case_of(FOUR, release), RNG(0)).parts.items()}
    assert parts["x × y"] == pytest.approx(3 / 4 * math.log(3 / 3.25) + 1 / 4 * math.log(1 / 0.25))
    expected = 2 / 4 * math.log(2 / 2.25) + 1 / 4 * math.log(1 / 1.25) + 1 / 4 * math.log(1 / 0.25)
    assert parts["x × ill"] == pytest.approx(expected)


def test_a_release_that_rules_out_what_occurs_is_infinitely_far():
    """A table of other people."""
    release = made.recoded(FOUR, {"x": list("aaaa"), "y": list("cccc")})
    found = KLMarginals().measure(made.case_of(FOUR, release), RNG(0))
    assert found.value.value == math.inf


def test_without_the_original_there_is_nothing_to_compare_with():
    """Undefined, with the reason."""
    for measure in (KLMarginals(), KLPairs()):
        found = measure.measure(PublishedTable.of(stories.boxed(FOUR, [0] * 4).release), RNG(0)).value
        assert (found.value, found.why) == (None, "needs the original table")


def test_numbers_with_many_values_are_cut_into_intervals():
    """A thousand incomes in 64 intervals: exact rows are still perfect, one group is as far as uniform is."""
    income = np.random.default_rng(1).exponential(30_000, 1000).tolist()
    table = Table.of({"income": income, "ill": ["a"] * 1000}, quasi=["income"], sensitive=["ill"])
    assert KLMarginals().measure(made.case_of(table, stories.exact(table, [0] * 1000)), RNG(0)).value.value == 0
    hidden = KLMarginals().measure(made.case_of(table, stories.boxed(table, [0] * 1000)), RNG(0)).value.value
    share = np.histogram(income, 64)[0] / 1000
    assert hidden == pytest.approx(sum(p * math.log(64 * p) for p in share if p))


@given(grouped())
def test_it_is_what_the_definition_says(drawn: Drawn):
    """Marginals and all pairs, missing values among them."""
    marginals = KLMarginals().measure(drawn.case, RNG(0))
    expected = {name: reference.marginal(column, drawn.group_of) for name, column in drawn.columns.items()}
    assert {name: part.value for name, part in marginals.parts.items()} == pytest.approx(expected, abs=1e-9)
    pairs = KLPairs().measure(drawn.case, RNG(0))
    by_listing = reference.pairs(drawn.columns, drawn.ill, drawn.group_of)
    assert [part.value for part in pairs.parts.values()] == pytest.approx(by_listing, abs=1e-9)
    assert pairs.value.value == pytest.approx(np.mean(by_listing), abs=1e-9)
