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
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import ClassVar, Protocol

from unmask.errors import InvalidInputError
from unmask.reasoning.possible_worlds import Belief, Profile, SmallTable, weighed, weighed_by_group

_ONE = Fraction(1)


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
        return weighed_by_group(table, lambda _row, _value, _seen: (1, 1))


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
        return weighed_by_group(table, lambda row, value, _seen: Fraction(given[row][value]).as_integer_ratio())


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
        return weighed_by_group(table, lambda row, value, _seen: Fraction(given[row][value]).as_integer_ratio())


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

        return weighed(table, chance)


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

        return weighed(table, chance)


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


def _water_level(floor: Sequence[Fraction]) -> Fraction:
    """Return the level to which shares must be raised so that they add up to 1."""
    for n in range(len(floor), 0, -1):  # the n lowest are raised
        lowest, above = sorted(floor)[:n], sorted(floor)[n:]
        level = (1 - sum(above, Fraction(0))) / n
        if level >= lowest[-1]:
            return level
    return Fraction(0)
