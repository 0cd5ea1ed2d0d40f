"""Weights that count each person with several entries once, for any disclosed attributes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.decision_risk.comparison import ELSEWHERE, MISSING, MatchingValues
from unmask.errors import NotApplicableError
from unmask.runtime import work
from unmask.wording import message

LOOKS = 1 << 24
"""Most pairs of entries of one person to compare, in all: half a minute."""


def each_once(
    identities: Sequence[str], theirs: Int32, alike: Sequence[MatchingValues | None], name: str
) -> tuple[Int32, Float64, list[MatchingValues | None]]:
    """Return entries with weights, (entries,), whose sum over matching entries is the number of matching people.

    By inclusion and exclusion: two entries of a person that both match are counted twice, so their common part is
    added with weight -1. Attributes in which they differ match no record there, so it is subtracted only if these are
    not disclosed. This holds for any disclosure. Under a comparison of pairs, the common part of two values is a
    further value, which matches what both match.

    Fails
        With `NotApplicableError` if people have too many different entries.
    """
    entries: dict[str, dict[tuple[int, ...], None]] = {}
    for person, row in zip(identities, map(tuple, theirs.tolist()), strict=True):
        entries.setdefault(person, {})[row] = None
    both = _CommonFits(alike, theirs)
    rows: list[tuple[int, ...]] = []
    weights: list[int] = []
    looks = 0
    with work.step(message("counting each person of {name} once", name=name), len(entries)) as step:
        for own in entries.values():
            found: dict[tuple[int, ...], int] = {}
            for row in own:
                looks += len(found)
                if looks > LOOKS:
                    msg = message(
                        "people must have few different entries in {name} to be counted once each; taken together "
                        "these are too many. Keep fewer rows of each, or fewer columns, or do not name people",
                        name=repr(name),
                    )
                    raise NotApplicableError(msg)
                for other, weight in [*found.items()]:
                    common = both.of(row, other)
                    found[common] = found.get(common, 0) - weight
                found[row] = found.get(row, 0) + 1
                found = {one: weight for one, weight in found.items() if weight}
            rows += found
            weights += found.values()
            step.advance()
    kept = np.array(rows, np.int32).reshape(-1, theirs.shape[1])
    return kept, np.array(weights, np.float64), both.alike()


class _CommonFits:
    """The common part of two entries."""

    def __init__(self, alike: Sequence[MatchingValues | None], theirs: Int32) -> None:
        most = theirs.max(axis=0, initial=MISSING).tolist()
        self._values = [None if p is None else _Values(p, n + 1) for p, n in zip(alike, most, strict=True)]

    def of(self, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
        """Return the entry that matches where both do; a value that one lacks is that of the other."""
        return tuple(
            a if b in {a, MISSING}
            else b if a == MISSING
            else ELSEWHERE if values is None or a < 0 or b < 0
            else values.both(a, b)
            for a, b, values in zip(one, other, self._values, strict=True)
        )  # fmt: skip

    def alike(self) -> list[MatchingValues | None]:
        """Return the matching values, further values included."""
        return [None if values is None else values.alike() for values in self._values]


class _Values:
    """The dictionary's values of an attribute compared by pairs, and their common parts."""

    def __init__(self, pairs: MatchingValues, n: int) -> None:
        self._pairs, self._n = pairs, max(n, int(pairs.column.max(initial=-1)) + 1)
        ours = np.repeat(np.arange(pairs.start.size - 1), np.diff(pairs.start))
        fitting: dict[int, set[int]] = {}
        for value, entry in zip(ours.tolist(), pairs.column.tolist(), strict=True):
            fitting.setdefault(entry, set()).add(value)
        self._fits = {value: frozenset(one) for value, one in fitting.items()}
        self._further: dict[frozenset[int], int] = {}

    def both(self, a: int, b: int) -> int:
        """Return the value that matches what both match."""
        empty: frozenset[int] = frozenset()
        common = self._fits.get(a, empty) & self._fits.get(b, empty)
        if not common:
            return ELSEWHERE
        if common not in self._further:
            self._further[common] = self._n + len(self._further)
            self._fits[self._further[common]] = common
        return self._further[common]

    def alike(self) -> MatchingValues:
        """Return the matching values, further values included."""
        if not self._further:
            return self._pairs
        pairs = [(value, entry) for entry, values in self._fits.items() for value in values]
        ours, theirs = np.array(pairs, np.int64).T
        return MatchingValues.pairs(ours, theirs, self._pairs.start.size - 1, self._pairs.note)
