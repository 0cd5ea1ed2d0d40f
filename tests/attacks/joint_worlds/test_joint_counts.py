"""Counting worlds of several releases exactly."""

from __future__ import annotations

from itertools import product
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.attacks.joint_worlds.joint_counts import Person, marginals
from unmask.errors import NotApplicableError

EVEN = {0: 0.5, 1: 0.5}


def listed(people: list[Person], groups: list[dict[int, int]]) -> list[dict[int, float]]:
    """Return the same by listing every world."""
    found: list[dict[int, float]] = [{} for _ in people]
    for world in product(*(person.prior for person in people)):
        weight = prod(person.prior[v] for person, v in zip(people, world, strict=True))
        for g, counts in enumerate(groups):
            held = [v for person, v in zip(people, world, strict=True) if g in person.groups]
            weight *= prod(comb(held.count(v), n) for v, n in counts.items())
        for i, v in enumerate(world):
            if weight:
                found[i][v] = found[i].get(v, 0.0) + weight
    return [{v: p / sum(one.values()) for v, p in one.items()} for one in found]


@st.composite
def instances(draw: st.DrawFn) -> tuple[list[Person], list[dict[int, int]]]:
    """Draw people in groups of two releases, and publish all or some of what they have."""
    n = draw(st.integers(1, 6))
    held = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    places = [draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n)) for _ in range(2)]
    shares = st.lists(st.integers(1, 5), min_size=3, max_size=3)
    people = []
    for i in range(n):
        prior = {v: share / 15 for v, share in enumerate(draw(shares))}
        people.append(Person(prior, tuple(g + 2 * r for r in range(2) if (g := places[r][i]) >= 0)))
    groups = []
    for g in range(4):
        published = [
            v for person, v in zip(people, held, strict=True) if g in person.groups and draw(st.integers(0, 4))
        ]
        groups.append({v: published.count(v) for v in set(published)})
    return people, groups


@given(instances())
def test_marginals_are_what_listing_every_world_gives(instance):
    """With values that are not published, people in one group only or in none, and any prior."""
    people, groups = instance
    for found, expected in zip(marginals(people, groups, 10_000), listed(people, groups), strict=True):
        assert found == pytest.approx(expected)


def test_where_no_world_is_left_there_is_no_posterior():
    """Two people, two cases of a value that neither may have."""
    people = [Person(EVEN, (0,)), Person(EVEN, (0,))]
    assert marginals(people, [{2: 2}], 100) == [{}, {}]


def test_a_chain_of_hundreds_is_counted_without_underflow():
    """Person i shares a group with i + 1 in turn by one release and the other; the first one's value settles all."""
    n = 400
    people = [Person({0: 1.0} if i == 0 else EVEN, tuple(g for g in (i - 1, i) if 0 <= g < n - 1)) for i in range(n)]
    found = marginals(people, [{0: 1, 1: 1}] * (n - 1), 10_000)
    assert found == [{i % 2: 1.0} for i in range(n)]


def test_beyond_the_limit_nothing_is_counted():
    """Twenty people with twenty values in one group: 2^20 ways to fill it."""
    prior = dict.fromkeys(range(20), 1 / 20)
    with pytest.raises(NotApplicableError, match="20 people in 1 groups are connected"):
        marginals([Person(prior, (0,))] * 20, [dict.fromkeys(range(20), 1)], 10_000)
