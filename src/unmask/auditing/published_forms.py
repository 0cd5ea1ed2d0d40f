"""Columns of a release with their published form and role, and the columns that were withheld."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.masks.cells import Cells
from unmask.number_format import numeral
from unmask.release import Masked, Release
from unmask.schema import Ordered, Role
from unmask.wording import joined, message


@dataclass(frozen=True, slots=True)
class ColumnForm:
    """A published column: its role, and how its values are published."""

    name: str
    role: Role | None  # None: no role was declared
    form: str
    brief: str = ""  # the same without shares of rows; empty where it has none


@dataclass(frozen=True, slots=True)
class WithheldColumn:
    """A column of the original that is not published, with its role there."""

    name: str
    role: Role | None


def published_forms(release: Release) -> Iterator[ColumnForm]:
    """Yield the columns of a release in the order of its schema."""
    quasi = dict(_quasi_forms(release))
    for attribute in release.schema:
        form, brief = quasi.get(attribute.name) or (_other_form(release, attribute.name), "")
        if form:
            yield ColumnForm(attribute.name, attribute.role, form, brief)


def _other_form(release: Release, name: str) -> str:
    """Return the form of a column beside the quasi-identifiers; empty where it is not published."""
    if name == release.person_key:
        return message("pseudonyms")
    if name in release.noise:
        return message("counts of groups, with noise")
    if name in release.permuted:
        return message("exact values, shuffled among the rows of a group")
    if name in release.columns:
        return _shifted(release, name, message("exact values"))
    return message("counts of groups") if name in release.counts else ""


def _shifted(release: Release, name: str, form: str) -> str:
    """Return the form of a column with the shift of its dates, where they are moved."""
    shift = release.date_shifts.get(name)
    if not shift:
        return form
    return message("{form}, dates moved by up to {n} days", form=form, n=numeral(shift.days))


def _quasi_forms(release: Release) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the form of each quasi-identifier, with and without shares of rows."""
    masked = release.masked
    if masked.is_typical:
        typical = message("typical values of groups: means, most frequent values")
        yield from ((a.name, (typical, "")) for a in masked.attributes)
        return
    lines = masked.lines
    weight = _rows_of_lines(masked, release.size)
    for i, cells in enumerate(lines.cells):
        name = cells.attribute.name
        if name in masked.noise:
            yield name, (message("exact values with noise"), "")
        else:
            rows = np.bincount(lines.cell[:, i], weight, cells.n).astype(np.float64)
            form, brief = _form_of_cells(cells, rows)
            yield name, (_shifted(release, name, form), _shifted(release, name, brief) if brief else "")


def _rows_of_lines(masked: Masked, size: Float64) -> Float64:
    """Return the number of rows behind each line, (lines,)."""
    lines = np.bincount(masked.group_of_line, minlength=masked.n_groups)
    return np.asarray((size / np.maximum(lines, 1))[masked.group_of_line], np.float64)


def _form_of_cells(cells: Cells, rows: Float64) -> tuple[str, str]:
    """Return how the cells of a column are written, with the share of rows of each form; and several without it."""
    exact = _is_exact(cells)
    coarse = ~exact & ~cells.anything
    labelled = np.array([*map(_is_name, cells.label, _spans(cells))] if cells.label else [False] * cells.n)
    between = np.full(cells.n, cells.attribute.is_numeric)
    if isinstance(cells.attribute.domain, Ordered):
        between = np.diff(cells.start) == 1
    forms = {
        message("exact values"): exact,
        message("labels"): coarse & labelled,
        message("ranges"): coarse & ~labelled & between,
        message("sets of values"): coarse & ~labelled & ~between,
        message("withheld (*)"): ~exact & cells.anything,
    }
    total = max(float(rows.sum()), 1.0)
    shares = {form: float(rows[marked].sum()) / total for form, marked in forms.items()}
    present = {form: share for form, share in shares.items() if share > 0}
    if len(present) <= 1:
        return next(iter(present), message("nothing")), ""
    parts = [message("{form} in {share} of rows", form=form, share=_percent(one)) for form, one in present.items()]
    return joined(parts, ", "), joined(present, ", ")


def _is_name(label: str, span: str) -> bool:
    return bool(label) and label != span


def _spans(cells: Cells) -> Iterator[str]:
    """Yield each cell of one run of listed values as `low..high`, others empty."""
    values = () if cells.attribute.is_numeric else cells.attribute.values
    for first, end in pairwise(cells.start.tolist()):
        is_run = bool(values) and end - first == 1
        yield f"{values[int(cells.low[first])]}..{values[int(cells.high[first])]}" if is_run else ""


def _is_exact(cells: Cells) -> Bool:
    """Whether each cell, (cells,), stands for one value, or for a missing one alone."""
    pieces = np.diff(cells.start)
    owner = np.repeat(np.arange(cells.n), pieces)
    wide = np.bincount(owner, cells.low < cells.high, cells.n) > 0
    return np.asarray((pieces + cells.missing == 1) & ~wide & ~cells.anything)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else message("under 1 %")
