"""Policies: limits, tolerance and verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.auditing.policy import Exposure, Limits, Policy, Verdict, verdict, worst_of
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.models.privacy_model import risk_meant

HALF = Limits(max_belief=0.5)


def judged(limits: Limits, *exposed: Estimate, unreadable: float = 0) -> Verdict:
    """Judge the numbers of people exposed by each attack; of each, as many could not be compared with the release."""
    return verdict([Exposure(one, unreadable) for one in exposed], limits)


def count(n: float, of: float = 100, low: float | None = None, high: float | None = None) -> Estimate:
    """Return a number of people exposed, known exactly unless bounds are given."""
    return Estimate(n, n if low is None else low, n if high is None else high, of)


def test_nobody_may_be_exposed_unless_some_are_tolerated():
    """One of a hundred breaks the limit; one is tolerated, or one in a hundred."""
    assert judged(HALF, count(0)) is Verdict.WITHIN
    assert judged(HALF, count(1)) is Verdict.BROKEN
    assert judged(replace(HALF, tolerate=1, tolerate_is_share=False), count(1)) is Verdict.WITHIN
    assert judged(replace(HALF, tolerate=0.01), count(1)) is Verdict.WITHIN
    assert judged(replace(HALF, tolerate=0.01), count(2)) is Verdict.BROKEN


def test_the_worst_attack_decides():
    """One that finds nothing does not make up for one that does."""
    assert judged(HALF, count(0), count(3), count(0)) is Verdict.BROKEN


def test_a_limit_is_not_missed_by_rounding():
    """A billionth of a person is tolerated, and no more."""
    limits = replace(HALF, tolerate=0.3)
    assert judged(limits, count(0.1 * 3, of=1)) is Verdict.WITHIN  # .30000000000000004
    assert judged(limits, count(0.3 + 5e-10, of=1)) is Verdict.WITHIN
    assert judged(limits, count(0.3 + 1e-8, of=1)) is Verdict.BROKEN


def test_an_interval_across_the_limit_is_not_decided():
    """Between 2 and 8 exposed, 5 tolerated: neither broken nor within."""
    limits = replace(HALF, tolerate=5, tolerate_is_share=False)
    assert judged(limits, count(4, low=2, high=8)) is Verdict.NOT_DECIDED
    assert judged(limits, count(7, low=6, high=8)) is Verdict.BROKEN
    assert judged(limits, count(3, low=2, high=4)) is Verdict.WITHIN


def test_not_run_is_not_safe():
    """An attack that is undefined, or none at all, proves nothing; a broken limit stays broken."""
    unknown = Estimate.undefined("chains disagree")
    assert judged(HALF, unknown) is Verdict.NOT_DECIDED
    assert judged(HALF, count(0), unknown) is Verdict.NOT_DECIDED
    assert judged(HALF, count(9), unknown) is Verdict.BROKEN
    assert judged(HALF) is Verdict.NOT_DECIDED


def test_people_who_could_not_be_compared_may_be_exposed():
    """Kept: exposed and unreadable people together are tolerated. Broken: the exposed are not. Else not decided."""
    limits = replace(HALF, tolerate=5, tolerate_is_share=False)
    assert judged(limits, count(3), unreadable=2) is Verdict.WITHIN
    assert judged(limits, count(3), unreadable=3) is Verdict.NOT_DECIDED
    assert judged(limits, count(6), unreadable=3) is Verdict.BROKEN
    assert judged(limits, count(3, low=2, high=4), unreadable=1) is Verdict.WITHIN
    assert judged(limits, count(3, low=2, high=4), unreadable=2) is Verdict.NOT_DECIDED


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_a_clean_verdict_holds_whoever_the_unreadable_people_are(exposed, unreadable, tolerated):
    """Whether none of them is exposed or all: kept and broken are what both would be."""
    limits = replace(HALF, tolerate=tolerated, tolerate_is_share=False)
    found = judged(limits, count(exposed), unreadable=unreadable)
    ends = {judged(limits, count(exposed)), judged(limits, count(exposed + unreadable))}
    assert {found} == ends if len(ends) == 1 else found is Verdict.NOT_DECIDED


def test_evidence_that_cannot_change_the_verdict_is_not_demanded():
    """Without a control the excess is unknown, but only people at the belief limit can exceed it."""
    unknown = replace(Estimate.undefined("there is no control to exceed", 100), high=3.0)
    assert judged(replace(HALF, tolerate=3, tolerate_is_share=False), unknown) is Verdict.WITHIN
    assert judged(replace(HALF, tolerate=2, tolerate_is_share=False), unknown) is Verdict.NOT_DECIDED


def test_that_other_limits_were_kept_is_no_reason():
    """Of a broken limit or an open one; of a verdict within the limits it is the only one."""
    kept, open_, broken = ((one, [str(one)]) for one in (Verdict.WITHIN, Verdict.NOT_DECIDED, Verdict.BROKEN))
    assert worst_of([kept, open_, broken]) == (Verdict.BROKEN, ("limit broken", "not decided"))
    assert worst_of([kept, open_]) == (Verdict.NOT_DECIDED, ("not decided",))
    assert worst_of([kept, kept]) == (Verdict.WITHIN, ("within limits", "within limits"))
    assert worst_of([]) == (Verdict.NO_LIMITS, ())


def test_a_number_without_bounds_is_taken_as_it_is():
    """The uncertainty is unknown: five exposed are five exposed, not zero."""
    assert judged(HALF, Estimate(5.0, n=100)) is Verdict.BROKEN
    assert judged(HALF, Estimate(0.0, n=100)) is Verdict.WITHIN


def test_without_limits_there_is_nothing_to_break():
    """An audit that only looks."""
    assert judged(Limits(), count(100)) is Verdict.NO_LIMITS
    assert not Limits().given
    assert HALF.given
    assert Limits(max_risk=0.09).given


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: Limits(max_belief=0), "max-belief must be greater than 0 and at most 1; got 0"),
        (lambda: Limits(max_belief=1.2), "got 1.2"),
        (lambda: Limits(max_risk=0), "max-risk must be greater than 0"),
        (lambda: Limits(excess=0.1), "excess must come with max-belief"),
        (lambda: Limits(max_belief=0.5, excess=2), "excess must be between 0 and 1"),
        (lambda: Limits(max_belief=0.5, tolerate=-1), "tolerate must be a share"),
        (lambda: Limits(max_belief=0.5, tolerate=3), "tolerate must be a share"),
        (lambda: Policy(Limits(max_belief=0.5, excess=0.1), control="none"), "must have a control to exceed"),
    ],
)
def test_limits_that_mean_nothing_are_refused(make, expected):
    """An excess without a belief to exceed, or without a control; shares beyond 1."""
    with pytest.raises(InvalidInputError, match=expected):
        make()


def test_limits_of_nan_mean_nothing_either():
    """No comparison with NaN would ever be true, so nothing could ever break it."""
    nan = float("nan")
    for make in (lambda: Limits(nan), lambda: Limits(max_risk=nan), lambda: Limits(0.5, tolerate=nan)):
        with pytest.raises(InvalidInputError, match="; got nan"):
            make()


@pytest.mark.parametrize(
    ("limit", "meant"), [(0.09, 1 / 11), (0.33, 1 / 3), (0.05, 0.05), (0.2, 0.2), (0.4, 0.4), (0.17, 0.17), (1.0, 1.0)]
)
def test_a_risk_limit_is_a_group_size_only_where_it_is_written_for_one(limit, meant):
    """0.09 is how regulators write groups of 11; 0.4 is no group size, and does not let groups of two pass."""
    assert meant == pytest.approx(risk_meant(limit))
