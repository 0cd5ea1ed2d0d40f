"""The values of the labels of a hierarchy: the numbers of an interval, leaves, days of a period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Float64
from unmask.dates import moment_number
from unmask.hierarchies import Hierarchy
from unmask.masks.notation import date_cells, label_cells, number_cells
from unmask.masks.notation.number_cells import NUMBER, Piece
from unmask.masks.notation.number_spellings import tidy


@dataclass(frozen=True, slots=True, eq=False)
class NumberLabels:
    """The labels of a hierarchy over numbers, or over dates as days; other leaves have no number."""

    hierarchy: Hierarchy
    dates: bool = False
    at: Float64 = field(init=False)  # (leaves,) NaN where a leaf is no number

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", leaf_numbers(self.hierarchy.leaves, dates=self.dates))

    def pieces(self, level: int, number: int) -> list[Piece]:
        """Return the pieces of a label of a level, with open ends unchanged.

        A label such as `[20, 30)` is that interval, whichever numbers occur in it, if it holds its own leaves and no
        other ones; any other label, also `0-19` with the leaf 20, is its leaves.
        """
        under = np.zeros(self.at.size, bool)
        under[self.hierarchy.under(level, number)] = True
        own = self.at[under & ~np.isnan(self.at)]
        notation = None if level == 0 or not own.size else self._notation_of(self.hierarchy.labels[level - 1][number])
        if notation is not None:
            inside = np.zeros(self.at.size, bool)
            for piece in notation:
                inside |= number_cells.holds(piece, self.at)
            if np.array_equal(inside, under & ~np.isnan(self.at)):
                return notation
        return [Piece(x, x) for x in own.tolist()]

    def _notation_of(self, label: str) -> list[Piece] | None:
        return date_cells.parse(label) if self.dates else notation_of(label)


def leaf_numbers(leaves: Sequence[str], *, dates: bool) -> Float64:
    """Return leaves as numbers, (leaves,), or as days since 1970-01-01; NaN where a leaf is neither."""
    if not dates:
        return np.array([float(leaf) if NUMBER.fullmatch(leaf) else np.nan for leaf in leaves], np.float64)
    days = (moment_number(leaf) for leaf in leaves)
    return np.array([np.nan if day is None else day for day in days], np.float64)


def excludes(label: str, value: str) -> bool:
    """Whether a label is an interval, a range, a mask, a set or a period of dates that does not contain a value."""
    if not label.strip("*"):
        return False
    if label_cells.is_mask(label):  # of codes of one length; else the star is ambiguous
        return len(label) == len(value) and not value.startswith(label.rstrip("*"))
    if NUMBER.fullmatch(value):
        pieces = None if NUMBER.fullmatch(label) else notation_of(label)
        return pieces is not None and not any(
            number_cells.holds(piece, np.array([float(value)]))[0] for piece in pieces
        )
    day = moment_number(value)
    if day is not None:
        pieces = date_cells.parse(label)
        return pieces is not None and not any(number_cells.holds(piece, np.array([day]))[0] for piece in pieces)
    if label.startswith("{") and label.endswith("}") and (cell := label_cells.parse(label, "")) is not None:
        prefixes = tuple(mask.rstrip("*") for mask in cell.masks)
        return value not in (*cell.values, *cell.labels) and not (prefixes and value.startswith(prefixes))
    return False


def notation_of(label: str) -> list[Piece] | None:
    """Return a label as pieces of numbers; None where it is no notation for them."""
    mask = number_cells.of_mask(label)
    return [mask] if mask is not None else number_cells.parse(tidy(label))
