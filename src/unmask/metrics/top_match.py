"""Whether the row that is named is the person's: precision and recall of the top match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Int32
from unmask.estimate import Estimate, Tally
from unmask.numerics.rounding import above


def named(tally: Tally) -> Int32 | None:
    """Return the group of the one row that each person is matched with, (cells,); -1 where none is likelier than not.

    None where no row is looked for.
    """
    rows, ways = tally.beliefs.rows, tally.beliefs.ways
    if ways is None:
        return None
    sure = above(rows.data / np.maximum(ways, 1.0), 1 / 2)
    group = np.full(rows.n_rows, -1, np.int32)
    group[rows.row[sure]] = rows.column[sure]
    return np.asarray(group[tally.row[""]])


@dataclass(frozen=True)
class TopMatchPrecision:
    """The share of matches that are right: of the people with a top match, those whose row it is.

    Measures
        A person is matched where one row is theirs rather than not, `max_g P(g) / ways(g) > 1/2`; whoever has a twin
        is not. It is right where the group is the person's. Of a group's rows it is not told whose is whose: where the
        own does not fit, and another member's does, that counts as right.
    """

    name: ClassVar[str] = "top-match-precision"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the share, between 0 and 1."""
        group = named(tally)
        if group is None:
            return Estimate.undefined("no row is looked for", tally.n)
        if tally.known.any() and not (tally.known & (group >= 0)).any():
            return Estimate.undefined("nobody is matched with one row", tally.n)
        return tally.mean(np.where(tally.known & (group >= 0), group == tally.answer, np.nan))


@dataclass(frozen=True)
class TopMatchRecall:
    """The share of people who are matched with their own row, of all who are in the release.

    Measures
        As `top-match-precision`, over everybody whose place is known; whoever is not in the release does not count.
    """

    name: ClassVar[str] = "top-match-recall"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the share, between 0 and 1."""
        group = named(tally)
        if group is None:
            return Estimate.undefined("no row is looked for", tally.n)
        return tally.mean(np.where(tally.answer >= 0, group == tally.answer, np.nan))


EXAMPLES = (TopMatchPrecision(), TopMatchRecall())
