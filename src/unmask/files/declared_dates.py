"""Columns read as roles declare their dates: the order of day and month, ages on a reference date, years."""

from __future__ import annotations

import re
from dataclasses import replace

from unmask.dates import parse_moment
from unmask.errors import InvalidInputError
from unmask.files.raw import AMBIGUOUS, IMPOSSIBLE, Kind, Raw, RawColumn, as_dates, notes_on_ambiguity
from unmask.files.roles import ColumnRole, Roles
from unmask.wording import message

_AGE = re.compile(r"\d{1,3}(?:-\d{1,3}|\+)?")


def with_declared_dates(raw: Raw, roles: Roles) -> Raw:
    """Return a table whose columns are dates as declared.

    `day_first` decides how 03/04/2020 is read. Where `reference` is declared, `34`, `30-39` and `90+` are ages on that
    date; where dates are declared, whole numbers of four digits are years.

    Fails
        With `InvalidInputError` where a date does not have the declared order of day and month.
    """
    columns = dict(raw.columns)
    for name, column in raw.columns.items():
        declared = roles.of_column(name)
        if declared.day_first is not None:
            columns[name] = _in_order(name, column, day_first=declared.day_first)
        elif declared.holds_dates and not column.holds_dates:
            columns[name] = _periods(column, declared)
    if all(columns[name] is column for name, column in raw.columns.items()):
        return raw
    others = (note for note in raw.notes if AMBIGUOUS not in note and IMPOSSIBLE not in note)
    return replace(raw, columns=columns, notes=(*others, *notes_on_ambiguity(columns)))


def may_be_two(column: RawColumn) -> bool:
    """Whether all values of a column are dates, whichever of day and month comes first."""
    return column.doubtful_dates and all(
        parse_moment(label, day_first=first) is not None for label in column.labels for first in (True, False)
    )


def _in_order(name: str, column: RawColumn, *, day_first: bool) -> RawColumn:
    if column.day_first is not None and column.day_first is not day_first:
        n_wrong = column.n
    elif column.doubtful_dates:
        read = as_dates(column, day_first=day_first)
        if read is not None:
            return read
        n_wrong = sum(parse_moment(label, day_first=day_first) is None for label in column.labels)
    else:
        return column
    msg = message(
        "column {name} must hold dates with the day first, by its day_first; {n_wrong} of its "
        "{n} distinct values do not. Correct them, or leave out day_first"
        if day_first
        else "column {name} must hold dates with the month first, by its day_first; {n_wrong} of its "
        "{n} distinct values do not. Correct them, or leave out day_first",
        name=repr(name),
        n_wrong=n_wrong,
        n=column.n,
    )
    raise InvalidInputError(msg)


def _periods(column: RawColumn, declared: ColumnRole) -> RawColumn:
    """Return a column with ages on the reference date written as such, and years as text."""
    written = [
        f"{label} years on {declared.reference}" if declared.reference and _AGE.fullmatch(label) else label
        for label in column.values
    ]
    years = column.kind is Kind.INTEGER and all(len(label) == 4 for label in column.values)
    return column.relabeled(written) if years or written != list(column.values) else column
