"""The rule of strict Mondrian, compiled: the attribute and place of each cut, and the moves of rows.

A node is a run of rows, start to stop, with its box: (4, attributes), whose rows are named below. Whole rows are kept
together in memory and move at every cut, so that each cut reads and writes them in one pass. A row counts as many
people as a column says, or one.
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.compiled_code import njit

# The extremes of the members, then the half-spaces that the node was cut out of.
LOW, HIGH, REGION_LOW, REGION_HIGH = 0, 1, 2, 3
NO_ATTRIBUTE = -1
ONE_EACH = -1  # instead of a column of weights
_WIDE = 8  # a histogram is counted up to 8 cells a row; beyond that, sorting the rows is cheaper
_STACK = 40  # the smaller side is cut first, so that log2(rows) nodes wait at most; rows are fewer than 2**31


def scratch_for(rows: Int32) -> tuple[Int32, Int32]:
    """Return buffers for the largest histogram, and for the rows that a cut sends to the right."""
    return np.empty(_WIDE * rows.shape[0] + 1, np.int32), np.empty_like(rows)


@njit(cache=True, nogil=True)
def next_attribute(box: Int32, width: Float64, last: int) -> int:
    """Return the widest attribute among those that come after `last` in the order of trial."""
    best, best_span = NO_ATTRIBUTE, 0.0
    last_span = np.inf
    if last != NO_ATTRIBUTE:
        last_span = (int(box[HIGH, last]) - int(box[LOW, last])) / width[last]
    for j in range(width.size):
        extent = int(box[HIGH, j]) - int(box[LOW, j])
        if extent == 0:
            continue
        span = extent / width[j]
        if (span < last_span or (span == last_span and j > last)) and span > best_span:
            best, best_span = j, span
    return best


@njit(cache=True, nogil=True)
def _cut_by_histogram(
    rows: Int32, weight: int, start: int, stop: int, size: int, attribute: int, box: Int32, k: int, histogram: Int32
) -> tuple[int, int]:
    """Return the last code of the left side and its number of people; (0, 0) where no cut leaves k on both sides."""
    low = int(box[LOW, attribute])
    extent = int(box[HIGH, attribute]) - low
    for cell in range(extent + 1):
        histogram[cell] = 0
    for row in range(start, stop):
        histogram[rows[row, attribute] - low] += rows[row, weight] if weight != ONE_EACH else 1
    cut, n_left, distance, below = 0, 0, size + 1, 0
    for cell in range(extent):
        if histogram[cell] == 0:
            continue
        below += histogram[cell]
        if k <= below <= size - k and abs(2 * below - size) < distance:
            cut, n_left, distance = low + cell, below, abs(2 * below - size)
        if 2 * below >= size:
            break
    return cut, n_left


@njit(cache=True, nogil=True)
def _cut_by_sorting(
    rows: Int32, weight: int, start: int, stop: int, size: int, attribute: int, k: int
) -> tuple[int, int]:
    """Return the same where codes lie so far apart that most cells of a histogram would be empty."""
    weighted = np.empty(stop - start, np.int64)  # a code and its weight, in the order of codes
    for row in range(start, stop):
        weighted[row - start] = (np.int64(rows[row, attribute]) << 32) + (
            rows[row, weight] if weight != ONE_EACH else 1
        )
    weighted.sort()
    cut, n_left, distance, below = 0, 0, size + 1, 0
    for place in range(weighted.size - 1):
        code = weighted[place] >> 32
        below += weighted[place] - (code << 32)
        if weighted[place + 1] >> 32 == code:
            continue
        if k <= below <= size - k and abs(2 * below - size) < distance:
            cut, n_left, distance = code, below, abs(2 * below - size)
        if 2 * below >= size:
            break
    return cut, n_left


@njit(cache=True, nogil=True)
def nearest_cut(
    rows: Int32, weight: int, start: int, stop: int, size: int, attribute: int, box: Int32, k: int, scratch: Int32
) -> tuple[int, int]:
    """Return the allowable boundary nearest to the median, and the people below it; (0, 0) where there is none."""
    if int(box[HIGH, attribute]) - int(box[LOW, attribute]) <= _WIDE * (stop - start):
        return _cut_by_histogram(rows, weight, start, stop, size, attribute, box, k, scratch)
    return _cut_by_sorting(rows, weight, start, stop, size, attribute, k)


@njit(cache=True, nogil=True)
def _next_cut(
    rows: Int32,
    weight: int,
    start: int,
    stop: int,
    size: int,
    box: Int32,
    width: Float64,
    k: int,
    last: int,
    scratch: Int32,
) -> tuple[int, int, int]:
    """Return attribute, cut and people on the left of the first proposal after `last`."""
    attribute = last
    while size >= 2 * k:
        attribute = next_attribute(box, width, attribute)
        if attribute == NO_ATTRIBUTE:
            break
        cut, n_left = nearest_cut(rows, weight, start, stop, size, attribute, box, k, scratch)
        if n_left > 0:
            return attribute, cut, n_left
    return NO_ATTRIBUTE, 0, 0


@njit(cache=True, nogil=True)
def _split(
    rows: Int32, spare: Int32, start: int, stop: int, box: Int32, attribute: int, cut: int, left: Int32, right: Int32
) -> int:
    """Move rows up to the cut before the others, keeping their order, and write the boxes of both sides."""
    n_attributes = box.shape[1]
    for j in range(n_attributes):
        left[LOW, j] = right[LOW, j] = box[HIGH, j]
        left[HIGH, j] = right[HIGH, j] = box[LOW, j]
        left[REGION_LOW, j] = right[REGION_LOW, j] = box[REGION_LOW, j]
        left[REGION_HIGH, j] = right[REGION_HIGH, j] = box[REGION_HIGH, j]
    left[REGION_HIGH, attribute] = cut
    right[REGION_LOW, attribute] = cut + 1
    middle, moved = start, 0
    for row in range(start, stop):
        if rows[row, attribute] <= cut:
            for j in range(n_attributes):
                left[LOW, j] = min(left[LOW, j], rows[row, j])
                left[HIGH, j] = max(left[HIGH, j], rows[row, j])
            for j in range(rows.shape[1]):
                rows[middle, j] = rows[row, j]
            middle += 1
        else:
            for j in range(n_attributes):
                right[LOW, j] = min(right[LOW, j], rows[row, j])
                right[HIGH, j] = max(right[HIGH, j], rows[row, j])
            for j in range(rows.shape[1]):
                spare[moved, j] = rows[row, j]
            moved += 1
    for row in range(moved):
        for j in range(rows.shape[1]):
            rows[middle + row, j] = spare[row, j]
    return middle


@njit(cache=True, nogil=True)
def _copy(source: Int32, target: Int32) -> None:
    # Assigning a slice would do the same, and take numba four seconds to compile.
    for part in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[part, j] = source[part, j]


@njit(cache=True, nogil=True, steps=lambda rows, *rest: rows.size * (rest[1] // rest[5]).bit_length())
def cut_all(
    rows: Int32,  # (rows, attributes + others), reordered in place
    weight: int,  # the column of weights, or `ONE_EACH`
    size: int,  # people: the sum of weights
    spare: Int32,
    scratch: Int32,
    width: Float64,  # (attributes,)
    k: int,
    root: Int32,  # (4, attributes)
    group_start: Int64,  # (rows // k,) filled in the order in which groups are finished
    group_box: Int32,  # (rows // k, 4, attributes)
) -> int:
    """Cut by k alone, depth first; return the number of groups."""
    starts = np.empty(_STACK, np.int64)
    stops = np.empty(_STACK, np.int64)
    people = np.empty(_STACK, np.int64)
    boxes = np.empty((_STACK, root.shape[0], root.shape[1]), np.int32)
    sides = np.empty((2, root.shape[0], root.shape[1]), np.int32)
    starts[0], stops[0], people[0] = 0, rows.shape[0], size
    _copy(root, boxes[0])
    waiting, n_groups = 1, 0
    while waiting > 0:
        waiting -= 1
        start, stop, here, box = starts[waiting], stops[waiting], people[waiting], boxes[waiting]
        attribute, cut, n_left = _next_cut(rows, weight, start, stop, here, box, width, k, NO_ATTRIBUTE, scratch)
        if attribute == NO_ATTRIBUTE:
            group_start[n_groups] = start
            _copy(box, group_box[n_groups])
            n_groups += 1
            continue
        middle = _split(rows, spare, start, stop, box, attribute, cut, sides[0], sides[1])
        smaller = 0 if 2 * (middle - start) <= stop - start else 1
        for side in (1 - smaller, smaller):
            starts[waiting], stops[waiting] = (middle, stop) if side else (start, middle)
            people[waiting] = here - n_left if side else n_left
            _copy(sides[side], boxes[waiting])
            waiting += 1
    return n_groups


@njit(cache=True, nogil=True, steps=lambda rows, *_: rows.shape[0])
def propose(
    rows: Int32,
    start: Int64,  # (nodes,)
    stop: Int64,  # (nodes,)
    box: Int32,  # (nodes, 4, attributes)
    width: Float64,
    k: int,
    nodes: Int64,  # those that need a proposal
    proposal: Int64,  # (3, nodes) attribute, last code of the left side, rows on the left
    scratch: Int32,
) -> None:
    """Replace the proposal of each of the nodes by its next one, or by `NO_ATTRIBUTE`."""
    for node in nodes:
        last, size = proposal[0, node], stop[node] - start[node]
        proposal[0, node], proposal[1, node], proposal[2, node] = _next_cut(
            rows, ONE_EACH, start[node], stop[node], size, box[node], width, k, last, scratch
        )


@njit(cache=True, nogil=True, steps=lambda rows, *_: rows.shape[0])
def count(rows: Int32, start: Int64, stop: Int64, nodes: Int64, proposal: Int64, column: int, counts: Int64) -> None:
    """Add the values in a column of rows to the counts of both sides of the cuts, (2, nodes, values)."""
    for position in range(nodes.size):
        node = nodes[position]
        attribute, cut = proposal[0, node], proposal[1, node]
        for row in range(start[node], stop[node]):
            side = 0 if rows[row, attribute] <= cut else 1
            counts[side, position, rows[row, column]] += 1


@njit(cache=True, nogil=True, steps=lambda rows, *_: rows.size)
def split_many(
    rows: Int32,
    spare: Int32,
    start: Int64,
    stop: Int64,
    box: Int32,
    nodes: Int64,
    proposal: Int64,
    children: Int32,  # (2 * nodes, 4, attributes)
) -> None:
    """Split each of the nodes; the boxes of its sides become two neighbors among the children."""
    for position in range(nodes.size):
        node = nodes[position]
        attribute, cut = proposal[0, node], proposal[1, node]
        left, right = children[2 * position], children[2 * position + 1]
        _split(rows, spare, start[node], stop[node], box[node], attribute, cut, left, right)
