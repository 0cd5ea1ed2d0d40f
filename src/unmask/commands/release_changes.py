"""The difference between two releases of one table, column by column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from unmask.masks.notation.notation import write_cells
from unmask.number_format import percentage
from unmask.release import Release
from unmask.wording import Message, message


def changed_columns(before: Sequence[Release], after: Sequence[Release]) -> Iterator[str]:
    """Yield a sentence for each column that is published otherwise: added, left out, of another role, other cells.

    Releases are compared in their order. Cells are compared as shares of rows by text, so that rows may be in any
    order and number.
    """
    for old, new in zip(before, after, strict=False):
        for change in _changed(old, new):
            yield message("{release}: {change}", release=new.name, change=change) if len(after) > 1 else change


def _changed(old: Release, new: Release) -> Iterator[Message]:
    """Yield columns that are gone or new first, then roles, then other cells, most rows first."""
    ours, theirs = _texts(old), _texts(new)
    names = list(dict.fromkeys((*ours, *theirs)))
    yield from (message("column {column} is no longer published", column=repr(n)) for n in names if n not in theirs)
    yield from (message("column {column} is published now", column=repr(n)) for n in names if n not in ours)
    both = {name: _difference(ours[name], theirs[name]) for name in names if name in ours and name in theirs}
    same = {name: old.schema[name].role is new.schema[name].role for name in both}
    for name in sorted(both, key=lambda name: (same[name], -both[name])):
        if (was := old.schema[name].role) is not (now := new.schema[name].role):
            yield message(
                "column {column} is {role}, was {before}", column=repr(name), role=message(now), before=message(was)
            )
        elif both[name]:
            yield message(
                "column {column} has other cells in {share} of rows", column=repr(name), share=percentage(both[name])
            )


def _difference(ours: Counter[str], theirs: Counter[str]) -> float:
    """Return the total variation distance: the least share of rows whose cell must differ."""
    n, m = max(ours.total(), 1), max(theirs.total(), 1)
    found = sum(abs(ours[text] / n - theirs[text] / m) for text in {*ours, *theirs}) / 2
    return 0.0 if found < 1e-9 else found


def _texts(release: Release) -> dict[str, Counter[str]]:
    """Return how many rows have each published cell, by column."""
    found: dict[str, Counter[str]] = {}
    lines = release.masked.lines
    rows = np.bincount(lines.line_of(release.group_of_row), minlength=lines.group_of_line.size) if (
        release.start is not None) else release.size[lines.group_of_line]  # fmt: skip
    for cells in lines.cells:
        times = np.bincount(lines.cell_of(cells.attribute.name), weights=rows, minlength=cells.n)
        found[cells.attribute.name] = _counter(write_cells(cells), times.tolist())
    for name, codes in release.columns.items():
        values = release.schema[name].values
        times = np.bincount(codes[codes >= 0], minlength=len(values))
        found[name] = _counter(values, times.tolist())
    for name, counts in release.counts.items():
        if name not in found:
            values = release.schema[name].values
            times = np.bincount(counts.column, weights=counts.data, minlength=len(values))
            found[name] = _counter(values, times.tolist())
    return found


def _counter(texts: Sequence[str], times: Sequence[float]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for text, n in zip(texts, times, strict=True):
        if n:
            counted[text] += n  # type: ignore[assignment]  # counts with noise are no whole numbers
    return counted
