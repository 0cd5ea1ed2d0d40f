"""Who must be where: people of several kinds, places with room for so many, and which kind fits which place.

Everybody goes somewhere and every place is filled. Often only one way is left: who fits one place only goes there, a
place that just enough people fit takes them all, and what is left of both forces more. Whether everything is forced is
read off one way to place people: another one exists if some can move in a circle, each to the place of the next, and
only then.

References
----------
Ahuja, Magnanti, Orlin. Network flows. Prentice Hall 1993, sections 6.3 (maximum flow) and 11.2 (cycles and uniqueness).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from unmask.arrays import Bool, Int32, Int64
from unmask.errors import InvalidInputError


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """One way to place as many people as possible, and where there are others."""

    people: Int64  # (pairs,) how many of a kind are in a place that they fit
    n: int  # people placed
    open_kinds: Bool  # (kinds,) some of them could as well be elsewhere
    open_places: Bool  # (places,) whom they hold is not forced


def place(people: Int64, start: Int64, fits: Int32, room: Int64) -> Placement:
    """Place people of each kind, (kinds,), where they fit.

    `fits` (pairs,) are the places that each kind fits, from `start` (kinds + 1,); `room` (places,) is for how many.
    Where not everybody is placed or not every place is filled, nothing is said of other ways.

    Fails
        With `InvalidInputError` for negative numbers of people or room, or too many to be counted.
    """
    limit = np.iinfo(np.int32).max
    if (people < 0).any() or (room < 0).any() or max(people.sum(), room.sum()) > limit:
        raise InvalidInputError(f"people and room must be at least 0 and at most {limit:,} in all")
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
    """Put everybody into the only place they fit; None where somebody fits several, or a place is too small."""
    if (np.diff(start) > 1).any():
        return None
    found = people[np.diff(start) > 0]
    here = np.bincount(fits, weights=found, minlength=room.size)
    return found if (here <= room).all() else None


def _flow(people: Int64, kind: Int64, fits: Int32, room: Int64) -> Int64:
    """Return how many people flow along each pair: from a source to kinds, from kinds to places, and on to a sink."""
    kinds, places = people.size, room.size
    source, sink = kinds + places, kinds + places + 1
    tail = np.concatenate([np.full(kinds, source), kind, kinds + np.arange(places)])
    head = np.concatenate([np.arange(kinds), kinds + fits, np.full(places, sink)])
    most = np.concatenate([people, people[kind], room])
    network = sparse.csr_array((most.astype(np.int32), (tail, head)), shape=(sink + 1, sink + 1))
    flow = csgraph.maximum_flow(sparse.csr_matrix(network), source, sink).flow
    return np.asarray(flow[kind, kinds + fits], np.int64).ravel() if kind.size else np.zeros(0, np.int64)


def _moving(kinds: int, places: int, kind: Int64, fits: Int32, found: Int64) -> tuple[Bool, Bool]:
    """Say which kinds and places lie on a circle along which people could move.

    A step leads from a kind to each place that it fits, and from a place to each kind that is in it. Parts within
    which every point reaches every other have such a circle if they have more pairs than hold them together: a tree of
    pairs, back and forth, moves nobody.
    """
    inside = found > 0
    tail = np.concatenate([kind, kinds + fits[inside]])
    head = np.concatenate([kinds + fits, kind[inside]])
    n = kinds + places
    steps = sparse.csr_matrix((np.ones(tail.size, np.int8), (tail, head)), shape=(n, n))
    n_parts, part = csgraph.connected_components(steps, directed=True, connection="strong")
    within = part[kind] == part[kinds + fits]
    pairs = np.bincount(part[kind[within]], minlength=n_parts)
    moving = pairs > np.bincount(part, minlength=n_parts) - 1
    return moving[part[:kinds]], moving[part[kinds:]]
