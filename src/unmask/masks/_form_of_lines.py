"""What forms of published lines share: attributes, groups and cells are those of the lines."""

from __future__ import annotations

from unmask.arrays import Bool, Int32
from unmask.masks.lines import Lines
from unmask.schema import Attribute


class FormOfLines:
    """Base of a form that reads the cells of lines differently: not as ranges that contain the members' values."""

    lines: Lines

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The published quasi-identifiers."""
        return self.lines.attributes

    @property
    def is_exact(self) -> bool:
        """False: no line has all of a person's own values."""
        return False

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return self.lines.n_groups

    @property
    def group_of_line(self) -> Int32:
        """The group of each line, (lines,)."""
        return self.lines.group_of_line

    @property
    def shows_nothing(self) -> Bool:
        """Whether each group, (groups,), is published with `*` in every column, and not all are."""
        return self.lines.shows_nothing

    def cell_of(self, attribute: str) -> Int32:
        """Return the distinct cell of each line, (lines,)."""
        return self.lines.cell_of(attribute)
