"""Composition of differentially private releases: ε and δ add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unmask.beliefs import About, Question
from unmask.differential_privacy.budget import Budget, added, budgets_of, farthest
from unmask.errors import InvalidInputError
from unmask.guarantees.guarantee import Promise
from unmask.number_format import numeral
from unmask.release import Release
from unmask.wording import joined, message

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

STEP = 1e-4
"""The grid to which privacy losses are rounded up; it holds the sum of up to a thousand releases."""

MOST = 1000.0
"""The ε above which losses are only added: the bound is vacuous, and the grid would have too many points."""


def epsilon_within(budgets: Sequence[Budget], delta: float) -> float:
    """Return an ε that all releases together keep except with probability δ: at most their sum, less for many.

    Infers
        Privacy losses of several releases add up as random variables, which are rarely all large at once. Their
        distribution is composed on a grid, each loss rounded up: an upper bound.
    Fails
        With `InvalidInputError` where δ is less than what the releases spend, or no probability.
    """
    total = added(budgets)
    if not total.delta <= delta <= 1:
        msg = message(
            "delta must lie between {delta}, which the releases spend, and 1; got {got}",
            delta=f"{total.delta:g}",
            got=delta,
        )
        raise InvalidInputError(msg)
    if delta == 0 or not 0 < total.epsilon <= MOST:
        return total.epsilon
    return min(total.epsilon, float(_together(budgets).get_epsilon_for_delta(delta)))


def farthest_together(budgets: Sequence[Budget]) -> float:
    """Return the largest change in the probability of any output of all releases when one record is replaced.

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
    """Bound the gap by the sums of ε and δ: differential privacy composes under any background knowledge.

    The guarantees of other models hold for one release only. Differential privacy bounds the effect of one record on
    each release, and so on all of them.

    Assumes
        Each release declares the ε (and δ) that it kept, with independent randomness; ε is for the replacement of one
        row, or of all rows of one person, or `neighbors` states addition or removal, and it counts twice. If some
        release protects rows, so do all together. No assumption about the attacker.
    Promises
        `gap ≤ δ + (1 − δ) tanh(ε / 2)` for ε and δ the sums, or less where the distributions of privacy losses compose
        to less: under every attack, accuracy about a person exceeds that with their record replaced by at most this
        much. No guarantee where a release declares no ε.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, Lemma 12.
    Doroshenko, Ghazi, Kamath, Kumar, Manurangsi. Connect the dots: tighter discrete approximations of privacy loss
    distributions. PETS 2022.
    """

    name: ClassVar[str] = "composition"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of any number of releases, or None."""
        budgets = budgets_of(releases)
        if budgets is None or about.question is not Question.ATTRIBUTE:
            return None
        total, limit = added(budgets), farthest_together(budgets)
        several = message("the release")
        if len(budgets) > 1:
            several = message("{n} releases together", n=len(budgets))
        assumes = message(
            "{guarantee}: {releases} kept {epsilon} and {delta} ({neighbors}), as declared; of the intruder nothing is "
            "assumed",
            guarantee=self.name,
            releases=several,
            epsilon=joined(["ε", numeral(total.epsilon, ".4g")], " = "),
            delta=joined(["δ", numeral(total.delta, ".3g")], " = "),
            neighbors=total.neighbors,
        )
        return Promise(self.name, "gap", limit, assumes, vacuous=limit >= 1)


EXAMPLES = (Composition(),)
