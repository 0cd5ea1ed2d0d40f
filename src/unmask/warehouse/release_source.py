"""What an engine counts of a release: plain tables as options declare them, or the folder that `sanitize` wrote."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from pathlib import Path

from sqlglot import exp

from unmask.arrays import Int32
from unmask.csv_writing import FORMULAS, unharmed
from unmask.errors import InvalidInputError
from unmask.files.existence import is_release_folder
from unmask.files.folder_reading import parsed_column_of
from unmask.files.regular import file_inside
from unmask.files.release_files import ABOUT
from unmask.files.release_json import ColumnFile, ReleaseFile
from unmask.files.releases import GROUP, parsed_column
from unmask.files.roles import Roles
from unmask.masks.cells import Cells
from unmask.release import Provenance
from unmask.schema import MARK, Missing, Role
from unmask.unit import Unit
from unmask.warehouse.engine import Source
from unmask.warehouse.expressions import both, case, column, inner, named, select, text
from unmask.wording import joined, message

CellParser = Callable[[str, Sequence[str]], tuple[Cells, Int32]]
"""A function that parses the distinct texts of a column, as `files.releases.parsed_column`."""

_ROWS = "rows.csv"


@dataclass(frozen=True, slots=True)
class ReleaseSource:
    """A release in an engine: where it is, and what its columns are."""

    place: str  # a path, glob, DSN or name
    roles: Roles
    parse: CellParser
    _: KW_ONLY
    group: str = GROUP  # the column of published groups, where it has no role
    about: ReleaseFile | None = None  # of a folder

    @classmethod
    def of(cls, place: str, roles: Roles) -> ReleaseSource:
        """Return a table with the declared roles, or a release folder with its own.

        Fails
            With `InvalidInputError` where a folder holds something else than rows of exact or generalized cells.
        """
        if not is_release_folder(place):
            return cls(place, roles, partial(parsed_column, roles=roles))
        folder = Path(place)
        about = ReleaseFile.read(file_inside(folder, ABOUT))
        unlike = list(_uncounted(about, folder))
        if unlike:
            msg = message(
                "a release folder must have rows of exact or generalized cells to be counted in an engine; {name} has "
                "{unlike}. Leave out --engine",
                name=repr(folder.name),
                unlike=joined(unlike),
            )
            raise InvalidInputError(msg)
        marks = {one.missing.mark for one in about.columns} or {MARK}
        policies = {one.missing.policy for one in about.columns} or {Missing.OWN}
        declared = roles.model_copy(
            update={
                "missing": tuple(sorted(marks)),
                "missing_policy": policies.pop(),
                "columns": {
                    one.name: roles.of_column(one.name).model_copy(update={"role": Role(one.role)})
                    for one in about.columns
                },
            }
        )
        columns = {one.name: one for one in about.columns}

        def parse(name: str, texts: Sequence[str]) -> tuple[Cells, Int32]:
            return parsed_column_of(columns[name], folder, texts)

        file = str(file_inside(folder, _ROWS))
        return cls(file, declared, parse, group=about.group_column or GROUP, about=about)

    @property
    def made_by(self) -> Provenance:
        """How the release was made, as far as it is published."""
        made = None if self.about is None else self.about.made_by
        return Provenance() if made is None else made.provenance()

    @property
    def suppressed(self) -> int:
        """The people who are in no row."""
        return 0 if self.about is None else self.about.suppressed

    @property
    def rows_declared(self) -> bool:
        """Whether the publisher declares that rows are people."""
        return self.about is not None and "rows" in self.about.model_fields_set

    def read(self, source: Source) -> Source:
        """Return the opened table with its cells as they were before `csv_writing.harmless`."""
        if self.about is None:
            return source
        given = [named(_unharmed(column(one)), unharmed(one)) for one in source.columns]
        relation = inner(select(*given).from_(source.relation.copy(), copy=False), "source")
        return replace(source, relation=relation, columns={unharmed(k): kind for k, kind in source.columns.items()})

    def inherited(self, roles: Roles) -> Roles:
        """Return the roles of the people, with those that a folder gives columns where none is declared."""
        if self.about is None:
            return roles
        columns = dict(roles.columns)
        for name, one in self.roles.columns.items():
            if one.role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE} and roles.of_column(name).role is None:
                columns[name] = roles.of_column(name).model_copy(update={"role": one.role})
        return roles.model_copy(update={"columns": columns, "missing_policy": self.roles.policy})


def _uncounted(about: ReleaseFile, folder: Path) -> Iterator[str]:
    """Yield what a release folder has that no engine counts."""
    if not os.path.lexists(folder / _ROWS):
        yield message("a table of counts")
    elif about.rows != "people":
        yield message("synthetic rows")
    if about.people is not None or about.unit is not Unit.ROWS:
        yield message("people with several rows")
    if about.regions is not None:
        yield message("regions")
    for one in about.columns:
        unlike = _unlike(one)
        if unlike:
            yield message("{unlike} of {column}", unlike=unlike, column=repr(one.name))
    for name in sorted(one.name for one in folder.glob("counts-*.csv")):
        yield message("values apart from the rows, in {name}", name=name)
    if len({one.missing.policy for one in about.columns}) > 1:
        yield message("columns with different policies for missing values")
    if len({one.missing.mark for one in about.columns}) > 1:
        yield message("columns with different marks of missing values")


def _unlike(one: ColumnFile) -> str:
    """Return the form of a column's cells that no engine counts; empty for others."""
    if one.cells not in {"exact", "cells"}:
        return message("{form} cells", form=one.cells)
    return message("shifted dates") if one.shifted is not None else ""


def _unharmed(cell: exp.Expression) -> exp.Expression:
    """Return a cell of text without the apostrophe that `csv_writing.harmless` has added."""
    bare = exp.Trim(this=cell.copy(), expression=text("'"), position="LEADING")
    first = exp.Substring(this=bare, start=exp.Literal.number(1), length=exp.Literal.number(1))
    starts = exp.EQ(
        this=exp.Substring(this=cell.copy(), start=exp.Literal.number(1), length=exp.Literal.number(1)),
        expression=text("'"),
    )
    is_harmed = both(starts, exp.In(this=first, expressions=[text(one) for one in FORMULAS]))
    return case(is_harmed, exp.Substring(this=cell.copy(), start=exp.Literal.number(2)), cell)
