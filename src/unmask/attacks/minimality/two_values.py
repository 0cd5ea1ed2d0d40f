"""Exact posterior of the positions of positives in a group, given the closing rule, for two values.

All orders of a group's values are equally likely beforehand; the rule leaves those that close the group where it was
closed. The orders through each state are counted forward and backward, so that the time is proportional to the number
of people times that of positives.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isqrt, log

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.attacks.minimality import _identical_people
from unmask.attacks.minimality._prefix import BinaryGroup, PrefixSteps
from unmask.attacks.minimality._segments import SegmentSteps
from unmask.attacks.minimality.position_posterior import Posterior
from unmask.errors import ContradictionError, InvalidInputError, NotApplicableError
from unmask.number_format import numeral
from unmask.sanitizers.greedy_rule.rule import GreedyRule, Tail
from unmask.wording import message

MOST_STATES = 5_000_000_000
"""The most states of a group; more would take minutes."""

_ROOM = 1e150
"""Largest number in a layer: products of two stay finite, and numbers 450 digits smaller are kept."""

_LOST = 1e-9

_TINY = 1e-300


def value_given_position(
    counts: Int64, rule: GreedyRule, positive: int, *, last: Tail | None = None, lift: Float64 | None = None
) -> Posterior:
    """Return the probability of each value at each position of a group.

    `counts` (values,) are those of the group; `positive` is the code of the value that the rule bounds. `lift`
    (n, values), with a factor for each person and value, needs groups of at most two values.

    Assumes
        The order is known, and all assignments were equally likely before the release was seen, times `lift`.
    Infers
        That of the positive value by `positive_given_position`; the others share the rest by their counts, since the
        rule does not distinguish them. Exact: draws nothing.
    Fails
        As `positive_given_position`; with `InvalidInputError` for a lift and more than two values.
    """
    n, c = int(counts.sum()), int(counts[positive])
    others = counts.astype(np.float64)
    others[positive] = 0.0
    odds = None
    if lift is not None:
        used = np.flatnonzero(others)
        if used.size > 1:
            msg = message(
                "a group with odds for each person must have at most two values; got {size}", size=used.size + (c > 0)
            )
            raise InvalidInputError(msg)
        negative = lift[:, used[0]] if used.size else np.ones(n)
        odds = np.stack([negative, lift[:, positive]], axis=1)
    chance = positive_given_position(n, c, rule, last=last, odds=odds)
    shares = np.divide(others, others.sum(), out=np.zeros_like(others), where=others.sum() > 0)
    found = np.outer(1.0 - chance, shares)
    found[:, positive] = chance
    return Posterior.exact(found)


def positive_given_position(
    n: int, c: int, rule: GreedyRule, *, last: Tail | None = None, odds: Float64 | None = None
) -> Float64:
    """Return the probability that the person at each position of a group is positive, (n,).

    The group has n people, c of them positive, in a known order. `last` None: more groups follow it. Else it is the
    table's last, and either closed like the others (`closed`), or the rest was merged back until the group was safe
    (`merged`), or neither is published (`hidden`). `odds` (n, 2) are factors for being negative and positive. A rule
    without a positive value bounds both values.

    Assumes
        At the end of a table no coin is thrown: a safe rest is a group.
    Infers
        The share of worlds in which the person is positive, weighed by coins and factors. Exact: by counting forward
        and backward; draws nothing.
    Fails
        With `ContradictionError` where the rule cannot have made such a group; with `NotApplicableError` for too many
        states, or for weights of worlds that differ too much for a sum.
    """
    never = ContradictionError(
        message(
            "no world makes this group of {n} people, {c} of them positive, by this rule", n=numeral(n), c=numeral(c)
        )
    )
    if not 0 <= c <= n or n < 1:
        msg = message(
            "a group must have at least one person, and no more positive ones than people; got {c} of {n}", c=c, n=n
        )
        raise InvalidInputError(msg)
    largest = c if rule.positive is not None else max(c, n - c)
    if not rule.publishable(n, largest) or (last is None and rule.p == 1):
        raise never
    group = BinaryGroup.of(n, c, rule, merged=last in {"merged", "hidden"})
    closed = last != "merged"
    by_group = rule.coin == "group" and rule.p > 0
    if odds is None and 0 < c < n and not by_group:
        found, whole = _identical_people.shares(group, closed=closed)
        if whole > _identical_people.RARE:
            return found
    factor = np.ones((n, 2)) if odds is None else odds / np.maximum(odds.max(axis=1, keepdims=True), _TINY)
    up, down = c / n * factor[:, 1], (1 - c / n) * factor[:, 0]
    return _shares(_reached(_steps(rule, group, closed, up, down)), never)


def log_worlds(n: int, c: int, rule: GreedyRule, chance: Float64, *, last: Tail | None = None) -> float:
    """Return the log-probability that a group is closed there with c positives; −∞ if impossible.

    `chance` (n,) is the probability that each person is positive.
    """
    group = BinaryGroup.of(n, c, rule, merged=last in {"merged", "hidden"})
    return _reached(_steps(rule, group, last != "merged", chance, 1.0 - chance)).whole


def _steps(
    rule: GreedyRule,
    group: BinaryGroup,
    closed: bool,  # noqa: FBT001
    up: Float64,
    down: Float64,
) -> PrefixSteps | SegmentSteps:
    by_group = rule.coin == "group" and rule.p > 0
    return SegmentSteps(group, closed, up, down) if by_group else PrefixSteps(group, closed, up, down)


@dataclass(frozen=True, slots=True, eq=False)
class _Reached:
    """The weight of worlds that reach each state; about every √n-th layer."""

    steps: PrefixSteps | SegmentSteps
    layers: list[Float64]
    scale: Float64  # (n + 1,) logarithms of the scales of layers
    whole: float  # logarithm of the weight that reaches the end

    @property
    def stretch(self) -> int:
        """The number of layers between kept ones."""
        return max(isqrt(self.steps.group.n), 1)

    def layer(self, t: int) -> list[Float64]:
        """Return the layers from the last kept one up to that of person t, recomputed."""
        found = [self.layers[t // self.stretch]]
        for s in range(t // self.stretch * self.stretch + 1, t + 1):
            found.append(_scaled(self.steps.onward(s, found[-1]))[0])
        return found


def _reached(steps: PrefixSteps | SegmentSteps) -> _Reached:
    """Return the result of the forward pass."""
    n = steps.group.n
    if n * steps.states > MOST_STATES:
        msg = message("needs smaller groups to compute the positions of people; one has {n}", n=numeral(n))
        raise NotApplicableError(msg)
    stretch = max(isqrt(n), 1)
    scale = np.zeros(n + 1)
    layer = steps.begin()
    layers = [layer]
    for t in range(1, n + 1):
        layer, scale[t] = _scaled(steps.onward(t, layer))
        if t % stretch == 0:
            layers.append(layer)
    end = float((layer * steps.end()).sum())
    return _Reached(steps, layers, scale, log(end) + scale.sum() if end > 0 else -inf)


def _shares(reached: _Reached, never: ContradictionError) -> Float64:
    """Return the share of worlds in which each person is positive, (n,), by the backward pass."""
    if reached.whole == -inf:
        raise never
    steps, n = reached.steps, reached.steps.group.n
    before = np.cumsum(reached.scale)
    found = np.empty(n)
    ahead, scale = steps.end(), 0.0
    layers: list[Float64] = []
    for t in range(n, 0, -1):
        layers = layers[:-1] or reached.layer(t - 1)
        back, positive, total = steps.back(t, ahead, layers[-1])
        if not total > 0 or abs(log(total) + scale + before[t - 1] - reached.whole) > _LOST * max(n, 100):
            msg = message(
                "needs worlds of weights that can be added up; those of a group of {n} people differ too much",
                n=numeral(n),
            )
            raise NotApplicableError(msg)
        found[t - 1] = positive / total
        ahead, more = _scaled(back)
        scale += more
    return np.minimum(found, 1.0)


def _scaled(layer: Float64) -> tuple[Float64, float]:
    """Return a layer with maximum `_ROOM`, and the logarithm of its scale."""
    most = float(layer.max())
    if most <= 0:
        return layer, 0.0
    return layer / most * _ROOM, log(most) - log(_ROOM)


__all__ = ["positive_given_position", "value_given_position"]
