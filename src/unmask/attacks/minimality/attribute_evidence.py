"""Posterior of each row from the greedy rule and people's attributes: worlds weighed by both.

The weight of a world is the probability that the rule closes the group there, times P(attributes | value) for each
person. The engines of the rule take such factors by position. People with different attributes who tie in the order
may have any position of their tie; then orders are drawn, weighed by the probability of the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from unmask.arrays import Bool, Float64, Int64, Ragged
from unmask.attacks.minimality._collecting import BeliefCollector, GroupBeliefs, LearnedBeliefs, OrderedGroup, folded
from unmask.attacks.minimality.all_groups import RowBeliefs
from unmask.attacks.minimality.many_values import SamplingEffort, value_given_position
from unmask.attacks.minimality.reading_order import PositionRanges
from unmask.attacks.minimality.two_values import log_worlds, positive_given_position
from unmask.errors import NotApplicableError
from unmask.release import Release
from unmask.runtime import work
from unmask.sanitizers.greedy_rule.rule import GreedyRule, Tail
from unmask.wording import message

_SUMMED = 1_000
"""Size above which groups are weighed with the mean of the drawn factors, in place of each draw."""

_COUNTED = 20
"""Size above which groups of several bounded values are not weighed by worlds: orders would have to be drawn."""

_EFFORT = SamplingEffort(states=5_000, paths=1e9)

_ENOUGH = 4.0
"""Least effective number of draws for a group with ties."""

_ORDERS, _ORDERS_ALONE = 64, 16
"""Orders × people for each draw of the factors; orders for the mean of all draws."""

_TINY = 1e-300


@dataclass(slots=True, eq=False)
class CombinedBeliefs:
    """Beliefs by row from both, and the number of groups by method."""

    beliefs: RowBeliefs
    groups: dict[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class _GroupReader:
    """Posterior of one group from the rule and the factors."""

    factors: Sequence[Float64]
    rng: np.random.Generator
    n_replicates: int

    def positive(self, group: OrderedGroup, code: int) -> GroupBeliefs | None:
        """Return the probability that each row has the bounded value, (n,); None if order weights are too unequal."""
        at = int(np.searchsorted(group.value, code))
        c = int(group.count[at])
        others = np.flatnonzero(np.arange(group.value.size) != at)
        draws = [self._chances(group, table, at, others, c) for table in self._few(group)]
        if not group.mixed:
            found = np.array([group.spread(self._counted(group, c, chance)) for chance in draws])
            each = found
            if len(draws) < len(self.factors) and self.n_replicates:  # a large group: only the mean was used
                several = [self._chances(group, one, at, others, c) for one in self._folded_factors()]
                each = np.array([group.spread(self._counted(group, c, chance)) for chance in several])
            ones = np.ones(len(found))
            return GroupBeliefs(*_mean(found, ones), folded(each, np.ones(len(each)), self.n_replicates))
        orders = [self._of_orders(group, c, chance, alone=len(draws) == 1) for chance in draws]
        sums, weights = (np.concatenate(part) for part in zip(*orders, strict=True))
        possible = weights > 0
        if weights.sum() ** 2 < min(_ENOUGH, possible.size) * (weights**2).sum() or not possible.any():
            return None
        found, weight = sums[possible] / weights[possible, None], weights[possible]
        return GroupBeliefs(*_mean(found, weight), folded(found, weight, self.n_replicates))

    def _of_orders(self, group: OrderedGroup, c: int, chance: Float64, *, alone: bool) -> tuple[Float64, Float64]:
        """Draw orders of ties; return beliefs weighed by the probability of the group, and the weights.

        Both are sums over orders, with one entry; without other draws of the factors, with one for each order.
        """
        whatever = log_worlds(group.n, c, GreedyRule(group.rule.l, group.n, group.rule.positive), chance)
        n_orders = _ORDERS_ALONE if alone else max(2, _ORDERS // group.n)
        found, weight = np.zeros((n_orders, group.n)), np.zeros(n_orders)
        for i in range(n_orders):
            order = group.shuffled(self.rng)
            weight[i] = np.exp(log_worlds(group.n, c, group.rule, chance[order], last=group.last) - whatever)
            if weight[i] > 0:
                found[i, order] = weight[i] * self._counted(group, c, chance[order])
        return (found, weight) if alone else (found.sum(axis=0, keepdims=True), weight.sum(keepdims=True))

    def each(self, group: OrderedGroup) -> GroupBeliefs | None:
        """Return the probability of each value of the group, (n, values of the group).

        None if it is not resolved, if people with different attributes tie, or for too many people.
        """
        if group.mixed or group.n > _COUNTED:
            return None
        found, spread = [], np.zeros((group.n, group.value.size))
        for table in self._few(group):
            lift = table[np.ix_(group.profile, group.value)]
            posterior = value_given_position(
                group.count, group.rule, self.rng, last=group.last, lift=lift, effort=_EFFORT
            )
            if not posterior.resolved:
                return None
            found.append(group.spread(posterior.value_given_position))
            spread += group.spread(posterior.error) / len(self.factors)
            if posterior.error.any():  # sampled: once, with the mean of the factors
                lift = np.mean([one[np.ix_(group.profile, group.value)] for one in self.factors], axis=0)
                posterior = value_given_position(
                    group.count, group.rule, self.rng, last=group.last, lift=lift, effort=_EFFORT
                )
                if not posterior.resolved:
                    return None
                draws = posterior.value_given_position[None] if posterior.draws is None else posterior.draws
                each = folded(draws, np.ones(len(draws)), self.n_replicates)
                each = np.array([group.spread(one) for one in each]).reshape(each.shape)
                return GroupBeliefs(group.spread(posterior.value_given_position), group.spread(posterior.error), each)
        ones = np.ones(len(found))
        mean, error = _mean(np.array(found), ones)
        return GroupBeliefs(mean, error + spread, folded(np.array(found), ones, self.n_replicates))

    def _folded_factors(self) -> Float64:
        """Return the factors of each replicate, (replicates, profiles, values)."""
        return folded(np.array(self.factors), np.ones(len(self.factors)), self.n_replicates)

    def _few(self, group: OrderedGroup) -> Sequence[Float64]:
        """Return the factors to use: for a large group, their mean."""
        return self.factors if group.n <= _SUMMED else [np.mean(self.factors, axis=0)]

    def _counted(self, group: OrderedGroup, c: int, chance: Float64) -> Float64:
        share = c / group.n
        odds = np.stack([(1.0 - chance) / (1.0 - share), chance / share], axis=1)
        return positive_given_position(group.n, c, group.rule, last=group.last, odds=odds)

    def _chances(self, group: OrderedGroup, table: Float64, at: int, others: Int64, c: int) -> Float64:
        """Return chances, (n,), with the odds of the bounded value against all others together."""
        lift = table[np.ix_(group.profile, group.value)]
        rest = lift[:, others] @ group.count[others] / group.count[others].sum()
        return _leveled(np.log(np.maximum(lift[:, at], _TINY)) - np.log(np.maximum(rest, _TINY)), c)


def combined_posterior(
    release: Release, attribute: str, learned: LearnedBeliefs, where: PositionRanges, rule: GreedyRule,
    by_rule: RowBeliefs, rng: np.random.Generator,
) -> CombinedBeliefs:  # fmt: skip
    """Return the posterior of each row from the rule and the factors.

    `by_rule` is the posterior from the rule alone.

    Infers
        `P(v_i = v) ∝ Σ P(the rule makes this group | order) ∏ factor`, over the worlds of the group with v at i; the
        mean over draws of the factors. Where the rule is uninformative and the factors are not tempered, the learned
        beliefs. Where worlds cannot be counted, the product of both beliefs, adjusted to the counts of the group.
    """
    counts = release.counts_of(attribute)
    values = release.schema[attribute].values
    positive = None if rule.positive is None else values.index(rule.positive)
    collector = BeliefCollector(learned, by_rule)
    both = _GroupReader(learned.factors, rng, len(learned.replicates))
    speaks = _speaks(release, counts, where, rule, positive)
    live = np.flatnonzero(speaks | ((not learned.stands) & (np.diff(counts.start) > 1)))
    last = int(where.last[0]) if where.last.size == 1 else -1
    order = np.lexsort((where.tie_of_row, release.group_of_row))
    start = np.asarray(release.start)
    with work.step(message("weighing the worlds of groups"), live.size) as step:
        for g in live.tolist():
            rows = order[start[g] : start[g + 1]]
            entries = slice(counts.start[g], counts.start[g + 1])
            tie = np.unique(where.tie_of_row[rows], return_inverse=True)[1].ravel()
            value, count = counts.column[entries], counts.data[entries].astype(np.int64)
            tail: Tail | None = (release.provenance.tail or "hidden") if g == last else None
            group = OrderedGroup(rows, tie, learned.profile[rows], value, count, tail, rule)
            if not speaks[g]:
                silent = GreedyRule(rule.l, group.n, rule.positive)
                group = replace(group, tie=np.arange(group.n), last=None, rule=silent)
            _read(both, group, positive, collector)
            step.advance()
    return CombinedBeliefs(collector.all(), collector.ways)


def _speaks(release: Release, counts: Ragged, where: PositionRanges, rule: GreedyRule, positive: int | None) -> Bool:
    """Return whether the rule is informative on each group: not all people tie, and values can be exchanged."""
    ties = np.bincount(where.group, minlength=release.n_groups)
    bounded = np.diff(counts.start) > 1
    if positive is not None:
        held = counts.dense_column(positive)
        bounded &= (held > 0) & (held < release.size)
    longer = release.size > rule.minimum
    if where.last.size == 1:
        longer[where.last] = True
    return np.asarray((ties > 1) & bounded & longer)


def _read(both: _GroupReader, group: OrderedGroup, positive: int | None, collector: BeliefCollector) -> None:
    """Add the posterior of one group, from its worlds if these can be counted."""
    two = positive is not None or group.value.size == 2
    code = int(group.value[np.argmax(group.count)]) if positive is None else positive
    found = None
    try:
        if not two:
            with np.errstate(invalid="ignore", divide="ignore"):  # no drawn order has a representable weight
                found = both.each(group)
        elif code in group.value:
            found = both.positive(group, code)
    except NotApplicableError:
        pass
    if found is None:
        collector.product(group)
    elif two:
        collector.split(group, code, found)
    else:
        collector.put(group, found)


def _mean(found: Float64, weight: Float64) -> tuple[Float64, Float64]:
    """Return the weighted mean of draws, and its standard error; for one draw the error is 0."""
    share = weight / weight.sum()
    mean = np.tensordot(share, found, axes=1)
    if share.size == 1:
        return mean, np.zeros(mean.shape)
    square = np.tensordot(share**2, (found - mean) ** 2, axes=1)
    return mean, np.sqrt(square * share.size / (share.size - 1))


def _leveled(log_odds: Float64, c: int) -> Float64:
    """Return chances with sum c, by a common factor on the odds: worlds with c positives keep their shares.

    Otherwise their total could underflow.
    """
    low, high = -float(log_odds.max()) - 50.0, 50.0 - float(log_odds.min())
    for _ in range(100):
        middle = (low + high) / 2
        if scipy.special.expit(log_odds + middle).sum() < c:
            low = middle
        else:
            high = middle
    return np.asarray(scipy.special.expit(log_odds + low))


__all__ = ["CombinedBeliefs", "LearnedBeliefs", "combined_posterior", "folded"]
