"""Effective anonymity: how many answers a person is still hidden among."""

from __future__ import annotations

import pytest

from tests.judged import EVEN, FLU, judged
from unmask.metrics.anonymity import AnonymityBefore, EffectiveAnonymity

ALL = {"flu": 0.5, "cold": 0.25, "hiv": 0.25}


def test_possible_values_are_counted_and_averaged_over_people():
    """1, 2 and 3 values remain: 2 on average; how likely each is does not matter."""
    assert EffectiveAnonymity().measure(judged([FLU, EVEN, ALL], ["flu"] * 3)).value == 2


def test_before_composition_the_best_single_release_counts():
    """Of the first person one release leaves 3 and the other 2 values; of the second 2 and 3: 2 before, 1.5 after."""
    alone = {"single one": [ALL, EVEN], "single two": [EVEN, ALL]}
    tally = judged([FLU, EVEN], ["flu", "cold"], against=alone)
    assert AnonymityBefore().measure(tally).value == 2
    assert EffectiveAnonymity().measure(tally).value == pytest.approx(1.5)


def test_without_single_releases_there_is_no_before():
    """Undefined, with the reason."""
    assert AnonymityBefore().measure(judged([FLU], ["flu"])).why == "there is no single release to compare with"


def test_the_truth_is_not_needed():
    """What is possible does not depend on what is so."""
    assert EffectiveAnonymity().measure(judged([EVEN, EVEN], [None, None])).value == 2
