"""Privacy budget of a differentially private release, and the largest effect of one person's record.

All numbers hold for the replacement of one record, the relation of the promises of `guarantees`. A record is a row, or
all rows of a person, as the release declares.
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
from unmask.wording import message

SLACK = 1e-9
"""Relative tolerance, for the rounding of scales."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A bound on the effect of one person's record on the probability of any output: a factor of e^ε, and δ more.

    `parts` is the number of equal parts of ε with independent randomness: a replaced record changes two noisy counts by
    one, with ε/2 each, and their worst cases rarely coincide. `noise` is "laplace" for continuous Laplace noise, which
    discloses less than its ε allows. Discrete Laplace noise on whole numbers that change by one discloses as much as ε
    allows. `unit` is the unit that is replaced.

    Fails
        With `InvalidInputError` for an invalid ε or δ.
    """

    epsilon: float
    delta: float = 0.0
    noise: Literal["laplace"] | None = None
    parts: int = 1
    unit: Unit = Unit.ROWS

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < math.inf:
            msg = message("epsilon must be a number of at least 0; got {epsilon}", epsilon=self.epsilon)
            raise InvalidInputError(msg)
        if not 0 <= self.delta <= 1:
            msg = message("delta must lie between 0 and 1; got {delta}", delta=self.delta)
            raise InvalidInputError(msg)

    @classmethod
    def of(cls, release: Release) -> Budget | None:
        """Return the budget that a release declares; None without ε.

        Where `neighbors` declares that a record is added or removed, ε is doubled: to replace a record is to remove one
        and to add one. Without a declaration, a row is replaced. Noise of scale b on counts spends at least 2 / b for
        each row of a person, regardless of the declaration, since a replaced record changes two of them by one.
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
            return budget  # other parts of the release spend the rest
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
        """The tables that the budget compares, in words."""
        return f"neighbors: {Relation.of('replace', self.unit).words}"


def _only_noisy_counts(release: Release) -> bool:
    """Whether a release shows nothing but noisy counts: no rows, no exact counts, sums of counts as sizes."""
    if release.start is not None or release.n_suppressed or release.counts.keys() != release.noise.keys():
        return False
    return all(np.allclose(release.size, counts.sums()) for counts in release.counts.values())


def budgets_of(releases: Sequence[Release]) -> list[Budget] | None:
    """Return the budget of each release; None if one declares none, since its disclosure has no bound."""
    found = [Budget.of(release) for release in releases]
    known = [budget for budget in found if budget is not None]
    return known if known and len(known) == len(found) else None


def added(budgets: Sequence[Budget]) -> Budget:
    """Return the sums of ε and δ: the budget of all releases together (sequential composition).

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
        `δ + (1 − δ) tanh(ε / 2)`: the probability of no event, and so of no right guess, grows by more. Randomized
        response that reveals the truth with probability δ attains it.

    References
    ----------
    Kairouz, Oh, Viswanath. The composition theorem for differential privacy. ICML 2015.
    """
    return budget.delta + (1 - budget.delta) * math.tanh(budget.epsilon / 2)
