"""Beliefs by row from what the greedy rule tells of groups and from what was learned of people, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, Ragged, starts
from unmask.attacks.minimality.all_groups import RowBeliefs
from unmask.sanitizers.greedy_rule.rule import GreedyRule, Tail

_ROUNDS = 50


@dataclass(frozen=True, slots=True, eq=False)
class LearnedBeliefs:
    """What was learned of people: by row, and as factors."""

    of_row: Int32  # (rows,) the belief
    rows: Ragged  # (beliefs, values of the release) who has which value in a group, for whoever does not know the rule
    error: Ragged  # (beliefs, values of the release)
    profile: Int32  # (rows,) people of one profile have the same factors
    factors: Sequence[Float64]  # (profiles, values) by draw: P(attributes | value), up to a factor for each profile
    stands: bool = True  # the beliefs follow from the factors; else these are trusted less
    replicates: tuple[Ragged, ...] = ()  # each (beliefs, values of the release): as many as are wanted of both


@dataclass(frozen=True, slots=True, eq=False)
class OrderedGroup:
    """One group, its rows in order."""

    rows: Int64  # (n,)
    tie: Int64  # (n,) from 0
    profile: Int32  # (n,)
    value: Int32  # (values of the group,) codes that rise
    count: Int64  # (values of the group,)
    last: Tail | None
    rule: GreedyRule  # one that tells nothing, where this one tells nothing

    @property
    def n(self) -> int:
        return self.rows.size

    @property
    def mixed(self) -> bool:
        """Whether people tie who are not alike."""
        first = np.searchsorted(self.tie, self.tie)
        return bool((self.profile != self.profile[first]).any())

    def spread(self, by_position: Float64) -> Float64:
        """Return the mean over the positions of each tie, (n, …)."""
        number = np.bincount(self.tie)
        totals = np.zeros((number.size, *by_position.shape[1:]))
        np.add.at(totals, self.tie, by_position)
        return np.asarray((totals.T / number).T[self.tie])

    def shuffled(self, rng: np.random.Generator) -> Int64:
        """Return an order of the group's people, those who tie at random."""
        return np.lexsort((rng.random(self.n), self.tie))


@dataclass(frozen=True, slots=True, eq=False)
class GroupBeliefs:
    """What is believed of a group's rows, (n, …)."""

    belief: Float64
    error: Float64
    each: Float64  # (replicates, n, …)


@dataclass(slots=True, eq=False)
class BeliefCollector:
    """Beliefs by row: those learned, and behind them one for each row of a group that was read."""

    learned: LearnedBeliefs
    by_rule: RowBeliefs
    blocks: list[tuple[OrderedGroup, GroupBeliefs, bool]] = field(default_factory=list)
    ways: dict[str, int] = field(default_factory=dict)

    def put(self, group: OrderedGroup, read: GroupBeliefs, way: str = "by worlds", *, known: bool = True) -> None:
        """Believe this of a group's rows, (n, values of the group)."""
        self.blocks.append((group, read, known))
        self.ways[way] = self.ways.get(way, 0) + 1

    def split(self, group: OrderedGroup, code: int, chance: GroupBeliefs) -> None:
        """Give one value its probability, and the others what is left, in the proportions that were learned."""
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
        """Multiply what both tell of each row, and let rows and values add up to what they are."""
        learned = self._learned(group)
        number = self.by_rule.of_row[group.rows]

        def of_rule(table: Ragged) -> Float64:
            return table.dense(number)[:, group.value]

        def multiplied(here: Float64, rule: Float64) -> Float64:
            return _balanced(here * rule * (group.n / group.count), rule, group.count)

        rule, error = of_rule(self.by_rule.rows), of_rule(self.by_rule.error)
        chains = np.array([of_rule(one) for one in self.by_rule.replicates or (self.by_rule.rows,)])
        rules = folded(chains, np.ones(len(chains)), len(learned.each))
        known = not np.isin(number, self.by_rule.unresolved).any()
        each = [multiplied(here, one) for here, one in zip(learned.each, rules, strict=True)]
        found = GroupBeliefs(multiplied(learned.belief, rule), learned.error + error, np.array(each))
        self.put(group, found, "by the product of beliefs", known=known)

    def _learned(self, group: OrderedGroup) -> GroupBeliefs:
        """Return what was learned of each row of a group; where it is trusted less, about what follows from that."""
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
        """Return everything that is believed."""
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
    """Return n means of every n-th draw, (n, …), by the weight of each, (draws,); of one draw, that n times.

    Where no draw is left for a mean, or none that weighs anything, it is that of all.
    """
    whole = np.tensordot(weight / weight.sum(), draws, axes=1)
    result = np.empty((n, *draws.shape[1:]))
    for r in range(n):
        part = weight[r::n]
        result[r] = np.tensordot(part / part.sum(), draws[r::n], axes=1) if part.sum() > 0 else whole
    return result


def _balanced(found: Float64, otherwise: Float64, count: Int64) -> Float64:
    """Let rows add up to 1 and columns to the counts, by factors for both; rows of zeros are those given otherwise."""
    dead = found.sum(axis=1) == 0
    found = np.where(dead[:, None], otherwise, found)
    for _ in range(_ROUNDS):
        for axis, wanted in ((0, count[None, :]), (1, np.ones((found.shape[0], 1)))):
            total = found.sum(axis=axis, keepdims=True)
            found = found * np.divide(wanted, total, out=np.zeros(total.shape), where=total > 0)
    return found


def _rows(value: Int32, data: Float64, n_columns: int) -> Ragged:
    kept: Bool = data > 0
    row, column = np.nonzero(kept)
    return Ragged(starts(np.bincount(row, minlength=data.shape[0])), value[column], data[kept], n_columns)
