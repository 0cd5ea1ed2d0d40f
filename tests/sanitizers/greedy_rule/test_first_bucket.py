"""The first bucket of a minimal group: exact values, and the lemma that they rest on."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.sanitizers.greedy_rule.first_bucket import least_l, p_b1, p_b1_exact, p_b1_limit

TABLE = {
    2: ("1", "1", "1", "1", "1"),
    3: ("2/3", "7/10", "5/7", "13/18", "8/11"),
    4: ("1/2", "15/28", "91/165", "51/91", "77/136"),
    5: ("2/5", "13/30", "204/455", "1771/3876", "117/253"),
    6: ("1/3", "4/11", "77/204", "195/506", "46376/118755"),
    7: ("2/7", "57/182", "130/399", "1364/4095", "27417/81158"),
    8: ("1/4", "11/40", "145/506", "2109/7192", "10879/36556"),
}
"""By l; m = 2 … 6."""

LIMIT = {2: 1.0, 3: 0.75, 4: 0.592593, 5: 0.488281, 6: 0.414720, 7: 0.360232, 8: 0.318312}


def minimal(l: int, m: int, *, minimum: int | None = None) -> list[tuple[int, ...]]:
    """Return where the m positives of a group of m·l people may stand if no shorter prefix was safe."""
    least = l if minimum is None else minimum
    return [
        places
        for places in itertools.combinations(range(m * l), m)
        if all(l * sum(place < n for place in places) > n for n in range(least, m * l))
    ]


def first_by_hand(l: int, m: int) -> Fraction:
    """Return how probable the first person is to be positive, by counting."""
    worlds = minimal(l, m)
    return Fraction(sum(places[0] == 0 for places in worlds), len(worlds))


def test_a_group_of_two_positives_has_both_in_its_first_bucket():
    """Six people, l = 3: the first three are positive with 2/3 instead of 1/3."""
    assert minimal(3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert p_b1_exact(3, 2) == first_by_hand(3, 2) == Fraction(2, 3)


@pytest.mark.parametrize(("l", "m"), [(l, m) for l in TABLE for m in range(2, 7)])
def test_the_closed_form_in_the_table_of_exact_values(l, m):
    """All seven rows, as fractions and as numbers."""
    assert p_b1_exact(l, m) == Fraction(TABLE[l][m - 2])
    assert p_b1(l, m) == pytest.approx(float(p_b1_exact(l, m)), rel=1e-12)


@pytest.mark.parametrize(("l", "m"), [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3), (5, 2), (5, 3)])
def test_the_closed_form_is_what_counting_gives(l, m):
    """Every place of the positives that no shorter safe prefix forbids."""
    assert p_b1_exact(l, m) == first_by_hand(l, m)


@pytest.mark.parametrize("l", range(2, 9))
def test_it_rises_with_the_group_from_two_in_l_to_a_limit_below_e_in_l(l):
    """The limit of the paper, to six digits."""
    rising = [float(p_b1_exact(l, m)) for m in range(2, 40)]
    assert rising[0] == pytest.approx(2 / l)
    assert rising == sorted(rising)
    assert rising[-1] <= p_b1_limit(l) < math.e / l
    assert p_b1(l, 10**7) == pytest.approx(p_b1_limit(l), rel=1e-5)
    assert p_b1_limit(l) == pytest.approx(LIMIT[l], abs=5e-7)


def test_a_group_of_one_positive_hides_it_among_l():
    """Minimality does not apply to it; and l = 1 protects no person."""
    assert p_b1_exact(6, 1) == Fraction(1, 6)
    assert p_b1(6, 1) == 1 / 6
    assert p_b1(1, 3) == p_b1_limit(1) == 1


@given(data=st.data())
def test_of_all_orders_of_the_other_buckets_the_share_k_minus_1_in_m_minus_1_is_valid(data):
    """The counting lemma: k positives in the first bucket, m in all; valid orders have more than j in the first j."""
    m = data.draw(st.integers(2, 7))
    k = data.draw(st.integers(2, m))
    rest = [0] * (m - 1)
    for bucket in data.draw(st.lists(st.integers(0, m - 2), min_size=m - k, max_size=m - k)):
        rest[bucket] += 1
    orders = list(itertools.permutations(rest))
    valid = sum(all(k + sum(order[: j - 1]) > j for j in range(1, m)) for order in orders)
    assert Fraction(valid, len(orders)) == Fraction(k - 1, m - 1)


@pytest.mark.parametrize(("l", "m"), [(2, 3), (3, 2), (3, 3), (3, 4), (4, 3), (5, 2)])
def test_worlds_are_counted_by_the_positives_of_the_first_bucket(l, m):
    """N_k = (k − 1)/(m − 1) C(l, k) C(ml − l, m − k), in all C(ml − l, m)/(m − 1)."""
    worlds = minimal(l, m)
    for k in range(2, min(l, m) + 1):
        found = sum(sum(place < l for place in places) == k for places in worlds)
        assert found == Fraction(k - 1, m - 1) * math.comb(l, k) * math.comb(m * l - l, m - k)
    assert len(worlds) == Fraction(math.comb(m * l - l, m), m - 1)


def test_without_a_minimum_size_a_longer_group_begins_with_a_positive():
    """Tested from the first person on: certain, and no bound holds. Six people, l = 3: 1, 1/2, 1/2."""
    worlds = minimal(3, 2, minimum=1)
    shares = [Fraction(sum(place in places for places in worlds), len(worlds)) for place in range(6)]
    assert shares == [1, Fraction(1, 2), Fraction(1, 2), 0, 0, 0]


@pytest.mark.parametrize(("belief", "l"), [(0.5, 5), (0.75, 3), (0.74, 4), (0.4, 7), (0.2, 14), (0.1, 27), (0.01, 272)])
def test_the_least_l_for_a_belief(belief, l):
    """Sharper than e/l, which would need 6 for one half."""
    assert least_l(belief) == l
    assert p_b1_limit(l) <= belief < p_b1_limit(l - 1)
    assert l <= math.ceil(math.e / belief)


@pytest.mark.parametrize("belief", [0, 1, -0.5, 1.5, float("nan")])
def test_a_belief_must_lie_between_never_and_certain(belief):
    """Neither is a limit that an l could keep, or need keep."""
    with pytest.raises(InvalidInputError, match="max-belief must be a probability above 0 and below 1"):
        least_l(belief)


def test_l_and_m_are_counted_from_one():
    """Groups without people, or without room for a positive, are none."""
    with pytest.raises(InvalidInputError, match="l and m must be at least 1; got 0 and 1"):
        p_b1(0, 1)
    with pytest.raises(InvalidInputError, match="l and m must be at least 1; got 3 and 0"):
        p_b1_exact(3, 0)
