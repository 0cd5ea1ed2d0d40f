"""Factors of a person's attributes, as an attack learned them from the other people of a release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from unmask.arrays import Bool, Float64, Int32
from unmask.attacks.definetti.attribute_contributions import Explainable, explained, level_chances
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.location import NOWHERE, places
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import Beliefs
from unmask.commands.explaining.explained import AttributeFactors
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.schema import labels_of, recode
from unmask.table import Table
from unmask.view import Attack, Knowledge, View
from unmask.wording import message

Stream = Callable[[], np.random.Generator]
"""Makes the attack's random stream anew: the same stream, the same fit."""

_LEAST_CHANGE = 1e-6  # of a probability that is explained


@runtime_checkable
class Learns(Protocol):
    """An attack that holds another one, which learns from each release."""

    @property
    def learner(self) -> Explainable:
        """The attack that learns."""
        ...


def learner_of(attack: Attack) -> Explainable | None:
    """Return the part of an attack whose learned probabilities can be explained; None without one."""
    found = attack if isinstance(attack, Explainable) else attack.learner if isinstance(attack, Learns) else None
    return None if found is None or found.level_prior is None else found


@dataclass(frozen=True, eq=False)
class LearnedPattern:
    """What a learner learned from the only release of a view about attributes and values."""

    learner: Explainable
    view: View
    stream: Stream

    def factors(self, seen: View, beliefs: Beliefs, value: str) -> AttributeFactors | None:
        """Return the factors behind the belief in a value of the only target of a view; None where it did not move.

        `beliefs` are the learner's about this target.
        """
        before = RandomWorlds().infer(seen, self.stream()).aligned(beliefs.values).dense()[0]
        after, chosen = beliefs.dense()[0], beliefs.values.index(value)
        if not 0 < before[chosen] < 1 or abs(after[chosen] - before[chosen]) <= _LEAST_CHANGE:
            return None
        is_exact = seen.release.masked.is_exact
        chances = dict(self._of_rows(seen, beliefs.values) if is_exact else self._of_cells(seen, beliefs.values))
        why = explained(list(chances), list(chances.values()), beliefs.values, before, after, chosen)
        return AttributeFactors(seen.release.name, why, exact=is_exact)

    def _of_cells(self, seen: View, values: tuple[str, ...]) -> Iterator[tuple[str, Float64]]:
        """Yield P(level | value) by attribute from generalized cells, in the likeliest group that fits the person."""
        where = places(seen, 0)
        row = int(where.row_of[0])
        if row == NOWHERE:
            return
        part = slice(int(where.weight.start[row]), int(where.weight.start[row + 1]))
        group = int(where.weight.column[part][np.argmax(where.weight.data[part])])
        code = recode(values, tuple(seen.release.schema[seen.about.name].values))
        for column, lift in self.learner.lifts(seen, 0, group).items():
            yield column, np.where(code >= 0, lift[code], 0.0)

    def _of_rows(self, seen: View, values: tuple[str, ...]) -> Iterator[tuple[str, Float64]]:
        """Yield P(level | value) by attribute from exact rows, those of the person's own group left out."""
        release, known = seen.release, seen.knowledge.people
        published, own = release.masked.exact_table(), int(seen.located(0)[0])
        kept: Bool | None = release.group_of_row != own if own >= 0 else None
        found, weights = self._beliefs_about_rows
        index = np.array([found.index(value) if value in found else -1 for value in values])
        weights = np.where(index >= 0, weights[:, np.maximum(index, 0)], 0.0)
        alpha, power = self.learner.level_prior or 0.0, self.learner.power(self.view)
        for attribute in published.schema.attributes:
            if attribute.name not in known.schema:
                continue
            n, rows, theirs = _codes(published, known, attribute.name)
            if theirs[0] >= 0:
                yield attribute.name, level_chances(rows, n, weights, alpha, kept)[theirs[0]] ** power

    @cached_property
    def _beliefs_about_rows(self) -> tuple[tuple[str, ...], Float64]:
        """Beliefs about every published row: the values, and (rows, values)."""
        release, about = self.view.release, self.view.about.name
        prior = default_prior((release,), about, release.n_rows)
        rows = self.learner.infer(View((release,), Knowledge.of_rows(release, prior)), self.stream())
        if (recode(tuple(release.schema[about].values), rows.values) < 0).any():
            msg = message("needs beliefs about every published value of {about}", about=repr(about))
            raise NotApplicableError(msg)
        return rows.values, rows.dense()


def known_attributes(people: Table) -> dict[str, str]:
    """Return the attributes of the first person of a table as text; a missing value is `missing`."""
    found: dict[str, str] = {}
    for attribute in people.schema.attributes:
        value = people[attribute.name][:1]
        is_missing = bool(np.isnan(value[0])) if attribute.is_numeric else value[0] < 0
        found[attribute.name] = message("missing") if is_missing else labels_of(attribute.domain, value)[0]
    return found


def _codes(published: Table, known: Table, name: str) -> tuple[int, Int32, Int32]:
    """Return how many levels an attribute has, and those of the published rows and of the people."""
    ours, theirs = published.schema[name], known.schema[name]
    if ours.is_numeric:
        numbers = published[name]
        levels = np.unique(numbers[~np.isnan(numbers)])
        both = []
        for column in (numbers, known[name].astype(np.float64)):
            place = np.minimum(np.searchsorted(levels, np.nan_to_num(column)), max(levels.size - 1, 0))
            both.append(np.where((levels[place] == column) if levels.size else False, place, -1).astype(np.int32))
        return levels.size, both[0], both[1]
    if theirs.is_numeric:
        msg = message("column {name} must be of one type in the release and among the people", name=repr(name))
        raise InvalidInputError(msg)
    code = np.append(recode(tuple(theirs.values), tuple(ours.values)), np.int32(-1))
    return len(ours.values), published[name], code[np.maximum(known[name], -1)]
