"""Re-identification risk: the probability of matching a person with their published row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64, distinct_rows
from unmask.estimate import Estimate, Tally, whole
from unmask.numerics.rounding import above, at_least
from unmask.parameters import check_parameters
from unmask.wording import message


def risk(tally: Tally) -> Float64 | None:
    """Return the probability that the best guess of one row is right, (cells,): `max_g P(g) / ways(g)`."""
    ways = tally.beliefs.ways
    if ways is None:
        return None
    rows = tally.beliefs.rows
    best = np.zeros(rows.n_rows)
    np.maximum.at(best, rows.row, rows.data / np.maximum(ways, 1.0))
    return np.asarray(best[tally.row[""]])


@dataclass(frozen=True)
class MaxReidentificationRisk:
    """The largest re-identification risk over all people.

    Measures
        `max over people of max_g P(g) / ways(g)`: 1/k for the smallest group of a strict k-anonymous table.
    """

    name: ClassVar[str] = "max-risk"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the risk, between 0 and 1."""
        one = risk(tally)
        if one is None or tally.n == 0:
            return Estimate.undefined(
                message("no row is looked for") if one is None else message("no target was attacked"), tally.n
            )
        return Estimate.exact(float(one.max()), tally.n)


@dataclass(frozen=True)
class AverageReidentificationRisk:
    """The mean re-identification risk over people (not over groups).

    Measures
        `mean over people of max_g P(g) / ways(g)`: for groups of 4 and 2 people 2/6.
    """

    name: ClassVar[str] = "average-risk"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the mean risk, between 0 and 1."""
        one = risk(tally)
        return Estimate.undefined(message("no row is looked for"), tally.n) if one is None else tally.mean(one)


@dataclass(frozen=True)
class AtRisk:
    """The number of people whose re-identification risk is at or above a limit.

    Measures
        People with `max_g P(g) / ways(g) ≥ threshold`.
    """

    name: ClassVar[str] = "at-risk"
    higher_is_worse: ClassVar[bool] = True
    threshold: float = 0.09

    def __post_init__(self) -> None:
        check_parameters(self)

    def measure(self, tally: Tally) -> Estimate:
        """Return the number of people."""
        one = risk(tally)
        if one is None or tally.n == 0:
            return Estimate.undefined(
                message("no row is looked for") if one is None else message("no target was attacked"), tally.n
            )
        return Estimate.exact(tally.by_person(at_least(one, self.threshold)), tally.n)


@dataclass(frozen=True)
class AboveRisk:
    """The number of people whose re-identification risk exceeds a limit: those who break it.

    Measures
        People with `max_g P(g) / ways(g) > threshold`.
    """

    name: ClassVar[str] = "above-risk"
    higher_is_worse: ClassVar[bool] = True
    threshold: float = 0.2

    def __post_init__(self) -> None:
        check_parameters(self)

    def measure(self, tally: Tally) -> Estimate:
        """Return the number of people."""
        one = risk(tally)
        if one is None or tally.n == 0:
            return Estimate.undefined(
                message("no row is looked for") if one is None else message("no target was attacked"), tally.n
            )
        return Estimate.exact(tally.by_person(above(one, self.threshold)), tally.n)


@dataclass(frozen=True)
class LinkageUpperBound:
    """The largest share of people whose group any matching rule can assign correctly, given the attacker's knowledge.

    People with equal posteriors get one answer. Where the publisher assigned them to several groups, no answer is right
    for all of them, so accuracy on groups must be compared with this bound, not with 1.

    Measures
        The sum of the largest numbers of people with equal posteriors who share a group, over the number of people.
    """

    name: ClassVar[str] = "found-at-most"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the share, between 0 and 1."""
        known = tally.known
        votes = tally.votes(known)
        n = whole(votes)
        if n == 0:
            return Estimate.undefined(message("the truth is known for no target"), tally.n)
        row = tally.row[""][known]
        number, example = distinct_rows(np.stack([row, tally.answer[known]], axis=1))
        most = np.zeros(tally.beliefs.rows.n_rows)
        np.maximum.at(most, row[example], np.bincount(number, weights=votes))
        return Estimate.exact(float(most.sum() / n), n)


EXAMPLES = (MaxReidentificationRisk(), AverageReidentificationRisk(), AtRisk(), AboveRisk(), LinkageUpperBound())
