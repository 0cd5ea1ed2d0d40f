"""Tables with withheld or coarser columns, before they are sanitized; the release then shows the original's values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from unmask.changes.choose_levels import are_nested, levels_of
from unmask.changes.coarser_levels import Levels, ListedLevels, NumberLevels
from unmask.errors import InvalidInputError
from unmask.hierarchies import ROOT, Hierarchy
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines, excluding
from unmask.release import Masked, Publication, Release
from unmask.schema import Attribute, Categorical, Ordered, Role, Schema
from unmask.table import Table
from unmask.wording import counted, message

COARSER = "coarser"
"""The parameter under which a release declares the columns that were coarser before its sanitizer saw them."""


@dataclass(frozen=True, slots=True, eq=False)
class CoarserTable:
    """A table with coarser columns for a sanitizer, and the way back to the values of the original."""

    table: Table
    original: Schema
    levels: Mapping[str, tuple[Levels, int]]  # column → its levels, and the level it has now

    @classmethod
    def of(cls, table: Table, coarser: Mapping[str, int]) -> CoarserTable:
        """Return a table with some quasi-identifiers some levels coarser (`levels_of`).

        Fails
            With `InvalidInputError` for another column, or one without such a level.
        """
        columns, attributes, levels = dict(table.columns), list(table.schema), dict[str, tuple[Levels, int]]()
        for name, level in coarser.items():
            attribute = table.schema[name]
            ladder = levels_in(table, attribute)
            n = 0 if ladder is None else ladder.n
            if ladder is None or not 1 <= level <= n:
                way_out = (
                    message("It has {n}: write --coarser {name}={n}", n=n, name=name)
                    if n
                    else message("Withhold it, or declare a hierarchy")
                )
                msg = counted(
                    "column {name} must have {level} coarser level; it has fewer. {way_out}",
                    "column {name} must have {level} coarser levels; it has fewer. {way_out}",
                    level,
                    name=repr(name),
                    level=level,
                    way_out=way_out,
                )
                raise InvalidInputError(msg)
            columns[name] = ladder.codes(table[name], level)
            at = table.schema.names.index(name)
            attributes[at] = _coarser(attribute, ladder, level)
            levels[name] = ladder, level
        return cls(replace(table, schema=Schema(tuple(attributes)), columns=columns), table.schema, levels)

    def lifted(self, made: Publication) -> Publication:
        """Return a publication of the coarser table with cells of the values of the original.

        Fails
            With `InvalidInputError` where the sanitizer published other forms than cells.
        """
        if not self.levels:
            return made
        release = made.release
        masked = self._lifted(release, release.masked)
        regions = None if release.regions is None else self._lifted(release, release.regions)
        schema = Schema(tuple(self.original[a.name] if a.name in self.levels else a for a in release.schema))
        declared = release.provenance
        if declared.sanitizer is not None:
            texts = {name: ladder.texts[level - 1] for name, (ladder, level) in self.levels.items()}
            declared = replace(declared, parameters={**declared.parameters, COARSER: texts})
        lifted = replace(release, schema=schema, masked=masked, regions=regions, provenance=declared)
        return Publication(lifted, made.rows, made.counted_in)

    def _lifted(self, release: Release, masked: Masked) -> Lines:
        lines = excluding(masked)
        if lines is None:
            msg = message(
                "columns must be published as cells to be coarser; release {release} has other forms. Withhold "
                "the column, or use another sanitizer",
                release=repr(release.name),
            )
            raise InvalidInputError(msg)
        return replace(lines, cells=tuple(self._back(cells) for cells in lines.cells))

    def _back(self, cells: Cells) -> Cells:
        name = cells.attribute.name
        if name not in self.levels:
            return cells
        ladder, level = self.levels[name]
        return ladder.lifted(self.original[name], cells, level)


def withheld(table: Table, columns: Iterable[str]) -> Table:
    """Return a table without some of its columns.

    Fails
        With `InvalidInputError` for another column, and where no quasi-identifier or no sensitive column is left.
    """
    names = list(columns)
    for name in names:
        attribute = table.schema[name]
        same = [a.name for a in table.schema.having(attribute.role)]
        if attribute.role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE} and set(same) <= set(names):
            msg = message(
                "some {role} column must stay; {same} are all to be withheld. Keep one of them",
                role=attribute.role,
                same=", ".join(same),
            )
            raise InvalidInputError(msg)
    return table.only(name for name in table.schema.names if name not in names) if names else table


def levels_in(table: Table, attribute: Attribute) -> Levels | None:
    """Return the coarser levels of a quasi-identifier of a table; None where there are none."""
    if attribute.role is not Role.QUASI_IDENTIFIER:
        msg = message(
            "column {attribute} must be a quasi-identifier to be coarser; it is {role}",
            attribute=repr(attribute.name),
            role=attribute.role,
        )
        raise InvalidInputError(msg)
    numbers = table.ranks(attribute.name)[1].tolist() if attribute.is_numeric else ()
    return levels_of(attribute, numbers)


def _coarser(attribute: Attribute, ladder: Levels, level: int) -> Attribute:
    """Return a column whose values are the labels of a level; its hierarchy has the coarser ones."""
    names = ladder.names(level)
    in_order = isinstance(ladder, NumberLevels) or isinstance(attribute.domain, Ordered)
    hierarchy = None
    if attribute.hierarchy is not None:
        hierarchy = _above(attribute, ladder, level, names)
    return replace(attribute, domain=Ordered(names, declared=False) if in_order else Categorical(names),
                   hierarchy=hierarchy)  # fmt: skip


def _above(attribute: Attribute, ladder: Levels, level: int, names: tuple[str, ...]) -> Hierarchy:
    rows = [[name] for name in names]
    for higher in range(level + 1, ladder.n + 1):
        if isinstance(ladder, ListedLevels):
            fine, coarse = ladder.label_of[level - 1], ladder.label_of[higher - 1]
            nested, labels = are_nested(fine, coarse), ladder.labels[higher - 1]
            of_name = np.zeros(len(names), np.int32)
            of_name[fine] = coarse
        else:
            edges, wide = ladder.edges[level - 1], ladder.edges[higher - 1]
            of_name = np.clip(np.searchsorted(wide, edges[:-1], "right") - 1, 0, wide.size - 2).astype(np.int32)
            nested, labels = bool(np.isin(wide[1:-1], edges).all()), ladder.names(higher)
        if not nested:
            msg = message(
                "the hierarchy of column {attribute} must be nested above level {level} for values to be "
                "published at that level; it is not. Choose another level, or correct the hierarchy",
                attribute=repr(attribute.name),
                level=level,
            )
            raise InvalidInputError(msg)
        for row, number in zip(rows, of_name, strict=True):
            row.append(labels[number])
    return replace(Hierarchy.from_rows([*row, ROOT] for row in rows), declared=False)


__all__ = ["COARSER", "CoarserTable", "levels_in"]
