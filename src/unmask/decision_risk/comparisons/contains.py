"""Containment: a generalized cell, as `[20, 30)` or `130**`, matches the values that it covers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from unmask.decision_risk.comparison import DistinctValues, MatchingValues
from unmask.hierarchies import Hierarchy
from unmask.masks.notation.notation import read_cells
from unmask.schema import Categorical, Missing, domain_values, labels_of


@dataclass(frozen=True)
class Contains:
    """Match if the generalized cell of one side covers the value of the other.

    Cells are parsed as those of a release: `20-29`, `[20, 30)`, `{A, B}`, `130**`, `*`, labels of a hierarchy: the one
    given here, else that of the column. A cell that covers the missing value, as `[20, 30)|?`, matches everything.

    Fails
        With `InvalidInputError` where a cell cannot be read in its column.
    """

    name: ClassVar[str] = "contains"
    cells: Literal["records", "dictionary"] = "records"  # the side that is generalized
    hierarchy: Hierarchy | None = None

    def alike(self, ours: DistinctValues, theirs: DistinctValues) -> MatchingValues:
        """Return for each value of the records the matching values of the dictionary."""
        wide, plain = (ours, theirs) if self.cells == "records" else (theirs, ours)
        labels = labels_of(wide.attribute.domain, wide.column)
        attribute = replace(
            wide.attribute,
            domain=Categorical(()),
            hierarchy=self.hierarchy or wide.attribute.hierarchy,
            missing=Missing.WILDCARD,
        )
        domain = plain.attribute.domain if plain.attribute.is_numeric else None  # then the cells decide
        found = read_cells(attribute, labels, domain=domain, also=plain.labels)
        narrowed = found.cells.attribute
        at = domain_values(narrowed.domain, plain.labels)
        fits = found.cells.likelihood(at).dense()[found.cell_of] > 0
        return MatchingValues.gathered([fits if self.cells == "records" else fits.T])
