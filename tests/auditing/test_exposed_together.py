"""The limit on beliefs for all attacks together: a release passes only if few people are exposed by any of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.auditing.test_scenes import report
from unmask.auditing.exposed_together import exposed_together, limit_together
from unmask.auditing.limit_results import LimitState
from unmask.auditing.policy import Exposure, Limits, Policy, Verdict
from unmask.beliefs import About
from unmask.estimate import Estimate
from unmask.unit import Unit

MARKS = st.lists(st.lists(st.booleans(), min_size=12, max_size=12), min_size=2, max_size=4)


def scene(*exposures: Exposure, releases: tuple[str, ...] = ("one",)) -> Any:
    """Return what the limit reads of a scene whose attacks expose so many people."""
    results = [
        SimpleNamespace(
            exposure=one, unreadable=one.unreadable,
            unplaced=[SimpleNamespace(release=name, unreadable=one.unreadable) for name in releases[:1]],
        )
        for one in exposures
    ]  # fmt: skip
    row = SimpleNamespace(name="row")
    return SimpleNamespace(
        results=results, unit=Unit.ROWS, about=About.attribute("ill"), attacker=row, releases=releases
    )


def exact(people: float) -> Exposure:
    """Return a number of people, of a thousand, without uncertainty."""
    return Exposure(Estimate.exact(people, 1000))


def test_attacks_that_keep_a_limit_one_by_one_may_break_it_together():
    """312 and 290 of 323 tolerated, but 346 different people: broken, and 23 fewer keep it."""
    limits = Limits(0.5, tolerate=323, tolerate_is_share=False)
    found = limit_together([scene(exact(312), exact(290))], 346, limits)
    assert found is not None
    _, one = found
    assert (one.state, one.attack, one.about, one.tolerated) == (LimitState.BROKEN, "", "ill", 323)
    assert one.reason == "346 of 1,000 rows are exposed by some attack; 323 are tolerated"
    assert one.would_change == "Kept if 23 fewer rows were exposed"


def test_one_attack_that_exposes_all_who_are_exposed_is_judged_once():
    """Homogeneity finds some of the people whom random worlds finds: nothing is said twice."""
    assert limit_together([scene(exact(312), exact(290))], 312, Limits(0.5, tolerate=0.5)) is None
    assert limit_together([scene(exact(312))], 312, Limits(0.5, tolerate=0.5)) is None


def test_an_interval_that_straddles_the_limit_leaves_it_open():
    """300 (290 to 315) and 20 others: between 310 and 335 people, of 323 tolerated."""
    drawn = Exposure(Estimate(300, 290, 315, 1000, "monte carlo"))
    limits = Limits(0.5, tolerate=323, tolerate_is_share=False)
    found = limit_together([scene(drawn, exact(20))], 320, limits)
    assert found is not None
    assert found[1].state is LimitState.NOT_DECIDED
    assert found[1].measured == Estimate(320, 310, 335, 1000, "monte carlo")


def test_people_who_could_not_be_compared_count_once_for_each_release():
    """Ten people match no group of the release, whichever attack asks: at most ten more are exposed, not twenty."""
    some = Exposure(Estimate.exact(5, 1000), 10)
    assert limit_together([scene(some, some)], 8, Limits(0.5, tolerate=18, tolerate_is_share=False)) is not None
    kept = limit_together([scene(some, some)], 8, Limits(0.5, tolerate=18, tolerate_is_share=False))
    open_ = limit_together([scene(some, some)], 8, Limits(0.5, tolerate=17, tolerate_is_share=False))
    assert kept is not None
    assert open_ is not None
    assert (kept[1].state, open_[1].state) == (LimitState.KEPT, LimitState.NOT_DECIDED)
    assert open_[1].would_change.startswith("10 rows fit no group and could be exposed")
    both = [scene(some), scene(some, releases=("one", "two"))]
    kept = limit_together(both, 8, Limits(0.5, tolerate=18, tolerate_is_share=False))
    assert kept is not None
    assert kept[1].state is LimitState.KEPT


@given(MARKS, st.data())
def test_the_interval_holds_whenever_those_of_all_attacks_do(marks, data):
    """Each attack's true people differ from its estimate by what its interval allows; so do those of all together."""
    found, truth = [], np.array(marks)
    for row in marks:
        flips = data.draw(st.lists(st.booleans(), min_size=12, max_size=12))
        before = np.array(row)
        after = before ^ np.array(flips)
        lost, gained = int((before & ~after).sum()), int((after & ~before).sum())
        n = int(before.sum())
        found.append(Exposure(Estimate(n, n - lost, n + gained, 12, "monte carlo")))
        truth[len(found) - 1] = after
    n_exposed = int(np.any(marks, axis=0).sum())
    whole = exposed_together(found, n_exposed)
    assert whole.least <= int(truth.any(axis=0).sum()) <= whole.most


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(0, 2), min_size=6, max_size=6), st.sampled_from([0.3, 0.5]), st.integers(0, 5),
    st.sampled_from(["row", "attributes"]),
)  # fmt: skip
def test_a_release_within_limits_exposes_no_more_people_than_are_tolerated(groups, belief, tolerated, location):
    """The number that the report states is the number that the verdict is about."""
    policy = Policy(Limits(belief, tolerate=tolerated, tolerate_is_share=False), location=location)
    found = report([sorted(set(groups)).index(group) for group in groups], policy=policy)
    assert found.n_exposed is not None
    if found.n_exposed > tolerated:
        assert found.verdict is Verdict.BROKEN
    else:
        assert found.verdict is not Verdict.BROKEN


def test_without_a_limit_on_beliefs_nothing_is_judged():
    """A limit on the risk of being named is judged by linkage alone."""
    assert limit_together([scene(exact(1), exact(2))], 3, Limits(max_risk=0.1)) is None


@pytest.mark.parametrize("n_exposed", [None, 3])
def test_only_a_known_number_of_people_is_judged(n_exposed):
    """Where it is not known how many people any attack exposes, each attack is judged by itself."""
    assert (limit_together([scene(exact(1), exact(2))], n_exposed, Limits(0.5)) is None) is (n_exposed is None)
