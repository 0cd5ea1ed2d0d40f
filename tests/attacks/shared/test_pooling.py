"""Pooled distributions, and one posterior for each combination of prior and evidence."""

from __future__ import annotations

import numpy as np
import pytest

from tests import stories
from tests.judged import ILL
from unmask.arrays import Ragged
from unmask.attacks.shared.pooling import believed, default_prior, in_terms_of, pooled, values_of
from unmask.beliefs import Beliefs
from unmask.release import Release
from unmask.table import Table


def release(ills: str) -> Release:
    """Publish one group of people with these diseases, a letter each."""
    table = Table.of({"age": [30] * len(ills), "ill": list(ills)}, quasi=["age"], sensitive=["ill"])
    return stories.boxed(table, [0] * len(ills)).release


def test_rows_over_more_values_keep_theirs():
    """The values of the release in the same order among others, in another order, or not all of them."""
    rows, given = np.array([[0.25, 0.0, 0.75], [0.0, 1.0, 0.0]]), release("abc")
    for values in (("a", "b", "c"), ("a", "x", "b", "c"), ("c", "b", "a"), ("c", "a")):
        found = in_terms_of(values, given, "ill", Ragged.of(rows)).dense()
        assert found.tolist() == [[row["abc".index(v)] if v in "abc" else 0 for v in values] for row in rows.tolist()]


def test_two_releases_together_count_all_their_people():
    """Three a and one b here, two b and two c there: 3, 3 and 2 of eight, in the order in which values come."""
    both = [release("aaab"), release("bbcc")]
    assert values_of(both, "ill") == ("a", "b", "c")
    prior = default_prior(both, "ill", 5)
    assert prior.of(4) == {"a": 3 / 8, "b": 3 / 8, "c": 2 / 8}
    assert prior.rows.n_rows == 1


def test_values_of_other_lists_align_by_label_and_what_is_not_asked_about_is_left_out():
    """Asked about c, a and d: 2 and 3 of five; d has none."""
    assert pooled([release("aaab"), release("bbcc")], "ill", ("c", "a", "d")).tolist() == [2 / 5, 3 / 5, 0]
    rows = in_terms_of(("d", "b"), release("aaab"), "ill", Ragged.of(np.array([[0.75, 0.25]])))
    assert rows.dense().tolist() == [[0, 0.25]]


def test_where_nothing_is_published_nothing_is_preferred():
    """None of the values asked about occurs: even shares, no division by zero."""
    assert pooled([release("aa")], "ill", ("x", "y")).tolist() == [0.5, 0.5]


def test_one_belief_is_computed_for_each_combination():
    """Four people, two priors, two rows of evidence, of which three combinations occur: three rows."""
    prior = Beliefs(ILL, ("a", "b"), np.array([0, 0, 1, 1], np.int32), Ragged.of(np.array([[0.5, 0.5], [1.0, 0.0]])))
    evidence = np.array([[0.25, 0.75], [0.0, 1.0]])
    seen: list[int] = []

    def formula(before, rows):
        seen.append(before.shape[0])
        return before * evidence[rows[0]]

    beliefs, contradicted = believed(prior, [np.array([0, 0, 0, 1], np.int32)], formula)
    assert seen == [3]
    assert beliefs.dense() == pytest.approx(np.array([[0.25, 0.75], [0.25, 0.75], [1, 0], [1, 0]]))
    assert contradicted == 1  # the last: certain to have a, shown to have b


def test_targets_without_a_prior_are_not_attacked():
    """And contradicts nothing."""
    prior = Beliefs(ILL, ("a", "b"), np.array([-1, 0], np.int32), Ragged.of(np.array([[0.5, 0.5]])))
    beliefs, contradicted = believed(prior, [np.zeros(2, np.int32)], lambda before, _rows: before * 0)
    assert beliefs.row_of.tolist()[0] == -1
    assert contradicted == 1
