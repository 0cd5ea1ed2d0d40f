"""Consistency of records with the entries of a dictionary, by attribute and distinct value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, frozen, starts
from unmask.decision_risk._unique_people import each_once
from unmask.decision_risk.comparison import (
    ELSEWHERE,
    MISSING,
    UNLIKE,
    Comparison,
    DistinctValues,
    Keyed,
    MatchingValues,
)
from unmask.decision_risk.comparisons.exact import Exact
from unmask.decision_risk.dictionary import Dictionary, entries_of, require_one_each
from unmask.errors import InvalidInputError
from unmask.runtime import work
from unmask.table import Table
from unmask.wording import joined, message


@dataclass(frozen=True, slots=True, eq=False)
class Tabulated:
    """Precomputed numbers of matching entries, for each set of attributes."""

    row_of: Int32  # (records,)
    count: Int32  # (2^attributes, rows); a bit of the place for each attribute, right only where the record has them
    mass: Float64 | None  # (2^attributes, rows) selection probabilities added up

    def at(self, place: Int64, records: Int64) -> tuple[Int64, Float64]:
        """Look up sets of attributes of records, by the places of the sets; without probabilities, no mass."""
        row = self.row_of[records]
        return self.count[place, row].astype(np.int64), np.zeros((0, 0)) if self.mass is None else self.mass[place, row]


def place_of(sets: Bool) -> Int64:
    """Return the place of sets of attributes, (sets, attributes): a bit for each attribute."""
    return np.asarray(sets @ (1 << np.arange(sets.shape[1])), np.int64)


NO_WEIGHTS: Final = frozen(np.zeros(0))
"""Where entries have no weights; kernels are compiled once, for what cannot be written."""


@dataclass(frozen=True, eq=False)
class Consistency:
    """Records and a dictionary, compared.

    Records × entries is never built: rows hold numbers of distinct values, and matches are stored by pair of distinct
    values. A value that is missing on either side matches everything; so does an attribute that the dictionary lacks.
    """

    names: tuple[str, ...]  # (attributes,)
    ours: Int32  # (records, attributes) number of the distinct value; `MISSING`, or `UNLIKE` all others
    theirs: Int32  # (entries, attributes) likewise; `ELSEWHERE` where no record has it
    alike: tuple[MatchingValues | None, ...]  # (attributes,) None: values match if their numbers are equal
    probability: Float64 | None  # (entries,) selection weights; `once`: counting weights
    own: Int32 | None  # (records,) the entry of the same identity, -1 where there is none; None: no identities
    dictionary: str = "dictionary"
    notes: tuple[str, ...] = ()
    tabulated: Tabulated | None = None  # counts of all sets of attributes, if precomputed
    once: bool = False  # each person with several entries is counted once, by weights that may be negative

    @classmethod
    def of(
        cls,
        records: Table,
        dictionary: Dictionary,
        comparisons: Mapping[str, Comparison] | None = None,
        *,
        identities: tuple[str, ...] | None = None,
    ) -> Consistency:
        """Compare records with a dictionary; an attribute without a comparison is compared exactly.

        `identities` names the person of each record, (records,); it is never disclosed.

        Fails
            With `InvalidInputError` for a comparison of an attribute that the records do not have, and for a
            dictionary without any of the attributes.
        """
        names, how = records.schema.names, dict(comparisons or {})
        for name in how:
            if name not in names:
                raise InvalidInputError.unknown_name(message("attribute that is compared"), name, names)
        entries = dictionary.attributes
        if not any(name in entries.schema for name in names):
            msg = message(
                "dictionary {dictionary} must have an attribute of the records ({names}); it has {schema}. "
                "Rename its columns",
                dictionary=repr(dictionary.name),
                names=", ".join(names),
                schema=", ".join(entries.schema.names) or message("none"),
            )
            raise InvalidInputError(msg)
        ours = np.full((records.n_rows, len(names)), MISSING, np.int32)
        theirs = np.full((entries.n_rows, len(names)), MISSING, np.int32)
        alike: list[MatchingValues | None] = []
        notes = []
        with work.step(message("comparing records with {dictionary}", dictionary=dictionary.name), len(names)) as step:
            for j, name in enumerate(names):
                if name in entries.schema:
                    ours[:, j], theirs[:, j], pairs = compared(records, entries, name, how.get(name, Exact()))
                else:
                    ours[:, j], pairs = DistinctValues.of(records, name)[1], None
                    notes.append(
                        message(
                            "{dictionary} has no {column}: it matches all entries there",
                            dictionary=repr(dictionary.name),
                            column=name,
                        )
                    )
                alike.append(pairs)
                notes += [joined([name, pairs.note], ": ")] if pairs is not None and pairs.note else []
                step.advance()
        require_one_each(identities, records.n_rows)
        own = None
        if identities is not None and dictionary.identities is not None:
            own = entries_of(identities, dictionary.identities)
        if dictionary.probability is not None and own is None:
            notes.append(
                message(
                    "identities in {dictionary} are unknown: entries count as selected uniformly",
                    dictionary=repr(dictionary.name),
                )
            )
        weight, once = dictionary.probability, dictionary.repeats
        if dictionary.identities is not None and once:
            theirs, weight, alike = each_once(dictionary.identities, theirs, alike, dictionary.name)
            own = None
            notes.append(
                message(
                    "some people have several entries in {dictionary}: each is counted once",
                    dictionary=repr(dictionary.name),
                )
            )
        return cls(names, ours, theirs, tuple(alike), weight, own, dictionary.name, tuple(notes), once=once)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ours", frozen(self.ours, np.int32))
        object.__setattr__(self, "theirs", frozen(self.theirs, np.int32))

    @property
    def n_records(self) -> int:
        """How many records there are."""
        return int(self.ours.shape[0])

    @property
    def n_entries(self) -> int:
        """How many entries the dictionary has."""
        return int(self.theirs.shape[0])

    @property
    def n_people(self) -> int:
        """How many people the entries belong to."""
        return round(float(self.probability.sum())) if self.once and self.probability is not None else self.n_entries

    @property
    def available(self) -> Bool:
        """Which values are present, (records, attributes)."""
        return np.asarray(self.ours != MISSING)

    @cached_property
    def spread(self) -> Float64:
        """The mean number of dictionary values that match a record's value, (attributes,): 1 where there is a key."""
        found = np.ones(len(self.names))
        for j, pairs in enumerate(self.alike):
            if pairs is not None and (present := self.ours[self.ours[:, j] >= 0, j]).size:
                found[j] = max(float(np.diff(pairs.start)[present].mean()), 1.0)
        return found

    @cached_property
    def postings(self) -> tuple[tuple[Int64, Int32], ...]:
        """For each attribute where the entries of each value begin, and the entries; the missing ones come first.

        Value v has `entries[start[v + 1] : start[v + 2]]`, and `entries[: start[1]]` lack one.
        """
        found = []
        for j in range(len(self.names)):
            shifted = np.where(self.theirs[:, j] == ELSEWHERE, self._width(j), self.theirs[:, j]) + 1
            counts = np.bincount(shifted, minlength=self._width(j) + 2)
            order = np.argsort(shifted, kind="stable").astype(np.int32)
            found.append((starts(counts[: self._width(j) + 1]), order))
        return tuple(found)

    @cached_property
    def kinds(self) -> tuple[Int32, Float64, Float64 | None]:
        """The distinct entries, (kinds, attributes), in sorted order; how many there are of each, (kinds,).

        Where entries are selected with different probabilities, also these, added up.
        """
        number, example = distinct_rows(self.theirs)
        counts = np.bincount(number, minlength=example.size).astype(np.float64)
        if self.probability is None:
            return self.theirs[example], counts, None
        return self.theirs[example], counts, np.bincount(number, self.probability, example.size).astype(np.float64)

    @cached_property
    def n_gaps(self) -> int:
        """How many different sets of attributes entries lack."""
        return distinct_rows((self.kinds[0] == MISSING).astype(np.int8))[1].size

    def _width(self, j: int) -> int:
        """How many values an attribute of the dictionary has, of those that are compared."""
        pairs = self.alike[j]
        shared = int(self.ours[:, j].max(initial=-1)) + 1 if pairs is None else int(pairs.column.max(initial=-1)) + 1
        return max(shared, int(self.theirs[:, j].max(initial=-1)) + 1)

    def fitting(self) -> Int64:
        """Return the number of matching entries by each attribute, (records, attributes); all entries if missing."""
        return self._added(np.ones(self.n_entries)).astype(np.int64)

    def shares(self) -> Float64:
        """Return the share of the dictionary that matches by each attribute alone, (records, attributes).

        Where entries are selected with different probabilities, it is the share of these.
        """
        weight = np.ones(self.n_entries) if self.probability is None else self.probability
        return np.asarray(np.minimum(self._added(weight) / weight.sum(), 1.0))

    def _added(self, weight: Float64) -> Float64:
        result = np.zeros(self.ours.shape)
        for j, pairs in enumerate(self.alike):
            theirs, width = self.theirs[:, j], self._width(j)
            of_value = np.bincount(theirs[theirs >= 0], weight[theirs >= 0], max(width, 1))
            anyway = float(weight[theirs == MISSING].sum())
            if pairs is None:
                fits = of_value
            else:
                row = np.repeat(np.arange(pairs.start.size - 1), np.diff(pairs.start))
                fits = np.bincount(row, of_value[pairs.column], max(pairs.start.size - 1, 1))
            table = np.concatenate([fits + anyway, [anyway, weight.sum()]])  # UNLIKE is -2, MISSING is -1
            result[:, j] = table[self.ours[:, j]]
        return result

    def fits(self, records: Int64 | Int32, entries: Int64 | Int32) -> Bool:
        """Whether each pair of a record and an entry matches in each attribute, (pairs, attributes)."""
        ours, theirs = self.ours[records], self.theirs[entries]
        result = (ours == MISSING) | (theirs == MISSING)
        for j, pairs in enumerate(self.alike):
            same = ours[:, j] == theirs[:, j] if pairs is None else pairs.has(ours[:, j], theirs[:, j])
            result[:, j] |= same
        return np.asarray(result)

    def take(self, records: Int64) -> Consistency:
        """Return some of the records, in the given order, against the same dictionary."""
        own = None if self.own is None else self.own[records]
        tabulated = self.tabulated and replace(self.tabulated, row_of=self.tabulated.row_of[records])
        return replace(self, ours=self.ours[records], own=own, tabulated=tabulated)


def compared(records: Table, entries: Table, name: str, how: Comparison) -> tuple[Int32, Int32, MatchingValues | None]:
    """Compare one attribute; return the numbers of the records' and the entries' values, and the matching values.

    Under a key, values are numbered by it, and match if their numbers are equal.
    """
    mine, ours = DistinctValues.of(records, name)
    yours, theirs = DistinctValues.of(entries, name)
    if not isinstance(how, Keyed):
        return ours, np.where(theirs == UNLIKE, ELSEWHERE, theirs), how.alike(mine, yours)
    place: dict[str, int] = {}
    number = np.array([place.setdefault(key, len(place)) for key in how.key(mine)], np.int32)
    other = np.array([place.get(key, ELSEWHERE) for key in how.key(yours)], np.int32)
    return (
        np.append(number, np.array([UNLIKE, MISSING], np.int32))[ours],
        np.append(other, np.array([ELSEWHERE, MISSING], np.int32))[theirs],
        None,
    )


def same_records(parts: Sequence[Consistency]) -> None:
    """Raise an error unless all compare the same records."""
    if not parts:
        msg = message("risk must be judged against at least one dictionary; got none")
        raise InvalidInputError(msg)
    first = parts[0]
    if any(one.names != first.names or one.ours.shape != first.ours.shape for one in parts):
        msg = message("dictionaries must be compared with the same records; their numbers or attributes differ")
        raise InvalidInputError(msg)
