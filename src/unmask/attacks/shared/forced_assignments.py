"""Forced assignments of people of several kinds to places of limited room that they fit.

All people are assigned and all places filled. Often only one assignment exists: people who fit a single place are
assigned to it, a place that just enough people fit takes them all, and the rest follows. Uniqueness is read off one
assignment: another one exists if and only if some people can move in a cycle, each to the place of the next.

References
----------
Ahuja, Magnanti, Orlin. Network flows. Prentice Hall 1993, sections 6.3 (maximum flow) and 11.2 (cycles and uniqueness).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from unmask.arrays import Bool, Int32, Int64
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """One maximum assignment, and the kinds and places in which others differ."""

    people: Int64  # (pairs,) people of a kind in a place that they fit
    n: int  # people placed
    open_kinds: Bool  # (kinds,) some of them can be elsewhere
    open_places: Bool  # (places,) their people are not forced


def place(people: Int64, start: Int64, fits: Int32, room: Int64) -> Placement:
    """Assign people of each kind, (kinds,), to places that they fit.

    `fits` (pairs,) are the places that each kind fits, from `start` (kinds + 1,); `room` (places,) is their capacity.
    Alternatives are only marked if all people are assigned and all places filled.

    Fails
        With `InvalidInputError` for negative numbers of people or room, or too many for 32 bits.
    """
    limit = np.iinfo(np.int32).max
    if (people < 0).any() or (room < 0).any() or max(people.sum(), room.sum()) > limit:
        raise InvalidInputError(
            message("people and room must be at least 0 and at most {limit} in all", limit=numeral(limit))
        )
    kind = np.repeat(np.arange(people.size), np.diff(start))
    found = _only_place(people, start, fits, room)
    if found is None:
        found = _flow(people, kind, fits, room)
    n = int(found.sum())
    open_kinds, open_places = np.zeros(people.size, bool), np.zeros(room.size, bool)
    if n == people.sum() == room.sum():
        open_kinds, open_places = _moving(people.size, room.size, kind, fits, found)
    return Placement(found, n, open_kinds, open_places)


def _only_place(people: Int64, start: Int64, fits: Int32, room: Int64) -> Int64 | None:
    """Assign each kind to its only fitting place; None if a kind fits several, or a place is too small."""
    if (np.diff(start) > 1).any():
        return None
    found = people[np.diff(start) > 0]
    here = np.bincount(fits, weights=found, minlength=room.size)
    return found if (here <= room).all() else None


def _flow(people: Int64, kind: Int64, fits: Int32, room: Int64) -> Int64:
    """Return the maximum flow along each pair, from a source to kinds, to places, to a sink, (pairs,)."""
    kinds, places = people.size, room.size
    source, sink = kinds + places, kinds + places + 1
    tail = np.concatenate([np.full(kinds, source), kind, kinds + np.arange(places)])
    head = np.concatenate([np.arange(kinds), kinds + fits, np.full(places, sink)])
    most = np.concatenate([people, people[kind], room])
    network = scipy.sparse.csr_array((most.astype(np.int32), (tail, head)), shape=(sink + 1, sink + 1))
    flow = scipy.sparse.csgraph.maximum_flow(scipy.sparse.csr_matrix(network), source, sink).flow
    return np.asarray(flow[kind, kinds + fits], np.int64).ravel() if kind.size else np.zeros(0, np.int64)


def _moving(kinds: int, places: int, kind: Int64, fits: Int32, found: Int64) -> tuple[Bool, Bool]:
    """Mark the kinds and places on a cycle along which people can move.

    Edges lead from a kind to each place that it fits, and from a place to each kind that it holds. A strongly connected
    component has such a cycle if it has more pairs than a spanning tree, whose edges only lead back and forth.
    """
    inside = found > 0
    tail = np.concatenate([kind, kinds + fits[inside]])
    head = np.concatenate([kinds + fits, kind[inside]])
    n = kinds + places
    steps = scipy.sparse.csr_matrix((np.ones(tail.size, np.int8), (tail, head)), shape=(n, n))
    n_parts, part = scipy.sparse.csgraph.connected_components(steps, directed=True, connection="strong")
    within = part[kind] == part[kinds + fits]
    pairs = np.bincount(part[kind[within]], minlength=n_parts)
    moving = pairs > np.bincount(part, minlength=n_parts) - 1
    return moving[part[:kinds]], moving[part[kinds:]]
