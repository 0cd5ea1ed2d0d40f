"""Precision and recall of the top match: whether the row that is named is the person's."""

from __future__ import annotations

import numpy as np
import pytest

from tests import stories
from tests.strategies import Seen, place_view
from unmask.attacks.linkage.attack import Linkage
from unmask.estimate import Tally, Truth
from unmask.metrics.top_match import TopMatchPrecision, TopMatchRecall
from unmask.table import Table

FOUR = Table.of({"age": [20, 20, 30, 40], "ill": list("abcd")}, quasi=["age"], sensitive=["ill"])


def matched(known: list[int], own: list[int] | None, group_of: list[int]) -> Tally:
    """Look for people of known ages among the four; `own` are the rows that are theirs, -1 for none."""
    published = stories.exact(FOUR, group_of)
    people = stories.people_of(age=known)
    view = place_view(Seen(stories.view_of(published.release, people, "ill"), people, (published,)))
    truth = None
    if own is not None:
        groups = (*view.knowledge.prior.values, "not in it")
        truth = Truth(view.about, groups, np.append(published.group_of, len(groups) - 1)[own])
    return Tally.of(Linkage().infer(view, np.random.default_rng(0)), truth)


def test_twins_are_not_matched_and_lower_the_recall_alone():
    """Each of four in a group of their own: the twins have no match, the others are right: 2/2 and 2/4."""
    tally = matched([20, 20, 30, 40], [0, 1, 2, 3], [0, 1, 2, 3])
    assert TopMatchPrecision().measure(tally).value == 1
    assert TopMatchRecall().measure(tally).value == 1 / 2


def test_a_wrong_match_lowers_both():
    """Who is said to be 40 and is 30 is matched with another's row: one of two, and one of three."""
    tally = matched([30, 40, 20], [2, 2, 0], [0, 1, 2, 3])
    assert TopMatchPrecision().measure(tally).value == 1 / 2
    assert TopMatchRecall().measure(tally).value == pytest.approx(1 / 3)


def test_people_outside_the_release_are_only_matched_wrongly():
    """It is held against the precision, and not against the recall."""
    tally = matched([30, 40], [2, -1], [0, 1, 2, 3])
    assert TopMatchPrecision().measure(tally).value == 1 / 2
    assert TopMatchRecall().measure(tally).value == 1


def test_without_matches_there_is_no_precision():
    """Two twins: a recall of 0, and nothing to be right or wrong."""
    tally = matched([20, 20], [0, 1], [0, 0, 1, 1])
    assert TopMatchPrecision().measure(tally).value is None
    assert TopMatchRecall().measure(tally).value == 0


def test_without_the_truth_neither_is_known():
    """Who is named is known, and not whether rightly."""
    tally = matched([30], None, [0, 1, 2, 3])
    assert TopMatchPrecision().measure(tally).value is None
    assert TopMatchRecall().measure(tally).value is None
