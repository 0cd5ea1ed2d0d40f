"""Release readers: a release folder, a generalized table, Anatomy's two tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from unmask.arrays import Float64, Int32
from unmask.errors import InvalidInputError
from unmask.files.attributes import declared_domain, named_hierarchy
from unmask.files.databases.dsn import Dsn, is_dsn
from unmask.files.declared_dates import with_declared_dates
from unmask.files.exact_totals import recoverable_cells
from unmask.files.existence import is_release_folder, require_file
from unmask.files.folder_reading import read_folder
from unmask.files.keys import nameless
from unmask.files.missing_hints import missing_hints
from unmask.files.number_styles import like_numbers
from unmask.files.published import Published, PublishedParts, ReadRelease, Unused, assemble, cells_of, person_key
from unmask.files.published_level import level_number
from unmask.files.raw import MISSING, CellFormat, Raw, RawColumn
from unmask.files.reading import FileFormat, read
from unmask.files.regular import real_path
from unmask.files.roles import Roles
from unmask.hierarchies import Hierarchy
from unmask.hierarchy_presets.names import is_of_table, preset_name
from unmask.masks.cells import Cells
from unmask.masks.notation.notation import are_numbers
from unmask.schema import ATTACHED, Attribute, Categorical, Missing, Role, Schema, mark_for
from unmask.wording import counted, message

COUNT = "count"
"""The column of counts in Anatomy's second table."""

GROUP = "group"
"""The default name of the group column."""

_PUBLISHED_ROLES = {Role.QUASI_IDENTIFIER, *ATTACHED}


def read_release(
    path: str | Path,
    roles: Roles | None = None,
    *,
    name: str | None = None,
    also: Mapping[str, Iterable[str]] | None = None,
    group_column: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
) -> ReadRelease:
    """Read a release: a folder with `release.json`, one generalized table (a file, or a DSN), or `QIT.csv,ST.csv`.

    `also` are the values of the targets, by column: they decide which values `130**` and `<30` may stand for.
    For a folder, the roles provide only new column names (`[releases.NAME] rename`) and missing hierarchies of
    sensitive columns.

    Fails
        With `InvalidInputError` where the release does not exist, or its columns have no role.
    """
    roles = roles or Roles()
    name = name or release_names([path])[0]
    also = also or {}
    options = FileFormat(encoding=encoding, delimiter=delimiter, decimal=decimal, skip_lines=skip_lines, sheet=sheet)
    if is_dsn(path):
        return _one_table(path, roles, options, name, also, group_column)
    where = Path(path)
    if is_release_folder(where):
        return _with_hierarchies(read_folder(where, name, rename=roles.renamed(name), also=also), roles)
    if where.is_dir():
        msg = message(
            "{path} must be a release: a folder with a release.json, or a table; it is a folder without one",
            path=repr(str(path)),
        )
        raise InvalidInputError(msg)
    two = None if where.exists() else two_paths(str(path))
    if two is not None:
        tables = [_renamed(_read(part, roles, options), roles.renamed(name)) for part in two]
        return anatomized(tables[0], tables[1], roles, name=name, also=also)
    return _one_table(where, roles, options, name, also, group_column)


def _one_table(
    path: str | Path,
    roles: Roles,
    options: FileFormat,
    name: str,
    also: Mapping[str, Iterable[str]],
    group_column: str | None,
) -> ReadRelease:
    raw, renamed = _read(path, roles, options), roles.renamed(name)
    result = generalized(_renamed(raw, renamed), roles, name=name, also=also, group_column=group_column)
    return replace(result, table=None) if renamed else result


def release_names(paths: Sequence[str | Path]) -> list[str]:
    """Return the names of releases: the stem of the path or the table of a DSN, numbered if equal."""
    names: list[str] = []
    for path in paths:
        stem = Dsn.of(str(path)).name if is_dsn(path) else _stem(path)
        name, number = stem, 1
        while name in names:
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return names


def _stem(path: str | Path) -> str:
    where = Path(path)
    two = None if where.exists() else two_paths(str(path))
    file = two[0] if two else where
    return (
        real_path(file).name
        if file.is_dir()
        else file.name.removesuffix(".gz").removesuffix(".zst").rsplit(".", 1)[0] or file.name
    )


def generalized(
    raw: Raw,
    roles: Roles,
    *,
    name: str = "release",
    also: Mapping[str, Iterable[str]] | None = None,
    group_column: str | None = None,
) -> ReadRelease:
    """Return a release from one generalized table.

    Groups are those of the group column (`group`, unless it has another role), else the distinct combinations of
    cells.
    """
    role_of = _roles(raw, roles)
    notes = [*raw.asides, *raw.notes, *missing_hints(raw, roles)]
    if group_column is None and GROUP in raw.columns and role_of[GROUP] is None:
        group_column = GROUP
        notes.append(message("column {group} holds the groups", group=repr(GROUP)))
    group = raw[group_column] if group_column else None
    unused = [c for c, role in role_of.items() if role is None and c != group_column]
    if unused and roles.rest == "insensitive":
        role_of.update(dict.fromkeys(unused, Role.INSENSITIVE))
    elif unused:
        notes.append(without_role(unused))
    if Role.QUASI_IDENTIFIER not in role_of.values():
        raise no_quasi_identifier(name, raw.columns)
    columns = [
        _published(c, role, raw, roles) for c, role in role_of.items() if role in _PUBLISHED_ROLES and role is not None
    ]
    blank = [name for name, role in role_of.items() if role is Role.QUASI_IDENTIFIER and raw[name].has_missing]
    notes += _unread(raw, [p.attribute.name for p in columns if p.attribute.role is Role.QUASI_IDENTIFIER])
    gaps = tuple(blank) if roles.policy is Missing.OWN else ()
    parts = PublishedParts([p.attribute.name for p in columns], columns, raw.n_rows, group, alike=raw.distinct_rows)
    key, person_of = person_key(columns, name)
    if key is not None:
        notes += nameless(key, raw[key].without_suppressed(), Role.PERSON_KEY)
    result = assemble(parts, name, also=also, decimal=raw.decimal, group_column=group_column, person_of=person_of)
    return replace(
        result,
        person_key=key,
        gaps=gaps,
        rows_declared=False,
        unused=_unused(raw, role_of, group_column),
        person_of=person_of,
        table=raw,
        embedded=raw.embedded if raw.is_file else None,
        recoverable=recoverable_cells(raw),
        notes=(*notes, *result.notes),
    )


def parsed_column(name: str, texts: Sequence[str], roles: Roles) -> tuple[Cells, Int32]:
    """Parse the distinct cells of one published quasi-identifier, without values of people to compare with.

    Return the cells, and the cell of each text and last of a missing one, (texts + 1,).

    Fails
        With `InvalidInputError` where a cell does not fit its column.
    """
    marks = MISSING if roles.missing is None else roles.missing
    raw = Raw.from_arrow(pa.table({name: [*texts, None]}), name, CellFormat(frozenset(marks)))
    return cells_of(_published(name, Role.QUASI_IDENTIFIER, with_declared_dates(raw, roles), roles))


def anatomized(
    qit: Raw, st: Raw, roles: Roles, *, name: str = "release", also: Mapping[str, Iterable[str]] | None = None
) -> ReadRelease:
    """Return a release from Anatomy's two tables: quasi-identifiers with their group, sensitive values by group.

    The common column is the group. A column `count` of the second table holds counts, else each line counts 1.
    """
    shared = [column for column in qit.columns if column in st.columns]
    if len(shared) != 1:
        msg = message(
            "the two tables of release {name} must share one column, the group; they share {shared}",
            name=repr(name),
            shared=", ".join(shared) or message("none"),
        )
        raise InvalidInputError(msg)
    group = shared[0]
    role_of = {column: roles.of_column(column).role for column in qit.columns if column != group}
    if Role.QUASI_IDENTIFIER not in role_of.values():
        role_of = {column: role or Role.QUASI_IDENTIFIER for column, role in role_of.items()}
    columns = [
        _published(c, role, qit, roles) for c, role in role_of.items() if role in _PUBLISHED_ROLES and role is not None
    ]
    unused = [column for column, role in role_of.items() if role is None]
    notes = [note for table in (qit, st) for note in (*table.asides, *table.notes, *missing_hints(table, roles))]
    if unused:
        notes.append(without_role(unused))
    count = np.ones(st.n_rows)
    if COUNT in st.columns:
        numbers = st[COUNT].numbers
        if numbers is None or st[COUNT].has_missing:
            msg = message(
                "column {count} of {st} must hold numbers only; it does not", count=repr(COUNT), st=repr(st.name)
            )
            raise InvalidInputError(msg)
        count = numbers[st[COUNT].codes]
    sensitive = [column for column in st.columns if column not in {group, COUNT}]
    counts = {c: (_published(c, Role.SENSITIVE, st, roles), st[group], count) for c in sensitive}
    _require_same_people(qit[group], st[group], count, name)
    parts = PublishedParts([*(p.attribute.name for p in columns), *counts], columns, qit.n_rows, qit[group], counts)
    result = assemble(parts, name, also=also, decimal=qit.decimal, group_column=group)
    embedded = (*qit.embedded, *st.embedded) if qit.is_file and st.is_file else None
    unused_columns = _unused(qit, role_of, group)
    return replace(result, rows_declared=False, unused=unused_columns, embedded=embedded, notes=(*notes, *result.notes))


def no_quasi_identifier(name: str, columns: Iterable[str]) -> InvalidInputError:
    """Return the error of a table in which no column is declared a quasi-identifier."""
    return InvalidInputError(
        message(
            "release {name} must have a quasi-identifier; none of its columns is one. Name one with -q "
            "COLUMN or in roles.toml; its columns are {columns}",
            name=repr(name),
            columns=", ".join(columns),
        )
    )


def without_role(columns: Sequence[str]) -> str:
    """Return the note on published columns whose role was not declared.

    >>> without_role(["job"])
    '1 column without a role, but published: job'
    """
    return counted(
        "{n} column without a role, but published: {columns}",
        "{n} columns without a role, but published: {columns}",
        len(columns),
        n=len(columns),
        columns=", ".join(columns),
    )


def _require_same_people(rows: RawColumn, entries: RawColumn, count: Float64, name: str) -> None:
    place = entries.places_in(rows)
    people = np.bincount(rows.codes[rows.codes >= 0], minlength=rows.n)
    known = entries.codes >= 0
    values = np.bincount(entries.codes[known], weights=count[known], minlength=place.size)
    there = place >= 0
    found = np.bincount(place[there], weights=values[there], minlength=people.size)
    differing = int((people != found).sum() + (values[~there] != 0).sum())
    if differing:
        msg = message(
            "the two tables of release {name} must agree on how many people a group has; {differing} groups differ",
            name=repr(name),
            differing=differing,
        )
        raise InvalidInputError(msg)


def _unused(raw: Raw, role_of: Mapping[str, Role | None], group: str | None) -> dict[str, Unused]:
    """Return the published columns that are not part of the release."""
    return {c: Unused(role, raw[c]) for c, role in role_of.items() if role not in _PUBLISHED_ROLES and c != group}


def _with_hierarchies(read: ReadRelease, roles: Roles) -> ReadRelease:
    """Return a release with the declared hierarchies of its sensitive columns, where it has none."""
    sensitive = [a for a in read.release.schema.sensitive if a.hierarchy is None]
    given = {a.name: _declared_hierarchy(a.name, roles, a.values) for a in sensitive}
    declared = {name: hierarchy for name, hierarchy in given.items() if hierarchy is not None}
    if not declared:
        return read
    schema = Schema(tuple(replace(a, hierarchy=declared.get(a.name, a.hierarchy)) for a in read.release.schema))
    return replace(read, release=replace(read.release, schema=schema))


def _declared_hierarchy(name: str, roles: Roles, values: Sequence[str]) -> Hierarchy | None:
    """Return the declared hierarchy of published values, above the level at which the column is published.

    A preset knows codes, not labels: of those it has none.
    """
    declared = roles.of_column(name)
    if declared.hierarchy is None or is_of_table(declared.hierarchy):
        return None
    if declared.level is not None and preset_name(declared.hierarchy) is not None:
        return None
    hierarchy = named_hierarchy(declared.hierarchy, roles, values)
    return hierarchy if declared.level is None else hierarchy.above(level_number(name, declared, hierarchy))


def _roles(raw: Raw, roles: Roles) -> dict[str, Role | None]:
    return {column: roles.of_column(column).role for column in raw.columns}


def _unread(raw: Raw, names: Iterable[str]) -> Iterator[str]:
    """Yield notes on columns whose numbers are in a notation that cells cannot have."""
    texts = {name: cells for name in names if (cells := raw[name].texts) is not None and not raw[name].is_numeric}
    odd = [name for name, cells in texts.items() if not are_numbers(like_numbers(cells), raw.decimal)]
    if odd:
        yield message(
            "numbers of another form beside other cells in {odd}: read as text. Write them like 1200.5",
            odd=", ".join(odd),
        )


def _published(name: str, role: Role, raw: Raw, roles: Roles) -> Published:
    declared, column = roles.of_column(name), raw[name]
    if role is not Role.QUASI_IDENTIFIER:  # where `*` matches every value
        column = column.without_suppressed()
    values = column.labels if role is not Role.QUASI_IDENTIFIER else ()  # others get theirs when cells are parsed
    hierarchy = _declared_hierarchy(name, roles, values)
    attribute = Attribute(
        name,
        role,
        Categorical(()),
        hierarchy,
        roles.policy,
        declared.harm,
        mark_for(column.labels),
    )
    return Published(
        attribute,
        column,
        declared_domain(declared),
        bounds=declared.bounds,
        reading=declared.cells,
        undescribed=True,
    )


def _read(path: str | Path, roles: Roles, options: FileFormat) -> Raw:
    raw = read(path, missing=MISSING if roles.missing is None else roles.missing, **options)
    return with_declared_dates(raw, roles)


def _renamed(raw: Raw, names: Mapping[str, str]) -> Raw:
    for name in names:
        raw[name]  # suggests a similar name
    columns = {names.get(column, column): values for column, values in raw.columns.items()}
    if len(columns) < len(raw.columns):
        msg = message("renamed columns of {raw} must stay distinct; two have got one name", raw=repr(raw.name))
        raise InvalidInputError(msg)
    return replace(raw, columns=columns)


def two_paths(text: str) -> tuple[Path, Path] | None:
    """Split `QIT.csv,ST.csv`; with several commas, at the one that leaves two existing files."""
    halves = [(Path(text[:i]), Path(text[i + 1 :])) for i, letter in enumerate(text) if letter == ","]
    for first, second in halves:
        if first.is_file() and second.is_file():
            return first, second
    if halves and halves[0][0].is_file():
        require_file(halves[0][1])
    return None
