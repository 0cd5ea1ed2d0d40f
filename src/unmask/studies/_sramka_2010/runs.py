"""Runs of the experiment: all databases, settings and columns, stored as they finish."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Literal, TypeAlias

import numpy as np

from unmask.arrays import Float64
from unmask.attacks.fusion.attack import Fusion
from unmask.errors import InvalidInputError
from unmask.parameters import list_text
from unmask.release import Publication
from unmask.runtime import work
from unmask.studies._sramka_2010.mined import ColumnScores, SanitizerSetting, fused, published
from unmask.studies._sramka_2010.people import AdultPopulation
from unmask.table import Table
from unmask.wording import message

Miners: TypeAlias = Literal["sklearn", "weka"] | tuple[str, ...]
"""The equivalents of the paper's miners in a library, or miners by name."""

LIBRARIES = {"sklearn": "scikit-learn", "weka": "weka"}

Key: TypeAlias = tuple[str, SanitizerSetting]  # age or edu, and how it was sanitized


@dataclass(frozen=True, eq=False)
class FusionTable:
    """Scores by column and setting, one for each database, and the names of the miners."""

    outcomes: Mapping[Key, Sequence[ColumnScores]]
    cells: tuple[str, ...]  # miners of ranges
    numbers: tuple[str, ...]  # miners of noisy numbers
    size: int

    def runs(self, key: Key, view: str, name: str) -> Float64:
        """Return one number of each database."""
        return np.array([one.of(view, name) for one in self.outcomes[key]])

    def miners_of(self, key: Key) -> tuple[str, ...]:
        """Return the miners of a setting."""
        return self.cells if key[1].k else self.numbers

    def alone(self, key: Key, scenario: int) -> dict[str, float]:
        """Return the mean utility of each single miner; NaN for one that was left out of a database."""
        means = np.mean([one.miners[scenario] for one in self.outcomes[key]], axis=0)
        return dict(zip(self.miners_of(key), means.tolist(), strict=True))

    @property
    def left_out(self) -> dict[str, int]:
        """The number of failures of each miner that failed."""
        counts: dict[str, int] = {}
        for key, outcomes in self.outcomes.items():
            for one in outcomes:
                for name, lost in zip(self.miners_of(key), np.isnan(one.miners[0]).tolist(), strict=True):
                    if lost:
                        counts[name] = counts.get(name, 0) + 1
        return counts


def chosen(names: Miners, *, numbers: bool) -> tuple[str, ...]:
    """Return the miners of one kind: equivalents of the paper's, Weka's, or by name.

    Fails
        With `InvalidInputError` for an unknown name, or without a name of that kind.
    """
    from unmask.attacks.fusion.miners.all_miners import miners as listed  # noqa: PLC0415 - scikit-learn is an extra

    if isinstance(names, str):
        return tuple(one.name for one in listed(numbers=numbers, library=LIBRARIES[names]) if one.counterpart)
    known = {kind: [one.name for library in LIBRARIES.values() for one in listed(numbers=kind, library=library)]
             for kind in (False, True)}  # fmt: skip
    for name in names:
        if name not in known[False] and name not in known[True]:
            raise InvalidInputError.unknown_name(message("miner"), name, [*LIBRARIES, *known[False], *known[True]])
    found = tuple(name for name in names if name in known[numbers])
    if not found:
        kind = message("noisy numbers" if numbers else "ranges")
        raise InvalidInputError(
            message(
                "miners must have one that predicts {kind}; got {names}. Name one, or take sklearn",
                kind=kind,
                names=repr(list_text(names)),
            )
        )
    return found


def papers(miners: Sequence[str], seconds: float) -> Fusion:
    """Return the paper's attack: miners predict their training rows, and votes count all values of a range."""
    return Fusion(tuple(miners), "paper", folds=0, domain=False, seconds=seconds)


@dataclass(eq=False)
class Database:
    """People of one database, and their latest release: settings come one after the other."""

    people: Table
    number: int
    seed: int
    last: tuple[SanitizerSetting, Publication] | None = None

    def published(self, setting: SanitizerSetting) -> Publication:
        """Return the database, sanitized."""
        if self.last is None or self.last[0] != setting:
            self.last = setting, published(self.people, setting, self.seed, self.number)
        return self.last[1]

    def mined(self, key: Key, miners: Sequence[str], seconds: float) -> ColumnScores:
        """Return the scores of one column and setting."""
        attribute, setting = key
        return fused(self.published(setting), self.people, attribute, miners, papers(miners, seconds), self.seed)


def run(
    people: AdultPopulation, keys: Sequence[Key], miners: Miners, size: int, databases: int, seconds: float, seed: int
) -> FusionTable:
    """Draw and sanitize the databases, and return the scores of fusion."""
    grouped = {bool(setting.k) for _, setting in keys}
    cells = chosen(miners, numbers=False) if True in grouped else ()
    numbers = chosen(miners, numbers=True) if False in grouped else ()
    outcomes: dict[Key, list[ColumnScores]] = {key: [] for key in keys}
    for one, key, parts in drawn(people, keys, size, databases, seed, "fusion-table", f"{cells} {numbers} {seconds}"):
        compute = partial(one.mined, key, cells if key[1].k else numbers, seconds)
        outcomes[key].append(parts.saved(part(key), compute, ColumnScores.packed, ColumnScores.unpacked))
    return FusionTable(outcomes, cells, numbers, size)


def drawn(
    people: AdultPopulation, keys: Sequence[Key], size: int, databases: int, seed: int, name: str, settings: str
) -> Iterator[tuple[Database, Key, work.StoredParts]]:
    """Yield each database with every setting, and the store of its finished parts."""
    with work.step(message("databases"), databases * len(keys)) as step:
        for i in range(databases):
            one = Database(people.drawn(size, seed, i), i, seed)
            inputs = f"{seed} {i} {settings} {version('scikit-learn')}"
            parts = work.parts_of(name, inputs, [one.people[a.name] for a in one.people.schema])
            for key in keys:
                yield one, key, parts
                step.advance()


def part(key: Key) -> str:
    """Return the name of a setting's stored part."""
    attribute, setting = key
    return "-".join(filter(None, (attribute, re.sub("[^0-9a-z]+", "-", setting.key), setting.edu)))
