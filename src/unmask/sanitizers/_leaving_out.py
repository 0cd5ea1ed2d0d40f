"""Leaving people out until the table as a whole is diverse enough: always people with the most frequent values.

Of all ways to leave out r people of one value each, taking them from the most frequent values one by one gives the
flattest counts: every other result majorizes these. So a model of the inequality of the counts (entropy, the largest
share, recursive (c,l)) is met with the fewest people. The people are drawn at random, in an order that depends on the
content of their rows, not on their position.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, starts
from unmask.errors import InvalidInputError
from unmask.models.missing_values import readings
from unmask.models.privacy_model import PrivacyModel, bound, holds, score_people
from unmask.table import Table
from unmask.wording import message


def require_share(suppression: float) -> None:
    """Fail where the limit on the people left out is not a share."""
    if not 0 <= suppression < 1:
        msg = message(
            "suppression must be a share of at least 0 and below 1; got {suppression}", suppression=suppression
        )
        raise InvalidInputError(msg)


def people_allowed(suppression: float, n_people: int) -> int:
    """Return the number of people who may be left out."""
    return int(suppression * n_people + 1e-9)


def capped(count: Int64, l: int) -> Int64:
    """Return the largest counts, (values,), at most the given ones, of which none is more than one in l of their sum.

    The cap is the largest c with l · c ≤ Σ min(count, c): that difference is concave in c and 0 at 0.
    """
    low, high = 0, int(count.max(initial=0)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if int(np.minimum(count, middle).sum()) >= l * middle else (low, middle)
    return np.minimum(count, low)


def drawn_rows(table: Table, rng: np.random.Generator) -> Int64:
    """Return all rows in a random order, which is equal for equal tables in any order."""
    number, _ = table.profiles()
    return np.argsort(number, kind="stable")[rng.permutation(table.n_rows)]


def stay(table: Table, models: Sequence[PrivacyModel], limit: int, rng: np.random.Generator) -> Bool:
    """Return for each row whether its person stays, (rows,), so that the remaining people meet the models, if they can.

    The models hold for each sensitive attribute, however missing values count. At most `limit` people are removed, with
    all their rows.
    """
    person, profile = _persons(table)
    n_people = int(person.max(initial=-1)) + 1
    stays = np.ones(n_people, bool)
    sensitive = [one for a in table.schema.sensitive for one in readings(a, table[a.name])]
    holders = [_HolderQueue.of(person, codes, len(a.values)) for a, codes in sensitive]
    fitted = [[bound(model, attribute) for model in models] for attribute, _ in sensitive]
    order: Int64 | None = None
    for left_out in range(limit):
        size = n_people - left_out
        failing = next((one for one, ours in zip(holders, fitted, strict=True) if not one.meet(ours, size)), None)
        if failing is None or not failing.overall.any():
            break
        if order is None:
            order = _canonical(person, profile, n_people)[rng.permutation(n_people)]
            place = np.empty(n_people, np.int64)
            place[order] = np.arange(n_people)
            for one in holders:
                one.queue(place)
        gone = failing.next(stays, rng)
        stays[gone] = False
        for one in holders:
            one.drop(gone)
    return np.asarray(stays[person])


class _HolderQueue:
    """The people with each value of one attribute; changes as people are removed."""

    def __init__(self, person: Int64, value: Int64, n_people: int, n_values: int) -> None:
        self.person, self.value = person, value  # (pairs,) in the order of people
        self.first = np.searchsorted(person, np.arange(n_people + 1))
        self.overall: Float64 = np.bincount(value, minlength=n_values).astype(np.float64)
        self.total_known = float(np.unique(person).size)

    @classmethod
    def of(cls, person: Int32, codes: Int32, n_values: int) -> _HolderQueue:
        known = codes >= 0
        _, example = distinct_rows(np.stack([person[known], codes[known]], axis=1))
        rows = np.flatnonzero(known)[example]  # in the order of people
        n_people = int(person.max(initial=-1)) + 1
        return cls(person[rows].astype(np.int64), codes[rows].astype(np.int64), n_people, n_values)

    def meet(self, models: Sequence[PrivacyModel], size: int) -> bool:
        """Whether all remaining people together meet the models."""
        counted = np.array([float(size)]), np.array([self.total_known]), self.overall[None, :]
        return all(bool(holds(m, score_people(m, *counted, self.total_known, self.overall))[0]) for m in models)

    def queue(self, place: Int64) -> None:
        """Queue the people with each value, by their places."""
        self.line = self.person[np.lexsort((place[self.person], self.value))]
        self.head = starts(self.overall.astype(np.int64))
        self.turn = self.head[:-1].copy()

    def next(self, stays: Bool, rng: np.random.Generator) -> int:
        """Return the next person with the most frequent value, a random one of several."""
        value = int(rng.choice(np.flatnonzero(self.overall == self.overall.max())))
        while not stays[self.line[self.turn[value]]]:
            self.turn[value] += 1
        return int(self.line[self.turn[value]])

    def drop(self, person: int) -> None:
        """Remove a person from the counts."""
        own = self.value[self.first[person] : self.first[person + 1]]
        self.overall[own] -= 1
        self.total_known -= own.size > 0


def _persons(table: Table) -> tuple[Int32, Int32]:
    """Return the person of each row, numbered densely, and its distinct row, (rows,)."""
    profile, _ = table.profiles()
    if table.person_of is None:
        return np.arange(table.n_rows, dtype=np.int32), profile
    person, _ = distinct_rows(table.person_of[:, None])
    return person, profile


def _canonical(person: Int32, profile: Int32, n_people: int) -> Int64:
    """Return people in an order that depends on the content of their rows alone, (people,)."""
    order = np.lexsort((profile, person))
    sorted_profiles = profile[order].tolist()
    first = np.searchsorted(person[order], np.arange(n_people + 1)).tolist()
    return np.array(sorted(range(n_people), key=lambda p: sorted_profiles[first[p] : first[p + 1]]), np.int64)
