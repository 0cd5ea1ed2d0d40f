"""A reader of release folders, written by unmask or by hand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from unmask.arrays import Float64, Int32
from unmask.csv_writing import harmless
from unmask.differential_privacy.noise_claims import without_false_claim
from unmask.errors import InvalidInputError
from unmask.files import people_counts
from unmask.files.attributes import read_hierarchy
from unmask.files.encodings import as_utf8
from unmask.files.fields import unharmed
from unmask.files.published import Published, PublishedParts, ReadRelease, assemble, cells_of, person_key, tabulate
from unmask.files.raw import CellFormat, RawColumn, coded
from unmask.files.regular import file_inside
from unmask.files.release_files import ABOUT, content_of, file_name
from unmask.files.release_json import ColumnFile, ReleaseFile
from unmask.hierarchies import Hierarchy
from unmask.hierarchy_presets.names import preset_name
from unmask.hierarchy_presets.preset_hierarchies import preset_hierarchy
from unmask.masks.cells import Cells
from unmask.masks.shifted_dates import with_shift_in_cells
from unmask.release import Noise, Provenance
from unmask.schema import Attribute, Categorical, Role
from unmask.unit import Unit
from unmask.wording import message


def read_folder(
    folder: Path, name: str, *, rename: Mapping[str, str], also: Mapping[str, Iterable[str]]
) -> ReadRelease:
    """Read a release folder.

    Fails
        With `InvalidInputError` where a file is missing, a key of release.json is unknown, or the files do not belong
        together.
    """
    about = ReleaseFile.read(file_inside(folder, ABOUT))
    content, altered = content_of(folder, about)
    main = "table.csv" if about.rows == "none" or not os.path.lexists(folder / "rows.csv") else "rows.csv"
    table = _read_csv(folder, main)
    if table.num_rows == 0:
        msg = message(
            "release {name} must have at least one row; {main} has none below its header", name=repr(name), main=main
        )
        raise InvalidInputError(msg)
    group_column = about.group_column
    if group_column is None and main == "table.csv" and "group" in table.column_names:
        group_column = "group"
    known = {*(column.name for column in about.columns), group_column, *(["count"] if main == "table.csv" else [])}
    extra = [column for column in table.column_names if column not in known]
    if extra:
        msg = message(
            "columns of {main} must all be in release.json; {extra} is not. Describe it or leave it out",
            main=main,
            extra=", ".join(extra),
        )
        raise InvalidInputError(msg)
    columns, counts = [], {}
    for column in about.columns:
        ours = rename.get(column.name, column.name)
        if column.name in table.column_names:
            columns.append(_published(column, ours, folder, _column(table, column.name, main)))
            continue
        if column.role is not Role.SENSITIVE:
            msg = message(
                "column {column} of release.json must be in {main}; it is not", column=repr(column.name), main=main
            )
            raise InvalidInputError(msg)
        file = f"counts-{file_name(column.name)}.csv"
        entries = _read_csv(folder, file)
        what = _published(column, ours, folder, _column(entries, "value", file))
        counts[ours] = (what, _label(entries, "group", file), _number(entries, "count", file))
    parts = PublishedParts(
        [rename.get(column.name, column.name) for column in about.columns],
        columns,
        table.num_rows,
        _label(table, group_column, main) if group_column else None,
        counts,
        *_regions(folder, about, rename),
    )
    provenance = about.made_by.provenance() if about.made_by else Provenance()
    if about.people is not None and (main == "table.csv" or group_column is None):
        msg = message("a file of people counts must come with a group_column in release.json; it has none")
        raise InvalidInputError(msg)
    noise = _noise(about, counts, rename)
    if main == "table.csv":
        size = _number(table, "count", main)
        read = tabulate(parts, size, name, also=also, provenance=provenance, suppressed=about.suppressed)
        return replace(
            read,
            release=replace(read.release, noise=noise, unit=about.unit),
            notes=(*read.notes, *altered),
            content=content,
            embedded=(),
        )
    key, person_of = person_key(columns, name)
    read = assemble(
        parts,
        name,
        also=also,
        provenance=provenance,
        rows=about.rows,
        suppressed=about.suppressed,
        group_column=group_column,
        person_of=person_of if about.people is None else None,
    )
    unit = about.unit if person_of is None else Unit.PEOPLE
    release = replace(read.release, suppressed_rows=about.suppressed_rows, noise=noise, unit=unit)
    if about.people is not None:
        entries = _read_csv(folder, about.people)
        texts = {key: _label(entries, key, about.people) for key in people_counts.HEAD[:3]}
        number = _number(entries, "people", about.people)
        counted = people_counts.read_headcount(release, read.group_of, texts, number, rename)
        release = replace(release, headcount=counted)
    release, notes = without_false_claim(release)
    shifts = {rename.get(c.name, c.name): c.shifted.shift() for c in about.columns if c.shifted is not None}
    return replace(
        read,
        release=with_shift_in_cells(replace(release, date_shifts=shifts)),
        person_key=key,
        person_of=person_of,
        rows_declared="rows" in about.model_fields_set,
        notes=(*read.notes, *notes, *altered),
        content=content,
        embedded=(),
    )


def parsed_column_of(column: ColumnFile, folder: Path, texts: Sequence[str]) -> tuple[Cells, Int32]:
    """Parse the distinct cells of one published quasi-identifier of a folder, as `files.releases.parsed_column`.

    Fails
        With `InvalidInputError` where a cell does not fit its column.
    """
    array = pa.chunked_array([[*map(harmless, texts), None]], pa.string())
    return cells_of(_published(column, column.name, folder, array))


def _noise(about: ReleaseFile, counts: Iterable[str], rename: Mapping[str, str]) -> dict[str, Noise]:
    """Return the noise of the counts, by renamed column."""
    noises = {rename.get(name, name): one.noise.noise() for name, one in about.counts.items() if one.noise is not None}
    for name in noises:
        if name not in counts:
            msg = message(
                "noise is on counts: column {name} of release.json must be in a file of counts; it is not",
                name=repr(name),
            )
            raise InvalidInputError(msg)
    return noises


def _read_csv(folder: Path, name: str) -> pa.Table:
    from unmask.files.delimited import read_delimited  # noqa: PLC0415 - DuckDB, for text files only

    path = file_inside(folder, name)
    with as_utf8(path, path.name) as text:
        table, _ = read_delimited(text.path, path.name, ",", header=True)
    names = unharmed(pa.chunked_array([table.column_names], pa.string())).to_pylist()
    return table.rename_columns(names)


def _column(table: pa.Table, name: str, file: str) -> pa.ChunkedArray:
    if name not in table.column_names:
        raise InvalidInputError.unknown_name(message("column of {file}", file=file), name, table.column_names)
    return table.column(name)


def _label(table: pa.Table, name: str, file: str) -> RawColumn:
    """Return a column of group labels; numbers are taken as text."""
    return coded(name, unharmed(_column(table, name, file)), CellFormat(frozenset(), ".", dates=False))


def _number(table: pa.Table, name: str, file: str) -> Float64:
    column = _label(table, name, file)
    if table.num_rows == 0:
        return np.zeros(0)
    if column.numbers is None or column.has_missing:
        msg = message("column {name} of {file} must hold numbers only; it does not", name=repr(name), file=file)
        raise InvalidInputError(msg)
    return column.numbers[column.codes]


def _published(column: ColumnFile, ours: str, folder: Path, array: pa.ChunkedArray) -> Published:
    """Return a column as release.json describes it."""
    noise = None if column.noise is None else column.noise.noise()
    if (column.cells == "noisy") != (noise is not None) or (noise and column.role is not Role.QUASI_IDENTIFIER):
        msg = message(
            "column {column} of release.json must be a quasi-identifier with noisy cells where it has noise, "
            'and tell its noise where cells are noisy. Write, say, "noise": {{"family": "laplace", "scale": '
            "82}}",
            column=repr(column.name),
        )
        raise InvalidInputError(msg)
    if column.cells == "permuted" and column.role is not Role.SENSITIVE:
        msg = message(
            "column {column} of release.json must be sensitive to be permuted; it is {role}",
            column=repr(column.name),
            role=column.role,
        )
        raise InvalidInputError(msg)
    domain = None if column.domain is None else column.domain.domain()
    mark = column.missing.mark
    attribute = Attribute(
        ours,
        Role(column.role),
        Categorical(()),
        None if column.hierarchy is None else _hierarchy(column.hierarchy, folder),
        column.missing.policy,
        mark=mark,
    )
    raw = coded(column.name, unharmed(array), CellFormat(frozenset((mark,)), ".", dates=False))
    if column.role is not Role.QUASI_IDENTIFIER:
        raw = raw.without_suppressed(dates=False)
    if column.cells == "pseudonym" and column.role is not Role.PERSON_KEY:
        msg = message(
            "column {column} of release.json must be a person-key to hold pseudonyms; it is {role}",
            column=repr(column.name),
            role=column.role,
        )
        raise InvalidInputError(msg)
    exact = column.cells != "cells"
    centroid, permuted = (column.cells == word for word in ("centroid", "permuted"))
    level = _level(column, attribute)
    return Published(attribute, raw, domain, exact, centroid=centroid, permuted=permuted, noise=noise, level=level)


def _hierarchy(text: str, folder: Path) -> Hierarchy:
    """Return the hierarchy in a file of the folder, or that of a preset; it gets its leaves when cells are parsed."""
    preset = preset_name(text)
    return read_hierarchy(file_inside(folder, text)) if preset is None else preset_hierarchy(preset, ())


def _level(column: ColumnFile, attribute: Attribute) -> int | None:
    """Return the hierarchy level of all cells of a column, if release.json declares one."""
    top = 0 if attribute.hierarchy is None else attribute.hierarchy.n_levels - 1
    if column.level is not None and column.level > top:
        msg = message(
            "the level of column {column} in release.json must be one of its hierarchy; got {level}",
            column=repr(column.name),
            level=column.level,
        )
        raise InvalidInputError(msg)
    return column.level


def _regions(folder: Path, about: ReleaseFile, rename: Mapping[str, str]) -> tuple[list[Published], RawColumn | None]:
    if about.regions is None or about.group_column is None:
        return [], None
    table = _read_csv(folder, about.regions)
    quasi = [column for column in about.columns if column.role is Role.QUASI_IDENTIFIER]
    columns = []
    for column in quasi:
        array = _column(table, column.name, about.regions)
        described = column.model_copy(update={"cells": "cells", "noise": None, "level": None})
        columns.append(_published(described, rename.get(column.name, column.name), folder, array))
    return columns, _label(table, about.group_column, about.regions)
