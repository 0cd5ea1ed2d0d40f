"""Ways to reason about a small table, side by side: every world is listed, every probability is a fraction.

A world says who holds which value. A way to reason is what it takes a world for before the table is seen: all worlds
for equally likely, or rows for draws from a distribution that it knows, or from one that it does not know. Only the
last can learn from one group about another, for only there does a row say something about the next.

References
----------
Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, section 3 (and section 7 on maximum entropy).
Du, Teng, Zhu. Privacy-MaxEnt: integrating background knowledge in privacy quantification. SIGMOD 2008.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import comb, prod
from typing import ClassVar, Protocol, TypeAlias

from unmask.errors import InvalidInputError

MOST_WORLDS = 200_000
"""More worlds than these are not listed: what a sampler is for."""

Profile: TypeAlias = tuple[Hashable, ...]
"""What is known of a row, attribute by attribute; None where nothing is."""

Belief: TypeAlias = tuple[Fraction, ...]
"""A probability for each value."""

_ONE = Fraction(1)


@dataclass(frozen=True)
class SmallTable:
    """Rows whose attributes are known, in groups of which only the list of values is."""

    profiles: tuple[Profile, ...]  # by row
    groups: tuple[tuple[int, ...], ...]  # the rows of each group
    lists: tuple[tuple[int, ...], ...]  # each group's values, in no order; fewer than rows: the others are unknown
    values: tuple[str, ...]
    levels: tuple[int, ...]  # how many values each attribute may have

    def __post_init__(self) -> None:
        if sorted(row for group in self.groups for row in group) != list(range(len(self.profiles))):
            msg = f"each of {len(self.profiles)} rows must be in one group"
            raise InvalidInputError(msg)
        for group, listed in zip(self.groups, self.lists, strict=True):
            if len(listed) > len(group):
                msg = f"a group must have at most as many values as rows; got {len(listed)} for {len(group)}"
                raise InvalidInputError(msg)
        if self.n_worlds > MOST_WORLDS:
            msg = (
                f"a table whose worlds are listed must have at most {MOST_WORLDS:,}; got {float(self.n_worlds):.2g}. "
                "Take fewer rows or smaller groups, or attack it: random-worlds and definetti take any size"
            )
            raise InvalidInputError(msg)

    @property
    def n_worlds(self) -> int:
        """How many worlds publish this table."""
        return prod(
            _n_arranged(len(group), Counter(listed), len(self.values))
            for group, listed in zip(self.groups, self.lists, strict=True)
        )

    @property
    def has_unknown(self) -> bool:
        """Say whether an attribute of some row is not known."""
        return any(None in profile for profile in self.profiles)

    @cached_property
    def arrangements(self) -> list[list[tuple[int, ...]]]:
        """List for each group all ways to give its rows their values."""
        return [
            _arranged(len(group), Counter(listed), len(self.values))
            for group, listed in zip(self.groups, self.lists, strict=True)
        ]

    def only(self, group: int) -> SmallTable:
        """Return the table as if only one group had been published; its rows are numbered anew, in their order."""
        rows = self.groups[group]
        one = (tuple(range(len(rows))),)
        return SmallTable(tuple(self.profiles[r] for r in rows), one, (self.lists[group],), self.values, self.levels)


class Reasoning(Protocol):
    """A way to reason."""

    name: ClassVar[str]
    learns: ClassVar[bool]  # whether one group may say something about another

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return for each row the probability of each value, given the table."""
        ...


@dataclass(frozen=True)
class RandomWorlds:
    """Take every world for equally likely.

    Where a group's list is complete, each value is believed in proportion to its share in the group.
    """

    name: ClassVar[str] = "random worlds"
    learns: ClassVar[bool] = False

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the share of worlds in which a row holds a value."""
        return _listed(table, lambda _row, _value, _seen: (1, 1))


@dataclass(frozen=True)
class Independent:
    """Take rows for independent draws from a distribution that is known.

    Whatever the distribution is, a row says nothing of another one. `value_given` maps a profile to the probability
    of each value; profiles that are not in it have all values alike.
    """

    name: ClassVar[str] = "i.i.d."
    learns: ClassVar[bool] = False
    value_given: Mapping[Profile, Sequence[Fraction]] = field(default_factory=dict)

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the share of worlds, each weighted by its probability under the known distribution."""
        alike = [_ONE] * len(table.values)
        given = [self.value_given.get(profile, alike) for profile in table.profiles]
        return _listed(table, lambda row, value, _seen: Fraction(given[row][value]).as_integer_ratio())


@dataclass(frozen=True)
class TupleIndependent:
    """Take rows for independent draws, each from a distribution of its own that is known.

    `value_of` gives for each row the probability of each value; rows that are not in it have all values alike.
    """

    name: ClassVar[str] = "tuple-independent"
    learns: ClassVar[bool] = False
    value_of: Mapping[int, Sequence[Fraction]] = field(default_factory=dict)

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the share of worlds, each weighted by the product of its rows' probabilities."""
        alike = [_ONE] * len(table.values)
        given = [self.value_of.get(row, alike) for row in range(len(table.profiles))]
        return _listed(table, lambda row, value, _seen: Fraction(given[row][value]).as_integer_ratio())


@dataclass(frozen=True)
class MaximumEntropy:
    """Believe whatever is least committed among all beliefs that give each group the values it publishes.

    Nothing that is published tells the rows of a group apart, so all of them get the same belief: a value's share in
    the group, or, where values of the group are unknown, what is as even as the known ones allow.
    """

    name: ClassVar[str] = "maximum entropy"
    learns: ClassVar[bool] = False

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the beliefs of largest entropy; they are not computed from worlds."""
        result: list[Belief] = [()] * len(table.profiles)
        for group, listed in zip(table.groups, table.lists, strict=True):
            floor = [Fraction(listed.count(v), len(group)) for v in range(len(table.values))]
            level = _water_level(floor)
            for row in group:
                result[row] = tuple(max(part, level) for part in floor)
        return tuple(result)


@dataclass(frozen=True)
class Exchangeable:
    """Take rows for draws from one distribution that is not known: every combination has its own probability.

    By deFinetti's theorem this is what it means that the order of rows does not matter. The prior is Dirichlet with
    parameter `alpha` on all combinations of attributes and value; 1 is uniform.
    """

    name: ClassVar[str] = "exchangeable"
    learns: ClassVar[bool] = True
    alpha: Fraction = _ONE

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the share of worlds, each weighted by its probability with the distribution integrated out."""
        p, q = Fraction(self.alpha).as_integer_ratio()
        kinds = prod(table.levels) * len(table.values)
        if table.has_unknown:
            msg = "every attribute must be known to reason about combinations of them; some are missing"
            raise InvalidInputError(msg)

        def chance(row: int, value: int, seen: Counter[Hashable]) -> tuple[int, int]:
            cell = table.profiles[row], value
            result = q * seen[cell] + p, q * seen["rows"] + p * kinds
            seen[cell] += 1
            seen["rows"] += 1
            return result

        return _listed(table, chance)


@dataclass(frozen=True)
class NaiveBayes:
    """Take rows for draws from an unknown distribution in which attributes are independent given the value.

    The model of the deFinetti attack: the distribution of values, and that of each attribute given a value, have a
    Dirichlet prior with parameter `alpha` (values: always 1); 1 is uniform.
    """

    name: ClassVar[str] = "Naive Bayes"
    learns: ClassVar[bool] = True
    alpha: Fraction = _ONE

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the share of worlds, each weighted by its probability with the distributions integrated out."""
        p, q = Fraction(self.alpha).as_integer_ratio()

        def chance(row: int, value: int, seen: Counter[Hashable]) -> tuple[int, int]:
            above, below = seen[value] + 1, seen["rows"] + len(table.values)
            seen[value] += 1
            seen["rows"] += 1
            for i, (level, kinds) in enumerate(zip(table.profiles[row], table.levels, strict=True)):
                if level is not None:
                    above *= q * seen[i, level, value] + p
                    below *= q * seen[i, value] + p * kinds
                    seen[i, level, value] += 1
                    seen[i, value] += 1
            return above, below

        return _listed(table, chance)


def models() -> tuple[Reasoning, ...]:
    """Return one of each: first those that cannot learn, then those that can."""
    return RandomWorlds(), Independent(), TupleIndependent(), MaximumEntropy(), Exchangeable(), NaiveBayes()


def from_own_group(model: Reasoning, table: SmallTable) -> tuple[Belief, ...]:
    """Return what would be believed of each row had only its own group been published."""
    result: list[Belief] = [()] * len(table.profiles)
    for number, rows in enumerate(table.groups):
        for row, belief in zip(rows, model.believe(table.only(number)), strict=True):
            result[row] = belief
    return tuple(result)


_Chance: TypeAlias = Callable[[int, int, "Counter[Hashable]"], tuple[int, int]]
"""The probability that a row holds a value, given the rows before it, which it adds itself to: above and below."""


def _listed(table: SmallTable, chance: _Chance) -> tuple[Belief, ...]:
    """List all worlds, row by row, and return how much of their weight gives each row each value.

    Weights are added up by their denominators, of which there are few: so most of the work is with whole numbers.
    """
    held: list[list[Counter[int]]] = [[Counter() for _ in table.values] for _ in table.profiles]

    def visit(number: int, above: int, below: int, seen: Counter[Hashable]) -> Counter[int]:
        if number == len(table.groups):
            return Counter({below: above})
        total: Counter[int] = Counter()
        for arrangement in table.arrangements[number]:
            up, down, after = above, below, Counter(seen)
            for row, value in zip(table.groups[number], arrangement, strict=True):
                one = chance(row, value, after)
                up, down = up * one[0], down * one[1]
            if not up:
                continue
            weight = visit(number + 1, up, down, after)
            total.update(weight)
            for row, value in zip(table.groups[number], arrangement, strict=True):
                held[row][value].update(weight)
        return total

    total = _sum(visit(0, 1, 1, Counter()))
    if not total:
        msg = "what is believed beforehand must leave some world possible that publishes this table; it leaves none"
        raise InvalidInputError(msg)
    return tuple(tuple(_sum(part) / total for part in row) for row in held)


def _sum(weights: Counter[int]) -> Fraction:
    return sum((Fraction(above, below) for below, above in weights.items()), Fraction(0))


def _arranged(n: int, listed: Counter[int], n_values: int) -> list[tuple[int, ...]]:
    """List the ways to give n rows the listed values, the others any."""
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
    """Count these ways without listing them."""
    ways = [1] + [0] * n
    for value in range(n_values):
        after = [0] * (n + 1)
        for before, count in enumerate(ways):
            for copies in range(listed[value], n - before + 1):
                after[before + copies] += count * comb(before + copies, copies)
        ways = after
    return ways[n]


def _water_level(floor: Sequence[Fraction]) -> Fraction:
    """Return the level to which shares must be raised so that they add up to 1."""
    for n in range(len(floor), 0, -1):  # the n lowest are raised
        lowest, above = sorted(floor)[:n], sorted(floor)[n:]
        level = (1 - sum(above, Fraction(0))) / n
        if level >= lowest[-1]:
            return level
    return Fraction(0)
