"""Read the sources of one command: tables, releases and people, by the same roles and options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np

from unmask.commands.inputs.reading_options import ReadingOptions, Source, as_release, given_of, is_folder
from unmask.commands.notes import Notes
from unmask.differential_privacy.noise_claims import describe_noise
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import Dsn, is_dsn
from unmask.files.declared_dates import with_declared_dates
from unmask.files.likely_keys import unit_notes
from unmask.files.missing_hints import missing_hints
from unmask.files.people import People, to_people
from unmask.files.published import ReadRelease
from unmask.files.raw import MISSING, SUPPRESSED, Raw
from unmask.files.reading import FileFormat, read
from unmask.files.regular import file_inside
from unmask.files.release_files import ABOUT
from unmask.files.release_json import ReleaseFile
from unmask.files.releases import generalized, read_release, release_names
from unmask.files.roles import ColumnRole, Roles
from unmask.files.tables import coding_notes, to_table
from unmask.masks.shifted_dates import describe_shifts, with_shift_in_cells
from unmask.release import Release, Rows
from unmask.schema import Role
from unmask.table import Table
from unmask.view import Attack, ComparesValues
from unmask.wording import joined, message


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """The roles of columns, the options of files, and the notes that reading adds to."""

    roles: Roles
    options: ReadingOptions
    notes: Notes
    cellwise: bool = False  # no cell of a table decides how another is read

    @classmethod
    def of(
        cls,
        roles: Roles | str | Path | None,
        notes: Notes,
        *,
        beside: Source | None = None,
        **options: Unpack[ReadingOptions],
    ) -> Reader:
        """Take the roles that options and `roles.toml` declare; by default the file that lies beside a table."""
        given = given_of(options)
        declared = roles
        if declared is None and (file := roles_file(beside)) is not None:
            notes.aside(message("roles from {file}", file=file))
            declared = file
        found = Roles() if declared is None else declared if isinstance(declared, Roles) else Roles.from_toml(declared)
        of_roles = given.keys() - FileFormat.__annotations__.keys() - {"rows"}
        declaring: dict[str, Any] = {key: value for key, value in given.items() if key in of_roles}
        return cls(found.with_options(**declaring), given, notes)

    @property
    def marks(self) -> Iterable[str]:
        """The marks of missing values."""
        return MISSING if self.roles.missing is None else self.roles.missing

    def beside(self, releases: Iterable[Source]) -> Reader:
        """Return the reader for tables beside releases: cell by cell, as they were published, if one has noise."""
        return replace(self, cellwise=self.cellwise or any(map(_has_noise, releases)))

    def raw(self, source: Source) -> Raw:
        """Read a table; `*` is a suppressed value."""
        if isinstance(source, Raw):
            return with_declared_dates(source, self.roles)
        raw = read(source, missing=(*self.marks, SUPPRESSED), cellwise=self.cellwise, **self._of_the_file())
        for text in raw.asides:
            self.notes.aside(text)
        return with_declared_dates(raw, self.roles)

    def table(self, raw: Raw, require: Iterable[Role] = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)) -> Table:
        """Code a table by the roles of its columns.

        Fails
            With `InvalidInputError` where the roles do not belong to it.
        """
        self.notes.add(
            *raw.notes,
            *filter(None, [_no_longer_missing(raw, self.roles)]),
            *missing_hints(raw, self.roles),
            *unit_notes(raw, self.roles),
        )
        table = to_table(raw, self.roles, require=require)
        self.notes.add(*coding_notes(table, raw, self.roles))
        return table

    def releases(
        self,
        sources: Sequence[Source],
        beside: Sequence[Raw] = (),
        attacks: Sequence[Attack] = (),
        *,
        with_tables: bool = False,
    ) -> tuple[ReadRelease, ...]:
        """Read releases: folders, tables, pairs of tables, data frames, or releases and results that were made here.

        `beside` are tables of people to compare with: their values define the meaning of cells. `attacks` target these
        people. The tables as written are kept on request only: they are large.
        """
        also = _values_of(beside) or None
        sources = list(map(as_release, sources))
        paths = [source if isinstance(source, (str, Path)) else _name_of(source) for source in sources]
        found: list[ReadRelease] = []
        for source, name in zip(sources, release_names(paths), strict=True):
            one = with_declared_rows(self._release(source, name, also), self.options.get("rows"))
            gaps = notes_on_gaps(one.gaps, attacks)
            notes = (*one.notes, *gaps, *describe_noise(one.release), *describe_shifts(one.release))
            self.notes.add(*(joined([name, text], ": ") for text in notes))
            same = next((other.release.name for other in found if other.release.same_content(one.release)), None)
            if same is not None:
                self.notes.add(
                    message("{name} shows the same as {same}: together they count once", name=name, same=same)
                )
            found.append(one if with_tables else replace(one, table=None))
        return tuple(found)

    def people(self, raw: Raw, releases: Sequence[ReadRelease], *, named: Iterable[str] = ()) -> People:
        """Read the targets in the schema of the releases; `named` are required quasi-identifiers."""
        found = to_people(raw, releases, self.roles, named=named)
        self.notes.add(*raw.notes, *missing_hints(raw, self.roles), *found.notes)
        return found

    def population(self, raw: Raw, releases: Sequence[ReadRelease]) -> Table:
        """Read a population in the schema of the releases.

        Fails
            With `InvalidInputError` where it lacks a quasi-identifier: a missing one would match every value, and
            people would look safer.
        """
        for one in releases:
            lacking = [a.name for a in one.release.schema.quasi if a.name not in raw.columns]
            if lacking:
                msg = message(
                    "{raw} must have every quasi-identifier, being the population; it lacks {lacking}. Add or rename "
                    "columns, or leave these out of -q",
                    raw=repr(raw.name),
                    lacking=", ".join(lacking),
                )
                raise InvalidInputError(msg)
        return to_people(raw, releases, self.roles).table

    def without_table_format(self) -> Reader:
        """Return the reader for releases, without the format of the table's file; a decimal sign holds for both."""
        of_the_file = set(FileFormat.__annotations__) - {"decimal"}
        kept = {key: value for key, value in self.options.items() if key not in of_the_file}
        return replace(self, options=cast("ReadingOptions", kept))

    def declaring(self, name: str, role: Role) -> Reader:
        """Return the reader with the role of one more column."""
        declared = self.roles.of_column(name).model_copy(update={"role": role})
        return self._with_columns({**self.roles.columns, name: declared})

    def inheriting(self, releases: Sequence[ReadRelease], tables: Sequence[Raw] = ()) -> Reader:
        """Return the reader with the role that releases give a column, where none is declared.

        A published person key is also that of the `tables` it was made of, if all have it and none is declared.
        """
        columns = dict(self.roles.columns)
        for read_ in releases:
            for attribute in read_.release.schema:
                before = columns.get(attribute.name, ColumnRole())
                inherited = attribute.role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE}
                if attribute.role is Role.PERSON_KEY and not any(
                    one.role is Role.PERSON_KEY for one in columns.values()
                ):
                    inherited = bool(tables) and all(attribute.name in raw.columns for raw in tables)
                if before.role is None and inherited:
                    columns[attribute.name] = before.model_copy(update={"role": attribute.role})
        return self._with_columns(columns)

    def _with_columns(self, columns: Mapping[str, ColumnRole]) -> Reader:
        changed = self.roles.model_copy(update={"columns": columns})
        changed._folder = self.roles._folder  # noqa: SLF001 - the same roles, with more in them
        return replace(self, roles=changed)

    def silent(self) -> Reader:
        """Return the reader with notes that are not printed, to read a source again."""
        return replace(self, notes=Notes(silent=True))

    def _release(self, source: Source, name: str, also: Mapping[str, Iterable[str]] | None) -> ReadRelease:
        if isinstance(source, Release):
            made, lines = with_shift_in_cells(replace(source, name=name)), np.arange(source.n_rows, dtype=np.int64)
            return ReadRelease(made, lines, person_key=source.person_key, person_of=source.person_of)
        if isinstance(source, ReadRelease):
            return source
        if isinstance(source, (str, Path)):
            return read_release(source, self.roles, name=name, also=also, **self._of_the_file())
        raw = source if isinstance(source, Raw) else read(source, missing=self.marks, **self._of_the_file())
        return generalized(with_declared_dates(raw, self.roles), self.roles, name=name, also=also)

    def _of_the_file(self) -> FileFormat:
        return cast("FileFormat", {name: self.options.get(name) for name in FileFormat.__annotations__})


def with_declared_rows(found: ReadRelease, rows: str | None) -> ReadRelease:
    """Return a release with what its rows are said to be: people, or synthetic; None: as it declares or assumes.

    Fails
        With `InvalidInputError` where the release declares something else.
    """
    if rows is None:
        return found
    wanted: Rows | None = "people" if rows == "people" else "synthetic" if rows == "synthetic" else None
    if wanted is None:
        msg = message("rows must be people or synthetic; got {rows}", rows=repr(rows))
        raise InvalidInputError(msg)
    name, declared = repr(found.release.name), found.release.rows
    if found.rows_declared and rows != declared:
        msg = message(
            "rows must be what release {name} declares, {declared}; got {rows}. Leave --rows out, or correct its "
            "release.json", name=name, declared=declared, rows=rows,
        )  # fmt: skip
        raise InvalidInputError(msg)
    return replace(found, release=replace(found.release, rows=wanted), rows_declared=True)


def _has_noise(source: Source) -> bool:
    """Whether a source is a release with noise, which a sanitizer read cell by cell."""
    if is_folder(source):
        return ReleaseFile.read(file_inside(Path(source), ABOUT)).has_noise
    release = source.release if isinstance(source, ReadRelease) else as_release(source)
    return isinstance(release, Release) and bool(release.noise or release.masked.noise)


def _values_of(tables: Sequence[Raw]) -> dict[str, list[str]]:
    """Return the distinct values of each column of some tables, as text."""
    found: dict[str, list[str]] = {}
    for raw in tables:
        for name, column in raw.columns.items():
            found.setdefault(name, []).extend(column.labels)
    return found


def notes_on_gaps(columns: Sequence[str], attacks: Sequence[Attack]) -> Iterator[str]:
    """Yield which people missing cells match: all in linkage that compares values, none in other attacks.

    `columns` have missing cells that count as a value of their own.
    """
    if not columns:
        return
    comparing = [isinstance(one, ComparesValues) and bool(one.compare) for one in attacks]
    if any(comparing):
        yield message(
            "cells of {columns} are missing: linkage with compare matches them with all people",
            columns=", ".join(columns),
        )
    if not all(comparing) or not attacks:
        others = message(", in other attacks") if any(comparing) else ""
        yield (
            message(
                "cells of {columns} are missing, which counts as a value of its own{others}: no person with a "
                "value matches them. Where NA marks suppressed cells, as in sdcMicro, write --missing-policy "
                "wildcard",
                columns=", ".join(columns),
                others=others,
            )
        )


def roles_file(beside: Source | None) -> Path | None:
    """Return the roles.toml that lies beside a table; None without one."""
    folder = _folder_of(beside)
    return folder / "roles.toml" if folder is not None and (folder / "roles.toml").is_file() else None


def _folder_of(data: Source | None) -> Path | None:
    """Return the folder that a table, or the file of its database, lies in; None where it lies in none."""
    if not isinstance(data, (str, Path)) or str(data) == "-":
        return None
    path = Dsn.of(str(data)).path if is_dsn(data) else Path(data)
    return None if path is None else path.parent


def _name_of(source: Any) -> str:  # noqa: ANN401 - a release or any data frame
    if isinstance(source, ReadRelease):
        return source.release.name
    return source.name if isinstance(source, Release) else "release"


def _no_longer_missing(raw: Raw, roles: Roles) -> str | None:
    """Return which of the usual marks of a missing value count as values here, since others were declared."""
    undeclared = set(MISSING).difference(roles.missing if roles.missing is not None else MISSING)
    found = [mark for mark in MISSING if mark in undeclared and any(mark in c.labels for c in raw.columns.values())]
    if not found:
        return None
    return message("counted as values, since --missing names other marks: {found}", found=", ".join(found))
