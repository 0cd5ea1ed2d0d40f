"""Semantic privacy: the distance between posteriors with and without a person's record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from unmask.beliefs import About, Question
from unmask.differential_privacy.budget import Budget, added, budgets_of
from unmask.guarantees.guarantee import Promise
from unmask.number_format import numeral
from unmask.release import Release
from unmask.wording import joined, message


@dataclass(frozen=True, slots=True)
class Semantics:
    """A bound on the distance between posteriors with and without a person's record, and its failure probability.

    `difference` bounds the statistical difference of the two for all people at once, under any prior; the bound fails
    with probability at most `failure`, over tables drawn from the prior and releases made of them.
    """

    difference: float
    failure: float = 0.0

    @property
    def vacuous(self) -> bool:
        """Whether the bound is trivial: a difference or a failure probability of 1 or more."""
        return self.difference >= 1 or self.failure >= 1


def proposition_15(epsilon: float) -> float:
    """Return `e^ε − 1`, the bound of Dwork and McSherry; above 1, from ε = ln 2 on, it is vacuous."""
    return _expm1(epsilon)


def sharp(epsilon: float) -> float:
    """Return `tanh(ε / 2)`: the least bound that holds for every mechanism and every prior.

    Infers
        Each of the two posteriors is the other, reweighted by likelihood ratios between e^−ε and e^ε. The extreme case
        has two values with odds 1 : e^ε that are reversed.
    """
    return math.tanh(epsilon / 2)


def failure_as_printed(epsilon: float, delta: float, n: int) -> float:
    """Return `n (√δ + 2 δ / (ε e^ε))`: Lemma 19 and a union bound over n people."""
    return n * (math.sqrt(delta) + _ratio(2 * delta * math.exp(-epsilon), epsilon))


def failure_with_safe_constant(epsilon: float, delta: float, n: int) -> float:
    """Return `n (√δ + 2 δ / (1 − e^−ε))`: the mass that leaves e^±2ε can reach δ (1 + e^−2ε) / (1 − e^−ε)."""
    return n * (math.sqrt(delta) + _ratio(2 * delta, -math.expm1(-epsilon)))


def failure_by_repair(epsilon: float, delta: float, n: int, slack: float) -> float:
    """Return the probability that posteriors differ by more than `tanh(ε / 2) + slack`.

    Infers
        Two outputs that are (ε, δ)-close become ε-close when η = δ / (1 + e^ε) of each is moved. Given an output,
        posteriors with and without the repair differ by more than τ with probability at most 2 η / τ, by Markov; for
        the other game this counts e^ε times, and η more. With the best split of the slack between the two games
        `n (η + 2 η (1 + e^(ε/2))² / slack)`. Our derivation.

    References
    ----------
    Dwork, Roth. The algorithmic foundations of differential privacy. 2014, Lemma 3.17.
    """
    moved = delta / (1 + math.exp(-epsilon))  # times e^ε, so that nothing overflows
    return n * (moved * math.exp(-epsilon) + _ratio(2 * moved * (1 + math.exp(-epsilon / 2)) ** 2, slack))


def theorem_16(epsilon: float, delta: float, n: int) -> Semantics:
    """Return what (ε, δ)-differential privacy of n people's table implies: `e^(3ε) − 1 + 2 √δ`.

    The paper prints the failure as O(n √δ). The larger of the constant printed in its Lemma 19 and the safe one is
    used. From ε = ln(2) / 3 ≈ 0.231 on the bound is vacuous.
    """
    if delta == 0:
        return Semantics(_expm1(3 * epsilon))
    failure = max(failure_as_printed(epsilon, delta, n), failure_with_safe_constant(epsilon, delta, n))
    return Semantics(_expm1(3 * epsilon) + 2 * math.sqrt(delta), failure)


def theorem_18(epsilon: float, delta: float, n: int, outside: float) -> Semantics | None:
    """Return the bound if only most tables are safe; None where the prior gives the others more than δ.

    A table is safe if the mechanism is (ε, δ)-indistinguishable between it and every neighbor; `outside` is the
    prior's probability of all other tables. They count as failures of (ε, δ), so the largest of three failures is
    used: the two of Theorem 16, and ours for δ + `outside`.
    """
    if outside > delta:
        return None
    if delta == 0:
        return theorem_16(epsilon, delta, n)
    plain = theorem_16(epsilon, delta, n)
    ours = failure_by_repair(epsilon, delta + outside, n, plain.difference - sharp(epsilon))
    return Semantics(plain.difference, max(plain.failure, ours))


def repaired(epsilon: float, delta: float, n: int) -> Semantics:
    """Return the sharp counterpart of Theorem 16: `tanh(ε / 2) + 2 √δ`, and its failure probability."""
    if delta == 0:
        return Semantics(sharp(epsilon))
    slack = 2 * math.sqrt(delta)
    return Semantics(sharp(epsilon) + slack, failure_by_repair(epsilon, delta, n, slack))


def _expm1(exponent: float) -> float:
    """Return `e^x − 1`, capped where it is vacuous."""
    return math.expm1(min(exponent, 700.0))


def _ratio(a: float, b: float) -> float:
    return math.inf if b == 0 < a else 0.0 if a == 0 else a / b


def _people(releases: Sequence[Release]) -> int:
    """Return the number of people, at least, for whom the promise must hold at once."""
    return max(1, *(math.ceil(release.n_people + release.n_suppressed) for release in releases))


def _promise(name: str, budget: Budget, semantics: Semantics, *, by: str) -> Promise:
    limit = message("at most {limit}", limit=numeral(semantics.difference, ".4g"))
    if semantics.vacuous:
        limit = message("nothing")
    if budget.delta:
        failure = numeral(min(semantics.failure, 1.0), ".3g")
        limit = message("{limit}, but with probability {probability}", limit=limit, probability=failure)
    assumes = message(
        "{guarantee}, by {theorem}: {epsilon} and {delta} ({neighbors}), as declared; whatever was believed before, "
        "{limit}",
        guarantee=name,
        theorem=by,
        epsilon=joined(["ε", numeral(budget.epsilon, ".4g")], " = "),
        delta=joined(["δ", numeral(budget.delta, ".3g")], " = "),
        neighbors=budget.neighbors,
        limit=limit,
    )
    least = 1.0 if semantics.failure >= 1 else 0.0  # a bound that may always fail is vacuous
    return Promise(name, "own-record-effect", max(semantics.difference, least), assumes, vacuous=semantics.vacuous)


@dataclass(frozen=True)
class SemanticPrivacy:
    """Bound the distance between posteriors with and without a person's record, under any prior.

    In Game 0 the releases are made of the table, in Game i of the table with person i's record replaced by a default.
    The posteriors of both games about the whole table are compared, given the same output.

    Assumes
        Each release declares the ε (and δ) that it kept, with independent randomness, for the replacement of one row,
        or of all rows of one person. No assumption about the attacker.
    Promises
        `own-record-effect ≤ tanh(ε / 2)`, the sharp bound, for ε the sum over the releases; with δ > 0
        `≤ tanh(ε / 2) + 2 √δ`, which fails at most with the stated probability. It compares two posteriors given one
        output; for its effect on accuracy see `gap`, bounded by composition.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, section 4.
    Kasiviswanathan, Smith. On the "semantics" of differential privacy: a Bayesian formulation. Journal of Privacy and
    Confidentiality 2014.
    """

    name: ClassVar[str] = "semantic-privacy"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of any number of releases, or None."""
        budgets = budgets_of(releases)
        if budgets is None or about.question is not Question.ATTRIBUTE:
            return None
        total = added(budgets)
        semantics = repaired(total.epsilon, total.delta, _people(releases))
        return _promise(self.name, total, semantics, by=message("the sharp constant"))


@dataclass(frozen=True)
class PrintedSemanticPrivacy:
    """Bound the same distance with the constants of the paper, which are vacuous unless ε is small.

    Assumes
        As `SemanticPrivacy`.
    Promises
        `own-record-effect ≤ e^ε − 1` (Proposition 15); with δ > 0 `≤ e^(3ε) − 1 + 2 √δ` (Theorem 16), with the larger
        of two readings of its probability of failure. Vacuous from ε = ln 2 and ε = ln(2) / 3 on.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008,
    Proposition 15, Theorem 16.
    """

    name: ClassVar[str] = "semantic-privacy-printed"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of any number of releases, or None."""
        budgets = budgets_of(releases)
        if budgets is None or about.question is not Question.ATTRIBUTE:
            return None
        total = added(budgets)
        if total.delta == 0:
            return _promise(self.name, total, Semantics(proposition_15(total.epsilon)), by=message("Proposition 15"))
        return _promise(
            self.name, total, theorem_16(total.epsilon, total.delta, _people(releases)), by=message("Theorem 16")
        )


EXAMPLES = (SemanticPrivacy(), PrintedSemanticPrivacy())
