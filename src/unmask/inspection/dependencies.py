"""Functional dependencies between columns: the value of one determines that of another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import occurrences
from unmask.files.raw import Codes, Raw
from unmask.schema import UNKNOWN
from unmask.wording import text

_FIRST_ROWS = 2_000  # that are compared before all are
_BY_CHANCE = 1e-6  # the largest probability that independent columns agree as much


@dataclass(frozen=True, slots=True)
class Dependency:
    """Columns that a column determines; those that also determine it hold the same information."""

    column: str
    determines: tuple[str, ...]
    equivalent: tuple[str, ...]

    def __str__(self) -> str:
        same = [text("{name} (and back)", name=name) for name in self.equivalent]
        return f"{self.column} → {', '.join([*(n for n in self.determines if n not in self.equivalent), *same])}"


def dependencies(raw: Raw) -> tuple[Dependency, ...]:
    """Return the functional dependencies of a table.

    Assumes
        A missing value of the determining column determines nothing; one of the determined column is one more value.
        Columns with fewer than two rows a value, which determine all others, and constant columns are left out.
    """
    determined = dict(_determined(raw))
    return tuple(
        Dependency(name, others, tuple(n for n in others if name in determined.get(n, ())))
        for name, others in determined.items()
    )


def _determined(raw: Raw) -> Iterator[tuple[str, tuple[str, ...]]]:
    codes = {name: column.codes for name, column in raw.columns.items() if column.n > 1}
    chance = {name: _log_chance(one, raw[name].n) for name, one in codes.items()}
    for name, own in codes.items():
        n = raw[name].n
        if 2 * n > raw.n_rows:
            continue
        rows = np.flatnonzero(own != UNKNOWN)
        example = np.zeros(n, np.int64)
        example[own[rows]] = rows
        others = {
            o: one for o, one in codes.items() if o != name and chance[o] * (rows.size - n) < math.log(_BY_CHANCE)
        }
        found = tuple(_agreeing(others, rows, example[own[rows]]))
        if found:
            yield name, found


def _agreeing(
    others: Mapping[str, Codes], rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    examples: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> Iterator[str]:  # fmt: skip
    """Yield the columns in which each row has the value of its example row."""
    for name, one in others.items():
        if (one[rows[:_FIRST_ROWS]] == one[examples[:_FIRST_ROWS]]).all() and (one[rows] == one[examples]).all():
            yield name


def _log_chance(codes: Codes, n: int) -> float:
    """Return the logarithm of the probability that two random rows agree."""
    share = occurrences(codes, n) / codes.size
    return float(np.log(share @ share))
