"""Cellwise reading: no record decides how another is read, whatever its cells are."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.files.keys import numbered
from unmask.files.raw import Raw
from unmask.files.reading import read
from unmask.numerics.numerals import NUMERAL, canonical

CELLS = [
    "31", "3.0", "-7", "1.250", "1.5", "1e2", "", "?", "f", "2020-01-01", "31.12.2020", "01/02/2020", "1.000,5",
    "1.000.000", "1,000", "1,5", "12,34,567", "+5", "−7", "007", "1e101", "1e400", "nan", "123456789012345678901",
    "true", "€5", "(5)", "'a'", "ä", "0.1", "0.1000000000000000055", "0.1000000000000000055511151231257827", "1e-400",
    "1234567890123456789.0", "1.234567890123456789e18", "123456789012345678e1",
]  # fmt: skip
"""Cells that change how a detecting reader takes the others."""

LINES = ["", "31", '"a', "x;y;z", "\x85", ";;;;"]
"""Further lines, of other forms."""


def cells_of(raw: Raw) -> list[tuple[str | None, ...]]:
    """Return the cells of each row as they are compared with declared values: numbers in one form."""
    columns = []
    for column in raw.columns.values():
        values = [canonical(v) if re.fullmatch(NUMERAL, v) else v for v in column.values]
        columns.append([None if code < 0 else values[code] for code in column.codes])
    return list(zip(*columns, strict=True))


def read_text(text: str | bytes, decimal: str | None = None) -> list[tuple[str | None, ...]] | None:
    """Return the cells of a file; None if it is refused."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "people.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        try:
            return cells_of(read(file, cellwise=True, decimal=decimal))
        except InvalidInputError:
            return None


@given(
    cells=st.lists(st.tuples(st.sampled_from(CELLS), st.sampled_from(CELLS)), min_size=1, max_size=5),
    other=st.tuples(st.sampled_from(CELLS), st.sampled_from(CELLS)),
    decimal=st.sampled_from([None, ".", ","]),
)
def test_a_further_record_changes_no_other(cells, other, decimal):
    """All cells of the records before it are read as without it, or the file is refused."""
    lines = [";".join(row) for row in [("a", "b"), *cells]]
    alone = read_text("\n".join(lines), decimal)
    beside = read_text("\n".join([*lines, ";".join(other)]), decimal)
    if alone is not None and beside is not None:
        assert beside[: len(alone)] == alone


@pytest.mark.parametrize("line", [*LINES, b"\x80;1"])
def test_a_line_of_another_form_changes_no_other(line):
    """It is refused, or the records before it are read as without it; neither delimiter nor encoding is detected."""
    text = "a;b\n1,5;ä\n2,5;ö\n".encode()
    alone = read_text(text)
    beside = read_text(text + (line if isinstance(line, bytes) else line.encode()) + b"\n")
    assert alone == [("1,5", "ä"), ("2,5", "ö")]
    assert beside is None or beside[:2] == alone


@pytest.mark.parametrize(
    ("decimal", "cell", "value"),
    [
        (None, "1.250", "1.25"),
        (None, "1,250", "1,250"),
        (",", "1,250", "1.25"),
        (",", "1.250", "1.250"),
        (".", "1,5", "1,5"),
    ],
)
def test_the_decimal_sign_is_a_point_unless_declared(decimal, cell, value):
    """And no thousands are grouped: 1,250 beside a decimal point is text, not 1250."""
    expected = canonical(value) if re.fullmatch(NUMERAL, value) else value
    assert read_text(f"a;b\n{cell};x\n", decimal) == [(expected, "x")]


@pytest.mark.parametrize("sign", [",", ";"])
@pytest.mark.parametrize("opening", ['"31,x', '31,"x', '31,"', '"', '31,"flu"x', '31,flu,"'])
@pytest.mark.parametrize("closing", ['40,5"', '40,"cold"', '40,""', '40,",x"', '40,"\nfoo"', '40," 5"', '"40",cold'])
def test_no_record_swallows_those_after_it(sign, opening, closing):
    """A quote that is opened, and closed by a quote of a later record, once made one record of all between."""
    lines = [line.replace(",", sign) for line in ("a,b", "1,flu", "2,cold", closing, "50,flu")]
    alone = read_text("\n".join(lines))
    beside = read_text("\n".join([lines[0], opening.replace(",", sign), *lines[1:]]))
    assert alone is None or beside is None or beside[1:] == alone


@pytest.mark.parametrize("other", ["x", "1e300", "1234567890123456789", "+5", ""])
def test_no_record_decides_whether_two_keys_are_one_person(other):
    """1 and 1.0 are two keys, whatever other keys are."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "people.csv"
        file.write_text(f"who;a\n1;x\n1.0;y\n{other};z\n")
        first, second, third = numbered(read(file, cellwise=True)["who"])
    assert len({first, second, third}) == 3


def test_quotes_around_whole_cells_are_read():
    """With delimiters, line ends and doubled quotes inside."""
    assert read_text('a;b\n"1";"x;""y""\r\nz"\r\n"";""\n') == [("1", 'x;"y"\r\nz'), (None, None)]


NUMBERS = [1, 2, 31, 2.5, 99.0, None]
FLAGS = [True, False, None]


@given(
    values=st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=4)
    | st.lists(st.sampled_from(FLAGS), min_size=1, max_size=4),
    other=st.sampled_from(["x", None, 1e101, float("nan"), 10**30]),
)
def test_a_further_python_value_changes_no_other(values, other):
    """Lists, and object columns of data frames."""
    try:
        alone = cells_of(read({"a": values}, missing=["99"], cellwise=True))
        beside = cells_of(read({"a": [*values, other]}, missing=["99"], cellwise=True))
    except InvalidInputError:
        return
    assert beside[: len(alone)] == alone
