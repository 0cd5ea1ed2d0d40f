"""Forced assignments: what the number of people in each place determines, and what not."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask.arrays import starts
from unmask.attacks.shared.forced_assignments import Placement, place
from unmask.errors import InvalidInputError


def placed(people: list[int], fits: list[list[int]], room: list[int]) -> Placement:
    """Place kinds of people; each kind comes with the places that it fits."""
    start = starts(np.array([len(one) for one in fits], np.int64))
    flat = np.array([place for one in fits for place in one], np.int32)
    return place(np.array(people, np.int64), start, flat, np.array(room, np.int64))


def ways(people: list[int], fits: list[list[int]], room: list[int]) -> list[tuple[int, ...]]:
    """List every way to place all people and to fill all places: how many of a kind are in each place that it fits."""
    pairs = [(kind, place) for kind, places in enumerate(fits) for place in places]
    found = []
    for numbers in product(*(range(people[kind] + 1) for kind, _ in pairs)):
        inside, gone = [0] * len(room), [0] * len(people)
        for (kind, spot), n in zip(pairs, numbers, strict=True):
            inside[spot] += n
            gone[kind] += n
        if inside == room and gone == people:
            found.append(numbers)
    return found


def test_who_fits_one_place_makes_room_scarce_for_others():
    """Two people fit only the first of two places for two; so the third, who fits both, is in the second."""
    found = placed([2, 1, 1], [[0], [0, 1], [1]], [2, 2])
    assert found.people.tolist() == [2, 0, 1, 1]
    assert not found.open_kinds.any()


def test_a_place_that_just_enough_people_fit_takes_them_all():
    """All people fit the second place, but the first needs both who fit it."""
    found = placed([1, 1, 1], [[0, 1], [0, 1], [1]], [2, 1])
    assert found.people.tolist() == [1, 0, 1, 0, 1]
    assert not found.open_places.any()


def test_people_who_could_change_places_are_not_forced():
    """The first two fit both places, which have room for one each; the third kind has a place of its own."""
    found = placed([1, 1, 5], [[0, 1], [0, 1], [2]], [1, 1, 5])
    assert found.open_kinds.tolist() == [True, True, False]
    assert found.open_places.tolist() == [True, True, False]


def test_people_of_one_kind_in_two_places_are_forced_by_their_number():
    """Three alike, two of them in the first place and one in the second: people of one kind are interchangeable."""
    found = placed([3], [[0, 1]], [2, 1])
    assert found.people.tolist() == [2, 1]
    assert not found.open_kinds.any()


def test_too_many_for_a_place_are_not_all_placed():
    """Three people fit a place for two; a fourth fits nothing."""
    assert placed([3, 1], [[0], []], [2]).n == 2
    assert placed([1], [[0]], [5]).n == 1
    assert placed([], [], []).n == 0


def test_invalid_counts_are_refused():
    """Negative, or more than 32 bits."""
    for people, room in (([-1], [1]), ([1], [-1]), ([2**31], [1])):
        with pytest.raises(InvalidInputError, match="at least 0 and at most"):
            placed(people, [[0]], room)


@settings(max_examples=300)
@given(st.data())
def test_forced_is_what_all_ways_share(data):
    """Against listing every way: the same total, and open exactly where two ways differ."""
    kinds, places = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    people = data.draw(st.lists(st.integers(0, 3), min_size=kinds, max_size=kinds))
    fits = [sorted(data.draw(st.sets(st.integers(0, places - 1)))) for _ in range(kinds)]
    room = [0] * places
    for kind, one in enumerate(fits):  # a way exists, unless a kind fits no place
        for _ in range(people[kind] if one else 0):
            room[data.draw(st.sampled_from(one))] += 1
    all_ways = ways(people, fits, room)
    found = placed(people, fits, room)
    assert (found.n == sum(people)) == bool(all_ways)
    if all_ways:
        assert tuple(found.people.tolist()) in all_ways
        pairs = [(kind, place) for kind, one in enumerate(fits) for place in one]
        differ = np.ptp(np.array(all_ways).reshape(len(all_ways), -1), axis=0) > 0
        moving = {kind for (kind, _), d in zip(pairs, differ, strict=True) if d}
        assert moving <= set(np.flatnonzero(found.open_kinds).tolist())
        assert found.open_kinds.any() == bool(moving)
        assert found.open_places.any() == bool(moving)
