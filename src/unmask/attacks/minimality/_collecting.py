"""Collection of beliefs by row: learned beliefs, and the posteriors of single groups under the greedy rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, Ragged, starts
from unmask.attacks.minimality.all_groups import RowBeliefs
from unmask.compiled_code import njit
from unmask.sanitizers.greedy_rule.rule import GreedyRule, Tail
from unmask.wording import marked

_ROUNDS = 50


@dataclass(frozen=True, slots=True, eq=False)
class LearnedBeliefs:
    """Learned beliefs: by row, and as factors."""

    of_row: Int32  # (rows,) the belief
    rows: Ragged  # (beliefs, values of the release) without the rule
    error: Ragged  # (beliefs, values of the release)
    profile: Int32  # (rows,) the row of factors
    factors: Sequence[Float64]  # (profiles, values) by draw: P(attributes | value), up to a factor for each profile
    stands: bool = True  # the beliefs follow from the factors; else the factors are tempered
    replicates: tuple[Ragged, ...] = ()  # each (beliefs, values of the release)


@dataclass(frozen=True, slots=True, eq=False)
class OrderedGroup:
    """One group, with its rows in order."""

    rows: Int64  # (n,)
    tie: Int64  # (n,) from 0
    profile: Int32  # (n,)
    value: Int32  # (values of the group,) rising codes
    count: Int64  # (values of the group,)
    last: Tail | None
    rule: GreedyRule  # an uninformative one, where the release's rule is uninformative

    @property
    def n(self) -> int:
        return self.rows.size

    @property
    def mixed(self) -> bool:
        """Whether people with different attributes tie."""
        first = np.searchsorted(self.tie, self.tie)
        return bool((self.profile != self.profile[first]).any())

    def spread(self, by_position: Float64) -> Float64:
        """Return the mean over the positions of each tie, (n, …)."""
        number = np.bincount(self.tie)
        totals = np.zeros((number.size, *by_position.shape[1:]))
        np.add.at(totals, self.tie, by_position)
        return np.asarray((totals.T / number).T[self.tie])

    def shuffled(self, rng: np.random.Generator) -> Int64:
        """Return an order of the group's people, with ties in random order."""
        return np.lexsort((rng.random(self.n), self.tie))


@dataclass(frozen=True, slots=True, eq=False)
class GroupBeliefs:
    """Beliefs of a group's rows, (n, …)."""

    belief: Float64
    error: Float64
    each: Float64  # (replicates, n, …)


@dataclass(slots=True, eq=False)
class BeliefCollector:
    """Beliefs by row: the learned ones, followed by one for each row of a group with a posterior."""

    learned: LearnedBeliefs
    by_rule: RowBeliefs
    blocks: list[tuple[OrderedGroup, GroupBeliefs, bool]] = field(default_factory=list)
    ways: dict[str, int] = field(default_factory=dict)

    def put(
        self, group: OrderedGroup, read: GroupBeliefs, way: str = marked("by worlds"), *, known: bool = True
    ) -> None:
        """Add the beliefs of a group's rows, (n, values of the group)."""
        self.blocks.append((group, read, known))
        self.ways[way] = self.ways.get(way, 0) + 1

    def split(self, group: OrderedGroup, code: int, chance: GroupBeliefs) -> None:
        """Add beliefs with the given probability of one value; the others share the rest in the learned proportions."""
        learned = self._learned(group)
        at = int(np.searchsorted(group.value, code))
        equal = np.where(np.arange(group.value.size) == at, 0.0, group.count)

        def proportions(here: Float64) -> Float64:
            rest = here.copy()
            rest[:, at] = 0.0
            total = rest.sum(axis=1, keepdims=True)
            return np.where(total > 0, rest / np.where(total > 0, total, 1.0), equal / equal.sum())

        def divided(rest: Float64, chance: Float64) -> Float64:
            belief = rest * (1.0 - chance)[:, None]
            belief[:, at] = chance
            return belief

        rest = proportions(learned.belief)
        errors = rest * chance.error[:, None] + learned.error * (group.value.size > 2)
        errors[:, at] = chance.error
        each = [divided(proportions(here), one) for here, one in zip(learned.each, chance.each, strict=True)]
        self.put(group, GroupBeliefs(divided(rest, chance.belief), errors, np.array(each)))

    def product(self, group: OrderedGroup) -> None:
        """Add the product of both beliefs, adjusted to sums of 1 by row and to the counts of values."""
        learned = self._learned(group)
        number = self.by_rule.of_row[group.rows]

        def of_rule(table: Ragged) -> Float64:
            return table.dense(number)[:, group.value]

        def multiplied(here: Float64, rule: Float64) -> Float64:
            found = np.ascontiguousarray(here * rule * (group.n / group.count))
            return _balanced(found, np.ascontiguousarray(rule), group.count)

        rule, error = of_rule(self.by_rule.rows), of_rule(self.by_rule.error)
        chains = np.array([of_rule(one) for one in self.by_rule.replicates or (self.by_rule.rows,)])
        rules = folded(chains, np.ones(len(chains)), len(learned.each))
        known = not np.isin(number, self.by_rule.unresolved).any()
        each = [multiplied(here, one) for here, one in zip(learned.each, rules, strict=True)]
        found = GroupBeliefs(multiplied(learned.belief, rule), learned.error + error, np.array(each))
        self.put(group, found, marked("by the product of beliefs"), known=known)

    def _learned(self, group: OrderedGroup) -> GroupBeliefs:
        """Return the learned beliefs of a group; with tempered factors, an approximation from these."""
        learned, number = self.learned, self.learned.of_row[group.rows]
        n = len(learned.replicates)
        if learned.stands:
            here, error, *chains = (
                table.dense(number)[:, group.value] for table in (learned.rows, learned.error, *learned.replicates)
            )
            return GroupBeliefs(here, error, np.array(chains).reshape(n, *here.shape))
        shares = np.tile(group.count / group.n, (group.n, 1))
        lifts = np.array([table[np.ix_(group.profile, group.value)] for table in learned.factors])
        several = folded(lifts, np.ones(len(lifts)), n)
        each = np.array([_balanced(shares * lift, shares, group.count) for lift in several]).reshape(n, *shares.shape)
        return GroupBeliefs(_balanced(shares * lifts.mean(axis=0), shares, group.count), np.zeros(shares.shape), each)

    def all(self) -> RowBeliefs:
        """Return all beliefs."""
        learned, n = self.learned, len(self.learned.replicates)
        of_row, first, unresolved = learned.of_row.copy(), learned.rows.n_rows, []
        parts = [[one] for one in (learned.rows, learned.error, *learned.replicates)]
        for group, read, known in self.blocks:
            of_row[group.rows] = first + np.arange(group.n)
            for part, data in zip(parts, (read.belief, read.error, *read.each[:n]), strict=True):
                part.append(_rows(group.value, data, learned.rows.n_columns))
            if not known:
                unresolved.append(first + np.arange(group.n))
            first += group.n
        rows, errors, *each = (Ragged.stacked(part) for part in parts)
        gone = np.concatenate(unresolved) if unresolved else np.zeros(0, np.int64)
        return RowBeliefs(of_row, rows, errors, gone, tuple(each))


def folded(draws: Float64, weight: Float64, n: int) -> Float64:
    """Return n weighted means, each of every n-th draw, (n, …); `weight` is (draws,).

    A mean without draws of positive weight is that of all draws.
    """
    whole = np.tensordot(weight / weight.sum(), draws, axes=1)
    result = np.empty((n, *draws.shape[1:]))
    for r in range(n):
        part = weight[r::n]
        result[r] = np.tensordot(part / part.sum(), draws[r::n], axes=1) if part.sum() > 0 else whole
    return result


@njit(cache=True, nogil=True)
def _balanced(found: Float64, otherwise: Float64, count: Int64) -> Float64:
    """Return the table scaled to row sums of 1 and column sums of the counts; `otherwise` replaces rows of zeros."""
    result = found.copy()
    for i in range(result.shape[0]):
        if result[i].sum() == 0.0:
            result[i] = otherwise[i]
    for _ in range(_ROUNDS):
        total = result.sum(axis=0)
        factor = np.where(total > 0.0, count / np.where(total > 0.0, total, 1.0), 0.0)
        for i in range(result.shape[0]):
            result[i] *= factor
            whole = result[i].sum()
            if whole > 0.0:
                result[i] /= whole
    return result


def _rows(value: Int32, data: Float64, n_columns: int) -> Ragged:
    kept: Bool = data > 0
    row, column = np.nonzero(kept)
    return Ragged(starts(np.bincount(row, minlength=data.shape[0])), value[column], data[kept], n_columns)
