"""Explanations of single beliefs, for the owner of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Int32
from unmask.attacks.definetti.attribute_contributions import (
    Contribution,
    Explainable,
    Explanation,
    explained,
    level_chances,
)
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.location import NOWHERE, places
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.schema import labels_of, recode
from unmask.table import Table
from unmask.view import Attack, Knowledge, View
from unmask.visible_text import joined

Stream = Callable[[], np.random.Generator]
"""Makes the attack's random stream anew: the same stream, the same fit."""

_LIKELIEST = 2  # values explained of each person
_LEAST = 0.05  # logarithm of a factor that is worth a line


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a person is believed to have a value of an attribute."""

    person: str
    about: str
    attributes: dict[str, str]  # the person's attributes, as far as the release has them
    why: Explanation
    exact: bool = True  # exact rows: the group's other rows hold the rest

    def __str__(self) -> str:
        return joined(self._text())

    def _text(self) -> Iterator[str]:
        why = self.why
        yield (
            f"{self.person}: {self.about} {why.value} is believed with {why.after:.3f}; the group's list alone says "
            f"{why.before:.3f}"
        )
        for one in why.moved:
            if _matters(one):
                who = f"{one.attribute} {self.attributes[one.attribute]}"
                yield f"  {who:34}{_times(one.factor)} as likely with it as with the other values"
        if abs(np.log(why.others)) > _LEAST and self.exact:
            says = "fit the other values better" if why.others > 1 else "fit it, too, or better"
            yield f"  {'the others of the group':34}{_times(why.others)} the odds: they {says}"
        elif abs(np.log(why.others)) > _LEAST:
            yield f"  {'attributes taken together':34}{_times(why.others)} the odds"
        small = [one.attribute for one in why.moved if not _matters(one)]
        if small:
            yield f"  next to nothing: {', '.join(small)}"


def explanations(
    attack: Attack, view: View, beliefs: Beliefs, people: Sequence[int], names: Sequence[str], stream: Stream
) -> tuple[Explained, ...]:
    """Explain the likeliest values of some people.

    `beliefs` are the result of the attack with the same stream, inside of `work.keeping`.

    Fails
        With `NotApplicableError` where the attack learns no table of probabilities: only `definetti` with Naive Bayes.
    """
    alpha = attack.level_prior if isinstance(attack, Explainable) else None
    if not isinstance(attack, Explainable) or alpha is None:
        msg = "explains what definetti learned with Naive Bayes; other attacks learn nothing to explain"
        raise NotApplicableError(msg)
    if not view.release.masked.is_exact:
        return tuple(_of_people_in_boxes(attack, view, beliefs, people, names, stream))
    release, about = view.release, view.about.name
    prior = default_prior((release,), about, release.n_rows)
    rows = attack.infer(View((release,), Knowledge.of_rows(release, prior)), stream())
    order = recode(tuple(release.schema[about].values), rows.values)
    weights = rows.dense()
    if (order < 0).any():
        msg = f"needs beliefs about every published value of {about!r}"
        raise NotApplicableError(msg)
    before = RandomWorlds().infer(view, stream()).aligned(beliefs.values)
    index = [rows.values.index(value) if value in rows.values else -1 for value in beliefs.values]
    weights = np.where(np.array(index) >= 0, weights[:, np.maximum(index, 0)], 0.0)
    return tuple(_of_people(view, beliefs, before, weights, alpha, people, names))


def _of_people_in_boxes(
    attack: Explainable,
    view: View,
    beliefs: Beliefs,
    people: Sequence[int],
    names: Sequence[str],
    stream: Stream,
) -> Iterator[Explained]:
    """Explain beliefs from generalized cells; by the likeliest group where a person matches several."""
    before, found = RandomWorlds().infer(view, stream()).aligned(beliefs.values).dense(), beliefs.dense()
    where, known = places(view, 0), view.knowledge.people
    code = recode(beliefs.values, tuple(view.release.schema[view.about.name].values))
    for person, name in zip(people, names, strict=True):
        row = where.row_of[person]
        if beliefs.row_of[person] < 0 or row == NOWHERE:
            continue
        part = slice(where.weight.start[row], where.weight.start[row + 1])
        group = int(where.weight.column[part][np.argmax(where.weight.data[part])])
        lifts = attack.lifts(view, person, group)
        chances = {column: np.where(code >= 0, lift[code], 0.0) for column, lift in lifts.items()}
        attributes = {column: _label(known, column, person) for column in chances}
        for value in np.argsort(-found[person], kind="stable")[:_LIKELIEST]:
            if 0 < before[person, value] < 1 and abs(found[person, value] - before[person, value]) > 1e-6:
                why = explained(
                    list(chances), list(chances.values()), beliefs.values, before[person], found[person], value
                )
                yield Explained(name, view.about.name, attributes, why, exact=False)


def _label(known: Table, name: str, person: int) -> str:
    """Return a person's own value as text."""
    return labels_of(known.schema[name].domain, known[name][[person]])[0]


def _of_people(
    view: View,
    beliefs: Beliefs,
    before: Beliefs,
    weights: np.ndarray,
    alpha: float,
    people: Sequence[int],
    names: Sequence[str],
) -> Iterator[Explained]:
    release, known = view.release, view.knowledge.people
    published = release.masked.exact_table()
    shared = [a.name for a in published.schema.attributes if a.name in known.schema]
    coded = {name: _codes(published, known, name) for name in shared}
    prior_beliefs, found, located = before.dense(), beliefs.dense(), view.located(0)
    for person, name in zip(people, names, strict=True):
        if beliefs.row_of[person] < 0:
            continue
        own = int(located[person])
        kept: Bool | None = release.group_of_row != own if own >= 0 else None
        chances, attributes = {}, {}
        for column, (levels, rows, theirs, labels) in coded.items():
            if theirs[person] >= 0:
                chances[column] = level_chances(rows, levels, weights, alpha, kept)[theirs[person]]
                attributes[column] = labels[theirs[person]]
        for value in np.argsort(-found[person], kind="stable")[:_LIKELIEST]:
            if 0 < prior_beliefs[person, value] < 1 and abs(found[person, value] - prior_beliefs[person, value]) > 1e-6:
                why = explained(
                    list(chances), list(chances.values()), beliefs.values, prior_beliefs[person], found[person], value
                )
                yield Explained(name, view.about.name, attributes, why)


def _codes(published: Table, known: Table, name: str) -> tuple[int, Int32, Int32, list[str]]:
    """Return how many levels an attribute has, those of the published rows and of the people, and their names."""
    ours, theirs = published.schema[name], known.schema[name]
    if ours.is_numeric:
        numbers = published[name]
        levels = np.unique(numbers[~np.isnan(numbers)])
        both = []
        for column in (numbers, known[name].astype(np.float64)):
            place = np.minimum(np.searchsorted(levels, np.nan_to_num(column)), max(levels.size - 1, 0))
            both.append(np.where((levels[place] == column) if levels.size else False, place, -1).astype(np.int32))
        return levels.size, both[0], both[1], list(labels_of(ours.domain, levels))
    if theirs.is_numeric:
        msg = f"column {name!r} must be of one type in the release and among the people"
        raise InvalidInputError(msg)
    code = np.append(recode(tuple(theirs.values), tuple(ours.values)), np.int32(-1))
    return len(ours.values), published[name], code[np.maximum(known[name], -1)], list(ours.values)


def chosen_people(keys: Sequence[str], names: Sequence[str] | None, n: int) -> list[int]:
    """Return the targets of person keys, or of line numbers from 0 where there is no key.

    Fails
        With `InvalidInputError` for an unknown key, which the message does not repeat.
    """
    result = []
    for key in keys:
        found = [i for i, name in enumerate(names) if name == key] if names is not None else []
        if names is None and key.isdecimal() and int(key) < n:
            found = [int(key)]
        if not found:
            how = f"a line number from 0 to {n - 1}" if names is None else "a key of the people file"
            msg = f"--explain must name a person, by {how}; it does not"
            raise InvalidInputError(msg)
        result += found
    return result


def _matters(one: Contribution) -> bool:
    return abs(float(np.log(one.factor))) > _LEAST


def _times(factor: float) -> str:
    return f"{factor:6.2f} times"
