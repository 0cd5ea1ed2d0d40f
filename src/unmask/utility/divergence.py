"""Kullback-Leibler divergence of the true distributions from those estimated from a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import scipy

from unmask.arrays import Float64, Int32, Ragged, distinct_rows
from unmask.estimate import Estimate
from unmask.masks.atoms import Atoms, labels_in
from unmask.schema import recode
from unmask.table import Table
from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.wording import message

MOST_CELLS = 1 << 24
"""Most cells of a table of pairs; larger tables are left out."""


@dataclass(frozen=True)
class KLMarginals:
    """Compute the divergence between each quasi-identifier's true distribution and the one that the release implies.

    Every published cell is spread uniformly over the values that it may stand for.

    Measures
        The mean over quasi-identifiers of `Σ p ln (p / q)` in nats, p from the original table and q from the release.
        Numbers with more than 64 values are cut into 64 intervals. Suppressed people are spread over all values.
        Infinite if the release excludes a value that occurs.
    Fails
        Undefined without the original table.

    References
    ----------
    Kifer, Gehrke. Injecting utility into anonymized datasets. SIGMOD 2006, section 3.
    """

    name: ClassVar[str] = "kl-marginals"
    higher_is_better: ClassVar[bool] = False

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the mean, and the divergence of each attribute."""
        del rng
        if case.original is None:
            return Quality.undefined(case.why_unknown)
        sides = _sides(case, case.original)
        if not sides or not case.original.n_rows:
            return Quality.undefined(message("the table has no people, or no quasi-identifier"))
        parts: dict[str, float | None] = {}
        for name, side in sides.items():
            estimated = np.bincount(side.cell, case.people, side.spread.n_rows) @ side.matrix
            estimated = np.asarray(estimated) + case.release.n_suppressed_rows * side.even
            parts[name] = divergence(np.bincount(side.true, minlength=side.even.size).astype(float), estimated)
        return _averaged(parts, case.original.n_rows)


@dataclass(frozen=True)
class KLPairs:
    """Compute the divergence between true and implied joint distributions of pairs of attributes.

    Marginals may survive while associations are lost: a table with shuffled columns has perfect marginals.

    Measures
        The mean over pairs of two quasi-identifiers, and of a quasi-identifier and a sensitive attribute, of
        `Σ p ln (p / q)` in nats, p from the original table and q from the release. Cells are spread uniformly and,
        within a group, independently of each other and of the sensitive values. Suppressed people are spread over all
        values.
    Fails
        Undefined without the original table. A pair of columns with more than 16 million combinations is left out.

    References
    ----------
    Kifer, Gehrke. Injecting utility into anonymized datasets. SIGMOD 2006, section 3.
    """

    name: ClassVar[str] = "kl-pairs"
    higher_is_better: ClassVar[bool] = False

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the mean, and the divergence of each pair."""
        del rng
        if case.original is None:
            return Quality.undefined(case.why_unknown)
        sides = _sides(case, case.original)
        parts: dict[str, float | None] = {}
        for (one, first), (two, second) in combinations(sides.items(), 2):
            parts[f"{one} × {two}"] = _of_two(case, first, second)
        for attribute in case.release.schema.sensitive:
            name = attribute.name
            if name in case.release.counts and name in case.original.schema:
                codes = _sensitive(case.original, name, attribute.values)
                for one, side in sides.items():
                    parts[f"{one} × {name}"] = _with_values(case, side, codes, case.release.counts_of(name))
        if not parts or not case.original.n_rows:
            return Quality.undefined(message("the table has no people, or no pair of columns"))
        return _averaged(parts, case.original.n_rows)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One quasi-identifier: true values of people, and published cells of lines."""

    true: Int32  # (people,) atom
    cell: Int32  # (lines,)
    spread: Ragged  # (cells, atoms)
    even: Float64  # (atoms,)

    @property
    def matrix(self) -> scipy.sparse.csr_array:
        return _sparse(self.spread)


def _sides(case: PublishedTable, original: Table) -> Mapping[str, _Side]:
    sides = {}
    for cells, cell in zip(case.published.cells, case.published.cell.T, strict=True):
        atoms = Atoms.of(cells, original)
        sides[cells.attribute.name] = _Side(atoms.place(original), cell, atoms.spread(cells), atoms.even())
    return sides


def _of_two(case: PublishedTable, first: _Side, second: _Side) -> float | None:
    shape = (first.even.size, second.even.size)
    if shape[0] * shape[1] > MOST_CELLS:
        return None
    number, example = distinct_rows(np.stack([first.cell, second.cell], axis=1))
    people = np.bincount(number, case.people, example.size)
    left = first.matrix[first.cell[example]].multiply(people[:, None])
    estimated = (left.T @ second.matrix[second.cell[example]]).toarray()
    estimated += case.release.n_suppressed_rows * np.outer(first.even, second.even)
    return divergence(_together(first.true, second.true, shape), estimated)


def _with_values(case: PublishedTable, side: _Side, codes: Int32, counts: Ragged) -> float | None:
    shape = (side.even.size, counts.n_columns)
    if shape[0] * shape[1] > MOST_CELLS:
        return None
    group, people = case.release.masked.group_of_line, case.people
    share = np.divide(people, case.release.size[group], out=np.zeros_like(people), where=case.release.size[group] > 0)
    lines = scipy.sparse.csr_array((share, (group, side.cell)), (case.release.n_groups, side.spread.n_rows))
    estimated = ((lines @ side.matrix).T @ _sparse(counts)).toarray()
    estimated += case.release.n_suppressed_rows * np.outer(side.even, np.full(shape[1], 1 / max(shape[1], 1)))
    known = codes >= 0
    return divergence(_together(side.true[known], codes[known], shape), np.maximum(estimated, 0.0))


def _together(one: Int32, two: Int32, shape: tuple[int, int]) -> Float64:
    """Count pairs."""
    key = one.astype(np.int64) * shape[1] + two
    return np.bincount(key, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)


def _sensitive(original: Table, name: str, values: tuple[str, ...]) -> Int32:
    """Return the release's code of each person's own value, (people,); negative where it is unknown."""
    return np.append(recode(labels_in(original, name), values), np.int32(-1))[original.ranks(name)[0]]


def _sparse(rows: Ragged) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array((rows.data, rows.column, rows.start), (rows.n_rows, rows.n_columns))


def divergence(true: Float64, estimated: Float64) -> float:
    """Return the divergence of two tables of counts, in nats."""
    p, q = true / max(true.sum(), 1.0), estimated / max(estimated.sum(), np.finfo(float).tiny)
    seen = p > 0
    if (q[seen] <= 0).any():
        return float("inf")
    return max(float((p[seen] * np.log(p[seen] / q[seen])).sum()), 0.0)


def _averaged(parts: Mapping[str, float | None], n: float) -> Quality:
    known = {name: value for name, value in parts.items() if value is not None}
    if not known:
        return Quality.undefined(message("columns have too many values to be paired"))
    quality = Quality.mean(known, n)
    gaps = {name: Estimate.undefined(message("too many values to be paired")) for name, v in parts.items() if v is None}
    return Quality(quality.value, {**quality.parts, **gaps})


EXAMPLES = (KLMarginals(), KLPairs())
