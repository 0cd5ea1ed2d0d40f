"""Posterior of the positions of a greedy group of any values, given the rule.

Over 300 lines: all sections compare the same helpers with enumeration, sampling or Adult.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import greedy
from unmask.arrays import Float64
from unmask.attacks.minimality import _differing, _exact
from unmask.attacks.minimality._exact import exact, states_ahead
from unmask.attacks.minimality._insertion import GroupSetting
from unmask.attacks.minimality._sampling import sampled
from unmask.attacks.minimality._shuffles import weighed
from unmask.attacks.minimality.many_values import SamplingEffort, posteriors, value_given_position
from unmask.attacks.minimality.position_posterior import Posterior
from unmask.attacks.minimality.two_values import positive_given_position
from unmask.datasets.adult import adult
from unmask.errors import ContradictionError, InvalidInputError
from unmask.sanitizers._greedy import cut
from unmask.sanitizers.greedy_rule.first_bucket import p_b1_exact
from unmask.sanitizers.greedy_rule.rule import Coin, GreedyRule, Tail

EXACT = 1e-12
DRAWN = SamplingEffort(states=0, aim=0.03, paths=1e6)
QUASI = ("age", "workclass", "education-num", "marital-status", "relationship", "race", "sex", "income")


def rule(l: int, p: float = 0.0, coin: Coin = "prefix", minimum: int | None = None) -> GreedyRule:
    """Return the rule that bounds every value, for groups of at least l people."""
    return GreedyRule(l, l if minimum is None else minimum, None, p, coin)


def believed(counts, by: GreedyRule, last: Tail | None = None, lift=None, effort=None, seed=1) -> Posterior:
    """Return what is believed of a group with these counts."""
    rng = np.random.default_rng(seed)
    return value_given_position(np.array(counts), by, rng, last=last, lift=lift, effort=effort or SamplingEffort())


def found(counts, by: GreedyRule, value: int) -> list[Fraction]:
    """Return the probability of a value at each position, as the fractions that it is made of."""
    column = believed(counts, by).value_given_position[:, value]
    return [Fraction(x).limit_denominator(5000) for x in column.tolist()]


def each(*runs: tuple[str, int]) -> list[Fraction]:
    """Return numbers repeated by their counts."""
    return [Fraction(number) for number, times in runs for _ in range(times)]


def multisets(n: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield all falling counts of n people."""
    if n == 0:
        yield ()
    for c in range(min(n, n if most is None else most), 0, -1):
        for rest in multisets(n - c, c):
            yield (c, *rest)


# --- the story


def test_two_pairs_and_two_single_values_begin_with_a_pair():
    """Six people, l = 3: three with a value each would have been safe, so one of the two pairs is among the first."""
    assert each(("5/12", 3), ("1/4", 3)) == found((2, 2, 1, 1), rule(3), 0)
    assert each(("1/12", 3), ("1/4", 3)) == found((2, 2, 1, 1), rule(3), 3)


def test_three_values_in_turn_keep_a_group_open():
    """Nine people, l = 3: the most frequent value is likelier at the beginning, and the single ones at the end."""
    assert each(("37/58", 3), ("21/58", 3), ("0", 3)) == found((3, 2, 2, 1, 1), rule(3), 0)
    assert each(("47/348", 3), ("73/348", 3), ("28/87", 3)) == found((3, 2, 2, 1, 1), rule(3), 1)
    assert each(("4/87", 3), ("19/174", 3), ("31/174", 3)) == found((3, 2, 2, 1, 1), rule(3), 4)


def test_values_of_equal_counts_hide_each_other():
    """Three pairs: each is equally likely to come first."""
    assert each(("1/3", 6)) == found((2, 2, 2), rule(3), 1)


def test_for_l_2_the_majority_at_the_end_is_the_majority_from_the_beginning():
    """The first bucket is certain, whatever the other values are; also where many could have been in the way."""
    assert each(("1", 2), ("0", 2)) == found((2, 1, 1), rule(2), 0)
    assert each(("0", 2), ("1/2", 2)) == found((2, 1, 1), rule(2), 1)
    large = believed((400, 200, 100, 100), rule(2))
    assert (1.0, 0.0) == pytest.approx(tuple(large.value_given_position[[0, -1], 0]))


def test_a_coin_for_each_prefix_blurs_who_stands_where():
    """Four people, l = 2 and p = 1/2."""
    assert [Fraction(7, 11), Fraction(7, 11), Fraction(5, 11), Fraction(3, 11)] == found((2, 1, 1), rule(2, 0.5), 0)
    assert [Fraction(2, 11), Fraction(2, 11), Fraction(3, 11), Fraction(4, 11)] == found((2, 1, 1), rule(2, 0.5), 1)


@pytest.mark.parametrize(("l", "m"), [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3), (5, 2), (6, 2)])
def test_no_list_of_values_tells_more_than_one_value_and_singles(l, m):
    """Over all groups of m·l people the surest belief is the paper's first bucket, p(b1); so it stays below e/l.

    There is no proof for every l and m.
    """
    groups = [counts for counts in multisets(m * l, m) if counts[0] == m]
    surest = [float(believed(counts, rule(l)).value_given_position.max()) for counts in groups]
    assert (m, *[1] * (m * l - m)) == groups[-1]
    assert float(p_b1_exact(l, m)) == pytest.approx(surest[-1], abs=EXACT)
    assert float(p_b1_exact(l, m)) == pytest.approx(max(surest), abs=EXACT)


# --- the edges


def test_values_without_people_and_values_in_any_order():
    """Columns stand where the counts stood."""
    assert each(("37/58", 3), ("21/58", 3), ("0", 3)) == found((1, 2, 0, 3, 1, 2), rule(3), 3)
    assert each(("0", 9)) == found((1, 2, 0, 3, 1, 2), rule(3), 2)


def test_the_smallest_groups_tell_nothing():
    """A group that could not be closed earlier: each person has every value with its share."""
    assert np.full((5, 3), [0.4, 0.4, 0.2]) == pytest.approx(
        believed((2, 2, 1), rule(2, minimum=5)).value_given_position, abs=EXACT
    )


def test_hundreds_of_values_are_still_distinguished():
    """Three of three hundred, and more than two hundred that matter: no digit is too small for their numbers."""
    lift = np.ones((4, 302))
    lift[0, 0] = 3.0
    counts = np.zeros(302, np.int64)
    counts[[0, 150, 301]] = 2, 1, 1
    small = believed(counts, rule(2), lift=lift).value_given_position
    assert [1, 0.5, 0.5] == pytest.approx([small[0, 0], small[2, 150], small[2, 301]])
    counts = np.array([3, 3, *[2] * 200, *[1] * 4])
    many = believed(counts, rule(3, 0.5))
    assert not many.error.any()
    assert counts == pytest.approx(many.value_given_position.sum(axis=0), abs=1e-9)


@pytest.mark.parametrize(
    ("counts", "by", "last"),
    [
        ((4, 1, 1), rule(2), None),  # not safe
        ((2, 2, 2, 2), rule(3), None),  # safe one person earlier, in any order
        ((1, 1), rule(3), None),  # below the minimum
        ((1, 1, 1), rule(3), "merged"),  # the rest was not one person
        ((2, 2, 1, 1), rule(3, 1.0), None),  # never closed before the last person
    ],
)
def test_groups_that_the_rule_never_makes_contradict_it(counts, by, last):
    """The error has only sizes, and a way out."""
    with pytest.raises(ContradictionError, match="never makes one of"):
        believed(counts, by, last)


def test_odds_need_a_factor_for_each_person():
    """One row a person, one column a value."""
    with pytest.raises(InvalidInputError, match="lift must have a factor for each of 6 people and 4 values"):
        believed((2, 2, 1, 1), rule(3), lift=np.ones((6, 3)))


def test_a_group_too_large_for_any_way_is_believed_by_shares_and_not_resolved():
    """Where hardly any order makes the group, and there is no time for more."""
    large = believed((600, *[200] * 12), rule(5, 0.3, "group"), effort=SamplingEffort(states=0, paths=1.0))
    assert not large.resolved
    assert [600 / 3000, 200 / 3000] == pytest.approx(large.value_given_position[0, [0, 5]].tolist())
    assert (large.error[0] >= 0.02).all()


def test_an_error_above_the_limit_is_not_resolved():
    """Few sweeps, strict limits: the beliefs are there, and so is the warning."""
    drawn = believed((6, 5, 5, 4, 4), rule(4), effort=SamplingEffort(states=0, aim=0.03, limit=1e-4, paths=1.0))
    assert not drawn.resolved
    assert 0 < drawn.error.max() < 0.2
    assert np.ones(24) == pytest.approx(drawn.value_given_position.sum(axis=1))


def test_groups_of_equal_sorted_counts_are_worked_out_once():
    """A table has thousands of groups, but few lists; each gets its values back in its own columns."""
    lists = [np.array([2, 2, 1, 1]), np.array([1, 2, 1, 2]), np.array([1, 1, 0, 1])]
    one, other, small = posteriors(lists, rule(3), np.random.default_rng(1))
    assert np.array_equal(one.value_given_position[:, [2, 0, 3, 1]], other.value_given_position)
    assert [1, 1, 0, 1] == pytest.approx(small.value_given_position.sum(axis=0), abs=EXACT)
    assert [] == posteriors([], rule(3), np.random.default_rng(1))


def test_groups_of_equal_counts_share_states_and_no_factors():
    """The second group has other factors: its beliefs are those of a run of its own."""
    lifts = np.random.default_rng(6).random((2, 9, 5)) + 0.1
    first, second = (believed((3, 2, 2, 1, 1), rule(3), lift=lift).value_given_position for lift in lifts)
    _differing._states.cache_clear()
    assert np.array_equal(second, believed((3, 2, 2, 1, 1), rule(3), lift=lifts[1]).value_given_position)
    assert np.abs(first - second).max() > 0.01


# --- the law


def enumerated(counts, by: GreedyRule, last: Tail, lift: Float64 | None) -> Float64 | None:
    """Return beliefs by listing every order and every throw of the coin, as the only group of a table."""
    n = sum(counts)
    orders, closed, merged = _made(tuple(counts), by)
    chance = closed * (last != "merged") + merged * (last != "closed")
    if lift is not None:
        chance = chance * lift[np.arange(n), orders].prod(axis=1)
    result: Float64 = np.zeros((n, len(counts)))
    np.add.at(result, (np.broadcast_to(np.arange(n), orders.shape), orders), chance[:, None])
    return result / result[0].sum() if result.any() else None


@lru_cache(maxsize=1)
def _made(counts: tuple[int, ...], by: GreedyRule) -> tuple[np.ndarray, Float64, Float64]:
    """Return all orders, and the chances that each makes one group, that closes or whose end is merged back."""
    orders = np.array(_orders(counts))
    chance = np.zeros((2, len(orders)))
    for i, order in enumerate(orders.tolist()):
        for (first, merged), weight in greedy.cuts("".join("abcdefgh"[v] for v in order), by):
            if first == (0, len(order)):
                chance[int(merged), i] += float(weight)
    return orders, chance[0], chance[1]


@cache
def _orders(counts: tuple[int, ...]) -> list[list[int]]:
    if not any(counts):
        return [[]]
    fewer = [(v, (*counts[:v], counts[v] - 1, *counts[v + 1 :])) for v in range(len(counts)) if counts[v]]
    return [[v, *rest] for v, left in fewer for rest in _orders(left)]


COINS: list[tuple[float, Coin]] = [(0.0, "prefix"), (0.5, "prefix"), (0.5, "group")]
LASTS: list[Tail] = ["closed", "merged", "hidden"]


def compared(n: int, rng: np.random.Generator, minimums: tuple[int, ...] = (1, 2, 3, 4)) -> int:
    """Hold all groups of n people against enumeration, with any coin and tail; return how many there were."""
    cases = 0
    for counts in multisets(n):
        rules = [rule(l, *coin, minimum=minimum) for l, coin, minimum in product((2, 3), COINS, minimums)]
        for by, last, differing in product(rules, LASTS, (False, True)):
            if not by.publishable(n, counts[0]):
                continue
            lift = rng.random((n, len(counts))) + 0.1 if differing else None
            expected = enumerated(counts, by, last, lift)
            if expected is None:
                with pytest.raises(ContradictionError, match="must be one that greedy grouping makes"):
                    believed(counts, by, last, lift)
                continue
            assert expected == pytest.approx(believed(counts, by, last, lift).value_given_position, abs=1e-11)
            cases += 1
    return cases


@pytest.mark.parametrize(("n", "cases"), [(3, 76), (4, 214), (5, 216)])
def test_every_small_group_is_believed_as_enumeration_does(n, cases):
    """Every list of values, both coins, every tail, people alike or not: against all orders and throws."""
    assert cases == compared(n, np.random.default_rng(n))


@pytest.mark.slow
def test_every_group_of_six_or_seven_is_believed_as_enumeration_does():
    """As before, for larger groups."""
    assert compared(6, np.random.default_rng(6), minimums=(1, 3)) > 200
    assert compared(7, np.random.default_rng(7), minimums=(1, 3)) > 200


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 5), st.integers(2, 4), st.sampled_from(COINS[:2]), st.sampled_from([None, *LASTS]))
def test_one_frequent_value_among_singles_is_the_two_valued_group(l, m, coin, last):
    """Single values are never too frequent: only one value is bounded, and the two engines agree."""
    counts = (m, *[1] * (m * l - m))
    by = rule(l, *coin)
    bounded = GreedyRule(l, l, "Y", *coin)
    try:
        expected = positive_given_position(m * l, m, bounded, last=last)
    except ContradictionError:
        with pytest.raises(ContradictionError, match="must be one that greedy grouping makes"):
            believed(counts, by, last)
        return
    assert expected == pytest.approx(believed(counts, by, last).value_given_position[:, 0], abs=1e-10)


@given(st.lists(st.integers(1, 6), min_size=2, max_size=5), st.integers(2, 4), st.sampled_from([0.0, 0.3]))
@settings(max_examples=40, deadline=None)
def test_positions_share_out_the_values_of_the_group(counts, l, p):
    """Rows are distributions, and columns add up to the counts."""
    by = rule(l, p)
    if not by.publishable(sum(counts), max(counts)):
        return
    try:
        belief = believed(counts, by).value_given_position
    except ContradictionError:
        return
    assert np.ones(sum(counts)) == pytest.approx(belief.sum(axis=1), abs=1e-10)
    assert counts == pytest.approx(belief.sum(axis=0), abs=1e-9)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6), st.integers(2, 4), st.sampled_from([0.0, 0.3]))
@settings(max_examples=40, deadline=None)
def test_the_number_of_states_is_known_before_they_are_made(counts, l, p):
    """Else large groups would be tried in vain; without a coin, states that lead nowhere count as well."""
    falling = np.array(sorted(counts, reverse=True))
    by = rule(l, p)
    if not by.publishable(int(falling.sum()), int(falling[0])):
        return
    group, _ = _exact.tracked_group(falling, by, merged=False, alike=True)
    ahead = states_ahead(group, group.n, 10**6)
    assert exact(falling, by, closed=True, merged=False, most=int(ahead)) is not None


# --- the statistics


GROUPS: list[tuple[tuple[int, ...], GreedyRule, Tail | None, bool]] = [
    ((2, 2, 1, 1), rule(3), None, False),
    ((3, 2, 2, 1, 1), rule(3), None, True),
    ((4, 3, 3, 2), rule(3), None, False),
    ((3, 3, 3, 2, 1), rule(4), "closed", False),
    ((4, 4, 3, 3, 2), rule(4), "hidden", False),
    ((3, 2, 2, 1, 1), rule(3), "merged", True),
    ((3, 3, 2, 2), rule(3, 0.4), None, False),
    ((4, 3, 3, 2, 1), rule(3, 0.8), "hidden", True),
    ((3, 2, 2, 1, 1), rule(3, 0.5, "group"), None, False),
    ((4, 3, 3, 2), rule(3, 0.3, "group", minimum=4), "hidden", True),
]


@pytest.mark.slow
def test_drawn_beliefs_err_as_they_say():
    """800 groups, shuffled or by chains; z-scores of one place each, with 23 degrees of freedom (variance 1.095)."""
    rng = np.random.default_rng(3)
    z = []
    for counts, by, last, differing in GROUPS:
        n = sum(counts)
        for seed in range(80):
            lift = rng.random((n, len(counts))) + 0.2 if differing else None
            truth = believed(counts, by, last, lift)
            assert not truth.error.any()
            drawn = believed(counts, by, last, lift, DRAWN, seed)
            t, v = rng.integers(n), rng.integers(len(counts))
            if drawn.error[t, v] > 1e-9:
                difference = drawn.value_given_position[t, v] - truth.value_given_position[t, v]
                z.append(difference / drawn.error[t, v])
            else:
                assert truth.value_given_position[t, v] == pytest.approx(drawn.value_given_position[t, v], abs=1e-9)
    assert len(z) >= 500
    assert abs(np.mean(z)) < 0.1
    assert 0.8 < np.var(z) < 1.25


@pytest.mark.parametrize(("counts", "by", "last", "differing"), GROUPS)
def test_drawn_beliefs_are_near_the_counted_ones(counts, by, last, differing):
    """Within five standard errors of 24 chains, everywhere."""
    lift = np.random.default_rng(5).random((sum(counts), len(counts))) + 0.2 if differing else None
    truth, drawn = believed(counts, by, last, lift), believed(counts, by, last, lift, SamplingEffort(states=0))
    assert drawn.resolved
    assert (np.abs(drawn.value_given_position - truth.value_given_position) <= 5 * drawn.error + 1e-9).all()


@pytest.mark.parametrize(
    ("counts", "by", "last"),
    [((9, 8, 5, 4, 1), rule(3), None), ((9, 8, 5, 4, 1), rule(3, 0.3), None), ((9, 6, 6, 4, 2), rule(3), "hidden")],
)
def test_shuffled_orders_and_chains_of_orders_agree(counts, by, last):
    """Two ways that share nothing but the rule; within five standard errors, everywhere."""
    held = np.array(counts)
    setting = GroupSetting(27, by.l, by.minimum, by.p, closed=True, merged=last == "hidden")
    shuffled = weighed(held, setting, None, 0.008, 1e9, np.random.default_rng(1), segments=False)
    chained = sampled(held, setting, None, 0.008, 1e9, np.random.default_rng(1))
    assert shuffled is not None
    assert chained is not None
    assert shuffled[2]
    assert chained[2]
    assert (np.abs(shuffled[0] - chained[0]) <= 5 * np.hypot(shuffled[1], chained[1]) + 1e-9).all()


# --- Adult


@cache
def occupations(order: str, l: int) -> list[np.ndarray]:
    """Return the counts of the groups of Adult's occupations, sorted by age and so on, or in the file's order."""
    people = adult(quasi=QUASI, sensitive=["occupation"])
    value = people["occupation"].astype(np.int32)
    if order == "age":
        value = value[np.lexsort([people[name] for name in reversed(QUASI)])]
    first, merged = cut(value, 14, rule(l), np.random.default_rng(0))
    groups = [np.bincount(value[a:b], minlength=14) for a, b in pairwise(first)]
    return groups[: len(groups) - merged]


@pytest.mark.parametrize(
    ("order", "l", "risk"),
    [
        ("age", 3, 2.118), ("age", 5, 1.777), ("file", 2, 2.000), ("file", 6, 1.300),
        *(pytest.param(*case, marks=pytest.mark.sweep) for case in (
            ("age", 2, 2.000), ("age", 4, 2.052), ("file", 3, 2.143), ("file", 4, 2.143), ("file", 5, 2.000),
        )),
    ],
)  # fmt: skip
def test_adult_in_small_groups(order, l, risk):
    """The largest l × belief over all groups of up to 18 people: below e everywhere."""
    small = [counts for counts in occupations(order, l) if counts.sum() <= 18]
    beliefs = posteriors(small, rule(l), np.random.default_rng(1))
    assert risk == pytest.approx(max(l * b.value_given_position.max() for b in beliefs), abs=0.001)
    assert not any(b.error.any() for b in beliefs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("order", "l", "exactly"), [("age", 2, 1.0), ("age", 3, 0.75), ("age", 4, 0.2), ("file", 4, 0.85)]
)
def test_adult_in_groups_of_any_size(order, l, exactly):
    """All people are resolved at l = 2 to 4: counted, or drawn with errors of at most .02."""
    groups = occupations(order, l)
    beliefs = posteriors(groups, rule(l), np.random.default_rng(1))
    people = np.array([counts.sum() for counts in groups])
    assert all(b.resolved and b.error.max() <= 0.02 for b in beliefs)
    assert exactly <= people[[not b.error.any() for b in beliefs]].sum() / people.sum()
    assert max(l * b.value_given_position.max() for b in beliefs) < np.e
