"""Contributions of a person's attributes to a posterior, under the fitted model.

A bucketized release fixes the number of each value, so the posterior mean of P(level | value) is linear in the expected
counts: it follows exactly from all beliefs, by whatever attack. The contribution of an attribute is the likelihood
ratio of the person's level between a value and the other values possible before; the remainder is due to the other
members of the group, who hold the remaining values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from unmask.arrays import Bool, Float64, Int32
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.view import View
from unmask.wording import message


@runtime_checkable
class Explainable(Protocol):
    """An attack that learns P(level | value) for each attribute, so that contributions can be computed."""

    @property
    def level_prior(self) -> float | None:
        """The parameter of the Dirichlet prior on levels; None if these parameters learn no such distribution."""
        ...

    def power(self, view: View) -> float:
        """Return the power of P(level | value) for a release of exact rows."""
        ...

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return a belief for each target of the view."""
        ...

    def lifts(self, view: View, person: int, group: int) -> Mapping[str, Float64]:
        """Return P(level of the person | value) for generalized cells, (values of the release,), by attribute."""
        ...


@dataclass(frozen=True, slots=True)
class Contribution:
    """The factor of one attribute of a person on the odds of a value."""

    attribute: str
    factor: float  # above 1: in favor of the value


@dataclass(frozen=True, slots=True)
class Explanation:
    """The contributions behind a value's probability `after`, given `before` from the group's shares alone.

    odds(after) = odds(before) · the product of all factors · `others`.
    """

    value: str
    before: float
    after: float
    moved: tuple[Contribution, ...]  # largest first
    others: float  # the factor of the other members of the group


def level_chances(codes: Int32, n_levels: int, beliefs: Float64, alpha: float, kept: Bool | None = None) -> Float64:
    """Return the posterior mean of P(level | value), (levels, values), of one attribute.

    `codes` (rows,) are levels, negative where missing; `beliefs` (rows, values) are of every published row; `kept`
    (rows,) marks the rows to learn from: all but the person's own group. Dirichlet prior of parameter `alpha`.
    """
    if codes.shape != beliefs.shape[:1]:
        msg = message(
            "levels must be given for each of {shape} rows; got {size}", shape=beliefs.shape[0], size=codes.size
        )
        raise InvalidInputError(msg)
    used = codes >= 0 if kept is None else (codes >= 0) & kept
    counts = np.full((n_levels, beliefs.shape[1]), alpha)
    np.add.at(counts, codes[used], beliefs[used])
    return np.asarray(counts / counts.sum(axis=0))


def explained(
    names: Sequence[str], chances: Sequence[Float64], values: Sequence[str], before: Float64, after: Float64, value: int
) -> Explanation:
    """Divide a change of odds among attributes.

    `chances` (values,) for each attribute: the probability of the person's level given each value, learned from other
    people; `before` and `after` (values,) are prior and posterior.

    Infers
        The factor of an attribute is `P(level | value)` over its mean given the other values, weighted by their prior.
        Exact for two values and one attribute; the remainder is assigned to the other members.
    Fails
        With `InvalidInputError` where the value was certain or impossible before.
    """
    if not 0 < before[value] < 1:
        msg = message(
            "a value must be possible and uncertain before; {values} has prior probability {before}",
            values=repr(values[value]),
            before=numeral(before[value], "g"),
        )
        raise InvalidInputError(msg)
    rest = before.copy()
    rest[value] = 0
    rest /= rest.sum()
    factors = [float(chance[value] / (chance @ rest)) for chance in chances]
    moved = sorted(
        (Contribution(n, f) for n, f in zip(names, factors, strict=True)), key=lambda one: -abs(np.log(one.factor))
    )
    sure = min(max(float(after[value]), 1e-12), 1 - 1e-12)
    odds = sure / (1 - sure) * (1 - before[value]) / before[value]
    return Explanation(
        values[value], float(before[value]), float(after[value]), tuple(moved), float(odds / np.prod(factors))
    )
