"""Keys: combinations of quasi-identifiers, with their frequencies in the sample and in the population."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32, Int64, Ragged, distinct_rows, frozen, occurrences
from unmask.errors import InvalidInputError
from unmask.models.equivalence_classes import matching
from unmask.schema import Missing
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """The distinct keys of a sample, and the number of people that match each.

    A key is a combination of quasi-identifiers; a missing value is one more value. People are counted, not rows: two
    rows of one person with one key count once. Matching follows the missing-value policy of each column: under
    `WILDCARD` a missing value matches all others.

    Fails
        With `InvalidInputError` where a weight is missing or negative.
    """

    profiles: Table  # (keys,)
    number: Int32  # (rows,) the key of each row; -1 where a value is missing that must not be
    people: Float64  # (keys,) people of the sample with this key
    sample: Float64  # (keys,) people of the sample that match it
    population: Float64 | None  # (keys,) people of the population that match it: the sum of weights
    weighed: float = 0.0  # the sum of weights, once for each person and key

    @classmethod
    def of(cls, table: Table) -> Keys:
        """Find the keys of a table."""
        visible = table.visible(None)
        excluded = visible.excluded()
        here = visible.take(~excluded) if excluded.any() else visible
        own, profiles = here.profiles()
        number = own
        if excluded.any():
            number = np.full(table.n_rows, -1, np.int32)
            number[~excluded] = own
        weight = here.weight
        if here.person_of is not None:  # one row for each person and key
            own, first = _once(own, here.person_of)
            weight = None if weight is None else weight[first]
        if weight is not None and not (weight >= 0).all():
            msg = message("weights must be numbers of at least 0; some are not. Leave these rows out, or the weight")
            raise InvalidInputError(msg)
        people = occurrences(own, profiles.n_rows)[1:].astype(np.float64)
        counted = people[:, None]
        if weight is not None:
            counted = np.column_stack([people, np.bincount(own, weight, profiles.n_rows)])
        alike = _alike(profiles, counted)
        population = None if weight is None else frozen(np.maximum(alike[:, 1], alike[:, 0]))
        weighed = 0.0 if weight is None else float(weight.sum())
        return cls(profiles, frozen(number), frozen(people), frozen(alike[:, 0]), population, weighed)

    @property
    def sizes(self) -> tuple[Int64, Int64]:
        """The distinct sizes of keys in people, ascending, and the number of keys of each size."""
        return np.unique(self.people.astype(np.int64), return_counts=True)

    def among(self, population: Table) -> Float64:
        """Return the number of people of a population that match each key, (keys,).

        A key that is absent there counts the people of the sample, who are part of the population.

        Fails
            With `InvalidInputError` where the population lacks a quasi-identifier.
        """
        names = self.profiles.schema.names
        lacking = [name for name in names if name not in population.schema]
        if lacking:
            msg = message(
                "a population must have every quasi-identifier; it lacks {lacking}. Add these columns",
                lacking=", ".join(lacking),
            )
            raise InvalidInputError(msg)
        theirs = population.only(names).aligned(self.profiles.schema)
        number, profiles = theirs.profiles()
        if theirs.person_of is not None:
            number, _ = _once(number, theirs.person_of)
        columns = {n: np.concatenate([self.profiles[n], profiles[n]]) for n in names}
        both = Table(self.profiles.schema, columns, self.people.size + profiles.n_rows)
        people = np.bincount(number, minlength=profiles.n_rows)
        counted = np.concatenate([np.zeros(self.people.size), people])
        number, example = both.profiles()
        held = np.bincount(number, counted, example.n_rows).astype(np.float64)
        return np.asarray(np.maximum(_alike(example, held[:, None])[number[: self.people.size], 0], self.sample))

    def spread(self, size: float) -> Float64:
        """Return the number of people of a population of this size that match each key, (keys,), at equal weights."""
        return self.sample * max(size / max(float(self.people.sum()), 1.0), 1.0)


def _once(number: Int32, person_of: Int32) -> tuple[Int32, Int64]:
    """Return the key of each distinct pair of key and person, (pairs,), and an example row of each."""
    pairs = np.stack([number, person_of], axis=1)
    _, first = distinct_rows(pairs)
    return number[first], first


def _alike(profiles: Table, counted: Float64) -> Float64:
    """Sum the counts of the profiles that match each profile, (profiles, counts)."""
    wild = np.zeros((profiles.n_rows, len(profiles.schema.names)), bool)
    for i, attribute in enumerate(profiles.schema):
        if attribute.missing is Missing.WILDCARD:
            wild[:, i] = profiles.missing(attribute.name)
    if not wild.any():
        return counted
    cell = np.stack([profiles.ranks(name)[0] for name in profiles.schema.names], axis=1)
    return matching(cell, wild, Ragged.of(counted)).dense()
