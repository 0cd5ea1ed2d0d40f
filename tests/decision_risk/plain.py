"""Disclosure risk by its definition, in plain Python: records against entries, one by one, all sets of attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from unmask.decision_risk.comparison import Comparison
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.table import Table

Row = Sequence[Any]
Fits = Callable[[Any, Any], bool]


def same(a: Any, b: Any) -> bool:
    """Compare exactly."""
    return bool(a == b)


def table(rows: Sequence[Row], names: Sequence[str] | None = None) -> Table:
    """Make a table of rows, with columns a, b, c, ... ; None is missing."""
    names = names or [chr(ord("a") + j) for j in range(len(rows[0]))]
    return Table.of({name: [row[j] for row in rows] for j, name in enumerate(names)}, quasi=names)


def compared(
    records: Sequence[Row],
    entries: Sequence[Row],
    comparisons: dict[str, Comparison] | None = None,
    probability: Sequence[float] | None = None,
    names: tuple[tuple[str, ...], tuple[str, ...]] | None = None,
) -> Consistency:
    """Compare rows with rows; `names` are the identities of both."""
    chance = None if probability is None else np.array(probability, float)
    dictionary = Dictionary("book", table(entries), names[1] if names else None, chance)
    return Consistency.of(table(records), dictionary, comparisons, identities=names[0] if names else None)


def fitting(record: Row, entries: Sequence[Row], disclosed: Sequence[int], fits: Fits = same) -> list[int]:
    """Return the entries that fit a record of which some attributes are disclosed."""
    return [
        e
        for e, entry in enumerate(entries)
        if all(record[j] is None or entry[j] is None or fits(record[j], entry[j]) for j in disclosed)
    ]


def loss(record: Row, entries: Sequence[Row], disclosed: Sequence[int], harm: float, fits: Fits = same) -> float:
    """Return the loss of a disclosure at equal selection: harm / |rho|, 0 where no entry fits."""
    n = len(fitting(record, entries, disclosed, fits))
    return harm * Fraction(1, n) if n else 0.0


def phi5(weight: Sequence[float], disclosed: Sequence[int]) -> float:
    """Return the multiplicative sensitivity."""
    return math.exp(math.fsum(weight[j] for j in disclosed))


def choices(record: Row, k: int) -> list[tuple[int, ...]]:
    """Return the sets of k values that a record has; all of them, where it has fewer."""
    there = [j for j, value in enumerate(record) if value is not None]
    return list(combinations(there, min(k, len(there))))


def least(record: Row, entries: Sequence[Row], weight: Sequence[float], k: int) -> float:
    """Return the least loss over all sets of k values of a record."""
    return min(loss(record, entries, d, phi5(weight, d)) for d in choices(record, k))


def sets_in(disclosed: np.ndarray[Any, np.dtype[np.bool_]]) -> list[tuple[int, ...]]:
    """Return what is disclosed of each record."""
    return [tuple(np.flatnonzero(row).tolist()) for row in disclosed]


@dataclass(frozen=True)
class Drawn:
    """Records, entries and weights, and which attributes of each record are disclosed."""

    records: list[tuple[Any, ...]]
    entries: list[tuple[Any, ...]]
    weight: list[list[float]]
    disclosed: list[list[bool]]
    k: int


@st.composite
def cases(draw: st.DrawFn, *, missing: bool = True, m: int | None = None) -> Drawn:
    """Draw a few records and entries of one to five attributes with up to three values, some of them missing."""
    m = m or draw(st.integers(1, 5))
    value = st.sampled_from("xyz") | (st.none() if missing else st.nothing())
    rows = st.lists(st.tuples(*[value] * m), min_size=1, max_size=6)
    records, entries = draw(rows), draw(rows)
    n = len(records)
    weights = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.7, 1.3]), min_size=m, max_size=m)
    flags = st.lists(st.booleans(), min_size=m, max_size=m)
    return Drawn(
        records,
        entries,
        draw(st.lists(weights, min_size=n, max_size=n)),
        draw(st.lists(flags, min_size=n, max_size=n)),
        draw(st.integers(0, m)),
    )
