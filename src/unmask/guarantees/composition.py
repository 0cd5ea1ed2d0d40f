"""What several differentially private releases promise together: ε and δ add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unmask.beliefs import About, Question
from unmask.differential_privacy.budget import Budget, added, budgets_of, farthest
from unmask.errors import InvalidInputError
from unmask.guarantees.guarantee import Promise
from unmask.release import Release

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

STEP = 1e-4
"""The grid that privacy losses are rounded up to; with fewer than a thousand releases the sum still fits on it."""

MOST = 1000.0
"""An ε above which losses are only added up: nothing follows from more, and the grid would have too many points."""


def epsilon_within(budgets: Sequence[Budget], delta: float) -> float:
    """Return an ε that all releases together keep but for δ: at most their sum, less where there are many.

    Infers
        Privacy losses of several releases add up like random numbers, of which few are all large at once. Their
        distribution is composed on a grid, each loss rounded up: an upper bound.
    Fails
        With `InvalidInputError` where δ is less than what the releases spend, or no probability.
    """
    total = added(budgets)
    if not total.delta <= delta <= 1:
        msg = f"delta must lie between {total.delta:g}, which the releases spend, and 1; got {delta}"
        raise InvalidInputError(msg)
    if delta == 0 or not 0 < total.epsilon <= MOST:
        return total.epsilon
    return min(total.epsilon, float(_together(budgets).get_epsilon_for_delta(delta)))


def farthest_together(budgets: Sequence[Budget]) -> float:
    """Return the most that replacing one record can change the probability of anything, seeing all releases.

    Infers
        The total variation of the worst pair of outputs: by the sum of ε and δ, or by the composed distribution of
        privacy losses where that is less.
    """
    total = added(budgets)
    by_sum = farthest(total)
    if not 0 < total.epsilon <= MOST or (len(budgets) == 1 and budgets[0].noise is None and budgets[0].parts == 1):
        return by_sum
    return min(by_sum, float(_together(budgets).get_delta_for_epsilon(0.0)))


def _together(budgets: Sequence[Budget]) -> PrivacyLossDistribution:
    # slow to load, and rarely needed
    from dp_accounting.pld import common  # noqa: PLC0415
    from dp_accounting.pld import privacy_loss_distribution as losses  # noqa: PLC0415

    result = losses.identity(STEP)
    for one in budgets:
        epsilon = one.epsilon / one.parts
        if one.noise == "laplace" and one.delta == 0 and one.epsilon > 0:
            loss = losses.from_laplace_mechanism(1 / epsilon, value_discretization_interval=STEP)
        else:
            spent = common.DifferentialPrivacyParameters(epsilon, one.delta)  # parts of a δ: each has all of it
            loss = losses.from_privacy_parameters(spent, value_discretization_interval=STEP)
        for _ in range(one.parts):
            result = result.compose(loss)
    return result


@dataclass(frozen=True)
class Composition:
    """Add up the ε and δ of releases that may share a person: differential privacy composes, whatever else is known.

    The other models promise something of one release and nothing of two. Differential privacy bounds what one record
    changes in each release, so it bounds what it changes in all of them.

    Assumes
        Each release declares the ε (and δ) that it kept, with randomness of its own; ε is about the replacement of one
        row, or of all rows of one person, or `neighbors` says that one is added or removed and it counts twice. Where
        some release protects rows, so do all together. Nothing about the intruder.
    Promises
        `gap ≤ δ + (1 − δ) tanh(ε / 2)` for ε and δ the sums, or less where the distributions of privacy losses compose
        to less: however the releases are attacked, a person is guessed right at most that much more often than if
        the record had been another's. Where a release declares no ε, nothing.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, Lemma 12.
    Doroshenko, Ghazi, Kamath, Kumar, Manurangsi. Connect the dots: tighter discrete approximations of privacy loss
    distributions. PETS 2022.
    """

    name: ClassVar[str] = "composition"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of any number of releases."""
        budgets = budgets_of(releases)
        if budgets is None or about.question is not Question.ATTRIBUTE:
            return None
        total, limit = added(budgets), farthest_together(budgets)
        several = f"{len(budgets)} releases together" if len(budgets) > 1 else "the release"
        assumes = (
            f"{self.name}: {several} kept ε = {total.epsilon:.4g} and δ = {total.delta:.3g} ({total.neighbors}), as "
            f"declared; of the intruder nothing is assumed"
        )
        return Promise(self.name, "gap", limit, assumes, vacuous=limit >= 1)


EXAMPLES = (Composition(),)
