"""Removal of duplicate releases, so that their evidence counts once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.arrays import Bool, Int32
from unmask.release import Release
from unmask.view import Located, View


def originals(releases: Sequence[Release]) -> list[int]:
    """Return for each release the index of the first one with the same content."""
    return [next((i for i in range(r) if release.same_content(releases[i])), r) for r, release in enumerate(releases)]


def each_once(view: View) -> tuple[View, tuple[int, ...], dict[str, str]]:
    """Return the view without duplicates, the indices of the releases kept, and the original of each duplicate by name.

    Groups of different people rarely have equal content; whole releases never do. A place known in a duplicate is also
    known in the original.

    Assumes
        Releases with equal content in every group are about the same people.
    """
    first = originals(view.releases)
    kept = tuple(sorted(set(first)))
    names = [release.name for release in view.releases]
    repeated = {names[r]: names[i] for r, i in enumerate(first) if i < r}
    if not repeated:
        return view, kept, {}
    located = view.knowledge.located
    if located is not None:
        located = tuple(_joined([located[r] for r, i in enumerate(first) if i == one]) for one in kept)
    sanitizers = view.knowledge.sanitizers
    if sanitizers is not None:
        sanitizers = tuple(sanitizers[r] for r in kept)
    knowledge = replace(view.knowledge, located=located, sanitizers=sanitizers)
    return View(tuple(view.releases[r] for r in kept), knowledge), kept, repeated


def of_every_release(view: View, kept: Sequence[int], masks: Sequence[Bool]) -> tuple[Bool, ...]:
    """Return the masks of all releases from those of the releases kept; a duplicate has its original's."""
    if len(kept) == len(view.releases):
        return tuple(masks)
    return tuple(masks[list(kept).index(original)] for original in originals(view.releases))


def _joined(places: Sequence[Located]) -> Located:
    """Combine known places in one release: a group, else the most specific constant."""
    group: Int32 = places[0].group
    row = places[0].row
    for other in places[1:]:
        group = np.where(group >= 0, group, np.maximum(group, other.group))
        if row is not None and other.row is not None:
            row = np.where(row >= 0, row, other.row)
        else:
            row = other.row if row is None else row
    return Located(group, row)
