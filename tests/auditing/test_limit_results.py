"""Limits with states: the verdict is the worst of them, and what would change each is true."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.auditing.test_scenes import report
from unmask.auditing.judging import change_of_exposure
from unmask.auditing.limit_results import LimitResult, LimitState, concluded, worst_first
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.unit import Unit

STATES = st.lists(st.sampled_from(list(LimitState)), max_size=6)


def value(one: LimitResult) -> float:
    """Return what was measured."""
    assert one.measured is not None
    assert one.measured.value is not None
    return one.measured.value


@given(STATES)
def test_the_verdict_is_the_worst_state(states):
    """Broken before not decided before kept; without limits there is no verdict; reasons keep their order."""
    limits = [LimitResult("k", state, f"{state} {i}") for i, state in enumerate(states)]
    verdict, why = concluded(limits)
    for state in (LimitState.BROKEN, LimitState.NOT_DECIDED, LimitState.KEPT):
        if state in states:
            assert verdict is state.verdict
            break
    else:
        assert verdict is Verdict.NO_LIMITS
    kept = LimitState.KEPT
    assert why == tuple(one.reason for one in worst_first(limits) if one.state is not kept or verdict is kept.verdict)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.sampled_from([0.3, 0.5, 0.9]),
    st.integers(0, 7),
)
def test_every_attack_with_a_number_has_a_state_and_the_stated_change_is_true(groups, belief, tolerated):
    """As many tolerated as are exposed keep the limit; one more exposed breaks it."""
    policy = Policy(Limits(belief, tolerate=tolerated, tolerate_is_share=False), location="row")
    found = report([sorted(set(groups)).index(group) for group in groups], policy=policy)
    judged = [r for s in found.scenes if s.attacker.name == "row" for r in s.results if r.gate is not None]
    assert len(found.limits) == len(judged) > 0
    for one in found.limits:
        assert (one.limit, one.threshold, one.location, one.about) == ("max-belief", belief, "row", "ill")
        exposed = value(one)
        assert one.state is (LimitState.BROKEN if exposed > tolerated else LimitState.KEPT)
        if one.state is LimitState.BROKEN:
            (fewer,) = map(int, re.findall(r"\d+", one.would_change))
            assert exposed - fewer == tolerated
        elif tolerated >= len(groups):
            assert one.would_change == f"Nothing breaks it: {tolerated} are tolerated, and there are no more rows"
        else:
            (more,) = map(int, re.findall(r"\d+", one.would_change))
            assert exposed + more == tolerated + 1


@pytest.mark.parametrize(("limit", "state", "size"), [(0.5, LimitState.KEPT, 2), (0.2, LimitState.BROKEN, 5)])
def test_a_risk_says_the_size_of_groups_that_decides(limit, state, size):
    """Groups of four and two keep 1/2; 1/5 asks for five."""
    (one,) = report([0, 0, 0, 0, 1, 1], policy=Policy(Limits(max_risk=limit))).limits
    assert (one.limit, one.state, value(one), one.attack) == ("max-risk", state, 0.5, "linkage")
    assert f"{size} published rows" in one.would_change


def test_a_required_attack_that_did_not_run_says_what_it_lacks():
    """An intersection of one release: its reason says how many it needs."""
    found = report([0, 0, 0, 0, 1, 1], policy=Policy(Limits(0.9), location="row", required=("intersection",)))
    one = next(limit for limit in found.limits if limit.limit == "required-attack")
    assert one.state is LimitState.NOT_DECIDED
    assert one.measured is None
    assert "needs at least 2 releases" in one.would_change


def test_a_change_moves_the_whole_interval_to_the_other_side():
    """10,290 ± 54 exposed, 325 tolerated: with 10,019 fewer the upper end is 325; of 100 ± 20, 246 more are 326."""
    scene: Any = SimpleNamespace(unit=Unit.ROWS)
    results: Any = [
        SimpleNamespace(exposure=SimpleNamespace(least=low, most=high, exposed=SimpleNamespace(n=20_000)))
        for low, high in ((10_236, 10_344), (80, 120))
    ]
    broken = change_of_exposure(scene, results[0], LimitState.BROKEN, 325)
    kept = change_of_exposure(scene, results[1], LimitState.KEPT, 325)
    assert broken == "Kept if 10,019 fewer rows were exposed"
    assert kept == "Broken if 246 more rows were exposed"
