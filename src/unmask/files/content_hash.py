"""A hash of the content of a release, independent of how its files are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256

import numpy as np

from unmask.arrays import Int64, starts
from unmask.masks.cells import Cells
from unmask.release import Masked, Release

FORM = 1
"""Version of the hash; increased when the same release would get a different hash."""


def content_hash(release: Release) -> str:
    """Return a SHA-256 of a release's content: its groups in no order, values by label, cells by meaning.

    As in `Release.same_content`, names and provenance do not count; neither do the order of lines, quoting, or
    whether a domain was declared. Read the release without a people file (`also`): its values decide what `130**`
    may stand for.

    Fails
        With `InvalidInputError` for an unknown published form.
    """
    whole = sha256(f"unmask content {FORM}\0".encode())
    for attribute in release.schema:
        whole.update(f"{attribute.name!r} {attribute.role}\0".encode())
    whole.update(f"{release.rows} {release.n_suppressed} {release.n_suppressed_rows}\0".encode())
    parts = [_Part(release.size[:, None].view(np.int64), np.arange(release.n_groups))]
    legends: list[str] = []
    for part, legend in _parts(release):
        parts.append(part)
        legends += legend
    for text in legends:
        whole.update(f"{text}\0".encode())
    for digest in sorted(_of_groups(parts, release.n_groups)):
        whole.update(digest)
    return whole.hexdigest()


class _Part:
    """A table of numbers, (lines, columns), sorted within each line's group."""

    def __init__(self, table: Int64, group: Int64) -> None:
        order = np.lexsort((*table.T[::-1], group))
        self.table = np.ascontiguousarray(table[order], np.int64)
        self.start = starts(np.bincount(group)) if group.size else np.zeros(1, np.int64)

    def of(self, group: int) -> bytes:
        """Return the lines of a group as bytes."""
        if group + 1 >= self.start.size:
            return b""
        return self.table[self.start[group] : self.start[group + 1]].tobytes()


def _of_groups(parts: Sequence[_Part], n_groups: int) -> Iterator[bytes]:
    for group in range(n_groups):
        digest = sha256()
        for part in parts:
            content = part.of(group)
            digest.update(len(content).to_bytes(8, "little"))
            digest.update(content)
        yield digest.digest()


def _parts(release: Release) -> Iterator[tuple[_Part, list[str]]]:
    """Yield the tables that describe the groups, each with the legends of its numbers."""
    attached, legends = [], []
    for name in sorted(release.columns):
        numbers, legend = _ranked(release.schema[name].values, release.columns[name])
        attached.append(numbers)
        legends.append(f"{name!r}: {legend}")
    lines, legend_of_cells = _numbered_cells(release.masked)
    group = release.masked.group_of_line.astype(np.int64)
    if group.size == release.n_rows:  # each line is a row: attached values belong to it
        lines, attached = np.concatenate([lines, *(a[:, None] for a in attached)], axis=1), []
    yield _Part(lines, group), legend_of_cells + legends
    if attached:
        yield _Part(np.stack(attached, axis=1), release.group_of_row.astype(np.int64)), []
    for name in sorted(set(release.counts) - set(release.columns)):
        entries = release.counts[name]
        numbers, legend = _ranked(release.schema[name].values, entries.column)
        table = np.stack([numbers, entries.data.view(np.int64)], axis=1)
        noise = release.noise.get(name)
        yield _Part(table, entries.row.astype(np.int64)), [f"counts of {name!r}: {legend} {noise}"]
    if release.regions is not None:
        lines, legend_of_cells = _numbered_cells(release.regions)
        yield _Part(lines, release.regions.group_of_line.astype(np.int64)), ["regions", *legend_of_cells]
    if release.headcount is not None:
        counted = release.headcount
        table = counted.of_group[:, None].view(np.int64)
        yield _Part(table, np.arange(release.n_groups)), [f"people {counted.total!r}"]


def _ranked(values: Sequence[str], codes: np.ndarray[tuple[int], np.dtype[np.int32]]) -> tuple[Int64, list[str]]:
    """Number the occurring values by sorted label, independent of their codes; missing stays negative."""
    used = np.unique(codes[codes >= 0])
    labels = sorted(values[code] for code in used.tolist())
    place = {label: i for i, label in enumerate(labels)}
    number = np.full(len(values) + 1, -1, np.int64)
    number[used] = [place[values[code]] for code in used.tolist()]
    return number[np.maximum(codes, -1)], labels


def _numbered_cells(masked: Masked) -> tuple[Int64, list[str]]:
    """Return the cells of each line, (lines, attributes), numbered by meaning, and these meanings."""
    columns, legends = [], [type(masked).__name__]
    legends += [f"noise of {name!r}: {masked.noise[name]}" for name in sorted(masked.noise)]
    for cells, cell in zip(masked.lines.cells, masked.lines.cell.T, strict=True):
        used, inverse = np.unique(cell, return_inverse=True)
        meaning = _meanings(cells.take(used))
        legend = sorted(set(meaning))
        place = {text: i for i, text in enumerate(legend)}
        columns.append(np.array([place[text] for text in meaning], np.int64)[inverse.ravel()])
        legends.append(f"{cells.attribute.name!r} {cells.attribute.missing}: {legend}")
    shape = (masked.group_of_line.size, 0)
    return np.stack(columns, axis=1) if columns else np.zeros(shape, np.int64), legends


def _meanings(cells: Cells) -> list[str]:
    """Return the values that each cell may stand for, as text."""
    if cells.attribute.is_numeric:
        ends = [
            f"{'(' if a else '['}{low!r}, {high!r}{')' if b else ']'}"
            for low, high, a, b in zip(
                cells.low.tolist(), cells.high.tolist(), cells.low_open, cells.high_open, strict=True
            )
        ]
        pieces = [ends[a:b] for a, b in zip(cells.start[:-1].tolist(), cells.start[1:].tolist(), strict=True)]
    else:
        pieces = [sorted(labels) for labels in cells.labels()]
    return [
        "*" if anything else f"{piece}{'|?' if missing else ''}"
        for piece, missing, anything in zip(pieces, cells.missing, cells.anything, strict=True)
    ]
