"""The power of P(attributes | value) under which a release's own groups are most probable.

Naive Bayes takes attributes for independent. Where they are not, it counts evidence twice, and is too sure. How far it
is right can be seen without any true value: groups were formed at random among people of equal values, so a member of
one group could as well have been in another, in place of a person of the same value. Two people of two groups are
exchanged; if attributes tell values, the groups as published are more probable than the exchanged ones, as often as
the probabilities say. The power that maximizes the probability of what was published, over exchanges between groups
that the parameters were not learned from, is used.

For a person i of group g and j of group h, with P(v) the posterior of a value within the group:
`P(exchanged) / P(published) = Σ_v P(i has v) w_j(v) / w_i(v) · Σ_v P(j has v) w_i(v) / w_j(v)`, exactly, with
`w_i(v) = P(attributes of i | v)` to the power.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32, Int64, expand
from unmask.attacks.definetti import gibbs_kernels
from unmask.attacks.definetti.fixed_point import fixed_point
from unmask.attacks.shared.group_layout import Chain, chain_for, levels_of
from unmask.attacks.shared.grouped_people import GroupedPeople, Slots, slots_of
from unmask.runtime import work
from unmask.wording import message

LEAST_PEOPLE = 500
"""The number of people below which the power is 1: too few to tell."""

MOST_PEOPLE = 50_000
"""About the most people whose groups are used: they are a sample of the groups of a larger release."""

MANY = 20_000
"""The number of people from which one fold of three is set aside, once: on Adult, the power moves by .01, and a third
of the time is enough."""

FOLDS = 5  # each is set aside once
FOLDS_OF_MANY = 3

CLEARLY = 3.0
"""Least gain in log-probability over no power for which attributes are used, and over 1 for a smaller power."""

LEAST = 0.01
"""The least power: attributes that tell nothing leave the group's shares nearly as they are."""

_GRID = (1.0, 0.8, 0.6, 0.4, 0.2)
_VERTICES = 3
_NO_MATTER = 0.005  # of a power
_EXCHANGES = 4  # of each group
_NEAR = 16  # groups are exchanged with one of so many that follow: those of near numbers are alike
_STEPS = 50  # of the fixed point
_STEPS_OF_BLOCKS = 20  # where blocks are drawn, which never settle: on Adult, more change the sum below by under 1
_CLOSE = 0.003
_MOST = 300.0  # of a logarithm


@dataclass(frozen=True, slots=True, eq=False)
class Exchanges:
    """Pairs of people of two groups who are exchanged."""

    slots: Slots
    one: Int64  # (exchanges,) rows
    other: Int64

    @classmethod
    def of(cls, groups: GroupedPeople, slots: Slots, chosen: Int64, rng: np.random.Generator) -> Exchanges:
        """Draw people of some groups, each exchanged with one of a group that follows, as near numbers are alike."""
        large = np.zeros(slots.layout.times.size, bool)
        large[slots.layout.large] = True
        there = chosen[~large[slots.type_of_group[chosen]]]  # of groups too large, no probabilities are at hand
        n = there.size if there.size > 1 else 0  # an exchange is between two groups
        first = np.repeat(np.arange(n), _EXCHANGES)
        second = (first + rng.integers(1, min(_NEAR, max(n - 1, 1)) + 1, first.size)) % max(n, 1)
        size = np.diff(groups.start)
        one, other = (
            groups.start[there[g]] + (rng.random(g.size) * size[there[g]]).astype(np.int64) for g in (first, second)
        )
        return cls(slots, one, other)

    def log_odds(self, entries: Float64, log_one: Float64, log_other: Float64) -> Float64:
        """Return the logarithm of P(exchanged) / P(published), (exchanges,).

        `entries` are the probabilities by slot; `log_one` and `log_other` (exchanges, values) the logarithms of
        P(attributes | value) of both people, to the power.
        """
        slots, found = self.slots, np.zeros(self.one.size)
        for rows, change in ((self.one, log_other - log_one), (self.other, log_one - log_other)):
            entry, exchange = expand(slots.start, slots.of_row[rows])
            ratio = np.exp(np.clip(change[exchange, slots.column[entry]], -_MOST, _MOST))
            found += np.log(np.bincount(exchange, weights=entries[entry] * ratio, minlength=rows.size))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Fold:
    """Groups set aside, the others, and the people who are exchanged."""

    taught: Slots
    chain: Chain
    chain_apart: Chain
    level: Int32  # (rows set aside, attributes) numbers among all levels, -1 where missing
    exchanges: Exchanges

    @classmethod
    def of(cls, groups: GroupedPeople, fold_of: Int64, fold: int, rng: np.random.Generator) -> _Fold:
        """Set the groups of a fold aside, and draw exchanges among them."""
        taught = slots_of(groups.take(np.flatnonzero((fold_of >= 0) & (fold_of != fold))))
        some = groups.take(np.flatnonzero(fold_of == fold))
        apart = slots_of(some)
        return cls(
            taught, chain_for(taught.layout, taught.shapes), chain_for(apart.layout, apart.shapes),
            levels_of(some.codes, some.levels)[some.profile_of],
            Exchanges.of(some, apart, np.arange(some.start.size - 1), rng),
        )  # fmt: skip

    def score(self, alpha: float, power: float, start: Float64 | None) -> tuple[Float64, Float64]:
        """Return the log-probability of each exchange's groups as published, and the fixed point's expected counts."""
        limit = _STEPS_OF_BLOCKS if self.taught.layout.large.size else _STEPS
        point = fixed_point(self.taught, alpha, self.chain, start, power=power, limit=limit, tolerance=_CLOSE)
        apart, chain = self.exchanges.slots, self.chain_apart
        chain.log_theta[:] = point.log_theta
        chain.sums[:] = 0.0
        gibbs_kernels.expect(apart.layout, apart.shapes, chain)
        entries = np.where(apart.constant, apart.equal, chain.sums)[apart.order]
        log_weights = [
            _log_weights(self.level[rows], point.log_theta) for rows in (self.exchanges.one, self.exchanges.other)
        ]
        return -np.logaddexp(0.0, self.exchanges.log_odds(entries, *log_weights)), point.counts


def power_of(groups: GroupedPeople, alpha: float) -> float:
    """Return the power, between 0 and 1; always the same for the same groups."""
    if groups.value.size < LEAST_PEOPLE or groups.start.size - 1 < 2 * FOLDS:
        return 1.0
    folds = _folds_of(groups)
    if not any(fold.exchanges.one.size for fold in folds):
        return 1.0
    counts: list[Float64 | None] = [None] * len(folds)  # of each fold's last fixed point, where the next one begins

    def score(power: float) -> Float64:
        scores = []
        for i, fold in enumerate(folds):
            each, counts[i] = fold.score(alpha, power, counts[i])
            scores.append(each)
        return np.concatenate(scores)

    return best_power(score)


def score_apart(groups: GroupedPeople, part: Int64, alpha: float, power: float, rng: np.random.Generator) -> Float64:
    """Return the log-probability of each exchange between groups of part 0, learned from the others, (exchanges,)."""
    return _Fold.of(groups, part, 0, rng).score(alpha, power, None)[0]


def best_power(score: Callable[[float], Float64]) -> float:
    """Return the power, from `LEAST` to 1, under which what was published is most probable.

    `score` returns the log-probability of each exchange's groups as published, (exchanges,), under a power.
    """
    found: dict[float, float] = {}

    def total(power: float) -> float:
        each = score(power)
        step.advance()
        found[0.0] = float(np.log(0.5)) * each.size / _EXCHANGES  # one exchange a group
        return float(each.sum()) / _EXCHANGES

    with work.step(message("choosing the power of attributes"), len(_GRID) + _VERTICES) as step:
        for power in _GRID:
            found[power] = total(power)
            if found[power] < max(found[one] for one in _GRID if one in found) - CLEARLY:  # beyond the highest point
                break
        for _ in range(_VERTICES):
            vertex = _vertex(found)
            if min(abs(vertex - power) for power in found) < _NO_MATTER:
                break
            found[vertex] = total(vertex)
    best = max(found, key=found.__getitem__)
    if found[best] <= found[0.0] + CLEARLY:
        return LEAST
    return best if found[best] > found[1.0] + CLEARLY else 1.0


def _folds_of(groups: GroupedPeople) -> list[_Fold]:
    """Return the divisions into groups set aside and others; of many people, only one of them."""
    rng = np.random.default_rng(0)
    fold_of = np.full(groups.start.size - 1, -1)
    order = rng.permutation(fold_of.size)
    some = order[np.cumsum(np.diff(groups.start)[order]) <= MOST_PEOPLE]
    n_folds, n_apart = (FOLDS, FOLDS) if groups.value.size < MANY else (FOLDS_OF_MANY, 1)
    fold_of[some] = np.arange(some.size) % n_folds
    return [_Fold.of(groups, fold_of, fold, rng) for fold in range(n_apart)]


def _vertex(found: dict[float, float]) -> float:
    """Return the highest point of a parabola through the best power and its neighbors."""
    powers = sorted(found)
    place = min(max(powers.index(max(found, key=found.__getitem__)), 1), len(powers) - 2)
    three = powers[place - 1 : place + 2]
    a, b, _ = np.polyfit(three, [found[power] for power in three], 2)
    top = -b / (2 * a) if a < 0 else three[int(np.argmax([found[power] for power in three]))]
    return float(np.round(np.clip(top, powers[0], powers[-1]), 3))


def _log_weights(level: Int32, log_theta: Float64) -> Float64:
    """Return log P(attributes | value), (rows, values)."""
    found = np.zeros((level.shape[0], log_theta.shape[1]))
    for column in level.T:
        found += np.where(column[:, None] >= 0, log_theta[column], 0.0)
    return found
