"""A writer of release folders, which can be published as they are.

`release.json` describes the columns, `rows.csv` has a line for each published row, `counts-NAME.csv` the count of each
value in each group, of a sensitive column that is not attached to rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unmask.arrays import Float64, Int32, Int64, distinct_numbers, distinct_rows
from unmask.files import people_counts
from unmask.files.csv_columns import Fields, write_columns
from unmask.files.ownership import digests
from unmask.files.release_files import ABOUT, README, content_of, file_name, owned_files
from unmask.files.release_json import (
    ColumnFile,
    CountsFile,
    DomainFile,
    MadeByFile,
    MissingFile,
    NoiseFile,
    ReleaseFile,
    ShiftFile,
)
from unmask.files.release_readme import readme_text
from unmask.files.writing import writing_folder
from unmask.hierarchies import Hierarchy, number_text
from unmask.hierarchy_presets.names import PREFIX
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.masks.notation.notation import common_level, write_cells
from unmask.release import Release
from unmask.schema import Attribute, Numeric, Role


def write_release(release: Release, folder: str | Path, *, force: bool = False) -> str:
    """Write a release folder atomically, readable by the owner only; return the SHA-256 over its files.

    Publishes
        The release and nothing else: no seed, no hash of the input, no order of its rows.
    Fails
        With `OutputError` where the folder exists (with `force`, only files that unmask wrote are replaced).
    """
    lines = release.masked.lines
    group_column = _group_column(release, lines)
    with writing_folder(folder, owned=owned_files, force=force) as hidden:
        described = [_described(a, release) for a in release.schema]
        forms = dict(zip(release.schema.names, described, strict=True))
        for attribute, column in zip(release.schema, described, strict=True):
            hierarchy = _published_hierarchy(attribute, release)
            if column.hierarchy_file is not None and hierarchy is not None:
                (hidden / "hierarchies").mkdir(exist_ok=True)
                (hidden / column.hierarchy_file).write_text(hierarchy.to_csv(), encoding="utf-8")
        name = "table.csv" if release.start is None else "rows.csv"
        write_columns(hidden / name, *_rows(release, lines, forms, group_column))
        counted = [a for a in release.schema.sensitive if a.name not in release.columns]
        for attribute in counted:
            write_columns(hidden / f"counts-{file_name(attribute.name)}.csv", *_counts(release, attribute))
        if release.regions is not None:
            write_columns(hidden / "regions.csv", *_regions(release.regions.lines, forms, group_column or "group"))
        if release.headcount is not None:
            names, columns = people_counts.people_columns(release)
            write_columns(hidden / people_counts.FILE, names, [Fields.listed(column) for column in columns])
        about = ReleaseFile(
            unmask_release=1,
            columns=tuple(described),
            group_column=group_column,
            rows=release.rows,
            suppressed=release.n_suppressed,
            suppressed_rows=release.suppressed_rows,
            unit=release.unit,
            people=people_counts.FILE if release.headcount is not None else None,
            made_by=MadeByFile.of(release.provenance) if release.provenance.sanitizer else None,
            regions="regions.csv" if release.regions is not None else None,
            counts={name: CountsFile(noise=NoiseFile.of(noise)) for name, noise in release.noise.items()},
        )
        counts = {f"counts-{file_name(a.name)}.csv": a.name for a in counted}
        (hidden / README).write_text(readme_text(release, about, counts), encoding="utf-8")
        about = about.model_copy(update={"files": digests(hidden)})
        (hidden / ABOUT).write_text(about.to_json(), encoding="utf-8")
        return content_of(hidden, about)[0]


def release_table(release: Release) -> pa.Table:
    """Return the rows of a release as an Arrow table; the file rows.csv of its folder has the same cells.

    Missing values are null. A column is numeric if all its cells are plain numbers; `01234` is not.
    """
    forms = {a.name: _described(a, release) for a in release.schema}
    lines = release.masked.lines
    names, columns = _rows(release, lines, forms, _group_column(release, lines))
    marks = {a.name: a.mark for a in release.schema}
    return pa.table([_values(column.values(), marks.get(name)) for name, column in zip(names, columns, strict=True)],
                    names=names)  # fmt: skip


def _values(texts: pa.StringArray, mark: str | None) -> pa.Array:
    """Return cells as numbers if all are plain numbers, else as text; marks of a missing value are null."""
    known = texts if mark is None else pc.if_else(pc.equal(texts, mark), pa.scalar(None, pa.string()), texts)
    distinct = pc.unique(known.drop_null())
    try:
        numbers = pc.cast(distinct, pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return known
    if not numbers.size or not np.isfinite(numbers).all() or list(map(number_text, numbers)) != distinct.to_pylist():
        return known
    whole = all(number.is_integer() for number in numbers.tolist())
    return pc.cast(known, pa.int64() if whole else pa.float64())


def _described(attribute: Attribute, release: Release) -> ColumnFile:
    form, noise, lines = "exact", None, release.masked.lines
    if attribute.role is Role.QUASI_IDENTIFIER:
        form = "exact" if _is_exact(lines.cells[lines.column(attribute.name)]) else "cells"
        form = "centroid" if release.masked.is_typical else form
        noise = release.masked.noise.get(attribute.name)
        form = form if noise is None else "noisy"
    form = "permuted" if attribute.name in release.permuted else form
    form = "pseudonym" if attribute.role is Role.PERSON_KEY else form
    publish, shift = _published_hierarchy(attribute, release) is not None, release.date_shifts.get(attribute.name)
    cells = lines.cells[lines.column(attribute.name)] if form == "cells" else None
    return ColumnFile(
        name=attribute.name,
        role=attribute.role,  # type: ignore[arg-type]  # only published roles are in the schema of a release
        cells=form,  # type: ignore[arg-type]  # one of six words
        domain=DomainFile.of(attribute.domain),
        hierarchy=f"hierarchies/{file_name(attribute.name)}.csv" if publish else _preset(attribute),
        level=common_level(cells) if publish and cells is not None else None,
        missing=MissingFile(mark=attribute.mark, policy=attribute.missing),
        noise=None if noise is None else NoiseFile.of(noise),
        shifted=None if shift is None else ShiftFile.of(shift),
    )


def _preset(attribute: Attribute) -> str | None:
    """Return the name of the preset by which a reader can parse the labels of a quasi-identifier."""
    if attribute.role is not Role.QUASI_IDENTIFIER or attribute.hierarchy is None or not attribute.hierarchy.preset:
        return None
    return PREFIX + attribute.hierarchy.preset


def _published_hierarchy(attribute: Attribute, release: Release) -> Hierarchy | None:
    """Return the published hierarchy of a column; of a sensitive one, only over the published values.

    Readers need it to parse labels, unless it was built from the data, and to measure privacy models that use it.
    """
    if attribute.hierarchy is None or _is_declared(attribute):
        return attribute.hierarchy
    if attribute.role is not Role.SENSITIVE:
        return attribute.hierarchy if attribute.hierarchy.declared else None
    if attribute.name in release.counts:
        there = release.counts[attribute.name].column_sums() > 0
    else:
        codes = release.columns[attribute.name]
        there = np.bincount(codes[codes >= 0], minlength=len(attribute.values)) > 0
    values = {value for value, stands in zip(attribute.values, there, strict=True) if stands}
    return attribute.hierarchy.only(values) if values & set(attribute.hierarchy.leaves) else None


def _is_declared(attribute: Attribute) -> bool:
    """Whether the leaves of a hierarchy are declared; otherwise it would publish values of the data."""
    sensitive, domain = attribute.role is Role.SENSITIVE, attribute.domain
    return sensitive and not isinstance(domain, Numeric) and domain.declared


def _is_exact(cells: Cells) -> bool:
    """Whether each cell is one literal value or the missing mark; a label that differs from its value is not."""
    pieces = np.diff(cells.start)
    domain = cells.attribute.domain
    if any(cells.label) and write_cells(replace(cells, label=())) != write_cells(cells):
        return False
    taken = not isinstance(domain, Numeric) and cells.attribute.mark in domain.values
    one = bool((pieces <= 1).all() and (cells.low == cells.high).all()) and not taken
    alone = (pieces == 1) == ~cells.missing  # a value, or the mark
    return one and bool(alone.all()) and not bool((cells.anything & ~cells.missing).any())


def _texts(cells: Cells, form: ColumnFile) -> list[str]:
    attribute = cells.attribute
    domain = attribute.domain
    if form.cells in {"exact", "centroid"} and not isinstance(domain, Numeric):
        codes = np.full(cells.n, -1)
        codes[np.diff(cells.start) == 1] = cells.low.astype(int)
        return [domain.values[code] if code >= 0 else attribute.mark for code in codes]
    return write_cells(cells, form.level)


def _group_column(release: Release, masked: Lines) -> str | None:
    """Return the name of the group column; None: the cells determine the groups."""
    one_each = np.array_equal(masked.group_of_line, np.arange(release.n_groups))
    counted = any(a.name not in release.columns for a in release.schema.sensitive)
    if one_each and not counted and release.regions is None and release.headcount is None:
        shape = distinct_rows(masked.cell)[0]
        if np.unique(shape).size == release.n_groups:
            return None
    name = "group"
    while name in release.schema:
        name += "_"
    return name


def _rows(
    release: Release, masked: Lines, forms: Mapping[str, ColumnFile], group_column: str | None
) -> tuple[list[str], list[Fields]]:
    """Return the names and the texts of the columns of rows.csv (or table.csv)."""
    group = release.group_of_row if release.start is not None else np.arange(release.n_groups, dtype=np.int32)
    line = masked.line_of(group)
    names, columns = list[str](), list[Fields]()
    if group_column is not None:
        names.append(group_column)
        columns.append(Fields.numbered(group))
    for attribute in release.schema:
        name = attribute.name
        if attribute.role is Role.QUASI_IDENTIFIER:
            texts = _texts(masked.cells[masked.column(name)], forms[name])
            codes: Int32 | Int64 = masked.cell_of(name)[line]
        elif name in release.columns:
            texts = [*attribute.values, attribute.mark]
            codes = release.columns[name]
        else:
            continue
        names.append(name)
        columns.append(Fields.of(texts, codes))
    if release.start is None:
        names.append("count")
        columns.append(_numbers(release.size))
    return names, columns


def _counts(release: Release, attribute: Attribute) -> tuple[list[str], list[Fields]]:
    counts = release.counts_of(attribute.name)
    row, column, data = counts.row, counts.column, counts.data
    if attribute.name in release.noise:  # a noisy zero is published like other counts
        places = np.indices((counts.n_rows, len(attribute.values)), np.int32)
        row, column, data = places[0].ravel(), places[1].ravel(), counts.dense().ravel()
    return ["group", "value", "count"], [
        Fields.numbered(row),
        Fields.of(attribute.values, column),
        _numbers(data),
    ]


def _regions(regions: Lines, forms: Mapping[str, ColumnFile], group_column: str) -> tuple[list[str], list[Fields]]:
    names, columns = [group_column], [Fields.numbered(regions.group_of_line)]
    for cells in regions.cells:
        name = cells.attribute.name
        names.append(name)
        texts = _texts(cells, forms[name].model_copy(update={"cells": "cells", "level": None}))
        columns.append(Fields.of(texts, regions.cell_of(name)))
    return names, columns


def _numbers(counts: Float64) -> Fields:
    """Return the fields of counts, many of them equal."""
    distinct, code = distinct_numbers(counts)
    return Fields.listed([_count_text(n) for n in distinct.tolist()], code)


def _count_text(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))
