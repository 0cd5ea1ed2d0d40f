"""Precision and recall of the top match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Int32
from unmask.estimate import Estimate, Tally
from unmask.numerics.rounding import above
from unmask.wording import message


def named(tally: Tally) -> Int32 | None:
    """Return the group of each person's top match, (cells,); -1 where no row has probability above 1/2.

    None where the question is not about rows.
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
    """The share of top matches that are right.

    Measures
        A person is matched where one row is likelier theirs than not, `max_g P(g) / ways(g) > 1/2`; a person with a
        twin is not. The match is right where the group is the person's. Rows within a group are not distinguished: a
        match with another member's row counts as right where the own row does not fit.
    """

    name: ClassVar[str] = "top-match-precision"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the share, between 0 and 1."""
        group = named(tally)
        if group is None:
            return Estimate.undefined(message("no row is looked for"), tally.n)
        if tally.known.any() and not (tally.known & (group >= 0)).any():
            return Estimate.undefined(message("no person is matched with one row"), tally.n)
        return tally.mean(np.where(tally.known & (group >= 0), group == tally.answer, np.nan))


@dataclass(frozen=True)
class TopMatchRecall:
    """The share of people in the release who are matched with their own row.

    Measures
        As `top-match-precision`, over all people whose group is known; people outside the release do not count.
    """

    name: ClassVar[str] = "top-match-recall"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the share, between 0 and 1."""
        group = named(tally)
        if group is None:
            return Estimate.undefined(message("no row is looked for"), tally.n)
        return tally.mean(np.where(tally.answer >= 0, group == tally.answer, np.nan))


EXAMPLES = (TopMatchPrecision(), TopMatchRecall())
