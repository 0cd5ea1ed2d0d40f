"""What is counted of a column, and examples of its values that identify no person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import occurrences
from unmask.files.raw import Raw, RawColumn
from unmask.hierarchies import number_text
from unmask.schema import UNKNOWN
from unmask.wording import message

EXAMPLES = 3
"""The number of examples of a column."""

SHARED_BY = 11
"""The fewest rows of a value that is given as it is: a chance of 1/11 (0.09), EMA's limit."""

SAMPLED = 1_000
"""The largest number of distinct values whose form is examined."""

_LONGEST = 14  # characters of an example
_KEPT = frozenset(" .,-/:@+()_[]<>=%*'\"")


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """The counts of a column, and an evenly spaced sample of its distinct values."""

    name: str
    column: RawColumn
    n_rows: int
    known: int  # rows with a value
    distinct: int
    values: tuple[str, ...]  # (at most SAMPLED,), sorted

    @classmethod
    def of(cls, raw: Raw, name: str) -> ColumnProfile:
        """Count the values of a column."""
        column = raw[name]
        known = int((column.codes != UNKNOWN).sum())
        return cls(name, column, raw.n_rows, known, column.n, _sample(column))

    @property
    def type(self) -> str:
        """The type of the values."""
        if self.column.n_impossible:
            return message("date, some impossible")
        return message("date, order unclear") if self.column.doubtful_dates else str(self.column.kind)

    @property
    def missing(self) -> int:
        """The number of rows without a value."""
        return self.n_rows - self.known

    @property
    def rows_per_value(self) -> float:
        """The mean number of rows with the same value."""
        return self.known / max(self.distinct, 1)

    @property
    def is_nearly_unique(self) -> bool:
        """Whether at least 19 of 20 rows have a value of their own."""
        return self.known >= 2 and self.distinct >= 0.95 * self.known

    def examples(self, *, identifying: bool) -> tuple[str, ...]:
        """Return the most frequent values, (at most EXAMPLES,): masked where few rows share them or they identify."""
        times = occurrences(self.column.codes, self.distinct)[1:]
        most = np.argsort(-times, kind="stable")[:EXAMPLES]
        texts = [
            text if not identifying and times[code] >= SHARED_BY and len(text) <= _LONGEST * 2 else masked(text)
            for code, text in zip(most.tolist(), _labels(self.column, most), strict=True)
        ]
        return tuple(dict.fromkeys(texts))


def masked(text: str) -> str:
    """Return the form of a value: its letters as A and a, its digits as 9.

    >>> masked("Ada Lovelace"), masked("04103"), masked("a.b@example.org")
    ('Aaa Aaaaaaaa', '99999', 'a.a@aaaaaaa.aa…')
    """
    form = "".join(map(_form, text[: _LONGEST + 1]))
    return form if len(form) <= _LONGEST else f"{form[:_LONGEST]}…"


def _form(letter: str) -> str:
    if letter.isdigit():
        return "9"
    if letter.isalpha():
        return "A" if letter.isupper() else "a"
    return letter if letter in _KEPT else "?"


def _sample(column: RawColumn) -> tuple[str, ...]:
    n = column.n
    codes = np.arange(n) if n <= SAMPLED else np.arange(SAMPLED) * n // SAMPLED
    return tuple(_labels(column, codes))


def _labels(column: RawColumn, codes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    """Return the values with these codes as text."""
    if column.texts is not None:
        return [str(text) for text in column.texts.take(codes).to_pylist()]
    numbers = column.numbers if column.numbers is not None else np.zeros(0)
    return [number_text(number) for number in numbers[codes].tolist()]
