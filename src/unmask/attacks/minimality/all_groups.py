"""Posterior of the people of all groups under the greedy rule: one solution by pattern of counts, one by tie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from unmask.arrays import Float64, Int32, Int64, Ragged, distinct_rows, expand, starts
from unmask.attacks.minimality._sampling import CHAINS
from unmask.attacks.minimality.many_values import posteriors, value_given_position
from unmask.attacks.minimality.position_posterior import Posterior
from unmask.attacks.minimality.reading_order import PositionRanges
from unmask.attacks.minimality.two_values import positive_given_position
from unmask.attacks.shared.group_types import identical_groups
from unmask.errors import ContradictionError
from unmask.number_format import numeral
from unmask.release import Release
from unmask.runtime import work
from unmask.sanitizers.greedy_rule.rule import GreedyRule, Tail
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class RowBeliefs:
    """Beliefs by row: people of equal ties in groups of equal patterns share one."""

    of_row: Int32  # (rows,) the belief
    rows: Ragged  # (beliefs, values of the release)
    error: Ragged  # (beliefs, values of the release) Monte Carlo standard error
    unresolved: Int64  # beliefs with too few sampled worlds
    replicates: tuple[Ragged, ...] = ()  # each (beliefs, values of the release): of one chain

    @property
    def n(self) -> int:
        """The number of beliefs."""
        return self.rows.n_rows


def rule_posterior(
    release: Release, attribute: str, value: Int32, where: PositionRanges, rule: GreedyRule, rng: np.random.Generator
) -> RowBeliefs:
    """Return the posterior of each row from the rule, and from what the release declares of its last group.

    `value` (rows,) are the values of each group, sorted.

    Infers
        The mean of `P(value | position)` over the positions of a tie.
    Fails
        With `ContradictionError`, with the number of the group, if the rule cannot have made one.
    """
    tail = release.provenance.tail or "hidden"
    listed = _RuleCounts.of(release.counts_of(attribute), release.schema[attribute].values, rule)
    patterns = _Patterns(rule, rng)
    last = _the_last(where.last, listed, patterns, tail)
    is_last = np.zeros(release.n_groups, bool)
    is_last[last] = True
    types = identical_groups(np.asarray(release.start), np.zeros(value.size, np.int32), value, is_last)
    number, example = distinct_rows(np.stack([types.of_group[where.group], where.begin, where.end], axis=1))
    kind, begin, end = types.of_group[where.group[example]], where.begin[example], where.end[example]
    pattern = np.array(
        [patterns.number(listed.of_group(g), g, tail if g == last else None) for g in types.example.tolist()], np.int64
    )
    patterns.solve()
    entry, belief = expand(listed.counts.start, types.example[kind])
    shape = (belief, listed.counts.column[entry], listed.counts.n_columns)
    found = patterns.means(pattern[kind][belief], begin[belief], end[belief], listed.column[entry])
    rows, error, *each = (_rows(shape, listed.share[entry] * data, kind.size) for data in found)
    unresolved = np.flatnonzero(patterns.open()[pattern[kind]])
    return RowBeliefs(number[where.tie_of_row], rows, error, unresolved, tuple(each))


def _rows(shape: tuple[Int64, Int32, int], data: Float64, n_rows: int) -> Ragged:
    belief, column, n_columns = shape
    kept = data > 0
    return Ragged(starts(np.bincount(belief[kept], minlength=n_rows)), column[kept], data[kept], n_columns)


@dataclass(frozen=True, slots=True, eq=False)
class _RuleCounts:
    """The value counts of groups, with values merged that the rule does not distinguish."""

    counts: Ragged  # (groups, values)
    column: Int64  # (entries,) the value that the rule distinguishes
    share: Float64  # (entries,) of this one
    n: Int64  # (groups,) people
    positives: Int64 | None  # (groups,) where one value is bounded

    @classmethod
    def of(cls, counts: Ragged, values: tuple[str, ...], rule: GreedyRule) -> _RuleCounts:
        n = counts.sums().astype(np.int64)
        if rule.positive is None:
            order = np.lexsort((-counts.data, counts.row))
            column = np.empty(order.size, np.int64)
            column[order] = np.arange(order.size) - counts.start[counts.row[order]]
            return cls(counts, column, np.ones(column.size), n, None)
        code = values.index(rule.positive)
        bounded = counts.column == code
        positives = counts.dense_column(code).astype(np.int64)
        share = np.where(bounded, 1.0, counts.data / np.maximum(n - positives, 1)[counts.row])
        return cls(counts, (~bounded).astype(np.int64), share, n, positives)

    def of_group(self, group: int) -> tuple[int, ...]:
        """Return the counts of a group, of the values that the rule distinguishes."""
        if self.positives is not None:
            c = int(self.positives[group])
            return c, int(self.n[group]) - c
        entries = slice(self.counts.start[group], self.counts.start[group + 1])
        return tuple(sorted(self.counts.data[entries].astype(np.int64).tolist(), reverse=True))


_Pattern: TypeAlias = tuple[tuple[int, ...], Tail | None]
"""The counts of a group, of the values that the rule distinguishes; its tail, if it is the last."""


@dataclass(slots=True, eq=False)
class _Patterns:
    """The patterns of all groups, each solved once."""

    rule: GreedyRule
    rng: np.random.Generator
    group: dict[_Pattern, int] = field(default_factory=dict)  # an example, in the order of numbers
    known: dict[_Pattern, int] = field(default_factory=dict)
    solved: list[Posterior] = field(default_factory=list)

    def number(self, counts: tuple[int, ...], group: int, last: Tail | None) -> int:
        """Return the number of a group's pattern, which may be new."""
        self.group.setdefault((counts, last), group)
        return self.known.setdefault((counts, last), len(self.known))

    def solve(self) -> None:
        """Solve all patterns; those with all values bounded together, on several threads."""
        together = [one for one in self.known if not self._counted(one) and one[1] is None]
        answers = dict(zip(together, self._of_all_values(together), strict=True))
        rest = [one for one in self.known if one not in answers]
        with work.step(message("counting the orders that groups may have"), len(rest)) as step:
            for one in rest:
                answers[one] = self._named(one)
                step.advance()
        self.solved = [answers[one] for one in self.known]

    def can_be(self, counts: tuple[int, ...], last: Tail | None) -> bool:
        """Whether the rule can have made a group."""
        try:
            self._alone((counts, last))
        except ContradictionError:
            return False
        return True

    def _counted(self, pattern: _Pattern) -> bool:
        return self.rule.positive is not None or len(pattern[0]) <= 2

    def _of_all_values(self, patterns: Sequence[_Pattern]) -> Sequence[Posterior]:
        width = max((len(counts) for counts, _ in patterns), default=0)
        padded = [np.array([*counts, *[0] * (width - len(counts))], np.int64) for counts, _ in patterns]
        try:
            return posteriors(padded, self.rule, self.rng)
        except ContradictionError:
            return [self._named(one) for one in patterns]  # the first error has the number of its group

    def _alone(self, pattern: _Pattern) -> Posterior:
        counts, last = pattern
        if not self._counted(pattern):
            return value_given_position(np.array(counts, np.int64), self.rule, self.rng, last=last)
        chance = positive_given_position(sum(counts), counts[0], self.rule, last=last)
        return Posterior.exact(np.stack([chance, 1.0 - chance], axis=1))

    def _named(self, pattern: _Pattern) -> Posterior:
        """Return the solution of a pattern; an error has the group's number."""
        try:
            return self._alone(pattern)
        except ContradictionError:
            counts, last = pattern
            place = message("group {group}", group=self.group[pattern])
            if last is not None:
                place = message("group {group}, the last,", group=self.group[pattern])
            if last == "merged":
                place = message("group {group}, the last, with others merged into it,", group=self.group[pattern])
            msg = message(
                "{place} must be one that greedy-grouping can have made by the rule that the release "
                "declares; no order of its {people} people leads to it. Correct made_by in release.json, or the groups",
                place=place,
                people=numeral(sum(counts)),
            )
            raise ContradictionError(msg) from None

    def means(self, pattern: Int64, begin: Int64, end: Int64, column: Int64) -> Iterator[Float64]:
        """Yield the mean over positions of P(value | position), of its error, and of each chain's, (entries,).

        Exact patterns are equal in every chain.
        """
        width = np.array([answer.value_given_position.shape[1] for answer in self.solved], np.int64)
        length = np.array([answer.value_given_position.shape[0] + 1 for answer in self.solved], np.int64)
        first = starts(length * width)
        flat = np.zeros(first[-1])
        sums = [
            flat[first[i] : first[i + 1]].reshape(length[i], width[i])[1:] for i in range(len(self.solved))
        ]  # cumulative over positions
        row = first[pattern] + column
        above, below = row + end * width[pattern], row + begin * width[pattern]

        def mean() -> Float64:
            return np.asarray((flat[above] - flat[below]) / (end - begin))

        for answer, into in zip(self.solved, sums, strict=True):
            np.cumsum(answer.error, axis=0, out=into)
        errors = mean()
        for answer, into in zip(self.solved, sums, strict=True):
            np.cumsum(answer.value_given_position, axis=0, out=into)
        yield mean()
        yield errors
        drawn = [
            (answer.draws, into) for answer, into in zip(self.solved, sums, strict=True) if answer.draws is not None
        ]
        for chain in range(CHAINS if drawn else 0):
            for draws, into in drawn:
                np.cumsum(draws[chain], axis=0, out=into)
            yield mean()

    def open(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return whether each pattern is unresolved."""
        return np.array([not answer.resolved for answer in self.solved], bool)


def _the_last(candidates: Int64, listed: _RuleCounts, patterns: _Patterns, tail: Tail) -> int:
    """Return the table's last group; of several whose people all tie, with equal beliefs, a possible one.

    At most one of them cannot be followed by another; else the rule cannot have made them all.
    """
    if candidates.size == 1:
        return int(candidates[0])
    groups = candidates.tolist()
    for wanted in (
        [g for g in groups if not patterns.can_be(listed.of_group(g), None)],
        [g for g in groups if patterns.can_be(listed.of_group(g), tail)],
    ):
        if wanted:
            return int(wanted[0])
    return int(groups[0])
