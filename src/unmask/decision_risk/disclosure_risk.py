"""Disclosure risk: harm of identification × its probability, averaged over records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int64, frozen
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.identification import identified
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class Risk:
    """The loss of each record under a disclosure, against one dictionary."""

    dictionary: str
    loss: Float64  # (records,)
    count: Int64  # (records,) matching entries
    chance: Float64  # (records,) probability that the right one is selected; 0 where none matches

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", frozen(self.loss, np.float64))

    @property
    def value(self) -> float:
        """R(δ, θ): the average loss of a record."""
        return float(self.loss.mean()) if self.loss.size else 0.0


def losses(harm: Float64, count: Int64, chance: Float64, wrong: float) -> Float64:
    """Return the expected harm of disclosures.

    Measures
        l = P(Z = 1) Φ + P(Z = 0) Φ_wrong, and 0 without a matching entry, since no identification is made then. The
        product of 0 and an infinite harm is 0.
    """
    loss = np.multiply(harm, chance, out=np.zeros(chance.shape), where=(chance > 0) & (harm > 0))
    if wrong:
        loss += np.multiply(wrong, 1 - chance, out=np.zeros(chance.shape), where=(count > 0) & (chance < 1))
    return loss


def risk(consistency: Consistency, sensitivity: Sensitivity, disclosed: Bool) -> Risk:
    """Compute the risk of a disclosure, (records, attributes), against a dictionary.

    The loss of a record is the harm of its disclosed values × the probability of identification. Missing values are
    never disclosed.

    Assumes
        The attacker has this dictionary, uses these comparisons, and selects among the matching entries.
    Measures
        R(δ, θ) = mean of l(δ(x_i), θ), with l(y, θ) = Φ(y) / |ρ(y, θ)| at equal selection, 0 where ρ is empty.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, definitions 3 to 6.
    """
    require_shape(consistency, sensitivity)
    if disclosed.shape != consistency.ours.shape:
        msg = message(
            "a disclosure must be records × attributes, {shape}; got {given}",
            shape=consistency.ours.shape,
            given=disclosed.shape,
        )
        raise InvalidInputError(msg)
    visible = disclosed & consistency.available
    found = identified(consistency, visible)
    loss = losses(sensitivity.of_rule(visible), found.count, found.chance, sensitivity.wrong)
    return Risk(consistency.dictionary, loss, found.count, found.chance)


def withheld(consistency: Consistency, sensitivity: Sensitivity, disclosed: Bool) -> Float64:
    """Return the risk if each attribute, in turn, were withheld of all records, (attributes,).

    The largest decrease belongs to the riskiest attribute. Withholding a value that no entry matches makes the record
    match some entry, and the risk rises.
    """
    result = np.zeros(len(consistency.names))
    for j in range(result.size):
        visible = disclosed.copy()
        visible[:, j] = False
        result[j] = risk(consistency, sensitivity, visible).value
    return result


def require_shape(consistency: Consistency, sensitivity: Sensitivity) -> None:
    """Raise an error if weights are not those of these records."""
    if sensitivity.weight.shape != consistency.ours.shape:
        msg = message(
            "weights must be records × attributes, {shape}; got {given}",
            shape=consistency.ours.shape,
            given=sensitivity.weight.shape,
        )
        raise InvalidInputError(msg)


def prior_of(probability: Sequence[float], n: int) -> Float64:
    """Return the probabilities of dictionaries, scaled to 1.

    Fails
        With `InvalidInputError` unless they are one nonnegative number each, not all 0.
    """
    chance = np.asarray(probability, np.float64)
    if chance.shape != (n,) or not ((chance >= 0) & np.isfinite(chance)).all() or not chance.any():
        msg = message(
            "dictionaries must have one probability of at least 0 each, not all 0; got {size} for {n}",
            size=chance.size,
            n=n,
        )
        raise InvalidInputError(msg)
    return np.asarray(chance / chance.sum())


def bayes_risk(risks: Sequence[Risk], probability: Sequence[float]) -> float:
    """Return Σ p_t R(δ, θ_t); a dictionary of probability 0 contributes 0, even if its risk is infinite."""
    prior = prior_of(probability, len(risks))
    return float(sum(p * one.value for p, one in zip(prior, risks, strict=True) if p > 0))


def worst_risk(risks: Sequence[Risk]) -> Risk:
    """Return the risk against the dictionary under which it is largest: max_t R(δ, θ_t)."""
    if not risks:
        msg = message("the worst risk must be sought among at least one; got none")
        raise InvalidInputError(msg)
    return max(risks, key=lambda one: one.value)
