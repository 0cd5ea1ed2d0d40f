"""Judgement of the sides of cuts by a privacy model, all nodes of one depth together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from unmask.arrays import Bool, Int32, Int64
from unmask.sanitizers._median_cuts import sides

Accept: TypeAlias = Callable[[Int64, tuple[Int64, ...]], Bool]
"""From sizes (nodes,) and, per sensitive attribute, counts (nodes, values): whether each node is safe as a group."""

AcceptPeople: TypeAlias = Callable[[Int64, tuple[Int64, ...], tuple[Int64, ...]], Bool]
"""The same from people (nodes,) and, per sensitive attribute, people with a known value (nodes,), and with each."""

Refuse: TypeAlias = Callable[[Int64, Int64, Int64, Int64, sides.SideBuffers], Bool]
"""From starts, stops, some nodes, where the sides of each begin (one more than nodes), and rows: which are refused."""


def refuse_rows(rows: Int32, n_attributes: int, accept: Accept, n_values: tuple[int, ...]) -> Refuse:
    """Return the function that refuses a node where the model rejects a side; one row per person."""

    def refuse(start: Int64, stop: Int64, nodes: Int64, first: Int64, buffers: sides.SideBuffers) -> Bool:
        size = np.zeros(first[-1], np.int64)
        sides.sizes(start, stop, nodes, first, size, buffers)
        counts = []
        for column, n in enumerate(n_values, start=n_attributes):
            own = np.zeros((size.size, n), np.int64)
            sides.count(rows, start, stop, nodes, first, column, own, buffers)
            counts.append(own)
        return _refused(accept(size, tuple(counts)), first)

    return refuse


def refuse_people(
    rows: Int32, n_attributes: int, accept: AcceptPeople, value_of: Sequence[Int32], n_values: tuple[int, ...]
) -> Refuse:
    """Return the same where people have several rows; `value_of` holds the values of the pairs in the rows."""

    def refuse(start: Int64, stop: Int64, nodes: Int64, first: Int64, buffers: sides.SideBuffers) -> Bool:
        n = int(first[-1])
        size, nothing, no_pairs = np.zeros(n, np.int64), np.zeros((n, 0), np.int64), np.zeros(0, np.int32)
        sides.count_people(rows, start, stop, nodes, first, -1, no_pairs, size, nothing, np.zeros(0, np.int64), buffers)
        known, counts = [], []
        for column, (width, own) in enumerate(zip(n_values, value_of, strict=True), start=n_attributes):
            people, values = np.zeros(n, np.int64), np.zeros((n, width), np.int64)
            seen = np.full(own.size, -1, np.int64)
            sides.count_people(rows, start, stop, nodes, first, column, own, people, values, seen, buffers)
            known.append(people)
            counts.append(values)
        return _refused(accept(size, tuple(known), tuple(counts)), first)

    return refuse


def _refused(fits: Bool, first: Int64) -> Bool:
    """Return whether each node has a rejected side; every node has sides."""
    return np.asarray(~np.logical_and.reduceat(fits, first[:-1]))
