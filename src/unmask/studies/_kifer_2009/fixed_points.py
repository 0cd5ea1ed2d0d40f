"""The deterministic ways that the paper advises against: parameters that reproduce themselves in expectation.

Expectation maximization finds the parameters under which the release is likeliest; with one more of everything
counted (`extra` = 1) they are the posterior means under a uniform prior instead. Groups whose values all differ, up to
six of them, are summed over by listing their arrangements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.errors import NotApplicableError
from unmask.release import Release

LARGEST = 6


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of one size: who is in them, and their values."""

    rows: Int64  # (groups, k) published rows
    profile: Int32  # (groups, k)
    value: Int32  # (groups, k)


@dataclass(frozen=True, eq=False)
class Problem:
    """A release as the fixed point takes it."""

    codes: Int32  # (profiles, attributes)
    levels: tuple[int, ...]
    n_values: int
    n_rows: int
    sized: tuple[Groups, ...]


@dataclass(frozen=True, eq=False)
class Found:
    """Beliefs about every published row, and how many rounds it took."""

    beliefs: Float64  # (rows, values)
    rounds: int


def problem_of(
    release: Release, about: str, codes: Int32 | None = None, levels: tuple[int, ...] | None = None
) -> Problem:
    """Read a bucketized release; `codes` (rows, attributes) stand for what is shown of its rows, if given.

    Fails
        With `NotApplicableError` where a group repeats a value or is too large.
    """
    counts = release.counts_of(about)
    size = np.bincount(release.group_of_row, minlength=release.n_groups)
    first = np.cumsum(size) - size
    if (counts.data != 1).any() or size.max(initial=0) > LARGEST or not np.array_equal(np.diff(counts.start), size):
        msg = f"needs groups of at most {LARGEST} people with as many different values"
        raise NotApplicableError(msg)
    if codes is None:
        table = release.masked.exact_table()
        codes = np.stack([table.columns[a.name] for a in release.masked.attributes], axis=1).astype(np.int32)
        levels = tuple(len(a.values) for a in release.masked.attributes)
    distinct, profile = np.unique(codes, axis=0, return_inverse=True)
    profile = profile.ravel().astype(np.int32)
    sized = []
    for k in np.unique(size):
        rows = first[size == k][:, None] + np.arange(k)
        sized.append(Groups(rows, profile[rows], counts.column[rows]))  # as many entries as rows
    return Problem(distinct, levels or (), counts.n_columns, release.n_rows, tuple(sized))


def solve(
    problem: Problem, extra: float, *, start: np.random.Generator | None = None, most: int = 500, enough: float = 1e-5
) -> Found:
    """Repeat expectation and maximization from equal shares, or from random ones, until nothing changes."""
    parts = [np.full((*g.rows.shape, g.rows.shape[1]), 1 / g.rows.shape[1]) for g in problem.sized]
    if start is not None:
        parts = [
            _normalized(np.asarray(start.exponential(size=part.shape)), g)
            for part, g in zip(parts, problem.sized, strict=True)
        ]
    rounds = 0
    while rounds < most:
        rounds += 1
        weight = _weights(problem, _expected(problem, parts), extra)
        before = parts
        parts = [_normalized(weight[g.profile[:, :, None], g.value[:, None, :]], g) for g in problem.sized]
        if max(float(np.abs(new - old).max(initial=0)) for new, old in zip(parts, before, strict=True)) < enough:
            break
    beliefs = np.zeros((problem.n_rows, problem.n_values))
    for part, g in zip(parts, problem.sized, strict=True):
        beliefs[g.rows[:, :, None], g.value[:, None, :]] = part
    return Found(beliefs, rounds)


def _expected(problem: Problem, parts: list[Float64]) -> Float64:
    """Return how many people of each profile are expected to hold each value, (profiles, values)."""
    cells = problem.codes.shape[0] * problem.n_values
    total = np.zeros(cells)
    for part, g in zip(parts, problem.sized, strict=True):
        cell = g.profile[:, :, None].astype(np.int64) * problem.n_values + g.value[:, None, :]
        total += np.bincount(cell.ravel(), weights=part.ravel(), minlength=cells)
    return total.reshape(-1, problem.n_values)


def _weights(problem: Problem, expected: Float64, extra: float) -> Float64:
    """Return P(profile | value) by Naive Bayes, (profiles, values), each profile's largest scaled to 1."""
    weight = np.ones_like(expected)
    for i, n in enumerate(problem.levels):
        counts = np.zeros((n, problem.n_values))
        np.add.at(counts, problem.codes[:, i], expected)
        counts += extra
        weight *= (counts / np.maximum(counts.sum(axis=0), 1e-300))[problem.codes[:, i]]
    return np.asarray(weight / np.maximum(weight.max(axis=1, keepdims=True), 1e-300))


def _normalized(weight: Float64, groups: Groups) -> Float64:
    """Return how likely each member holds each value, (groups, k, k), summed over all arrangements."""
    k = groups.rows.shape[1]
    result = np.zeros_like(weight)
    total = np.zeros(weight.shape[0])
    members = np.arange(k)
    for arrangement in permutations(range(k)):
        chance = np.prod(weight[:, members, arrangement], axis=1)
        total += chance
        result[:, members, arrangement] += chance[:, None]
    dead = total <= 0
    result[dead], total[dead] = 1.0, k
    return np.asarray(result / total[:, None, None])


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
