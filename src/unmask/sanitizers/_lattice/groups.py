"""Equivalence classes at the nodes of a lattice, joined from those of finer nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, starts
from unmask.compiled_code import njit
from unmask.masks.levels import LevelLabels
from unmask.sanitizers._lattice.joins import EMPTY, ROOM, add_column, join, join_hashed

Node = tuple[int, ...]
"""A level for each column."""

_KEYS = 1 << 62  # labels that one number can distinguish
_WAYPOINTS = 2  # columns, those with most values first, whose levels are kept as a start for others
_WORTH_KEEPING = 0.75  # a start that saves less than a quarter of the work is not kept


@dataclass(eq=False)
class LatticeGroups:
    """The equivalence classes at a node of the lattice: their sizes, and an example of each."""

    size: Int64  # (groups,)
    finer: LatticeGroups | None  # the joined groups; None for ungeneralized values
    number: Int32  # (finer groups,) the group that each became
    example: Int64  # (groups,) one of the finer groups
    own: Int32 = field(
        default_factory=lambda: np.zeros((0, 0), np.int32)
    )  # (attributes, groups) the leaves, without finer groups

    @cached_property
    def codes(self) -> Int32:
        """The leaves of one member, (attributes, groups): they determine all coarser labels."""
        return self.own if self.finer is None else self.finer.codes[:, self.example]

    @cached_property
    def of_profile(self) -> Int32:
        """The group of each distinct row of all people, (profiles,); negative where it is in none."""
        if self.finer is None:
            return self.number
        finer = self.finer.of_profile
        return np.where(finer < 0, np.int32(-1), self.number[finer])

    def some(self, chosen: Bool) -> LatticeGroups:
        """Return some of the groups of distinct rows, as if there were no others."""
        number = np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int32)
        finer = self.number
        of_profile = np.where(finer < 0, np.int32(-1), number[finer])
        return LatticeGroups(self.size[chosen], None, of_profile, np.flatnonzero(chosen), self.codes[:, chosen])

    @classmethod
    def of_profiles(cls, codes: Int32, size: Int64) -> LatticeGroups:
        """Form a group of each distinct row, whose leaves are (attributes, profiles)."""
        every = np.arange(size.size)
        return cls(size, None, every.astype(np.int32), every, np.ascontiguousarray(codes))


def profiles_in(groups: LatticeGroups, chosen: Bool) -> Bool:
    """Return whether each distinct row of all people, (profiles,), is in one of the chosen groups, (groups,)."""
    return np.append(chosen, False)[groups.of_profile]


def profiles_of(levels: Sequence[LevelLabels]) -> tuple[Int32, LatticeGroups]:
    """Return the distinct row of each row, (rows,), and the distinct rows as groups, in an order of their own."""
    n_labels = [len(one.texts) for one in levels]
    if math.prod(n_labels) >= _KEYS:
        number, example = distinct_rows(np.stack([one.leaf for one in levels], axis=1))
        size = np.bincount(number, minlength=example.size)
    else:
        keys, unit = np.zeros(levels[0].leaf.size if levels else 0, np.int64), 1
        for one, n in zip(levels, n_labels, strict=True):
            add_column(keys, one.leaf, unit)
            unit *= n
        number, example, size = join_hashed(keys, np.ones(keys.size, np.int64))
        order = np.argsort(keys[example])
        place = np.empty(order.size, np.int32)
        place[order] = np.arange(order.size, dtype=np.int32)
        number = place[number]
        example, size = example[order], size[order]
    return number, LatticeGroups.of_profiles(np.stack([one.leaf[example] for one in levels]), size)


@dataclass(eq=False)
class Lattice:
    """All combinations of one level for each column, and the groups of people at each."""

    levels: tuple[LevelLabels, ...]
    profiles: LatticeGroups  # ungeneralized values
    first: Int64 = field(init=False)  # (attributes,) the start of each column's leaves
    _label: Int64 = field(init=False)  # labels of all leaves on all levels, one after another
    _begin: Int64 = field(init=False)  # (attributes, most levels) the start of each level's labels
    _n_labels: Int64 = field(init=False)  # (attributes, most levels)
    _known: dict[Node, LatticeGroups] = field(init=False)
    _order: list[int] = field(init=False)
    _table: Int32 = field(init=False)
    _is_packed: bool = field(init=False)

    def __post_init__(self) -> None:
        self.first = starts(np.array([len(one.texts) for one in self.levels]))[:-1]
        depth = max((one.n for one in self.levels), default=0)
        self._begin = np.zeros((len(self.levels), depth), np.int64)
        self._n_labels = np.ones((len(self.levels), depth), np.int64)
        at, labels = 0, [np.zeros(0, np.int32)]
        for i, one in enumerate(self.levels):
            for level, label in enumerate(one.label_of):
                self._begin[i, level], self._n_labels[i, level] = at, one.n_labels(level)
                labels.append(label)
                at += label.size
        self._label = np.concatenate(labels).astype(np.int64)
        self._known = {self.bottom: self.profiles}
        distinct = [np.count_nonzero(np.bincount(codes)) for codes in self.profiles.codes]
        self._order = [int(i) for i in np.argsort(distinct, kind="stable")[::-1]]
        self._is_packed = math.prod(int(n) for n in self._n_labels.max(axis=1, initial=1)) < _KEYS
        self._table = np.full(max(ROOM, 4 * self.profiles.size.size), EMPTY, np.int32)

    @cached_property
    def refines(self) -> tuple[Bool, ...]:
        """Whether the labels of one level determine those of another, for each column, (levels, levels)."""
        return tuple(one.refines() for one in self.levels)

    @property
    def shape(self) -> Node:
        """The number of levels of each column."""
        return tuple(one.n for one in self.levels)

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return math.prod(self.shape)

    @property
    def bottom(self) -> Node:
        """The node of ungeneralized values."""
        return (0,) * len(self.levels)

    @property
    def top(self) -> Node:
        """The coarsest level of each column."""
        return tuple(n - 1 for n in self.shape)

    def groups(self, node: Node) -> LatticeGroups:
        """Return the groups at a node, joined from those at some node on the way to it."""
        at, base = list(self.bottom), self.profiles
        for i in self._order[:_WAYPOINTS]:
            at[i] = node[i]
            here = tuple(at)
            if here not in self._known:
                made = self.joined(here, base)
                worth = made.size.size <= _WORTH_KEEPING * base.size.size
                self._known[here] = made if worth else base
            base = self._known[here]
        return self.joined(node, base)

    def joined(self, node: Node, base: LatticeGroups) -> LatticeGroups:
        """Join groups that have the same labels at a node."""
        if not self._is_packed:  # too many labels for one number
            labels = [one.label_of[level][c] for one, level, c in zip(self.levels, node, base.codes, strict=True)]
            number, example = distinct_rows(np.stack(labels, axis=1))
            return LatticeGroups(np.bincount(number, weights=base.size).astype(np.int64), base, number, example)
        at = np.array(node, np.int64)
        number, example, size = join(base.codes, base.size, at, self._label, self._begin, self._n_labels, self._table)
        return LatticeGroups(size, base, number, example)


@njit(cache=True, nogil=True)
def cost_of(codes: Int32, size: Int64, chosen: Bool, first: Int64, cost: Float64) -> Float64:
    """Return the cost of publishing some groups in each column, (attributes,), from the cost of each leaf."""
    result = np.zeros(codes.shape[0])
    for g in range(size.size):
        if chosen[g]:
            for i in range(codes.shape[0]):
                result[i] += size[g] * cost[first[i] + codes[i, g]]
    return result


@njit(cache=True, nogil=True)
def count_values(of_profile: Int32, place: Int32, profile: Int32, value: Int32, times: Int64, counts: Float64) -> None:
    """Add the values of profiles to the counts of their groups; `place` is a group's row, or negative."""
    for entry in range(profile.size):
        group = of_profile[profile[entry]]
        if group >= 0 and place[group] >= 0:
            counts[place[group], value[entry]] += times[entry]
