"""Date shifting under a key: all dates of a person move by one number of days, so that intervals between them stay."""

from __future__ import annotations

import hmac
from dataclasses import replace
from datetime import date

import numpy as np
import pyarrow as pa

from unmask.arrays import Float64, distinct_numbers
from unmask.dates import day_number, moment_texts
from unmask.errors import InvalidInputError
from unmask.files.person_hashes import normal_form
from unmask.files.raw import Kind, RawColumn
from unmask.schema import Numeric, domain_values
from unmask.wording import message

_SHIFT = b"unmask date shift\0"  # pseudonyms and the hashes of a ledger have other beginnings


def offsets(people: RawColumn, key: bytes, days: int, rng: np.random.Generator) -> Float64:
    """Return by how many days the dates of each row move, (rows,): from −days to days without 0, all equally likely.

    It depends on the key, the person number and `days`. A row without a person number has an offset drawn at random.
    """

    def offset(text: str) -> int:
        digest = hmac.digest(key, _SHIFT + normal_form(text), "sha256")
        step = int.from_bytes(digest[:16], "little") % (2 * days)  # of 2^128 numbers: no offset is preferred
        return step - days if step < days else step - days + 1

    each = np.array([*(offset(text) for text in people.values), 0], np.float64)
    result = each[people.codes]
    nameless = np.flatnonzero(people.codes < 0)
    step = rng.integers(0, 2 * days, nameless.size)
    result[nameless] = np.where(step < days, step - days, step - days + 1)
    return np.asarray(result)


def shifted(column: RawColumn, by: Float64, name: str = "date", *, largest: int = 0) -> RawColumn:
    """Return a column of dates, each moved by a number of days, (rows,), and written in ISO form.

    `largest` is the largest offset that could have been drawn, by which readers extend the cells.

    Fails
        With `InvalidInputError` where a date, or a reader's range around it, leaves the years of the calendar.
    """
    timed = column.kind is Kind.MOMENT
    domain = Numeric(step=None if timed else 1.0, dates=True)
    numbers = np.append(domain_values(domain, column.labels), np.nan)[column.codes] + by
    known = ~np.isnan(numbers)
    distinct, place = distinct_numbers(numbers[known])
    most = float(np.abs(by).max(initial=largest))
    first, last = day_number(date.min) + most, day_number(date.max) - most
    if distinct.size and not first <= distinct[0] <= distinct[-1] <= last:
        msg = message(
            "dates of column {name} must stay in the years 1 to 9999 when they are shifted; some do not. "
            "List what stands for no date, such as 9999-12-31, with --missing, or lower shift-days",
            name=repr(name),
        )
        raise InvalidInputError(msg)
    codes = np.full(numbers.size, -1, np.int32)
    codes[known] = place
    texts = pa.array(moment_texts(distinct, timed=timed), pa.string())
    return replace(column, codes=codes, texts=texts, day_first=None)
