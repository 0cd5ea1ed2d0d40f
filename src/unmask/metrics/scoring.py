"""Proper scores of posteriors, and the two error sums of Kifer's tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.estimate import Estimate, Tally

FLOOR = 1e-6
"""The least probability that the log loss uses."""


def squared(tally: Tally) -> Float64:
    """Return `Σ_v (P(v) − 1[v true])²` of each cell, (cells,); NaN where the truth is not known."""
    rows = tally.beliefs.rows
    squares = np.bincount(rows.row, weights=rows.data**2, minlength=rows.n_rows).astype(np.float64)
    return np.asarray(tally.per_row(squares) - 2 * tally.of_truth() + 1)


@dataclass(frozen=True)
class AbsoluteErrorSum:
    """The sum of absolute errors of the posteriors, scaled to 1,000 people.

    Measures
        `1000 · mean Σ_v |P(v) − 1[v true]| = 2000 · (1 − mean P(true))`.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, section 6, ABS.
    """

    name: ClassVar[str] = "abs"
    higher_is_worse: ClassVar[bool] = False
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the sum, between 0 and 2000."""
        return tally.mean(2000 * (1 - tally.of_truth()))


@dataclass(frozen=True)
class SquaredErrorSum:
    """The sum of squared errors of the posteriors, scaled to 1,000 people.

    Measures
        `1000 · mean Σ_v (P(v) − 1[v true])²`: a thousand times the Brier score.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, section 6, SSQ.
    """

    name: ClassVar[str] = "ssq"
    higher_is_worse: ClassVar[bool] = False
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the sum, between 0 and 2000."""
        return tally.mean(1000 * squared(tally))


@dataclass(frozen=True)
class Brier:
    """The mean squared distance between posterior and truth: a proper score.

    Measures
        `mean Σ_v (P(v) − 1[v true])²`, from 0 (certain and right) to 2 (certain and wrong).

    References
    ----------
    Brier. Verification of forecasts expressed in terms of probability. 1950.
    """

    name: ClassVar[str] = "brier"
    higher_is_worse: ClassVar[bool] = False
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the score, between 0 and 2."""
        return tally.mean(squared(tally))


@dataclass(frozen=True)
class LogLoss:
    """The mean negative log posterior of the true value: a proper score that penalizes confident errors.

    Measures
        `mean −ln max(P(true), 1e-6)`, in nats.
    """

    name: ClassVar[str] = "log-loss"
    higher_is_worse: ClassVar[bool] = False
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the loss, between 0 and 13.8."""
        return tally.mean(-np.log(np.maximum(tally.of_truth(), FLOOR)))


EXAMPLES = (AbsoluteErrorSum(), SquaredErrorSum(), Brier(), LogLoss())
