"""The figures of the calibration table, on beliefs whose errors are known by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks._calibration.figures import Scored, mean_by_group
from benchmarks._calibration.page import page
from benchmarks._calibration.scenes import FOREST, REFERENCE, Place

PAIRS = np.repeat(np.arange(500, dtype=np.int32), 2)


def test_pairs_of_two_values_are_right_as_often_as_they_say():
    """Each of a pair is believed to have either value: half a point each, and an error of 0."""
    truth = np.tile(np.array([0, 1], np.int32), 500)
    found = Scored.of(np.full((1000, 2), 0.5), truth, PAIRS).figures()
    assert found["right"] == found["belief"] == 0.5
    assert found["ece"] == found["ece by mass"] == 0.0
    assert found["log loss"] == pytest.approx(np.log(2))


def test_who_is_sure_and_right_in_four_of_five_errs_by_the_difference():
    """A belief of .9 in one value, true for 800 of 1,000: .1, and by pairs of equals an interval √2 times as wide."""
    truth = np.repeat(np.array([0, 1], np.int32), [800, 200])
    chance = np.tile([0.9, 0.1], (1000, 1))
    alone, paired = (Scored.of(chance, truth, group).figures() for group in (np.arange(1000, dtype=np.int32), PAIRS))
    assert alone["ece"] == pytest.approx(0.1)
    assert alone["ece ±"] == pytest.approx(1.96 * np.sqrt(0.8 * 0.2 / 1000))
    assert paired["ece ±"] == pytest.approx(np.sqrt(2) * alone["ece ±"])
    assert alone["ece by mass"] == pytest.approx(0.1 - np.sqrt(2 / np.pi) * np.sqrt((0.8 * 0.01 + 0.2 * 0.81) / 1000))


def test_one_belief_less_another_is_compared_person_by_person():
    """The log loss of .8 less that of .4 is −log 2 for everybody: no interval."""
    truth = np.zeros(1000, np.int32)
    one, other = (Scored.of(np.tile([p, 1 - p], (1000, 1)), truth, PAIRS) for p in (0.8, 0.4))
    mean, half = one.beside(other)
    assert mean == pytest.approx(-np.log(2))
    assert half == pytest.approx(0, abs=1e-12)


def test_an_interval_by_group_covers_the_mean_of_dependent_people():
    """Two hundred times five hundred pairs of equal numbers: 95 % within, ± 5 points (3 standard errors)."""
    rng = np.random.default_rng(1)
    within = []
    for _ in range(200):
        mean, half = mean_by_group(np.repeat(rng.normal(size=500), 2), PAIRS)
        within.append(abs(mean) <= half)
    assert 0.9 <= np.mean(within) <= 1.0


def test_the_page_names_what_misses_the_goal_and_what_was_not_measured():
    """A figure above .03 is listed, the forest is a reference, and a scene without results is not measured."""
    ours = {"right": 0.5, "belief": 0.6, "ece": 0.1, "ece ±": 0.01, "ece by mass": 0.09, "ece by mass ±": 0.01,
            "log loss": 1.0, "log loss ±": 0.01, "seconds": 1.0}  # fmt: skip
    beside = {f"less {other}{half}": 0.02 for other in (REFERENCE, FOREST) for half in ("", " ±")}
    run = {name: {**ours, **beside} for name in ("definetti", REFERENCE, FOREST)}
    results = {str(Place("acs", "anatomy l=3", "row", 0)): {**run, "replay": {"why": "chains must agree. Wait"}}}
    text = page(json.loads(json.dumps(results)), 3)
    assert "Seeds: 1 of 3." in text
    assert "1 of 20 scenes were measured; of 2 results in them, 2 have" in text
    assert "- `definetti` on acs, anatomy l=3, row known: 0.100 ± 0.010" in text
    assert "`replay` did not run: chains must agree." in text
    assert text.count("Not measured.") == 19
