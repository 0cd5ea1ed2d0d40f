"""Cuts into any number of sides, compiled: along the labels of a hierarchy, or by order with one of three rules.

Slower than `rule.py`, which has two sides and one rule. Here a proposal assigns each row of a node to a side, and puts
the rows of a side next to each other; later steps on sides are independent of the rule.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.compiled_code import njit
from unmask.sanitizers._median_cuts import people, rule
from unmask.sanitizers._median_cuts.rule import HIGH, LOW, NO_ATTRIBUTE, REGION_HIGH, REGION_LOW
from unmask.sanitizers._median_cuts.trees import Trees, child_at, lowest

NEAREST, LITERAL, RELAXED = 0, 1, 2


class SideBuffers(NamedTuple):
    """The side of each row, and buffers to compute it."""

    side: Int32  # (rows,)
    order: Int32  # (rows,) the rows of each node, side by side; rows of a side stay in their order
    n_on: Int64  # (most sides,)
    number: Int64  # (most sides,)
    seen: Int64  # (people,) the side on which each was last counted; empty: one row per person
    place: Int32  # (people,) all -1
    scratch: Int32


@njit(cache=True, nogil=True)
def _median(rows: Int32, start: int, stop: int, attribute: int, scratch: Int32) -> int:
    """Return the lower median of the codes of a node."""
    size = stop - start
    codes = scratch[:size]
    for row in range(size):
        codes[row] = rows[start + row, attribute]
    codes.sort()
    return int(codes[(size - 1) // 2])


@njit(cache=True, nogil=True)
def _by_order(
    rows: Int32, start: int, stop: int, attribute: int, box: Int32, k: int, how: int, buffers: SideBuffers
) -> int:
    """Write the side of each row for a cut into two; return 2, or 0 where no cut leaves k people on both."""
    if how == NEAREST and buffers.seen.size:
        cut = people.nearest_cut(rows, start, stop, attribute, k, buffers.place)
        if cut < box[LOW, attribute] or cut >= box[HIGH, attribute]:
            return 0
    elif how == NEAREST:
        cut, n_left = rule.nearest_cut(
            rows, rule.ONE_EACH, start, stop, stop - start, attribute, box, k, buffers.scratch
        )
        if n_left == 0:
            return 0
    else:
        cut = _median(rows, start, stop, attribute, buffers.scratch)
    for row in range(start, stop):
        buffers.side[row] = 0 if rows[row, attribute] <= cut else 1
    return 2


@njit(cache=True, nogil=True)
def _in_halves(rows: Int32, start: int, stop: int, attribute: int, buffers: SideBuffers) -> int:
    """Put half of the rows on either side; ties keep the order of earlier cuts."""
    order = np.argsort(rows[start:stop, attribute], kind="mergesort")
    for at in range(order.size):
        buffers.order[start + at] = start + order[at]
        buffers.side[start + order[at]] = 0 if at < order.size // 2 else 1
    return 2


@njit(cache=True, nogil=True)
def _by_tree(rows: Int32, start: int, stop: int, attribute: int, box: Int32, trees: Trees, buffers: SideBuffers) -> int:
    """Put each row on the side of its label, a side for every child that has rows; return the number of sides."""
    node = lowest(trees, attribute, box[LOW, attribute], box[HIGH, attribute])
    first, n_children = trees.first[node], trees.n_children[node]
    for child in range(n_children):
        buffers.number[child] = 0
    for row in range(start, stop):
        child = child_at(trees, node, rows[row, attribute]) - first
        buffers.side[row] = child
        buffers.number[child] = 1
    n = 0
    for child in range(n_children):
        n += buffers.number[child]
        buffers.number[child] = n - 1
    for row in range(start, stop):
        buffers.side[row] = buffers.number[buffers.side[row]]
    return n


@njit(cache=True, nogil=True)
def _put_in_order(start: int, stop: int, n_sides: int, buffers: SideBuffers) -> None:
    """Put the rows of each side next to each other."""
    buffers.n_on[:n_sides] = 0
    for row in range(start, stop):
        buffers.n_on[buffers.side[row]] += 1
    begin = start
    for side in range(n_sides):
        begin += buffers.n_on[side]
        buffers.n_on[side] = begin - buffers.n_on[side]
    for row in range(start, stop):
        side = buffers.side[row]
        buffers.order[buffers.n_on[side]] = row
        buffers.n_on[side] += 1


@njit(cache=True, nogil=True)
def _fewest(rows: Int32, start: int, stop: int, n_sides: int, buffers: SideBuffers) -> int:
    """Return the least number of people on a side."""
    own = rows.shape[1] - 2
    buffers.n_on[:n_sides] = 0
    if buffers.seen.size:
        for row in range(start, stop):
            buffers.seen[rows[row, own]] = -1
    for at in range(start, stop):
        row = buffers.order[at]
        side = buffers.side[row]
        if buffers.seen.size:
            if buffers.seen[rows[row, own]] == side:
                continue
            buffers.seen[rows[row, own]] = side
        buffers.n_on[side] += 1
    return int(buffers.n_on[:n_sides].min())


@njit(cache=True, nogil=True)
def propose(  # noqa: PLR0913, PLR0917 - what a kernel reads and writes
    rows: Int32,
    start: Int64,  # (nodes,)
    stop: Int64,  # (nodes,)
    box: Int32,  # (nodes, 4, attributes)
    width: Float64,
    k: int,
    how: int,
    trees: Trees,
    nodes: Int64,  # those that need a proposal
    proposal: Int64,  # (2, nodes) attribute, number of sides
    buffers: SideBuffers,
) -> None:
    """Replace the proposal of each of the nodes by the next one that leaves k people on every side, or by none."""
    for node in nodes:
        attribute = NO_ATTRIBUTE if stop[node] - start[node] < 2 * k else proposal[0, node]
        n_sides = 0
        while stop[node] - start[node] >= 2 * k:
            attribute = rule.next_attribute(box[node], width, attribute)
            if attribute == NO_ATTRIBUTE:
                break
            if trees.root[attribute] >= 0:
                n_sides = _by_tree(rows, start[node], stop[node], attribute, box[node], trees, buffers)
            elif how == RELAXED:
                n_sides = _in_halves(rows, start[node], stop[node], attribute, buffers)
            else:
                n_sides = _by_order(rows, start[node], stop[node], attribute, box[node], k, how, buffers)
            if n_sides == 0:
                continue
            if how != RELAXED or trees.root[attribute] >= 0:
                _put_in_order(start[node], stop[node], n_sides, buffers)
            if _fewest(rows, start[node], stop[node], n_sides, buffers) >= k:
                break
            n_sides = 0
        proposal[0, node], proposal[1, node] = attribute, n_sides


@njit(cache=True, nogil=True)
def sizes(start: Int64, stop: Int64, nodes: Int64, first: Int64, size: Int64, buffers: SideBuffers) -> None:
    """Add the rows of all sides of the nodes, (sides,)."""
    for position in range(nodes.size):
        for row in range(start[nodes[position]], stop[nodes[position]]):
            size[first[position] + buffers.side[row]] += 1


@njit(cache=True, nogil=True)
def count(
    rows: Int32, start: Int64, stop: Int64, nodes: Int64, first: Int64, column: int, counts: Int64, buffers: SideBuffers
) -> None:
    """Add the values in a column of rows to the counts of all sides of the nodes, (sides, values)."""
    for position in range(nodes.size):
        for row in range(start[nodes[position]], stop[nodes[position]]):
            counts[first[position] + buffers.side[row], rows[row, column]] += 1


@njit(cache=True, nogil=True)
def count_people(  # noqa: PLR0913, PLR0917 - what a kernel reads and writes
    rows: Int32,
    start: Int64,
    stop: Int64,
    nodes: Int64,
    first: Int64,  # (nodes,) the number of a node's first side
    column: int,  # of pairs of person and value; negative to count people alone
    value_of: Int32,  # (pairs,) negative where unknown
    n_people: Int64,  # (sides,) people with a known value, or all
    counts: Int64,  # (sides, values)
    seen_pair: Int64,  # (pairs,) all -1
    buffers: SideBuffers,
) -> None:
    """Count the people on all sides of the nodes, and those with each value; each person once per side."""
    own = rows.shape[1] - 2
    buffers.seen[:] = -1
    for position in range(nodes.size):
        for at in range(start[nodes[position]], stop[nodes[position]]):
            row = buffers.order[at]
            side = first[position] + buffers.side[row]
            if column >= 0:
                pair = rows[row, column]
                if value_of[pair] < 0:
                    continue
                if seen_pair[pair] != side:
                    seen_pair[pair] = side
                    counts[side, value_of[pair]] += 1
            if buffers.seen[rows[row, own]] != side:
                buffers.seen[rows[row, own]] = side
                n_people[side] += 1


@njit(cache=True, nogil=True)
def widen(box: Int32, trees: Trees) -> None:
    """Widen the extremes of members, in an attribute with a tree, to their lowest common label."""
    for j in range(box.shape[1]):
        if trees.root[j] >= 0:
            node = lowest(trees, j, box[LOW, j], box[HIGH, j])
            box[LOW, j], box[HIGH, j] = trees.low[node], trees.high[node]


@njit(cache=True, nogil=True)
def _bound(sides: Int32, box: Int32, attribute: int, trees: Trees) -> None:
    """Bound the regions of the sides, (sides, 4, attributes), of one node, and widen their extremes to labels."""
    for side in range(sides.shape[0] - 1):  # a gap between two sides belongs to the upper one
        last = sides[side, HIGH, attribute]
        if trees.root[attribute] >= 0:
            parent = lowest(trees, attribute, box[LOW, attribute], box[HIGH, attribute])
            last = trees.high[child_at(trees, parent, last)]
        sides[side, REGION_HIGH, attribute], sides[side + 1, REGION_LOW, attribute] = last, last + 1
    for side in range(sides.shape[0]):
        widen(sides[side], trees)


@njit(cache=True, nogil=True)
def split_many(  # noqa: PLR0913, PLR0917 - what a kernel reads and writes
    rows: Int32,
    spare: Int32,
    start: Int64,
    stop: Int64,
    box: Int32,
    nodes: Int64,
    first: Int64,  # (nodes,) the number of a node's first child
    proposal: Int64,
    children: Int32,  # (children, 4, attributes)
    begin: Int64,  # (children,)
    end: Int64,  # (children,)
    trees: Trees,
    buffers: SideBuffers,
) -> None:
    """Split each of the nodes: rows of a side become neighbors, and its box one of the children."""
    n_attributes = box.shape[2]
    for position in range(nodes.size):
        node = nodes[position]
        attribute, n_sides = proposal[0, node], proposal[1, node]
        for side in range(n_sides):
            child = children[first[position] + side]
            for j in range(n_attributes):
                child[LOW, j], child[HIGH, j] = box[node, HIGH, j], box[node, LOW, j]
                child[REGION_LOW, j], child[REGION_HIGH, j] = box[node, REGION_LOW, j], box[node, REGION_HIGH, j]
            begin[first[position] + side] = stop[node]
        for at in range(start[node], stop[node]):
            row = buffers.order[at]
            number = first[position] + buffers.side[row]
            child = children[number]
            begin[number] = min(begin[number], at)
            end[number] = at + 1
            for j in range(n_attributes):
                child[LOW, j] = min(child[LOW, j], rows[row, j])
                child[HIGH, j] = max(child[HIGH, j], rows[row, j])
            for j in range(rows.shape[1]):
                spare[at, j] = rows[row, j]
        for at in range(start[node], stop[node]):
            for j in range(rows.shape[1]):
                rows[at, j] = spare[at, j]
        _bound(children[first[position] : first[position] + n_sides], box[node], attribute, trees)
