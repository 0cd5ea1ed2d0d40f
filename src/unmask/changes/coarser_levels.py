"""Ever coarser levels of one column: of numbers ever wider intervals, of listed values ever fewer labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, frozen, starts
from unmask.masks.cells import Cells
from unmask.masks.notation import number_cells
from unmask.masks.notation.number_cells import Piece
from unmask.schema import UNKNOWN, Attribute, Numeric
from unmask.table import Column


@dataclass(frozen=True, slots=True, eq=False)
class NumberLevels:
    """Levels of numbers or dates: contiguous intervals, each from an edge to before the next one."""

    edges: tuple[Float64, ...]  # per level, (intervals + 1,) rising
    texts: tuple[str, ...]  # per level, for a sentence: "ranges of 10"
    step: float | None

    @property
    def n(self) -> int:
        """The number of levels above the values themselves."""
        return len(self.edges)

    def names(self, level: int) -> tuple[str, ...]:
        """Return a distinct name of each interval of a level, in order."""
        return tuple(f"[{low!r}, {high!r})" for low, high in pairwise(self.edges[level - 1].tolist()))

    def codes(self, values: Column, level: int) -> Int32:
        """Return the interval of each value, (values,); -1 where it is missing."""
        edges, known = self.edges[level - 1], ~np.isnan(values)
        inside = np.clip(np.searchsorted(edges, np.where(known, values, edges[0]), "right") - 1, 0, edges.size - 2)
        return np.where(known, inside, UNKNOWN).astype(np.int32)

    def widened(self, cells: Cells, level: int) -> Cells:
        """Return each cell as the union of the intervals that it touches."""
        edges, last = self.edges[level - 1], self.edges[level - 1].size - 1
        begin = np.clip(np.searchsorted(edges, cells.low, "right") - 1, 0, last - 1)
        end = np.where(cells.high_open, np.searchsorted(edges, cells.high), np.searchsorted(edges, cells.high, "right"))
        return self._of_pieces(cells.attribute, cells, edges[begin], edges[np.clip(end, 1, last)])

    def lifted(self, attribute: Attribute, cells: Cells, level: int) -> Cells:
        """Return cells of interval numbers as cells of the numbers in the intervals."""
        edges = self.edges[level - 1]
        return self._of_pieces(attribute, cells, edges[cells.low.astype(int)], edges[cells.high.astype(int) + 1])

    def _of_pieces(self, attribute: Attribute, cells: Cells, low: Float64, high: Float64) -> Cells:
        """Return cells of half-open pieces, joined where they touch and cut at declared bounds."""
        domain = attribute.domain
        least, most = (domain.low, domain.high) if isinstance(domain, Numeric) else (None, None)
        below, above, pieces = low.tolist(), high.tolist(), list[list[Piece]]()
        known: dict[tuple[tuple[float, float], ...], list[Piece]] = {}  # coarser cells repeat
        for first, end in pairwise(cells.start.tolist()):
            ends = tuple(zip(below[first:end], above[first:end], strict=True))
            if ends not in known:
                own = [Piece(a, b, high_open=True) for a, b in ends]
                if self.step is not None:
                    own = number_cells.stepped(own, self.step)
                known[ends] = number_cells.merged((_between(one, least, most) for one in own), self.step)
            pieces.append(known[ends])
        flat = [one for own in pieces for one in own]
        return Cells(
            attribute,
            starts(np.array([len(own) for own in pieces], np.int64)),
            np.array([one.low for one in flat], np.float64),
            np.array([one.high for one in flat], np.float64),
            np.array([one.low_open for one in flat], bool),
            np.array([one.high_open for one in flat], bool),
            cells.missing,
            cells.anything,
            cells.label if cells.attribute is not attribute else (),
        )


def _between(piece: Piece, least: float | None, most: float | None) -> Piece:
    low = piece.low if least is None else max(piece.low, least)
    if most is None or piece.high <= most:
        return piece._replace(low=min(low, piece.high))
    return Piece(min(low, most), most, piece.low_open)


@dataclass(frozen=True, slots=True, eq=False)
class ListedLevels:
    """Levels of listed values: each value has one label on each level."""

    label_of: tuple[Int32, ...]  # per level, (values,)
    labels: tuple[tuple[str, ...], ...]  # per level
    texts: tuple[str, ...]  # per level, for a sentence: "the first 3 characters"
    published: bool  # whether a cell of one label is published under it

    def __post_init__(self) -> None:
        object.__setattr__(self, "label_of", tuple(frozen(level, np.int32) for level in self.label_of))

    @property
    def n(self) -> int:
        """The number of levels above the values themselves."""
        return len(self.labels)

    def names(self, level: int) -> tuple[str, ...]:
        """Return the labels of a level."""
        return self.labels[level - 1]

    def codes(self, values: Column, level: int) -> Int32:
        """Return the label of each value, (values,); negative codes stay."""
        return np.where(values >= 0, self.label_of[level - 1][values], values).astype(np.int32)

    def widened(self, cells: Cells, level: int) -> Cells:
        """Return each cell as the union of the labels that it touches."""
        label = self.label_of[level - 1]
        return self._of_labels(cells.attribute, cells, [np.unique(label[codes]) for codes in _codes(cells)], level)

    def lifted(self, attribute: Attribute, cells: Cells, level: int) -> Cells:
        """Return cells of labels as cells of the values under them."""
        return self._of_labels(attribute, cells, list(_codes(cells)), level)

    def _of_labels(self, attribute: Attribute, cells: Cells, held: Sequence[Int64], level: int) -> Cells:
        """Return cells of the values under some labels each; one label is published under its own name."""
        label, names = self.label_of[level - 1], self.labels[level - 1]
        runs = [_runs(np.isin(label, labels)) for labels in held]
        texts = [names[labels[0]] if labels.size == 1 and self.published else "" for labels in held]
        if cells.label and cells.attribute is not attribute:  # of a coarser level yet
            texts = [own or text for own, text in zip(cells.label, texts, strict=True)]
        flat = np.concatenate([np.zeros((0, 2)), *runs])
        open_ = np.zeros(flat.shape[0], bool)
        return Cells(
            attribute, starts(np.array([len(run) for run in runs], np.int64)), flat[:, 0], flat[:, 1], open_, open_,
            cells.missing, cells.anything, tuple(texts) if any(texts) else (),
        )  # fmt: skip


def _codes(cells: Cells) -> Iterator[Int64]:
    """Yield the codes of each cell of listed values."""
    for first, end in pairwise(cells.start.tolist()):
        runs = zip(cells.low[first:end].astype(int), cells.high[first:end].astype(int), strict=True)
        yield np.array([code for low, high in runs for code in range(low, high + 1)], np.int64)


def _runs(inside: Bool) -> Float64:
    """Return the first and the last code of each run of marked codes, (runs, 2)."""
    edge = np.diff(np.concatenate([[False], inside, [False]]).astype(np.int8))
    return np.stack([np.flatnonzero(edge == 1), np.flatnonzero(edge == -1) - 1], axis=1).astype(np.float64)


Levels: TypeAlias = NumberLevels | ListedLevels
"""The levels of one column."""


def present_level(levels: Levels, cells: Cells) -> int:
    """Return the coarsest level that cells are published on already; 0: some are finer than all levels."""
    return next((level for level in range(levels.n, 0, -1) if levels.widened(cells, level).same(cells)), 0)
