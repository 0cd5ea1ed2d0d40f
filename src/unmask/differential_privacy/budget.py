"""Budget: what a differentially private release spends, and the most that a person's own record can then change.

All numbers hold for the replacement of one record, the relation that the promises of `guarantees` are about. A record
is a row, or all rows of a person: what the release declares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from unmask.errors import InvalidInputError
from unmask.neighboring_relation import Relation
from unmask.release import Release
from unmask.unit import Unit, common

SLACK = 1e-9
"""Relative: a scale is rounded in its last digit."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How far one person's record may change the probability of any output: by a factor of e to the ε, and δ more.

    `parts` says in how many equal parts ε is spent, each with randomness of its own: a record that is replaced changes
    two noisy counts by one, with ε/2 each, and that both tell all that they may is rare. `noise` is "laplace" where
    that randomness is continuous Laplace noise, which gives away less than its ε allows. Discrete Laplace noise does
    not: of whole numbers that change by one it is as telling as ε allows. `unit` is what is replaced.

    Fails
        With `InvalidInputError` where ε or δ is no budget.
    """

    epsilon: float
    delta: float = 0.0
    noise: Literal["laplace"] | None = None
    parts: int = 1
    unit: Unit = Unit.ROWS

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < math.inf:
            msg = f"epsilon must be a number of at least 0; got {self.epsilon}"
            raise InvalidInputError(msg)
        if not 0 <= self.delta <= 1:
            msg = f"delta must lie between 0 and 1; got {self.delta}"
            raise InvalidInputError(msg)

    @classmethod
    def of(cls, release: Release) -> Budget | None:
        """Read the budget off what a release says of how it was made; None where it names no ε.

        Where `neighbors` says that a record is added or removed, ε is about a record that is there or is not. To
        replace a record is to take one out and to put one in: twice that. Where nothing is said, a row is taken to be
        replaced. Whatever is declared, noise of a scale b on counts spends no less than 2 / b for each row of a person,
        since a record that is replaced changes two of them by one.
        """
        provenance, relation = release.provenance, release.provenance.relation
        if provenance.epsilon is None:
            return None
        unit = Unit.ROWS if relation is None else relation.unit
        budget = cls(provenance.epsilon, provenance.delta or 0.0, unit=unit)
        if relation is not None and relation.change == "add-remove":
            budget = budget.twice()
        scales = [noise.scale for noise in release.noise.values()]
        rows = provenance.parameters.get("rows-per-person", 1)
        least = (rows if isinstance(rows, int) and rows > 0 else 1) * sum(2 / scale for scale in scales)
        if least < budget.epsilon * (1 - SLACK):
            return budget  # something else spends, too
        if budget.delta or rows != 1 or len(set(scales)) != 1 or not _only_noisy_counts(release):
            return replace(budget, epsilon=max(budget.epsilon, least))
        continuous = all(noise.family == "laplace" for noise in release.noise.values())
        noise: Literal["laplace"] | None = "laplace" if continuous else None
        return cls(max(budget.epsilon, least), budget.delta, noise, 2 * len(scales), unit)

    def twice(self) -> Budget:
        """Return the budget for two changes, one after the other."""
        return Budget(2 * self.epsilon, min(1.0, self.delta * (1 + math.exp(min(self.epsilon, 700.0)))), unit=self.unit)

    @property
    def neighbors(self) -> str:
        """Which tables the budget compares, in words."""
        return f"neighbors: {Relation.of('replace', self.unit).words}"


def _only_noisy_counts(release: Release) -> bool:
    """Say whether a release shows nothing else of the table: no rows, no exact counts, sums of counts as sizes."""
    if release.start is not None or release.n_suppressed or release.counts.keys() != release.noise.keys():
        return False
    return all(np.allclose(release.size, counts.sums()) for counts in release.counts.values())


def budgets_of(releases: Sequence[Release]) -> list[Budget] | None:
    """Return the budget of each release; None where one names none: what that one gives away has no bound."""
    found = [Budget.of(release) for release in releases]
    known = [budget for budget in found if budget is not None]
    return known if known and len(known) == len(found) else None


def added(budgets: Sequence[Budget]) -> Budget:
    """Add up ε and δ: what all releases together spend, however they were made and whatever is made of them.

    A person's rows are protected together only where each release protects them together.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, Lemma 12.
    """
    unit = common(one.unit for one in budgets) if budgets else Unit.ROWS
    return Budget(sum(one.epsilon for one in budgets), min(1.0, sum(one.delta for one in budgets)), unit=unit)


def farthest(budget: Budget) -> float:
    """Return the largest total variation between the outputs for two tables that differ in one record.

    Infers
        `δ + (1 − δ) tanh(ε / 2)`: no event, and so no guess of anybody's, becomes likelier by more. Randomized
        response that with probability δ tells the truth reaches it.

    References
    ----------
    Kairouz, Oh, Viswanath. The composition theorem for differential privacy. ICML 2015.
    """
    return budget.delta + (1 - budget.delta) * math.tanh(budget.epsilon / 2)
