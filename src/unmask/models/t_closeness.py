"""t-closeness: a bound on the distance between the values of a group and those of the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.errors import InvalidInputError
from unmask.models.privacy_model import PrivacyModel, distribution, shares
from unmask.numerics.rounding import TOLERANCE
from unmask.parameters import check_parameters
from unmask.schema import Attribute, Ordered
from unmask.wording import message

Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]


def _check(limit: float) -> None:
    if not 0 <= limit <= 1:
        msg = message("t must lie between 0 and 1; got {limit}", limit=limit)
        raise InvalidInputError(msg)


def _as_many(share: Float64, everywhere: Float64) -> Float64:
    """Return the shares of groups, (groups, values), scaled up where their sum is below that of the whole table.

    The shares sum to the mean number of values per person, which is lower in a group with only some of their rows. That
    alone is no distance, and gains are never reduced.
    """
    total, whole = share.sum(axis=1), float(everywhere.sum())
    fewer = total < whole - TOLERANCE
    if not fewer.any():
        return share
    return np.asarray(share * np.where(fewer, whole / np.maximum(total, TOLERANCE), 1.0)[:, None])


def _moved(share: Float64, everywhere: Float64) -> Float64:
    """Return the total variation of each group from the whole table, (groups,), at most 1; a surplus counts in full."""
    difference = share - everywhere
    beyond = np.abs(difference.sum(axis=1))
    return np.asarray(np.minimum(0.5 * (np.abs(difference, out=difference).sum(axis=1) + beyond), 1.0))


@dataclass(frozen=True)
class TCloseness:
    """Require that the distance between the values of every group and of the whole table is at most t.

    The group then reveals little beyond the table. The distance is the earth mover's: how much of the distribution
    must be moved, and how far, to turn one into the other.

    Assumes
        `ordered`: an order of the values; `hierarchical`: nested levels over all of them. A missing value that counts
        as one more value lies below all others, or directly under the root.
    Measures
        `equal` (any two values are equally far apart): `½ Σ |p − q|`. `ordered`: `Σ_i |Σ_{j ≤ i} (p_j − q_j)| /
        (m − 1)` over the m values that occur in the whole table, 0 for m = 1. `hierarchical` (values are as far apart
        as the level at which they meet): the mean over the levels below the root of the equal distance between the
        labels of that level, which equals the sum over inner nodes of `level / height · min(excess, lack)`. Where
        people have several values, p and q are the shares of people with each, scaled up where their sum is lower in a
        group; a surplus of the group counts at the full distance. All distances are at most 1: then every person of the
        group must change.
    Fails
        With `InvalidInputError` where t is not between 0 and 1, a column has no order or no hierarchy, or the levels
        of the hierarchy are not nested.

    References
    ----------
    Li, Li, Venkatasubramanian. t-closeness: privacy beyond k-anonymity and l-diversity. ICDE 2007.
    """

    name: ClassVar[str] = "t"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    parameters: ClassVar[tuple[str, ...]] = ("distance",)
    limit: float = 0.2
    distance: Distance = "equal"

    def __post_init__(self) -> None:
        check_parameters(self)
        _check(self.limit)

    def bound(self, attribute: Attribute) -> PrivacyModel:
        """Return the model with the order or the hierarchy of an attribute."""
        if self.distance == "ordered":
            return _OrderedT(self.limit, _order(attribute))
        if self.distance == "hierarchical":
            return _TreeT(self.limit, *_runs(_levels(attribute)))
        return self

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the distance of each group from the whole table, (groups,); NaN where no value is known."""
        del size
        if self.distance != "equal":
            msg = message(
                "t with distance={distance} must be bound to an attribute; got none. Call `bound` first",
                distance=self.distance,
            )
            raise InvalidInputError(msg)
        return np.where(counts.sum(axis=1) > 0, self.score_shares(shares(counts), distribution(overall)), np.nan)

    def score_shares(self, share: Float64, everywhere: Float64) -> Float64:
        """Return the distance of each group from the shares of people with each value."""
        return _moved(_as_many(share, everywhere), everywhere)


@dataclass(frozen=True, eq=False)
class _OrderedT:
    name: ClassVar[str] = "t"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    limit: float
    order: Int64  # (values,) codes from the least to the greatest

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        del size
        return np.where(counts.sum(axis=1) > 0, self.score_shares(shares(counts), distribution(overall)), np.nan)

    def score_shares(self, share: Float64, everywhere: Float64) -> Float64:
        occurs = self.order[everywhere[self.order] > 0]
        if occurs.size < 2:
            return np.zeros(share.shape[0])
        difference = share[:, occurs]
        difference -= everywhere[occurs]
        np.cumsum(difference, axis=1, out=difference)
        if not (np.abs(difference[:, -1]) > TOLERANCE).any():
            return np.asarray(np.abs(difference, out=difference).sum(axis=1) / (occurs.size - 1))
        difference = np.cumsum(_as_many(share, everywhere)[:, occurs] - everywhere[occurs], axis=1)
        beyond = np.abs(difference[:, -1])  # some person has several values
        rises, falls = (np.abs(one).sum(axis=1) for one in (difference[:, :-1], difference - difference[:, -1:]))
        return np.asarray(np.minimum(np.maximum(rises, falls) / (occurs.size - 1) + beyond, 1.0))


@dataclass(frozen=True, eq=False)
class _TreeT:
    name: ClassVar[str] = "t"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    limit: float
    order: Int64  # (values,) codes in the order of the tree, so that every label is a run
    first: tuple[Int64, ...]  # per level below the root, (labels,) where each label's run begins among those below

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        del size
        return np.where(counts.sum(axis=1) > 0, self.score_shares(shares(counts), distribution(overall)), np.nan)

    def score_shares(self, share: Float64, everywhere: Float64) -> Float64:
        total = np.zeros(share.shape[0])
        merged, whole = _as_many(share, everywhere)[:, self.order], everywhere[self.order]
        for first in self.first:
            if first.size < whole.size:
                merged, whole = np.add.reduceat(merged, first, axis=1), np.add.reduceat(whole, first)
            total += _moved(merged, whole)
        return total / len(self.first)


def _order(attribute: Attribute) -> Int64:
    """Return the codes of an attribute's values from the least to the greatest; a missing one counts as least."""
    if not isinstance(attribute.domain, Ordered):
        msg = message(
            "column {attribute} must have an order for t with distance=ordered; got a category. Declare one "
            "with --order, or use distance=equal",
            attribute=repr(attribute.name),
        )
        raise InvalidInputError(msg)
    present = np.array([value != attribute.mark for value in attribute.values], bool)
    return np.argsort(present, kind="stable")


def _levels(attribute: Attribute) -> tuple[Int32, ...]:
    """Return the label of each value on each level below the root, (values,); a missing one is a label of its own."""
    hierarchy = attribute.hierarchy
    if hierarchy is None:
        msg = message(
            "column {attribute} must have a hierarchy for t with distance=hierarchical; got none. Give one "
            "with --hierarchy, or use distance=equal",
            attribute=repr(attribute.name),
        )
        raise InvalidInputError(msg)
    if not hierarchy.is_nested():
        msg = message(
            "the levels of the hierarchy of column {attribute} must be nested for distance=hierarchical; got "
            "levels that cut across each other. Use distance=equal or distance=ordered",
            attribute=repr(attribute.name),
        )
        raise InvalidInputError(msg)
    values = attribute.values
    hierarchy.require(attribute.name, (value for value in values if value != attribute.mark))
    place = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
    leaf = np.array([place.get(value, -1) for value in values], np.int64)
    levels = [np.arange(len(hierarchy.leaves), dtype=np.int32), *hierarchy.label_of]
    rooted = len(levels) > 1 and np.unique(levels[-1]).size == 1
    below = levels[:-1] if rooted else levels  # without one top label, a root is added above
    return tuple(np.where(leaf < 0, np.int32(level.max() + 1), level[leaf]).astype(np.int32) for level in below)


def _runs(levels: Sequence[Int32]) -> tuple[Int64, tuple[Int64, ...]]:
    """Return an order of the values in which every label of nested levels is a run, and the first index of each run."""
    order = np.lexsort(levels)
    first, below = [], np.arange(order.size)
    for level in levels:
        begins = np.flatnonzero(np.diff(level[order], prepend=-1))
        first.append(np.searchsorted(below, begins))
        below = begins
    return order, tuple(first)


EXAMPLES = (TCloseness(),)
