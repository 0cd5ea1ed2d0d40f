"""Budget: what a differentially private release spends, and the most that a person's own record can then change.

All numbers hold for the replacement of one person's record, the relation that the promises of `guarantees` are about.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from unmask.errors import InvalidInputError
from unmask.release import Release


@dataclass(frozen=True, slots=True)
class Budget:
    """How far one person's record may change the probability of any output: by a factor of e to the ε, and δ more.

    `noise` is "laplace" where the mechanism adds continuous Laplace noise of scale (sensitivity / ε): such a mechanism
    gives away less than ε alone allows. Discrete Laplace noise does not: of whole numbers that change by one it is
    as telling as ε allows.

    Fails
        With `InvalidInputError` where ε or δ is no budget.
    """

    epsilon: float
    delta: float = 0.0
    noise: Literal["laplace"] | None = None

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

        Where the parameters say `neighbors` "remove", ε is about a record that is there or is not. To replace a record
        is to take one out and to put one in: twice that. Whatever is declared, noise of a scale b on counts spends no
        less than 2 / b, for a record that is replaced changes two of them by one.
        """
        told = release.provenance
        if told.epsilon is None:
            return None
        families = {noise.family for noise in release.noise.values()}
        budget = cls(told.epsilon, told.delta or 0.0, "laplace" if families == {"laplace"} else None)
        if told.parameters.get("neighbors") == "remove":
            budget = budget.twice()
        least = sum(2 / noise.scale for noise in release.noise.values())
        return replace(budget, epsilon=max(budget.epsilon, least))

    def twice(self) -> Budget:
        """Return the budget for two changes, one after the other."""
        return Budget(2 * self.epsilon, min(1.0, self.delta * (1 + math.exp(self.epsilon))), self.noise)


def budgets_of(releases: Sequence[Release]) -> list[Budget] | None:
    """Return the budget of each release; None where one names none: what that one gives away has no bound."""
    found = [Budget.of(release) for release in releases]
    known = [budget for budget in found if budget is not None]
    return known if known and len(known) == len(found) else None


def added(budgets: Sequence[Budget]) -> Budget:
    """Add up ε and δ: what all releases together spend, however they were made and whatever is made of them.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, Lemma 12.
    """
    return Budget(sum(one.epsilon for one in budgets), min(1.0, sum(one.delta for one in budgets)))


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
