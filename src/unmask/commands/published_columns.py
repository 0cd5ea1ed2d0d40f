"""The audit of published columns: unique values, copies of the original table, direct identifiers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.auditing.direct_identifiers import DECIDED_BY_ONE, direct_identifier
from unmask.auditing.identifiers_in_text import identifiers_in
from unmask.auditing.known_columns import published_cells, refined_publication
from unmask.auditing.policy import Limits
from unmask.auditing.published_columns import ColumnAudit, ColumnFinding, Fault, alone_in, classes
from unmask.errors import InvalidInputError
from unmask.files.published import ReadRelease
from unmask.files.raw import Codes, Raw, RawColumn
from unmask.number_format import numeral
from unmask.release import Publication, Release
from unmask.schema import BESIDE, UNKNOWN, Role
from unmask.unit import Unit
from unmask.wording import Message, marked, message

NO_LIMITS = Limits()
"""Limits that tolerate no unique person."""

_KEYS = {Role.PERSON_KEY, Role.HOUSEHOLD, Role.WEIGHT}
"""Roles whose columns define how rows count; they split no classes."""


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """The table that a release was made of, and which of its rows became which published row."""

    raw: Raw
    row: Int64 | None = None  # (original rows,) published row, negative where none; None: not known
    group: Int32 | None = None  # (original rows,) published group, negative where none


@dataclass(frozen=True, slots=True, eq=False)
class BesideColumn:
    """A published column beside quasi-identifiers and sensitive ones."""

    role: Role | None
    values: tuple[str, ...]
    codes: Int32  # (published rows,)


def column_audit(
    found: ReadRelease, original: Original | None = None, *, ignore: Iterable[str] = (), limits: Limits = NO_LIMITS
) -> ColumnAudit:
    """Return the audit of all published columns of a release; the limits give the tolerated number of unique people.

    Where rows were declared synthetic, columns are searched for direct identifiers only.
    """
    release, person_of = found.release, by_row(found, found.person_of)
    columns = dict(columns_beside(found))
    unprotected = {name: one for name, one in columns.items() if one.role not in _KEYS}
    ignored = tuple(name for name in columns if name in ignore)
    findings = [
        finding for name, one in columns.items() for finding in _findings(found, name, one, original, limits, person_of)
    ]
    if release.start is None or release.is_synthetic:
        kept = tuple(one for one in findings if one.fault is Fault.IDENTIFIES)
        return ColumnAudit(None, (), tuple(unprotected), ignored, kept)
    secret = {a.name: release.columns[a.name] for a in release.schema.sensitive
              if a.name in release.columns and a.name not in release.permuted}  # fmt: skip
    beside = {name: one.codes for name, one in unprotected.items()}
    cells = published_cells(release)
    if person_of is None:
        first = _runs([cells.kind, *secret.values(), *beside.values()], release.n_rows)
        others = {name: codes[first] for name, codes in (secret | beside).items()}
        by_all = classes({**cells.take(first), **others}, first.size, times=np.diff(first, append=release.n_rows))
    else:
        by_all = classes({**cells, **secret, **beside}, release.n_rows, person_of)
    return ColumnAudit(by_all, tuple(secret), tuple(unprotected), ignored, tuple(findings))


def _runs(columns: Iterable[Int32], n_rows: int) -> Int64:
    """Return the first row of each run of rows that are equal in all columns: published rows are sorted."""
    begins = np.arange(n_rows) == 0
    for codes in columns:
        begins[1:] |= codes[1:] != codes[:-1]
    return np.flatnonzero(begins)


def refined_by(found: ReadRelease, audit: ColumnAudit) -> Publication | None:
    """Return the release with its unprotected, not ignored columns as quasi-identifiers; None where there are none.

    The rows of the publication are those of the release.

    Synthetic rows have no people to be known, and a release without rows has no columns beside its counts.
    """
    if audit.by_all is None:
        return None
    columns = {name: (one.values, one.codes) for name, one in columns_beside(found)
               if name in audit.unprotected and name not in audit.ignored}  # fmt: skip
    return refined_publication(found.release, columns, by_row(found, found.person_of)) if columns else None


def as_read(release: Release, row_of: Int64 | None, person_of: Int32 | None) -> ReadRelease:
    """Return a release made here as if it had been read: each published row is a line with a known person.

    `row_of` is the published row of each input row, `person_of` its person, (input rows,).
    """
    owner = None
    if person_of is not None and row_of is not None and release.start is not None:
        owner = np.zeros(release.n_rows, np.int32)
        owner[row_of[row_of >= 0]] = person_of[row_of >= 0]
    return ReadRelease(release, np.arange(release.n_rows, dtype=np.int64), person_of=owner)


def codes_of_rows(found: ReadRelease, column: str) -> tuple[tuple[str, ...], Int32] | None:
    """Return the values of a column that is published on rows beside quasi-identifiers, and the code of each row.

    None where there is none; values permuted inside groups are not those of their rows.
    """
    release = found.release
    if column in release.permuted:
        return None
    if column in release.columns and release.schema[column].role is Role.SENSITIVE:
        return release.schema[column].values, release.columns[column]
    return next(((one.values, one.codes) for name, one in columns_beside(found) if name == column), None)


def require_columns(ignore: Iterable[str], found: Iterable[ReadRelease], raw: Raw | None = None) -> None:
    """Fail where a policy ignores a column that no release and no table has.

    Fails
        With `InvalidInputError`, which suggests a similar name.
    """
    known = dict.fromkeys(name for one in found for name in (*one.release.schema.names, *one.unused))
    known |= {} if raw is None else dict.fromkeys(raw.columns)
    for name in ignore:
        if name not in known:
            raise InvalidInputError.unknown_name(message("ignored column"), name, known)


def columns_beside(found: ReadRelease) -> Iterator[tuple[str, BesideColumn]]:
    """Yield the published columns that are neither quasi-identifiers nor sensitive, by published row."""
    release = found.release
    for attribute in release.schema.having(*BESIDE):
        if attribute.name in release.columns:
            values, cells = attribute.values, release.columns[attribute.name]
            missing = values.index(attribute.mark) if attribute.mark in values else UNKNOWN
            yield (
                attribute.name,
                BesideColumn(attribute.role, values, np.where(cells == missing, np.int32(UNKNOWN), cells)),
            )
    for name, unused in found.unused.items():
        codes = by_row(found, unused.column.codes)
        if codes is not None:
            yield name, BesideColumn(unused.role, unused.column.values, codes)


def by_row(found: ReadRelease, of_lines: Codes | None) -> Int32 | None:
    """Return values of lines of the file by published row, (rows,)."""
    if of_lines is None or found.release.start is None:
        return None
    result = np.full(found.release.n_rows, UNKNOWN, np.int32)
    result[found.row_of] = of_lines
    return result


def _findings(
    found: ReadRelease,
    name: str,
    one: BesideColumn,
    original: Original | None,
    limits: Limits,
    person_of: Int32 | None,
) -> Iterator[ColumnFinding]:
    """Yield the faults of a column: keys of people are expected to be unique, but not to be the original's."""
    n, rows = one.codes.size if person_of is None else np.unique(person_of).size, one.codes.size
    alone = 0 if one.role in _KEYS else alone_in(one.codes, person_of)
    if alone > limits.tolerated(n) and alone:
        detail = message("singles out {n} of {all}", n=numeral(alone), all=numeral(n))
        yield ColumnFinding(name, one.role, Fault.SINGLES_OUT, detail, alone, n, Unit.of(person_of))
    known = int((one.codes >= 0).sum())
    copied = None if original is None or one.role is Role.WEIGHT else _copied(found, name, one, original)
    if copied is not None:
        yield ColumnFinding(name, one.role, Fault.COPIES, copied, known, rows)
    identifier = direct_identifier(name, one.values, rows)
    if one.role is Role.IDENTIFIER:
        yield ColumnFinding(name, one.role, Fault.IDENTIFIES, message("is declared an identifier"), known, rows)
    elif identifier is not None and (one.role not in _KEYS or identifier.by == "content"):
        detail = message("holds {identifiers} (by its content)", identifiers=message(identifier.kind))
        if identifier.by == "name":
            detail = message("holds {identifiers} (by its name)", identifiers=message(identifier.kind))
        inside = identifiers_in(one.values).get(identifier.kind) if identifier.kind in DECIDED_BY_ONE else None
        count = known if inside is None or identifier.by == "name" else int(np.isin(one.codes, inside).sum())
        yield ColumnFinding(name, one.role, Fault.IDENTIFIES, detail, count, rows, identifier=identifier.kind)


def _copied(found: ReadRelease, name: str, one: BesideColumn, original: Original) -> Message | None:
    """Return which column of the original a published one repeats, and how the two were compared; None if none."""
    raw = original.raw.columns
    if np.unique(one.codes).size < 2:
        return None
    row, equals = original.row, marked("equals column {column} of the original row by row")
    if row is None and original.raw.n_rows == found.row_of.size:
        row, equals = found.row_of, marked("equals column {column} of the original line by line")
    names = sorted(raw, key=lambda other: other != name)
    if row is not None:
        there = row >= 0
        for other in names:
            if np.array_equal(_onto(raw[other], one.values)[there], one.codes[row[there]]) and there.any():
                return message(equals, column=other)
    group = original.group
    if group is not None and original.row is None and (group >= 0).sum() == one.codes.size:
        there = group >= 0
        ours = np.sort(_pairs(found.release.group_of_row, one.codes))
        for other in names:
            if np.array_equal(ours, np.sort(_pairs(group[there], _onto(raw[other], one.values)[there]))):
                return message("equals column {column} of the original group by group", column=other)
    return None


def _onto(column: RawColumn, values: tuple[str, ...]) -> Int32:
    """Return a column of the original in the codes of other values, (rows,); -2 where a value is not among them."""
    code = {value: i for i, value in enumerate(values)}
    place = np.array([*(code.get(label, -2) for label in column.values), UNKNOWN], np.int32)
    return place[column.codes]


def _pairs(group: Int32, codes: Int32) -> Int64:
    return group.astype(np.int64) * (2**32) + codes
