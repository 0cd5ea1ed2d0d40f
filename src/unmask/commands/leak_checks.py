"""The leak checks of a release: everything that it gives away beside the cells that privacy models count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.auditing.determinism import hashed_without_key, look_like_hashes, repeated_noise
from unmask.auditing.direct_identifiers import DECIDED_BY_ONE, Identifier, direct_identifier
from unmask.auditing.identifiers_in_text import identifiers_in, texts_that_name
from unmask.auditing.known_columns import published_cells
from unmask.auditing.leaks import Leak, LeakChecks, LeakFinding, leaks_of_columns
from unmask.auditing.published_columns import ColumnAudit, Fault, class_sizes
from unmask.auditing.row_order import kept_order
from unmask.commands.finer_columns import finer_than_cells, finer_than_level, numbers_of
from unmask.commands.published_columns import BesideColumn, Original, by_row, columns_beside
from unmask.commands.rows_of_table import overlap_of, row_types
from unmask.files.published import ReadRelease
from unmask.files.roles import Roles
from unmask.masks.notation.notation import write_cells
from unmask.runtime.streams import stream
from unmask.schema import Categorical, Role
from unmask.table import Table
from unmask.unit import Unit
from unmask.wording import message

RARE = 3
"""A value of a published text column that fewer people have is rare."""

_MOST_DIGITS = 15
"""Numbers of more digits are not exact as floats, and number no records."""

_KEYS = {Role.PERSON_KEY, Role.HOUSEHOLD, Role.WEIGHT}
_AMONG_OTHERS = DECIDED_BY_ONE | {Identifier.FREE_TEXT}
"""Kinds beside which the cells of a column may hold others."""

_TEXT_ALONE = message("without the original table, only hashes without a key were looked for")
_NO_TABLE = message("needs the original table")
_NO_FILE = message("the release was not read from files")


def leak_checks(
    found: ReadRelease,
    columns: ColumnAudit,
    roles: Roles,
    original: Original | None = None,
    people: Table | None = None,
) -> LeakChecks:
    """Return the findings of all leak checks, and which checks did not run.

    `original` is the table that the release was made of, as written, and `people` the same table, coded.
    """
    beside = dict(columns_beside(found))
    numbers = {name: np.append(numbers_of(one.values), np.nan)[one.codes] for name, one in beside.items()}
    findings = [
        *leaks_of_columns(columns),
        *_row_order(found, original, people),
        *_copied_rows(found, people),
        *_record_numbers(found, beside, numbers),
        *_totals(found),
        *_hashes(found, beside, original),
        *_noise(found, numbers, original),
        *_metadata(found),
        *_rare_values(found, columns, beside, numbers),
        *_identifiers_in_text(found, columns, roles, original),
        *finer_than_cells(found, {name: one for name, one in beside.items() if one.role not in _KEYS}),
        *finer_than_level(found, roles),
    ]
    ordered = [one for kind in Leak for one in findings if one.kind is kind]
    marked = (replace(one, ignored=one.ignored or one.column in columns.ignored) for one in ordered)
    of_others = frozenset[Leak]() if found.release.is_synthetic else frozenset({Leak.COPIED_ROWS})
    return LeakChecks(tuple(marked), tuple(_not_run(found, original)), of_others)


def _not_run(found: ReadRelease, original: Original | None) -> Iterator[tuple[Leak, str]]:
    if original is None:
        yield Leak.ROW_ORDER, _NO_TABLE
        yield Leak.DETERMINISM, _TEXT_ALONE
        yield Leak.COPIES, _NO_TABLE
        if found.release.is_synthetic:
            yield Leak.COPIED_ROWS, _NO_TABLE
    if found.embedded is None:
        yield Leak.METADATA, _NO_FILE


def _row_order(found: ReadRelease, original: Original | None, people: Table | None) -> Iterator[LeakFinding]:
    release, line_of = found.release, found.row_of
    if original is None or people is None or release.start is None or release.is_synthetic or line_of.size < 2:
        return
    if bool((np.diff(line_of) >= 0).all()):  # sorted by content, as unmask writes rows: the order says nothing more
        return
    if original.row is not None:
        ours, theirs = original.row, np.where(np.isin(line_of, original.row), line_of, np.int64(-1))
    else:
        ours, types = row_types(release, people)
        theirs = types[line_of]
    columns = {name: codes[line_of] for name, _, codes in _texts(found) if codes is not None}
    columns |= {name: codes[line_of] for name, codes in published_cells(release).items()}
    kept = kept_order(ours, theirs, stream(0, "row order", release.name), columns)
    if kept is not None and kept.neighbors is not None:
        yield LeakFinding(Leak.ROW_ORDER, "", *kept.neighbors, message("pairs of rows"), str(kept))
    elif kept is not None:
        n = line_of.size
        yield LeakFinding(Leak.ROW_ORDER, "", n, n, Unit.ROWS, str(kept))


def _copied_rows(found: ReadRelease, people: Table | None) -> Iterator[LeakFinding]:
    """Yield that rows which are declared synthetic hold more of the table's rows than chance."""
    overlap = overlap_of(found.release, people, 0) if found.release.is_synthetic else None
    if overlap is not None and overlap.more_than_chance:
        detail = message("rows are declared synthetic, but {overlap}", overlap=str(overlap))
        yield LeakFinding(Leak.COPIED_ROWS, "", overlap.shared, overlap.published, Unit.ROWS, detail)


def _record_numbers(
    found: ReadRelease, beside: dict[str, BesideColumn], numbers: dict[str, Float64]
) -> Iterator[LeakFinding]:
    for name, one in beside.items():
        if one.role in _KEYS or found.release.start is None:
            continue
        inside = _numbers_in(one) if np.isnan(numbers[name]).any() else ()
        if any(_are_record_numbers(each[found.row_of]) for each in (numbers[name], *inside)):
            n = found.row_of.size
            yield LeakFinding(Leak.RECORD_NUMBERS, name, n, n, Unit.ROWS, message("numbers the records"))


def _numbers_in(column: BesideColumn) -> Iterator[Float64]:
    """Yield the numbers in codes such as R-0012/23, (published rows,), place by place; nothing where codes differ."""
    digits = [re.findall(r"[0-9]+", text) for text in column.values]
    if len(set(map(len, digits))) == 1:
        for numbers in zip(*digits, strict=True):
            known = [float(one) if len(one) <= _MOST_DIGITS else np.nan for one in numbers]
            yield np.append(known, np.nan)[column.codes]


def _are_record_numbers(numbers: Float64) -> bool:
    """Return True for distinct whole numbers, (lines,), that run from a first to a last with few gaps, or rise."""
    n = numbers.size
    if n < 3 or np.isnan(numbers).any() or (numbers % 1).any() or np.unique(numbers).size < n:
        return False
    span = float(numbers.max() - numbers.min()) + 1
    rises = bool((np.diff(numbers) > 0).all())
    return span == n or (n >= 20 and span <= 2 * n) or (n >= 10 and rises and span <= 10 * n)


def _totals(found: ReadRelease) -> Iterator[LeakFinding]:
    for name, count in found.recoverable.items():
        of = 0 if found.table is None or name not in found.table.columns else found.table.n_rows
        detail = message("has suppressed cells that follow from totals")
        yield LeakFinding(Leak.EXACT_TOTALS, name, count, of, message("cells"), detail)


def _hashes(found: ReadRelease, beside: dict[str, BesideColumn], original: Original | None) -> Iterator[LeakFinding]:
    for name, one in beside.items():
        if not one.values or not look_like_hashes(one.values):
            continue
        columns = {} if original is None else original.raw.columns
        own = [
            (message("column {column} of the original", column=other), column.labels)
            for other, column in columns.items()
        ]
        others = [
            (message("column {column}", column=other), values) for other, values, _ in _texts(found) if other != name
        ]
        algorithm, what, count = hashed_without_key(one.values, [*own, *others])
        if count:
            detail = message("is {algorithm} of {what}, without a key", algorithm=algorithm, what=what)
            yield LeakFinding(Leak.DETERMINISM, name, count, len(one.values), message("values"), detail)


def _noise(found: ReadRelease, numbers: dict[str, Float64], original: Original | None) -> Iterator[LeakFinding]:
    """Yield the columns whose numbers were changed, equal ones always alike; their rows must be known."""
    if original is None:
        return
    row = original.row
    if row is None and original.raw.n_rows == found.row_of.size:
        row = found.row_of
    if row is None:
        return
    there = row >= 0
    for name, each in numbers.items():
        column = original.raw.columns.get(name)
        if column is None or column.numbers is None:
            continue
        count = repeated_noise(np.append(column.numbers, np.nan)[column.codes][there], each[row[there]])
        if count:
            detail = message("has changed numbers, the same for all rows with equal numbers in the original")
            yield LeakFinding(Leak.DETERMINISM, name, count, int(there.sum()), Unit.ROWS, detail)


def _metadata(found: ReadRelease) -> Iterator[LeakFinding]:
    for what, count in found.embedded or ():
        detail = message("the file holds {what}", what=what)
        yield LeakFinding(Leak.METADATA, "", count, count, message("entries"), detail)


def _rare_values(
    found: ReadRelease, columns: ColumnAudit, beside: dict[str, BesideColumn], numbers: dict[str, Float64]
) -> Iterator[LeakFinding]:
    """Yield the text columns without unique people in which some values belong to very few."""
    if found.release.start is None or found.release.is_synthetic:
        return
    person_of = by_row(found, found.person_of)
    known = {one.column for one in columns.findings}
    for name, one in beside.items():
        if one.role in _KEYS or name in known or not np.isnan(numbers[name]).all():
            continue
        there = one.codes >= 0
        owner = None if person_of is None else person_of[there]
        few = class_sizes([one.codes[there]], int(there.sum()), owner) < RARE
        count = int(few.sum()) if owner is None else np.unique(owner[few]).size
        if count and not few.all():
            n, unit = (few.size, Unit.ROWS) if owner is None else (np.unique(owner).size, Unit.PEOPLE)
            detail = message("has values that fewer than {n} {people} have", n=RARE, people=message(unit))
            yield LeakFinding(Leak.RARE_VALUES, name, count, n, unit, detail)


def _identifiers_in_text(
    found: ReadRelease, columns: ColumnAudit, roles: Roles, original: Original | None
) -> Iterator[LeakFinding]:
    known = {(one.column, one.identifier) for one in columns.findings if one.fault is Fault.IDENTIFIES}
    whole = {column for column, kind in known if kind not in _AMONG_OTHERS}
    names = _names_of_people(roles, original)
    for name, values, codes in _texts(found):
        if name in whole:
            continue
        inside: dict[str, list[int]] = {
            message(kind): at for kind, at in identifiers_in(values).items() if (name, kind) not in known
        }
        if named := texts_that_name(values, names):
            inside[message("names of people of the original table")] = named
        for what, at in inside.items():
            count = int(np.isin(codes, at).sum()) if codes is not None else len(at)
            of, unit = (codes.size, message(Unit.ROWS)) if codes is not None else (len(values), message("values"))
            yield LeakFinding(
                Leak.DIRECT_IDENTIFIERS, name, count, of, unit, message("has texts with {what}", what=what)
            )


def _names_of_people(roles: Roles, original: Original | None) -> list[str]:
    """Return the values of columns of the original that are declared identifiers, or hold names and have no role."""
    if original is None:
        return []
    found: list[str] = []
    for name, column in original.raw.columns.items():
        role = roles.of_column(name).role
        if role is Role.IDENTIFIER or (role is None and _holds_names(name, column.labels, original.raw.n_rows)):
            found += [label for label in column.labels if not label.isdigit()]
    return found


def _holds_names(name: str, values: Sequence[str], n_rows: int) -> bool:
    identifier = direct_identifier(name, values, n_rows)
    return identifier is not None and identifier.kind is Identifier.NAME


def _texts(found: ReadRelease) -> Iterable[tuple[str, Sequence[str], Int32 | Int64 | None]]:
    """Yield the published columns of text: their distinct values, and the code of each row where values have rows."""
    release = found.release
    for attribute in release.schema.sensitive:
        yield attribute.name, attribute.values, release.columns.get(attribute.name)
    for name, one in columns_beside(found):
        yield name, one.values, one.codes
    lines = release.masked.lines
    line = None if release.start is None else lines.line_of(release.group_of_row)
    for cells in lines.cells:
        if isinstance(cells.attribute.domain, Categorical):
            codes = None if line is None else lines.cell_of(cells.attribute.name)[line]
            yield cells.attribute.name, write_cells(cells), codes
