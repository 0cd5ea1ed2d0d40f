"""Row overlap: a test whether a release holds more rows of a table than an independent sample would.

Rows are compared by type: the class in which a row of the table would be published, and its sensitive values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from unmask.arrays import Int64
from unmask.number_format import numeral
from unmask.wording import message

FALSE_ALARMS = 0.01
"""How often rows that were drawn independently of the table, from the same population, are taken for its own."""

_REPEATS = 199
"""Samples of the bootstrap: its smallest p-value is then half of `FALSE_ALARMS`, which the two tests share."""


@dataclass(frozen=True, slots=True)
class RowOverlap:
    """How many published rows can each be a row of the table, and whether that is more than chance."""

    published: int
    shared: int  # published rows that can be matched with rows of the table, one each
    by_chance: float  # the same of as many rows drawn independently, on average
    more_than_chance: bool

    def __str__(self) -> str:
        return message(
            "{n} of {rows} published rows can be rows of the table, about {by_chance} by chance (tested with {share} % "
            "false alarms)",
            n=numeral(self.shared), rows=numeral(self.published), by_chance=numeral(self.by_chance, ",.0f"),
            share=numeral(100 * FALSE_ALARMS, "g"),
        )  # fmt: skip


def row_overlap(original: Int64, published: Int64, rng: np.random.Generator) -> RowOverlap:
    """Test whether published rows hold more of a table's rows than chance; types are given for each row.

    `original`, (rows,): negative where a row could have been published in no class. `published`, (rows,): negative
    where no row of the table has these values.

    Two tests share the rate of false alarms. The first compares the number of rows in common with that of samples from
    the table itself: these have more in common with it than a sample of the population, so the test is conservative.
    It needs a release of about as many rows as the table. The second asks how many published rows have a type of one
    random half of the table, beside rows of the other half: under the hypothesis both are drawn alike, so the number
    is hypergeometric. It needs rows that are rare.

    Assumes
        Under the hypothesis, rows of both are drawn independently from one population. A release of as many rows as
        the table that has all of them in common is taken for the table without a test: it cannot have more.
    """
    n, m = original.size, published.size
    size = int(max(original.max(initial=-1), published.max(initial=-1))) + 1
    held = np.bincount(original[original >= 0], minlength=size)
    shared = _shared(held, np.bincount(published[published >= 0], minlength=size))
    share = np.append(held, n - held.sum()) / max(n, 1)
    drawn = np.array([_shared(held, rng.multinomial(m, share)[:-1]) for _ in range(_REPEATS)]) if n else np.zeros(1)
    bootstrap = (1 + int((drawn >= shared).sum())) / (_REPEATS + 1)
    more = shared == m == n or min(bootstrap, _by_halves(original, published, size, rng)) <= FALSE_ALARMS / 2
    return RowOverlap(m, shared, float(drawn.mean()), bool(more and shared))


def _shared(held: Int64, published: Int64) -> int:
    return int(np.minimum(held, published).sum())


def _by_halves(original: Int64, published: Int64, size: int, rng: np.random.Generator) -> float:
    """Return the p-value of the published rows that have a type of a random half of the table."""
    order = rng.permutation(original.size)
    half, rest = original[order[: original.size // 2]], original[order[original.size // 2 :]]
    there = np.zeros(size + 1, bool)  # the last is that of no type
    there[half[half >= 0]] = True
    ours, theirs = int(there[np.maximum(published, -1)].sum()), int(there[np.maximum(rest, -1)].sum())
    return float(scipy.stats.hypergeom.sf(ours - 1, published.size + rest.size, ours + theirs, published.size))
