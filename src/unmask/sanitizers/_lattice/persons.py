"""People with several rows in the lattice: counted once in each group.

People whose rows are all equal move through the lattice as one: they are added up like rows. The few others, the
movers, are counted one by one at every node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows
from unmask.compiled_code import njit
from unmask.models.privacy_model import PrivacyModel, bound
from unmask.sanitizers._lattice.groups import LatticeGroups, count_values, profiles_in
from unmask.schema import Attribute

_CELLS = 1 << 20  # cells of counts (8 MiB) that are computed at once


@dataclass(frozen=True, slots=True, eq=False)
class PersonValues:
    """The people with each value of one sensitive attribute, under one reading of missing values."""

    attribute: Attribute
    models: tuple[PrivacyModel, ...]  # with the order or hierarchy of the values
    known: Int64  # (profiles,) people with this distinct row alone, and a known value
    profile: Int32  # (entries,) of the other people: distinct row, value, number
    value: Int32
    times: Int64
    moving: tuple[Int32, Int32, Int32]  # (entries,) of movers: distinct row, value, person
    total_known: float
    overall: Float64  # (values,)

    def counts(self, groups: LatticeGroups, chosen: Int64) -> Iterator[tuple[Int64, Float64, Float64]]:
        """Yield some of the chosen groups, the people with a known value in each, and the people with each value."""
        n = self.overall.size
        step = max(1, _CELLS // max(1, n))
        of_profile = groups.of_profile
        inside = of_profile >= 0
        known_of = np.bincount(of_profile[inside], self.known[inside], groups.size.size)
        for first in range(0, chosen.size, step):
            part = chosen[first : first + step]
            place = np.full(groups.size.size, -1, np.int32)
            place[part] = np.arange(part.size, dtype=np.int32)
            counts, known = np.zeros((part.size, n)), known_of[part].astype(np.float64)
            count_values(of_profile, place, self.profile, self.value, self.times, counts)
            last, last_of = np.full(part.size, -1, np.int32), np.full((part.size, n), -1, np.int32)
            _add_values(of_profile, place, *self.moving, counts, known, last_of, last)
            yield part, known, counts

    def whole(self, chosen: Bool) -> tuple[float, Float64]:
        """Return the people in some of the distinct rows, (profiles,), with a known value, and with each value."""
        there = chosen[self.profile]
        overall = np.bincount(self.value[there], self.times[there], self.overall.size).astype(np.float64)
        profile, value, person = self.moving
        moved = chosen[profile]
        _, one = distinct_rows(np.stack([person[moved], value[moved]], axis=1))
        overall += np.bincount(value[moved][one], minlength=overall.size)
        return float(self.known[chosen].sum() + np.unique(person[moved]).size), overall


@dataclass(frozen=True, slots=True, eq=False)
class Persons:
    """The distinct rows of each person."""

    n: int
    staying: Int64  # (profiles,) people who have this distinct row alone
    profile: Int32  # (entries,) of movers: distinct row and person, by person
    person: Int32
    holders: tuple[PersonValues, ...] = ()

    @classmethod
    def of(cls, profile_of: Int32, person_of: Int32, n_profiles: int) -> Persons:
        """Separate people with one distinct row from movers."""
        person, _ = distinct_rows(person_of[:, None])
        staying, profile, mover = _split(profile_of, person, n_profiles)
        n = int(person.max(initial=-1)) + 1
        return cls(n, staying, profile, mover)

    def of_groups(self, groups: LatticeGroups) -> Int64:
        """Return the number of people of each group, (groups,)."""
        of_profile = groups.of_profile
        inside = of_profile >= 0
        people = np.bincount(of_profile[inside], self.staying[inside], groups.size.size).astype(np.int64)
        _add_people(of_profile, self.profile, self.person, people)
        return people

    def among(self, groups: LatticeGroups, chosen: Bool) -> int:
        """Return the number of people with a row in one of the chosen groups, (groups,)."""
        here = profiles_in(groups, chosen)
        moving = np.unique(self.person[here[self.profile]]).size
        return int(self.staying[here].sum()) + moving


def person_values(
    attribute: Attribute, codes: Int32, profile_of: Int32, person_of: Int32, n_profiles: int,
    models: Sequence[PrivacyModel],
) -> PersonValues:  # fmt: skip
    """Return the people with each value, from the code of each row, (rows,); negative where it is unknown."""
    known = codes >= 0
    n = len(attribute.values)
    person, _ = distinct_rows(person_of[:, None])
    own, profile, value = person[known], profile_of[known], codes[known]
    _, one = distinct_rows(np.stack([own, value], axis=1))
    overall = np.bincount(value[one], minlength=n).astype(np.float64)
    pairs = distinct_rows(np.stack([person, profile_of], axis=1))[1]
    moves = np.bincount(person[pairs]) > 1  # also with a row of unknown value elsewhere
    stays = ~moves[own]
    _, one = distinct_rows(np.stack([own, profile], axis=1)[stays])
    staying = np.bincount(profile[stays][one], minlength=n_profiles)
    _, one = distinct_rows(np.stack([own, profile, value], axis=1)[stays])
    cell = profile[stays][one].astype(np.int64) * max(n, 1) + value[stays][one]
    cells, times = np.unique(cell, return_counts=True)
    _, one = distinct_rows(np.stack([own, profile, value], axis=1)[~stays])
    moving = (profile[~stays][one], value[~stays][one].astype(np.int32), own[~stays][one])
    return PersonValues(
        attribute,
        tuple(bound(model, attribute) for model in models),
        staying,
        (cells // max(n, 1)).astype(np.int32),
        (cells % max(n, 1)).astype(np.int32),
        times.astype(np.int64),
        moving,
        float(np.unique(own).size),
        overall,
    )


def _split(profile_of: Int32, person: Int32, n_profiles: int) -> tuple[Int64, Int32, Int32]:
    """Return the number of people with each distinct row alone, and the distinct rows of all others, by person."""
    _, one = distinct_rows(np.stack([person, profile_of], axis=1))  # sorted by person
    own, profile = person[one], profile_of[one]
    alone = np.bincount(own)[own] == 1
    return np.bincount(profile[alone], minlength=n_profiles), profile[~alone], own[~alone]


@njit(cache=True, nogil=True)
def _add_people(of_profile: Int32, profile: Int32, person: Int32, people: Int64) -> None:
    """Add movers to the people of each group; entries of one person are neighbors."""
    last = np.full(people.size, -1, np.int32)
    for entry in range(profile.size):
        group = of_profile[profile[entry]]
        if group >= 0 and last[group] != person[entry]:
            last[group] = person[entry]
            people[group] += 1


@njit(cache=True, nogil=True)
def _add_values(
    of_profile: Int32,
    place: Int32,
    profile: Int32,
    value: Int32,
    person: Int32,
    counts: Float64,
    known: Float64,
    last_of: Int32,
    last: Int32,
) -> None:
    """Add movers to the people with a known value, and to those with each value, of some groups."""
    for entry in range(profile.size):
        group = of_profile[profile[entry]]
        if group < 0 or place[group] < 0:
            continue
        here, own = place[group], person[entry]
        if last[here] != own:
            last[here] = own
            known[here] += 1
        if last_of[here, value[entry]] != own:
            last_of[here, value[entry]] = own
            counts[here, value[entry]] += 1
