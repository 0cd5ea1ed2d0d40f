"""Possible worlds of a small table: all assignments of values to rows, and their weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, factorial, prod
from typing import TypeAlias

from unmask.errors import InvalidInputError, ResourceError
from unmask.number_format import numeral
from unmask.runtime.cost import require_time
from unmask.wording import message

MOST_WORLDS = 200_000
"""The most worlds that are listed."""

MOST_SECONDS = 60.0
"""The longest time to list all worlds, in seconds."""

_PER_STEP, _PER_ATTRIBUTE = 2.5e-6, 1e-6  # seconds to place a row in a world, by both methods that learn: measured
_WAY_OUT = message("Take fewer rows or smaller groups, or attack it: random-worlds and definetti take any size")

Profile: TypeAlias = tuple[Hashable, ...]
"""The known attributes of a row; None where unknown."""

Belief: TypeAlias = tuple[Fraction, ...]
"""A probability for each value."""

Chance: TypeAlias = Callable[[int, int, "Counter[Hashable]"], tuple[int, int]]
"""The probability of a row's value given the rows before it, to which it is added: numerator and denominator."""

_LARGE = 1000
"""Rows of a group with unknown values above which its worlds are not counted."""


@dataclass(frozen=True)
class SmallTable:
    """Rows with known attributes, in groups with a known list of values."""

    profiles: tuple[Profile, ...]  # by row
    groups: tuple[tuple[int, ...], ...]  # the rows of each group
    lists: tuple[tuple[int, ...], ...]  # each group's values, unordered; the rest of its rows have unknown values
    values: tuple[str, ...]
    levels: tuple[int, ...]  # number of possible values of each attribute

    def __post_init__(self) -> None:
        if sorted(row for group in self.groups for row in group) != list(range(len(self.profiles))):
            msg = message("each of {n} rows must be in one group", n=len(self.profiles))
            raise InvalidInputError(msg)
        for group, listed in zip(self.groups, self.lists, strict=True):
            if len(listed) > len(group):
                msg = message(
                    "a group must have at most as many values as rows; got {n} for {rows}",
                    n=len(listed),
                    rows=len(group),
                )
                raise InvalidInputError(msg)
        if self.n_worlds > MOST_WORLDS:
            msg = message(
                "a table whose worlds are listed must have at most {most_worlds}; this one has more. {way_out}",
                most_worlds=numeral(MOST_WORLDS),
                way_out=_WAY_OUT,
            )
            raise ResourceError(msg)
        require_time(message("listing all worlds of a table"), self._seconds(), _WAY_OUT, most=MOST_SECONDS)

    @property
    def n_worlds(self) -> int:
        """The number of worlds that agree with this table, at most `MOST_WORLDS` + 1."""
        total = 1
        for group, listed in zip(self.groups, self.lists, strict=True):
            free = len(group) - len(listed)
            if free and len(group) > _LARGE and len(self.values) > 1:
                return MOST_WORLDS + 1
            total *= _n_arranged(len(group), Counter(listed), len(self.values))
            if total > MOST_WORLDS:
                return MOST_WORLDS + 1
        return total

    def _seconds(self) -> float:
        """Return the estimated seconds to list all worlds by all methods that learn."""
        steps, worlds = 0, 1
        for group, listed in zip(self.groups, self.lists, strict=True):
            ways = _n_arranged(len(group), Counter(listed), len(self.values))
            worlds *= ways
            steps += worlds * len(group) if ways > 1 else 0
        return steps * (_PER_STEP + _PER_ATTRIBUTE * len(self.levels))

    @property
    def has_unknown(self) -> bool:
        """Whether an attribute of some row is unknown."""
        return any(None in profile for profile in self.profiles)

    @cached_property
    def arrangements(self) -> list[list[tuple[int, ...]]]:
        """For each group, all assignments of its values to its rows."""
        return [
            _arranged(len(group), Counter(listed), len(self.values))
            for group, listed in zip(self.groups, self.lists, strict=True)
        ]

    def only(self, group: int) -> SmallTable:
        """Return the table of one group alone; its rows are renumbered in their order."""
        rows = self.groups[group]
        one = (tuple(range(len(rows))),)
        return SmallTable(tuple(self.profiles[r] for r in rows), one, (self.lists[group],), self.values, self.levels)

    def placed(self, group: int, arrangement: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield each row of a group with its value."""
        return zip(self.groups[group], arrangement, strict=True)


def weighed(table: SmallTable, chance: Chance) -> tuple[Belief, ...]:
    """Return the share of the weight of all worlds in which each row has each value.

    Rows with the same value in all worlds come first, and are counted once. Weights are added by their denominators,
    of which there are few: so most of the work is with whole numbers.

    Fails
        With `InvalidInputError` where no world has a positive weight.
    """
    held: list[list[Counter[int]]] = [[Counter() for _ in table.values] for _ in table.profiles]
    settled = [number for number, ways in enumerate(table.arrangements) if len(ways) == 1]
    open_ = [number for number, ways in enumerate(table.arrangements) if len(ways) > 1]

    def visit(depth: int, above: int, below: int, seen: Counter[Hashable]) -> Counter[int]:
        if depth == len(open_):
            return Counter({below: above})
        total: Counter[int] = Counter()
        for arrangement in table.arrangements[open_[depth]]:
            after = Counter(seen)
            up, down = _product(chance, table.placed(open_[depth], arrangement), after)
            weight = visit(depth + 1, above * up, below * down, after) if up else Counter()
            total.update(weight)
            for row, value in table.placed(open_[depth], arrangement):
                held[row][value].update(weight)
        return total

    learned: Counter[Hashable] = Counter()
    known = [one for number in settled for one in table.placed(number, table.arrangements[number][0])]
    possible = all([chance(row, value, learned)[0] for row, value in known])  # noqa: C419 - `learned` needs all of them
    weights = visit(0, int(possible), 1, learned)
    total = _sum(weights)
    if not total:
        msg = message(
            "the prior must give a positive probability to a world that agrees with this table; it gives none"
        )
        raise InvalidInputError(msg)
    for row, value in known:
        held[row][value] = weights
    return tuple(tuple(_sum(part) / total for part in row) for row in held)


def weighed_by_group(table: SmallTable, chance: Chance) -> tuple[Belief, ...]:
    """Return the same for independent rows: groups are listed one by one, not their combinations.

    Fails
        With `InvalidInputError` where some group has no possible values.
    """
    result: list[Belief] = [()] * len(table.profiles)
    for number, rows in enumerate(table.groups):

        def in_table(row: int, value: int, seen: Counter[Hashable], rows: tuple[int, ...] = rows) -> tuple[int, int]:
            return chance(rows[row], value, seen)

        for row, belief in zip(rows, weighed(table.only(number), in_table), strict=True):
            result[row] = belief
    return tuple(result)


def _product(chance: Chance, placed: Iterator[tuple[int, int]], seen: Counter[Hashable]) -> tuple[int, int]:
    up, down = 1, 1
    for row, value in placed:
        one = chance(row, value, seen)
        up, down = up * one[0], down * one[1]
    return up, down


def _sum(weights: Counter[int]) -> Fraction:
    return sum((Fraction(above, below) for below, above in weights.items()), Fraction(0))


def _arranged(n: int, listed: Counter[int], n_values: int) -> list[tuple[int, ...]]:
    """Return the assignments of the listed values to n rows, the rest with any values."""
    if n == 0:
        return [()]
    free = n - listed.total()
    result = []
    for value in range(n_values):
        if listed[value] or free:
            rest = listed.copy()
            rest[value] = max(rest[value] - 1, 0)
            result += [(value, *others) for others in _arranged(n - 1, rest, n_values)]
    return result


def _n_arranged(n: int, listed: Counter[int], n_values: int) -> int:
    """Return the number of these assignments."""
    if listed.total() == n:
        return factorial(n) // prod(factorial(copies) for copies in listed.values())
    ways = [1] + [0] * n
    for value in range(n_values):
        after = [0] * (n + 1)
        for before, count in enumerate(ways):
            for copies in range(listed[value], n - before + 1):
                after[before + copies] += count * comb(before + copies, copies)
        ways = after
    return ways[n]
