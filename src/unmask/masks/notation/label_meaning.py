"""The values of the labels of a hierarchy: the numbers of an interval, leaves, days of a period."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Float64
from unmask.hierarchies import Hierarchy
from unmask.masks import dates
from unmask.masks.notation import label_cells, number_cells
from unmask.masks.notation.number_cells import NUMBER, Piece


@dataclass(frozen=True, slots=True, eq=False)
class NumberLabels:
    """The labels of a hierarchy over numbers; other leaves have no number."""

    hierarchy: Hierarchy
    at: Float64 = field(init=False)  # (leaves,) NaN where a leaf is no number

    def __post_init__(self) -> None:
        numbers = [float(leaf) if NUMBER.fullmatch(leaf) else np.nan for leaf in self.hierarchy.leaves]
        object.__setattr__(self, "at", np.array(numbers, np.float64))

    def pieces(self, level: int, number: int) -> list[Piece]:
        """Return the pieces of a label of a level, with open ends unchanged.

        A label such as `[20, 30)` is that interval, whichever numbers occur in it, if it holds its own leaves and no
        other ones; any other label, also `0-19` with the leaf 20, is its leaves.
        """
        under = np.zeros(self.at.size, bool)
        under[self.hierarchy.under(level, number)] = True
        own = self.at[under & ~np.isnan(self.at)]
        notation = None if level == 0 or not own.size else notation_of(self.hierarchy.labels[level - 1][number])
        if notation is not None:
            inside = np.zeros(self.at.size, bool)
            for piece in notation:
                inside |= number_cells.holds(piece, self.at)
            if np.array_equal(inside, under & ~np.isnan(self.at)):
                return notation
        return [Piece(x, x) for x in own.tolist()]


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
    if dates.is_day(value):
        ends = dates.ends_of(label)
        return ends is not None and not ends[0] <= value <= ends[1]
    if label.startswith("{") and label.endswith("}") and (cell := label_cells.parse(label, "")) is not None:
        prefixes = tuple(mask.rstrip("*") for mask in cell.masks)
        return value not in (*cell.values, *cell.labels) and not (prefixes and value.startswith(prefixes))
    return False


def notation_of(label: str) -> list[Piece] | None:
    """Return a label as pieces of numbers; None where it is no notation for them."""
    mask = number_cells.of_mask(label)
    return [mask] if mask is not None else number_cells.parse(number_cells.tidy(label))
