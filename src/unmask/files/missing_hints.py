"""Hints on cells that look like missing values but count as values."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unmask.arrays import Bool
from unmask.files.raw import Raw, RawColumn
from unmask.files.roles import Roles
from unmask.number_format import numeral
from unmask.schema import UNKNOWN, Role
from unmask.wording import counted, joined, message

LOOK_MISSING = (
    "nan", "-nan", "n/a", "#n/a", "na", "n.a.", "none", "null", "nil", "<na>", ".", "-", "--", "missing", "unknown",
    "not available", "unbekannt", "k.a.", "k. a.", "keine angabe", "n.b.", "n. b.", "nicht bekannt", "o.a.", "#nv",
)  # fmt: skip
"""Common marks of a missing value, in lower case."""

AMONG_NUMBERS = (
    "n", "x", "u", "nr", "nd", "nk", "ns", "dk", "nap", "niu", "ref", "refused", "not applicable", "inapplicable",
    "does not apply", "don't know", "no answer", "not reported", "not asked", "entfällt", "trifft nicht zu",
    "weiß nicht", "tnz", "sans objet", "nsp", "ne sait pas", "no aplica", "ns/nc",
)  # fmt: skip
"""Marks of a missing value where all other values of a column are numbers, in lower case: N of Census microdata."""

_NUMBER = r"^\s*[+-]?(?:\d[\d ,.'’]*|[.,]\d+)(?:[eE][+-]?\d+)?\s*$"

_UNSEEN = {Role.DROP, Role.IDENTIFIER}


def missing_hints(raw: Raw, roles: Roles) -> Iterator[str]:
    """Yield one note on cells that look like missing values and are not declared as such.

    Columns without a role are included if no column has one. A value that a column declares (order, harmless, own
    limits) is not a missing value.
    """
    hints = [
        (name, mark, n)
        for name, column in raw.columns.items()
        if _is_used(name, roles)
        for mark, n in _marks_in(column)
        if not _is_declared(name, mark, roles)
    ]
    if not hints:
        return
    cells = joined(
        (
            counted(
                "{mark} in {name} ({n} cell)",
                "{mark} in {name} ({n} cells)",
                n,
                mark=repr(mark),
                name=name,
                n=numeral(n),
            )
            for name, mark, n in hints
        ),
        ", ",
    )
    as_missing = {mark for column in raw.columns.values() for mark in column.marks if mark not in {"", "inf"}}
    marks = sorted(as_missing) + list(dict.fromkeys(mark for _, mark, _ in hints))
    options = " ".join(f"--missing {shlex.quote(mark)}" for mark in marks)
    yield message(
        "may mean a missing value, and counts as a value: {cells}; {options} makes it missing",
        cells=cells,
        options=options,
    )


def _is_used(name: str, roles: Roles) -> bool:
    role = roles.of_column(name).role
    undeclared = roles.rest == "insensitive" or all(one.role is None for one in roles.columns.values())
    return undeclared if role is None else role not in _UNSEEN


def _is_declared(name: str, mark: str, roles: Roles) -> bool:
    declared = roles.of_column(name)
    return mark in declared.harmless or mark in declared.limit or mark in (declared.order or ())


def _marks_in(column: RawColumn) -> Iterator[tuple[str, int]]:
    """Yield the distinct values that look missing, with their numbers of cells."""
    if column.texts is None or column.is_numeric:
        return
    texts = pc.utf8_lower(column.texts)
    alike = _are_in(texts, LOOK_MISSING)
    words = ~alike & ~np.asarray(pc.match_substring_regex(texts, _NUMBER), bool)
    if words.sum() == 1 and (~alike).sum() > 2:  # all others are numbers, at least two
        alike |= words & _are_in(texts, AMONG_NUMBERS)
    for code in np.flatnonzero(alike):
        yield column.texts[int(code)].as_py(), int((column.codes[column.codes != UNKNOWN] == code).sum())


def _are_in(texts: pa.StringArray, marks: Sequence[str]) -> Bool:
    return np.asarray(pc.is_in(texts, pa.array(marks)), bool)
