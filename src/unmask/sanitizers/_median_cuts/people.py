"""The same rule for people with several rows: both sides of a cut must have k different people.

A person with rows on both sides counts on both. Only boundaries at the least or the greatest code of a person are
tried, and the one nearest to the median is the one with the most equal numbers of people on both sides.
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.compiled_code import njit
from unmask.sanitizers._median_cuts.rule import HIGH, LOW, NO_ATTRIBUTE, next_attribute


@njit(cache=True, nogil=True)
def nearest_cut(rows: Int32, start: int, stop: int, attribute: int, k: int, place: Int32) -> int:
    """Return the last code of the left side; one below all codes where no cut leaves k people on both sides.

    `place` has a number for each person of the whole table, all -1 before and after.
    """
    column = rows.shape[1] - 2
    n = 0
    least = np.empty(stop - start, np.int32)
    greatest = np.empty(stop - start, np.int32)
    for row in range(start, stop):  # rows of one person are not neighbors: `place` is the index of their codes
        person, code = rows[row, column], rows[row, attribute]
        at = place[person]
        if at < 0:
            place[person] = n
            least[n] = greatest[n] = code
            n += 1
        else:
            least[at] = min(least[at], code)
            greatest[at] = max(greatest[at], code)
    for row in range(start, stop):
        place[rows[row, column]] = -1
    least, greatest = np.sort(least[:n]), np.sort(greatest[:n])
    best, distance = int(least[0]) - 1, n + 1
    left, gone = 0, 0  # people with a row up to the code; people with no row beyond it
    while gone < n:
        code = greatest[gone] if left >= n else min(least[left], greatest[gone])
        while left < n and least[left] <= code:
            left += 1
        while gone < n and greatest[gone] <= code:
            gone += 1
        right = n - gone
        if left >= k and right >= k and abs(left - right) < distance:
            best, distance = int(code), abs(left - right)
    return best


@njit(cache=True, nogil=True)
def propose(
    rows: Int32,  # (rows, attributes + others + 2): the last two are the person and the row
    start: Int64,
    stop: Int64,
    box: Int32,
    width: Float64,
    k: int,
    nodes: Int64,
    proposal: Int64,
    room: Int32,  # (people,) all -1
) -> None:
    """Replace the proposal of each of the nodes by its next one, or by `NO_ATTRIBUTE`."""
    for node in nodes:
        attribute = proposal[0, node]
        proposal[1, node], proposal[2, node] = 0, 0
        while True:
            attribute = next_attribute(box[node], width, attribute)
            if attribute == NO_ATTRIBUTE:
                break
            cut = nearest_cut(rows, start[node], stop[node], attribute, k, room)
            if cut < box[node, LOW, attribute] or cut >= box[node, HIGH, attribute]:
                continue
            n_left = 0
            for row in range(start[node], stop[node]):
                n_left += rows[row, attribute] <= cut
            proposal[1, node], proposal[2, node] = cut, n_left
            break
        proposal[0, node] = attribute


@njit(cache=True, nogil=True)
def count(  # noqa: PLR0913, PLR0917 - what a kernel reads and writes
    rows: Int32,
    start: Int64,
    stop: Int64,
    nodes: Int64,
    proposal: Int64,
    column: int,  # of pairs of person and value; negative to count people alone
    value_of: Int32,  # (pairs,) negative where unknown
    people: Int64,  # (2, nodes) people with a known value, or all
    counts: Int64,  # (2, nodes, values)
    seen: Int64,  # (people,) the side on which each was last counted
    seen_pair: Int64,  # (pairs,)
) -> None:
    """Count the people on both sides of cuts, and those with each value; each person once per side."""
    own = rows.shape[1] - 2
    seen[:] = -1
    seen_pair[:] = -1
    for position in range(nodes.size):
        node = nodes[position]
        attribute, cut = proposal[0, node], proposal[1, node]
        for side in range(2):
            now = 2 * position + side
            for row in range(start[node], stop[node]):
                if (rows[row, attribute] > cut) != (side == 1):
                    continue
                if column >= 0:
                    pair = rows[row, column]
                    if value_of[pair] < 0:
                        continue
                    if seen_pair[pair] != now:
                        seen_pair[pair] = now
                        counts[side, position, value_of[pair]] += 1
                if seen[rows[row, own]] != now:
                    seen[rows[row, own]] = now
                    people[side, position] += 1
