"""Columns of a release with their published form and role, and the columns that were withheld."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.masks.cells import Cells
from unmask.release import Masked, Release
from unmask.schema import Role


@dataclass(frozen=True, slots=True)
class ColumnForm:
    """A published column: its role, and how its values are published."""

    name: str
    role: Role | None  # None: no role was declared
    form: str


@dataclass(frozen=True, slots=True)
class WithheldColumn:
    """A column of the original that is not published, with its role there."""

    name: str
    role: Role | None


def published_forms(release: Release) -> Iterator[ColumnForm]:
    """Yield the columns of a release in the order of its schema."""
    quasi = dict(_quasi_forms(release))
    for attribute in release.schema:
        form = quasi.get(attribute.name) or _other_form(release, attribute.name)
        if form:
            yield ColumnForm(attribute.name, attribute.role, form)


def _other_form(release: Release, name: str) -> str:
    """Return the form of a column beside the quasi-identifiers; empty where it is not published."""
    if name == release.person_key:
        return "pseudonyms"
    if name in release.noise:
        return "counts of groups, with noise"
    if name in release.permuted:
        return "exact values, shuffled among the rows of a group"
    if name in release.columns:
        return f"exact values{_shifted(release, name)}"
    return "counts of groups" if name in release.counts else ""


def _shifted(release: Release, name: str) -> str:
    shift = release.date_shifts.get(name)
    return f", dates moved by up to {shift.days:,} days" if shift else ""


def _quasi_forms(release: Release) -> Iterator[tuple[str, str]]:
    masked = release.masked
    if masked.is_typical:
        yield from ((a.name, "typical values of groups: means, most frequent values") for a in masked.attributes)
        return
    lines = masked.lines
    weight = _rows_of_lines(masked, release.size)
    for i, cells in enumerate(lines.cells):
        name = cells.attribute.name
        if name in masked.noise:
            yield name, "exact values with noise"
        else:
            rows = np.bincount(lines.cell[:, i], weight, cells.n).astype(np.float64)
            yield name, f"{_form_of_cells(cells, rows)}{_shifted(release, name)}"


def _rows_of_lines(masked: Masked, size: Float64) -> Float64:
    """Return the number of rows behind each line, (lines,)."""
    lines = np.bincount(masked.group_of_line, minlength=masked.n_groups)
    return np.asarray((size / np.maximum(lines, 1))[masked.group_of_line], np.float64)


def _form_of_cells(cells: Cells, rows: Float64) -> str:
    """Return how the cells of a column are written, with the share of rows of each form."""
    exact = _is_exact(cells)
    labelled = np.array([bool(text) for text in cells.label] or [False] * cells.n)
    coarse = "ranges" if cells.attribute.is_numeric else "labels" if labelled.any() else "sets of values"
    forms = {"exact values": exact, coarse: ~exact & ~cells.anything, "withheld (*)": ~exact & cells.anything}
    total = max(float(rows.sum()), 1.0)
    shares = {form: float(rows[marked].sum()) / total for form, marked in forms.items()}
    present = {form: share for form, share in shares.items() if share > 0}
    if len(present) <= 1:
        return next(iter(present), "nothing")
    return ", ".join(f"{form} in {_percent(share)} of rows" for form, share in present.items())


def _is_exact(cells: Cells) -> Bool:
    """Whether each cell, (cells,), stands for one value, or for a missing one alone."""
    pieces = np.diff(cells.start)
    owner = np.repeat(np.arange(cells.n), pieces)
    wide = np.bincount(owner, cells.low < cells.high, cells.n) > 0
    return np.asarray((pieces + cells.missing == 1) & ~wide & ~cells.anything)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else "under 1 %"
