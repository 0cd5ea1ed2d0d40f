"""Precision: the height of each cell in its hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.hierarchies import Hierarchy
from unmask.masks.atoms import mass
from unmask.masks.cells import Cells
from unmask.schema import domain_values
from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.wording import message


@dataclass(frozen=True)
class Precision:
    """Compute one minus the mean generalization level of the cells, relative to the hierarchy's height.

    Measures
        One minus the mean over people and quasi-identifiers of `level / height`; `*` and suppressed people are at the
        top. If one level explains all cells of a column, as after full-domain recoding, it is the level of all;
        otherwise a cell's level is the lowest with a label for exactly its values. A column of single values needs no
        hierarchy.
    Fails
        Undefined where cells of a column stand for values that no label of its hierarchy stands for.

    References
    ----------
    Sweeney. Achieving k-anonymity privacy protection using generalization and suppression. International Journal of
    Uncertainty, Fuzziness and Knowledge-Based Systems 2002, section 4.
    """

    name: ClassVar[str] = "precision"
    higher_is_better: ClassVar[bool] = True

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return one minus the mean height, and that of each attribute."""
        del rng
        lines, people = case.lines, case.people
        if not lines.cells or case.n <= 0:
            return Quality.undefined(message("the table has no people, or no quasi-identifier"))
        parts = {}
        for cells, cell in zip(lines.cells, lines.cell.T, strict=True):
            height = heights(cells)
            name = cells.attribute.name
            if np.isnan(height[cell]).any():
                why = (
                    message("column {name} has no hierarchy", name=repr(name))
                    if cells.attribute.hierarchy is None
                    else message("column {name} has cells that are no label of its hierarchy", name=repr(name))
                )
                return Quality.undefined(why)
            parts[name] = 1 - float((height[cell] @ people + case.release.n_suppressed_rows) / case.n)
        return Quality.mean(parts, case.n)


def heights(cells: Cells) -> Float64:
    """Return the level of each cell over that of the top, (cells,); NaN where no level has such a label."""
    hierarchy = cells.attribute.hierarchy
    low, high = cells.extent
    single = (np.diff(cells.start) + cells.missing == 1) & (low == high)
    if hierarchy is None or hierarchy.n_levels < 2:
        return np.where(cells.anything, 1.0, np.where(single, 0.0, np.nan))
    top = hierarchy.n_levels - 1
    fits = np.stack([single, *(_labeled(cells, hierarchy, level) for level in range(1, top + 1))])
    fits |= cells.anything
    common = fits.all(axis=1)
    if common.any():
        level = np.full(cells.n, float(np.argmax(common)))
    else:
        level = np.where(fits.any(axis=0), np.argmax(fits, axis=0).astype(np.float64), np.nan)
    return np.where(cells.anything, 1.0, level / top)


def _labeled(cells: Cells, hierarchy: Hierarchy, level: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether some label of a level stands for exactly the values of each cell, (cells,)."""
    attribute = cells.attribute
    at = domain_values(attribute.domain, hierarchy.leaves)
    held = cells.likelihood(at)
    label = hierarchy.label_of[level - 1]
    size = np.bincount(label, minlength=len(hierarchy.labels[level - 1]))
    n = np.diff(held.start)
    whole = n == mass(cells, at, np.ones(at.size))
    first = np.where(n > 0, label[held.column[np.minimum(held.start[:-1], max(held.column.size - 1, 0))]], 0)
    alike = np.bincount(held.row, label[held.column] == first[held.row], cells.n) == n
    return np.asarray(whole & alike & (n == size[first]) & (n > 0))


EXAMPLES = (Precision(),)
