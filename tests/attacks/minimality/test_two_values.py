"""Posterior of the positions of positives in a greedy group, given the rule.

Over 300 lines: all sections compare the same helpers with closed forms or with enumeration.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import e

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests import greedy
from unmask.attacks.minimality import _identical_people
from unmask.attacks.minimality._prefix import BinaryGroup
from unmask.attacks.minimality.two_values import positive_given_position, value_given_position
from unmask.errors import ContradictionError, InvalidInputError, NotApplicableError
from unmask.sanitizers.greedy_rule.first_bucket import p_b1_exact
from unmask.sanitizers.greedy_rule.rule import Coin, GreedyRule, Tail

EXACT = 1e-12


def rule(l: int, p: float = 0.0, coin: Coin = "prefix", minimum: int | None = None) -> GreedyRule:
    """Return the rule that bounds one value, for groups of at least l people."""
    return GreedyRule(l, l if minimum is None else minimum, "Y", p, coin)


def found(n: int, c: int, by: GreedyRule, last: Tail | None = None) -> list[Fraction]:
    """Return what is believed of each position, as the fractions that it is made of."""
    return [Fraction(x).limit_denominator(200_000) for x in positive_given_position(n, c, by, last=last).tolist()]


def each(*runs: tuple[Fraction, int]) -> list[Fraction]:
    """Return numbers repeated by their counts."""
    return [number for number, times in runs for _ in range(times)]


# --- the story


def test_two_positives_among_six_people_are_both_in_the_first_half():
    """With l = 3, four people with one positive would have been safe: so two of the first three are positive."""
    assert each((Fraction(2, 3), 3), (Fraction(0), 3)) == found(6, 2, rule(3))


@pytest.mark.parametrize(
    ("l", "m", "buckets"),
    [
        (3, 3, (Fraction(7, 10), Fraction(3, 10), Fraction(0))),
        (4, 3, (Fraction(15, 28), Fraction(3, 14), Fraction(0))),
        (6, 2, (Fraction(1, 3), Fraction(0))),
        (6, 3, (Fraction(4, 11), Fraction(3, 22), Fraction(0))),
        (2, 3, (Fraction(1), Fraction(1, 2), Fraction(0))),
    ],
)
def test_a_group_is_buckets_of_l_people_each_less_likely_than_the_one_before(l, m, buckets):
    """The people of a bucket have equal beliefs; the last bucket has no positive."""
    assert each(*((p, l) for p in buckets)) == found(m * l, m, rule(l))


@pytest.mark.parametrize(("l", "m"), list(product(range(2, 9), range(2, 7))))
def test_the_first_bucket_is_the_closed_form_of_the_paper(l, m):
    """p(b1) = (1/l) ∏ (m·l − 1 − j) / (m·l − m − j): at most 2/l to e/l, by the size of the group."""
    assert positive_given_position(m * l, m, rule(l))[0] == pytest.approx(float(p_b1_exact(l, m)), abs=EXACT)


@pytest.mark.parametrize(
    ("m", "expected"),
    [
        (2, each((Fraction(1), 1), (Fraction(1, 2), 2), (Fraction(0), 3))),
        (3, each((Fraction(1), 1), (Fraction(4, 7), 2), (Fraction(2, 7), 3), (Fraction(0), 3))),
    ],
)
def test_without_a_minimum_size_the_first_person_is_positive_for_certain(m, expected):
    """A single negative would have been a safe group: no bound by e/l is left."""
    assert expected == found(3 * m, m, rule(3, minimum=1))


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (0.1, [*each((Fraction(2111, 3345), 3)), Fraction(311, 3345), Fraction(41, 3345), Fraction(1, 669)]),
        (0.5, [*each((Fraction(23, 49), 3)), Fraction(15, 49), Fraction(9, 49), Fraction(5, 49)]),
        (0.9, [*each((Fraction(4439, 12585), 3)), Fraction(1413, 4195), Fraction(1323, 4195), Fraction(243, 839)]),
        (1.0, each((Fraction(1, 3), 6))),
    ],
)
def test_a_coin_for_each_prefix_blurs_where_the_positives_are(p, expected):
    """The more often groups go on when they may be closed, the less their end discloses; p = 1: nothing."""
    assert expected == found(6, 2, rule(3, p), "closed" if p == 1 else None)


def test_a_coin_for_each_prefix_in_longer_groups():
    """Nine people with three positives; four with two, for l = 2."""
    nine = [*each((Fraction(693, 1264), 3)), *(Fraction(n, 1264) for n in (509, 419, 391, 215, 117)), Fraction(31, 632)]
    assert nine == found(9, 3, rule(3, 0.5))
    assert [Fraction(7, 11), Fraction(7, 11), Fraction(5, 11), Fraction(3, 11)] == found(4, 2, rule(2, 0.5))


@pytest.mark.parametrize(
    ("p", "first", "second"),
    [
        (0, Fraction(2, 3), Fraction(0)),
        (0.5, Fraction(7, 15), Fraction(1, 5)),
        (0.9, Fraction(47, 111), Fraction(9, 37)),
    ],
)
def test_a_coin_for_each_finished_group_is_another_rule_with_other_numbers(p, first, second):
    """Two positives in two buckets: two finished groups joined, or one; even p near 1 discloses something."""
    assert each((first, 3), (second, 3)) == found(6, 2, rule(3, p, "group"))


def test_a_coin_for_each_finished_group_in_longer_groups():
    """Three buckets, with two positives for l = 3, and with three for l = 2."""
    assert each((Fraction(10, 39), 6), (Fraction(2, 13), 3)) == found(9, 2, rule(3, 0.5, "group"))
    assert each((Fraction(3, 4), 2), (Fraction(1, 2), 2), (Fraction(1, 4), 2)) == found(6, 3, rule(2, 0.5, "group"))


def test_a_last_group_that_may_hide_a_tail_tells_less_and_something_else():
    """It is not published whether it was closed: the first bucket is now the one where positives are least likely."""
    assert each((Fraction(7, 30), 3), (Fraction(13, 30), 3), (Fraction(1, 3), 3)) == found(9, 3, rule(3), "hidden")
    assert each((Fraction(7, 10), 3), (Fraction(3, 10), 3), (Fraction(0), 3)) == found(9, 3, rule(3), "closed")
    assert each((Fraction(1, 6), 12)) == found(12, 2, rule(6), "hidden")
    assert each((Fraction(1, 3), 6), (Fraction(0), 6)) == found(12, 2, rule(6), "closed")


# --- the law


COINS: list[tuple[float, Coin]] = [
    (0.0, "prefix"), (0.5, "prefix"), (0.9, "prefix"), (0.5, "group"), (0.9, "group"), (1.0, "group")
]  # fmt: skip

RULES = [
    GreedyRule(l, minimum, positive, *coin)
    for l, minimum, positive in (
        (2, 2, "Y"),
        (3, 3, "Y"),
        (3, 1, "Y"),
        (2, 3, "Y"),
        (3, 5, "Y"),
        (2, 2, None),
        (1, 2, None),
    )
    for coin in COINS
]


CASES = [
    pytest.param(
        by, hidden, id=f"{by}-{hidden}", marks=[pytest.mark.sweep] if (i + i // len(COINS) + hidden) % 2 else []
    )
    for i, by in enumerate(RULES)
    for hidden in (False, True)
]
"""All rules and ends; of each bound with each coin one end in a sample, and of each bound and each coin both."""


@pytest.mark.parametrize(("by", "hidden"), CASES)
def test_counting_paths_agrees_with_listing_all_tables(by, hidden):
    """Every group of every release of up to eight people, closed or merged, last or not, published or hidden."""
    checked = 0
    for n in range(1, 9):
        for group in greedy.groups(n, "NY", by, hidden=hidden):
            expected = [float(belief.get("Y", 0)) for belief in group.belief]
            c = round(sum(expected))
            assert positive_given_position(group.size, c, by, last=tail_of(group)) == pytest.approx(expected, abs=EXACT)
            checked += 1
    assert checked > 3


def tail_of(group: greedy.Group) -> Tail | None:
    """Return the tail of a group, if it is the last."""
    if not group.last:
        return None
    return "hidden" if group.merged is None else "merged" if group.merged else "closed"


small = st.integers(2, 7)
lasts: st.SearchStrategy[Tail | None] = st.sampled_from([None, "closed", "merged", "hidden"])


@given(small, st.integers(0, 4), st.integers(1, 60), st.data(), st.sampled_from(COINS), lasts)
def test_the_risk_factor_stays_below_e_for_groups_of_at_least_l(l, more, n, data, coin, last):
    """The largest belief times l: a theorem where groups close themselves without a coin, else an observation.

    Where a tail was merged, only for a minimum of l.
    """
    more = 0 if last == "merged" else more
    c = data.draw(st.integers(0, n // l))
    try:
        belief = positive_given_position(n, c, GreedyRule(l, l + more, "Y", *coin), last=last)
    except ContradictionError:
        assume(False)  # noqa: FBT003
    assert l * belief.max() < e
    assert belief.sum() == pytest.approx(c, abs=1e-9)


@given(small, st.integers(1, 9))
def test_the_first_bucket_of_a_closed_group_is_the_worst(l, m):
    """And beliefs never rise along it; true of closed groups without a coin."""
    belief = positive_given_position(m * l, m, rule(l))
    assert (np.diff(belief) < EXACT).all()


def test_the_first_bucket_is_not_the_worst_where_a_tail_was_merged():
    """The counterexample: what came first was poor in positives, or it would not have been merged with."""
    belief = positive_given_position(9, 3, rule(3), last="hidden")
    assert belief[3:6].min() > belief[:3].max()


def test_the_risk_factor_is_l_without_a_minimum_size():
    """The counterexample: on one positive in the first place there is certainty, whatever l."""
    assert positive_given_position(12, 2, rule(6, minimum=1)).max() == 1


def test_the_risk_factor_is_l_where_a_minimum_above_l_was_merged_with():
    """The counterexample: seven people closed with one positive at most, so the eighth is the other; l = 4."""
    assert positive_given_position(8, 2, rule(4, minimum=7), last="merged")[-1] == 1


def test_odds_of_each_person_weigh_the_worlds():
    """What was learned of people elsewhere is multiplied in: as if each world were listed, and weighed."""
    odds = np.random.default_rng(0).random((9, 2)) + 0.1
    lasts: tuple[Tail | None, ...] = (None, "hidden")
    for by, last in product((rule(3, 0.5), rule(3, 0.5, "group"), rule(3)), lasts):
        worlds = [where for where in product((0, 1), repeat=9) if sum(where) == 3]
        total, positive = 0.0, np.zeros(9)
        for where in worlds:
            weight = chance(where, by, last) * odds[np.arange(9), list(where)].prod()
            total, positive = total + weight, positive + weight * np.array(where)
        assert positive_given_position(9, 3, by, last=last, odds=odds) == pytest.approx(positive / total, abs=EXACT)


def chance(where: tuple[int, ...], by: GreedyRule, last: Tail | None) -> float:
    """Return the probability that people become one group; with `last` None, that they do before three negatives."""
    values = ["NY"[x] for x in where]
    n = len(values)
    if last is None:
        return float(sum(w for (first, _), w in greedy.cuts([*values, "N", "N", "N"], by) if first[1] == n))
    return float(sum(w for (first, _), w in greedy.cuts(values, by) if first == (0, n)))


# --- the edges


def test_all_other_values_share_what_is_left_by_their_counts():
    """Of five values only flu is bounded: the rule does not distinguish the rest."""
    posterior = value_given_position(np.array([2, 2, 1, 1]), rule(3), 0).value_given_position
    assert posterior[0] == pytest.approx([2 / 3, 1 / 6, 1 / 12, 1 / 12])
    assert posterior.sum(axis=1) == pytest.approx(1)
    lift = np.ones((6, 4))
    with pytest.raises(InvalidInputError, match="must have at most two values; got 4"):
        value_given_position(np.array([2, 2, 1, 1]), rule(3), 0, lift=lift)
    two = value_given_position(np.array([2, 4]), rule(3), 0, lift=np.ones((6, 2))).value_given_position
    assert two[:, 0] == pytest.approx(posterior[:, 0])


@pytest.mark.parametrize(
    ("n", "c", "by", "last"),
    [
        (5, 1, rule(3), None),  # three of them would have been enough
        (6, 3, rule(3), None),  # not safe
        (2, 0, rule(3), "hidden"),  # fewer than the minimum
        (6, 1, rule(3), "merged"),  # the rest would have closed as well
        (6, 2, rule(3, 1.0), None),  # a coin that always continues
    ],
)
def test_a_group_that_the_rule_cannot_have_made_is_refused(n, c, by, last):
    """No order of its people leads to it."""
    with pytest.raises(ContradictionError, match="no world makes this group"):
        positive_given_position(n, c, by, last=last)


def test_a_group_needs_people():
    """And no more positives than people."""
    for n, c in ((0, 0), (3, 4), (3, -1)):
        with pytest.raises(InvalidInputError, match="a group must have at least one person"):
            positive_given_position(n, c, rule(3))


@pytest.mark.parametrize(("n", "last", "p"), [(3000, None, 0.0), (3002, "merged", 0.0), (3000, "hidden", 0.5)])
def test_states_far_from_the_middle_are_left_out_without_a_trace(n, last, p):
    """With odds every state is walked through, and scaled; without, those that matter: the same but for rounding."""
    walked = positive_given_position(n, 500, rule(6, p), last=last, odds=np.ones((n, 2)))
    assert positive_given_position(n, 500, rule(6, p), last=last) == pytest.approx(walked, abs=1e-10)


def test_improbable_groups_are_walked_through_state_by_state():
    """Forty people, two of them positive: a coin continued, one time in ten, over thirty times in a row."""
    by = rule(3, 0.1)
    walked = positive_given_position(40, 2, by, odds=np.ones((40, 2)))
    assert _identical_people.shares(BinaryGroup.of(40, 2, by, merged=False), closed=True)[1] < _identical_people.RARE
    assert positive_given_position(40, 2, by) == pytest.approx(walked, abs=EXACT)


def test_a_group_of_thousands_stays_below_the_limit():
    """Ten thousand people, l = 6: unscaled, there are more orders than doubles can count."""
    belief = positive_given_position(9996, 1666, rule(6))
    assert belief.sum() == pytest.approx(1666)
    assert belief.max() == pytest.approx(float(p_b1_exact(6, 1666)), abs=1e-9)


def test_worlds_too_different_in_weight_are_refused_not_rounded_away():
    """No person is positive by the odds, but three must be: doubles cannot hold what is left."""
    with pytest.raises(NotApplicableError, match="differ too much"):
        positive_given_position(9, 3, rule(3), odds=np.tile([1.0, 1e-200], (9, 1)))


def test_a_group_too_large_for_memory_and_patience_is_refused():
    """A coin by group needs a state for each level: hundred thousands of people are too many."""
    with pytest.raises(NotApplicableError, match="needs smaller groups"):
        positive_given_position(600_000, 50_000, rule(6, 0.9, "group"))
