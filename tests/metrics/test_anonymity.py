"""Effective anonymity: how many answers a person is still hidden among."""

from __future__ import annotations

import pytest

from tests.judged import COLD, EVEN, FLU, judged
from unmask.metrics.anonymity import AnonymityBefore, AnonymityDrop, EffectiveAnonymity, Vulnerable

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


def test_a_person_who_loses_a_value_to_composition_is_vulnerable():
    """The first keeps 1 value of 2, the second 2 of 2, and of the third one release alone left 1: one person."""
    alone = {"single one": [EVEN, EVEN, FLU], "single two": [ALL, ALL, EVEN]}
    tally = judged([FLU, EVEN, FLU], ["flu", "cold", "flu"], against=alone)
    assert Vulnerable().measure(tally).value == 1
    assert AnonymityDrop().measure(tally).value == pytest.approx(1 / 3)


def test_a_person_with_two_rows_is_vulnerable_once():
    """Both rows lose a value; a count of people says 1."""
    tally = judged([FLU, COLD], ["flu", "cold"], against={"single one": [EVEN, EVEN]}, person=[0, 0])
    assert Vulnerable().measure(tally).value == 1


def test_without_single_releases_there_is_no_before():
    """Undefined, with the reason."""
    for metric in (AnonymityBefore(), AnonymityDrop(), Vulnerable()):
        assert metric.measure(judged([FLU], ["flu"])).why == "there is no single release to compare with"


def test_the_truth_is_not_needed():
    """What is possible does not depend on what is so."""
    assert EffectiveAnonymity().measure(judged([EVEN, EVEN], [None, None])).value == 2
