"""Inference methods on a small table: priors over possible worlds, with exact posteriors as fractions.

A world assigns a value to each row. A method is a prior over worlds: uniform, or rows drawn from a known distribution,
or from an unknown one. Only the last can learn from one group about another, since only there are rows dependent.

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
from unmask.wording import marked, message

_ONE = Fraction(1)


class Reasoning(Protocol):
    """An inference method."""

    name: ClassVar[str]
    learns: ClassVar[bool]  # whether groups are evidence about each other

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the posterior of each row, given the table."""
        ...


@dataclass(frozen=True)
class RandomWorlds:
    """Uniform prior over worlds.

    Where a group's list is complete, the posterior of a value is its share in the group.
    """

    name: ClassVar[str] = marked("random worlds")
    learns: ClassVar[bool] = False

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the share of worlds in which a row has a value."""
        return weighed_by_group(table, lambda _row, _value, _seen: (1, 1))


@dataclass(frozen=True)
class Independent:
    """Rows are independent draws from a known distribution.

    Rows are no evidence about each other. `value_given` maps a profile to the probability of each value; other
    profiles have all values with equal probability.
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
    """Rows are independent draws, each from its own known distribution.

    `value_of` maps a row to the probability of each value; other rows have all values with equal probability.
    """

    name: ClassVar[str] = marked("tuple-independent")
    learns: ClassVar[bool] = False
    value_of: Mapping[int, Sequence[Fraction]] = field(default_factory=dict)

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the share of worlds, each weighted by the product of its rows' probabilities."""
        alike = [_ONE] * len(table.values)
        given = [self.value_of.get(row, alike) for row in range(len(table.profiles))]
        return weighed_by_group(table, lambda row, value, _seen: Fraction(given[row][value]).as_integer_ratio())


@dataclass(frozen=True)
class MaximumEntropy:
    """The beliefs of maximum entropy that give each group its published values.

    The constraints do not distinguish the rows of a group, so all of them have the same belief: a value's share in the
    group, or, where values of the group are unknown, the most even distribution that the known ones allow.
    """

    name: ClassVar[str] = marked("maximum entropy")
    learns: ClassVar[bool] = False

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the beliefs of maximum entropy; they are not computed from worlds."""
        result: list[Belief] = [()] * len(table.profiles)
        for group, listed in zip(table.groups, table.lists, strict=True):
            floor = [Fraction(listed.count(v), len(group)) for v in range(len(table.values))]
            level = _water_level(floor)
            for row in group:
                result[row] = tuple(max(part, level) for part in floor)
        return tuple(result)


@dataclass(frozen=True)
class Exchangeable:
    """Rows are draws from one unknown distribution over combinations of attributes and value.

    By deFinetti's theorem this is equivalent to exchangeable rows. The prior is Dirichlet with parameter `alpha` on all
    combinations; 1 is uniform.
    """

    name: ClassVar[str] = marked("exchangeable")
    learns: ClassVar[bool] = True
    alpha: Fraction = _ONE

    def believe(self, table: SmallTable) -> tuple[Belief, ...]:
        """Return the share of worlds, each weighted by its probability with the distribution integrated out."""
        p, q = Fraction(self.alpha).as_integer_ratio()
        kinds = prod(table.levels) * len(table.values)
        if table.has_unknown:
            msg = message("every attribute must be known to reason about combinations of them; some are missing")
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
    """Rows are draws from an unknown distribution in which attributes are independent given the value.

    The model of the deFinetti attack: the distribution of values, and that of each attribute given a value, have a
    Dirichlet prior with parameter `alpha` (values: always 1); 1 is uniform.
    """

    name: ClassVar[str] = marked("Naive Bayes")
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
    """Return one instance of each method: first those that cannot learn, then those that can."""
    return RandomWorlds(), Independent(), TupleIndependent(), MaximumEntropy(), Exchangeable(), NaiveBayes()


def from_own_group(model: Reasoning, table: SmallTable) -> tuple[Belief, ...]:
    """Return the posterior of each row if only its own group were published."""
    result: list[Belief] = [()] * len(table.profiles)
    for number, rows in enumerate(table.groups):
        for row, belief in zip(rows, model.believe(table.only(number)), strict=True):
            result[row] = belief
    return tuple(result)


def _water_level(floor: Sequence[Fraction]) -> Fraction:
    """Return the level to which shares must be raised for a sum of 1."""
    for n in range(len(floor), 0, -1):  # the n lowest are raised
        lowest, above = sorted(floor)[:n], sorted(floor)[n:]
        level = (1 - sum(above, Fraction(0))) / n
        if level >= lowest[-1]:
            return level
    return Fraction(0)
