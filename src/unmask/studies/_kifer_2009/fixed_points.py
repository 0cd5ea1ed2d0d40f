"""The deterministic methods that the paper advises against: fixed points of expectation steps.

Expectation maximization finds the maximum-likelihood parameters: the limit of a Dirichlet prior whose
pseudo-counts go to 0. With a uniform prior the parameters are posterior means instead.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.attacks.definetti.fixed_point import FixedPointModes, FixedPointSearch, settle
from unmask.attacks.shared.grouped_people import GroupedPeople, slots_of
from unmask.release import Release

MAXIMA, MEANS = 1e-9, 1.0
"""Pseudo-counts of the prior: nearly 0, or 1."""


def codes_of(release: Release) -> tuple[Int32, tuple[int, ...]]:
    """Return the published codes of each row, (rows, attributes), and the number of levels of each attribute."""
    table = release.masked.exact_table()
    codes = np.stack([table.columns[a.name] for a in release.masked.attributes], axis=1).astype(np.int32)
    return codes, tuple(len(a.values) for a in release.masked.attributes)


def groups_of(release: Release, about: str, codes: Int32, levels: tuple[int, ...]) -> GroupedPeople:
    """Return the groups of a bucketized release, with the published codes of its rows."""
    counts = release.counts_of(about)
    distinct, profile = np.unique(codes, axis=0, return_inverse=True)
    size = np.bincount(release.group_of_row, minlength=release.n_groups)
    value = np.repeat(counts.column, counts.data.astype(np.int64)).astype(np.int32)
    start = np.concatenate([[0], np.cumsum(size)])
    return GroupedPeople(
        profile.ravel().astype(np.int32), start, value, distinct, np.array(levels, np.int32), counts.n_columns
    )


def solved(
    groups: GroupedPeople,
    adds: float,
    rng: np.random.Generator,
    *,
    starts: int = 2,
    most: int = 1000,
    enough: float = 1e-4,
) -> FixedPointModes:
    """Iterate expectation and maximization to convergence, from equal shares and from random assignments."""
    search = FixedPointSearch(alpha=adds, starts=starts, more_starts=0, limit=most, tolerance=enough)
    return settle(slots_of(groups), search, rng)


def beliefs_of_rows(found: FixedPointModes, mode: int = 0) -> Float64:
    """Return the posteriors of a fixed point, (rows, values): the best one, or another one."""
    slots = found.slots
    width = np.diff(slots.start)
    dense = np.zeros((width.size, slots.layout.n_values))
    dense[np.repeat(np.arange(width.size), width), slots.column] = found.modes[mode].data[slots.order]
    return np.asarray(dense[slots.of_row])


def coarser(problem_codes: Int32, maps: list[Int32 | None]) -> tuple[Int32, tuple[int, ...]]:
    """Return the codes with levels merged by maps (level → coarser level); None hides an attribute."""
    columns = [m[problem_codes[:, i]] for i, m in enumerate(maps) if m is not None]
    codes = np.stack(columns, axis=1) if columns else np.zeros((problem_codes.shape[0], 1), np.int32)
    levels = tuple(int(m.max()) + 1 for m in maps if m is not None) or (1,)
    return codes.astype(np.int32), levels


def loss(problem_codes: Int32, maps: list[Int32 | None]) -> float:
    """Return the mean over rows and attributes of (levels that a cell may stand for - 1) / (all levels - 1)."""
    parts = []
    for i, m in enumerate(maps):
        n = int(problem_codes[:, i].max()) + 1
        size = np.full(n, n) if m is None else np.bincount(m)[m]
        parts.append(((size - 1) / max(n - 1, 1))[problem_codes[:, i]].mean())
    return float(np.mean(parts))


def lattice(levels: list[list[Int32 | None]]) -> Iterator[tuple[tuple[int, ...], list[Int32 | None]]]:
    """Yield every combination of levels of generalization, each with its place in the lattice."""
    for place in np.ndindex(*map(len, levels)):
        yield tuple(place), [levels[i][step] for i, step in enumerate(place)]
