"""Exposure: people with too high a posterior for a harmful value, right or wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tests.judged import COLD, EVEN, FLU, beliefs_of, judged
from unmask.estimate import Tally
from unmask.metrics.exposure import SINGLE, Exposed, ExposedAlready, ExposedNew, ExposedRightly
from unmask.risk_levels import LEVELS
from unmask.schema import Harm

THIRD = {"flu": 1 / 3, "cold": 1 / 3, "hiv": 1 - 2 / 3}


def exposed(tally, *settings, **more):
    """Count the people exposed."""
    return Exposed(*settings, **more).measure(tally).value


def test_a_posterior_of_one_half_is_exposed_at_one_half():
    """Certain, half and half, a third each: two of three, whether the belief is right or wrong."""
    tally = judged([FLU, EVEN, THIRD], ["cold", "flu", "hiv"])
    assert exposed(tally, 0.5) == 2
    assert exposed(tally, 0.51) == 1
    assert ExposedRightly(0.5).measure(tally).value == 1  # the certain one is wrong


def test_at_l_3_all_posteriors_are_exactly_one_third():
    """Rounding (1 − 2/3 is a little more than 1/3) decides nothing: exposed at 1/3, not at .3334."""
    tally = judged([THIRD] * 4, ["hiv"] * 4)
    assert exposed(tally, 1 / 3) == 4
    assert ExposedRightly(1 / 3).measure(tally).value == 4
    assert exposed(tally, 1 / 3 + 1e-10) == 4  # a billionth is rounding
    assert exposed(tally, 1 / 3 + 1e-8) == 0


def test_harmless_values_expose_no_one_and_values_can_have_their_own_limit():
    """A cold does no harm; HIV harms from one in ten."""
    harm = Harm(frozenset({"cold"}), {"hiv": 0.1})
    tally = judged([COLD, {"cold": 0.85, "hiv": 0.15}, {"cold": 0.95, "hiv": 0.05}], ["cold"] * 3)
    assert exposed(tally, 0.5) == 3
    assert exposed(tally, 0.5, harm=harm) == 1


def test_only_what_exceeds_the_control_counts_for_the_same_value():
    """The control already believes flu of the first; of the second it believes a cold, so flu is news."""
    tally = judged([FLU, FLU], ["flu", "flu"], against={"control": [{"flu": 0.95, "cold": 0.05}, COLD]})
    assert exposed(tally, 0.5) == 2
    assert exposed(tally, 0.5, excess=0.1) == 1
    assert exposed(tally, 0.5, excess=0.05) == 2  # exactly as much more as is asked for
    assert ExposedRightly(0.5, 0.1).measure(tally).value == 1


def test_the_exposed_are_counted_by_the_value_that_exposes_them():
    """A person counts once for each value; harmless values, and those that the control knows, for none."""
    tally = judged([FLU, FLU, EVEN, COLD], ["flu"] * 4)
    by_value = dict(zip(tally.beliefs.values, Exposed(0.5).by_value(tally).tolist(), strict=True))
    assert {value: n for value, n in by_value.items() if n} == {"flu": 3, "cold": 2}
    harmless = Exposed(0.5, None, Harm(frozenset({"cold"}))).by_value(tally)
    assert harmless.sum() == 3
    tally = judged([FLU, FLU], ["flu", "flu"], against={"control": [{"flu": 0.95, "cold": 0.05}, COLD]})
    assert Exposed(0.5, 0.1).by_value(tally).sum() == Exposed(0.5, 0.1).measure(tally).value == 1


def test_without_a_control_an_excess_is_undefined():
    """Undefined is not zero, and says why."""
    for metric in (Exposed(0.5, 0.1), ExposedRightly(0.5, 0.1)):
        estimate = metric.measure(judged([FLU], ["flu"]))
        assert estimate.value is None
        assert estimate.why == "there is no control to exceed"


def test_a_person_with_several_rows_is_exposed_once_by_any_of_them():
    """Two rows of Ann, one of Bob: one person of two, however many rows."""
    tally = judged([THIRD, FLU, THIRD], ["flu", "flu", "hiv"], person=[7, 7, 9])
    estimate = Exposed(0.5).measure(tally)
    assert (estimate.value, estimate.n) == (1, 2)


def test_exposure_by_one_release_is_separate_from_new_exposure():
    """Ann is exposed by one release alone, Bob only by both together, Cy by neither."""
    alone = {SINGLE + "one": [FLU, EVEN, THIRD], SINGLE + "two": [EVEN, EVEN, THIRD]}
    tally = judged([FLU, FLU, EVEN], ["flu"] * 3, against=alone)
    assert ExposedAlready(1.0).measure(tally).value == 1
    assert ExposedNew(1.0).measure(tally).value == 1
    assert exposed(tally, 1.0) == 2


def test_with_one_release_there_is_no_already():
    """Undefined, with the reason."""
    for metric in (ExposedAlready(), ExposedNew()):
        assert metric.measure(judged([FLU], ["flu"])).why == "there is no single release to compare with"


def test_without_targets_exposure_is_undefined():
    """0 of 0 is undefined; of two attacked, one not, 0 of 1."""
    assert Exposed(0.5).measure(judged([{}], ["flu"])).value is None
    estimate = Exposed(0.5).measure(judged([THIRD, {}], ["flu", "flu"]))
    assert (estimate.value, estimate.n) == (0, 1)
    assert ExposedRightly(0.5).measure(judged([FLU], [None])).value is None
    assert ExposedRightly(0.5).measure(Tally.of(beliefs_of(FLU), None)).value is None


@pytest.mark.parametrize("step", LEVELS)
def test_the_ladder_is_what_regulators_speak_in(step):
    """1/20 to 1: each step counts the people exactly at it, and none below."""
    p = LEVELS[step]
    tally = judged([{"flu": p, "cold": 1 - p}, {"flu": 0.9 * p, "cold": 1 - 0.9 * p}], ["flu", "flu"])
    assert exposed(tally, p, harm=Harm(frozenset({"cold", "hiv"}))) == 1


@pytest.mark.parametrize("excess", [None, 0.0, 0.2])
def test_people_who_share_beliefs_are_counted_as_one_by_one(excess):
    """A law: 200 people, whose rows and controls are looked at one by one, person by person."""
    rng = np.random.default_rng(20)
    values = ("cold", "flu", "hiv")
    believed = rng.dirichlet([0.5] * 3, 8).round(2)
    believed[:, 0] = 1 - believed[:, 1:].sum(axis=1)
    pick, other = rng.integers(0, 8, 200), rng.integers(0, 8, 200)
    answers = [None if n == 3 else values[n] for n in rng.integers(0, 4, 200)]
    rows = [dict(zip(values, believed[i].tolist(), strict=True)) for i in pick]
    control = [dict(zip(values, believed[i].tolist(), strict=True)) for i in other]
    harm = Harm(frozenset({"cold"}), {"hiv": 0.3})
    limit = {"flu": 0.6, "hiv": 0.3}

    def firm(i: int, value: str) -> bool:
        more = excess is None or rows[i][value] >= control[i][value] + excess - 1e-9
        return bool(rows[i][value] >= limit[value] - 1e-9 and more and rows[i][value] > 0)

    tally = judged(rows, answers, against={"control": control})
    assert exposed(tally, 0.6, excess, harm=harm) == sum(any(firm(i, v) for v in limit) for i in range(200))
    rightly = sum(a in limit and firm(i, a) for i, a in enumerate(answers))
    assert ExposedRightly(0.6, excess, harm).measure(tally).value == rightly
