"""Text around the cells: titles above the header, runs of blanks, row numbers of R."""

from __future__ import annotations

import pytest

from unmask.errors import InvalidInputError
from unmask.files.reading import read

TABLE = "age,zip,ill\n20,01067,flu\n30,01069,cold\n"
CELLS = {"age": ("20", "30"), "zip": ("01067", "01069"), "ill": ("cold", "flu")}


@pytest.fixture
def text(tmp_path):
    """Return the function that reads a text."""

    def read_text(text, **options):
        path = tmp_path / "people.csv"
        path.write_bytes(text.encode())
        return read(path, **options)

    return read_text


def labels_of(raw):
    """Return the distinct values of each column."""
    return {name: column.labels for name, column in raw.columns.items()}


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("Report of 2020\n", 1),
        ("Report of 2020\r\n\r\nPatients, all\r\n", 3),
        ("Report of 2020,,\n", 1),
        ("\n", 1),
        ('"Report, of 2020"\n', 1),
        ("\ufeffBericht\r\r", 2),
    ],
)
@pytest.mark.parametrize("cellwise", [False, True])
def test_a_title_is_skipped_when_asked(text, title, lines, cellwise):
    """Without it, the error says how many lines to skip."""
    with pytest.raises(InvalidInputError, match=f"skip them: --skip-lines {lines}$"):
        text(title + TABLE, cellwise=cellwise)
    assert labels_of(text(title + TABLE, skip_lines=lines, cellwise=cellwise)) == CELLS


def test_decimal_commas_do_not_hide_a_title(text):
    """A title with a comma has as many cells as the records, and the header below it one; by semicolons all agree."""
    table = "age;zip;cost;ill\n" + "".join(f"2{i};1305{i};1{i},50;flu\n" for i in range(5))
    title = "Export Nord, Stand 31.10.2026\n"
    with pytest.raises(InvalidInputError, match=r"skip them: --skip-lines 1$"):
        text(title + table)
    assert text(title + table, skip_lines=1).n_rows == 5
    with pytest.raises(InvalidInputError, match=r"the right --delimiter$"):  # a header by commas, and a broken record
        text("a,b\n1,2\n3,4;5;6;7\n8\n9,10\n")


def test_all_lines_skipped(text):
    """More than the file has."""
    with pytest.raises(InvalidInputError, match="below the 9 lines that --skip-lines leaves out; it is empty"):
        text(TABLE, skip_lines=9)


def test_a_header_of_numbers_is_one_when_it_is_declared(text):
    """By 0 lines above it."""
    with pytest.raises(InvalidInputError, match="seems to hold data"):
        text("2019,2020\n1,2\n3,4\n")
    assert list(text("2019,2020\n1,2\n3,4\n", skip_lines=0).columns) == ["2019", "2020"]


@pytest.mark.parametrize(
    "content",
    [
        TABLE.replace(",", " "),
        TABLE.replace(",", "   ").replace("\n", "  \n "),
        "age  zip    ill\r\n20   01067  flu\r\n30   01069  cold\r\n",
        '"age" "zip" "ill"\n20 "01067" "flu"\n30 "01069" "cold"\n',
        '"age" "zip" "ill"\n"1" 20 "01067" "flu"\n"2" 30 "01069" "cold"\n',
        '"age","zip","ill"\n"1",20,"01067","flu"\n"2",30,"01069","cold"\n',
    ],
)
def test_columns_between_blanks_and_row_numbers_of_r(text, content):
    """Runs of blanks separate columns, except in quotes; R names one column less than it writes."""
    assert labels_of(text(content)) == CELLS


def test_blanks_in_one_column_separate_nothing(text):
    """Unless all lines have as many words, or the delimiter is declared; where noise is added, only then."""
    assert list(text("marital status\nnever married\ndivorced\n").columns) == ["marital status"]
    assert labels_of(text("a b\n1 'x\n2 y\n", delimiter="space", cellwise=True)) == {"a": ("1", "2"), "b": ("'x", "y")}
    assert list(text("Visits of 2020\n\nage zip ill\n1 2 3\n").columns) == ["Visits of 2020"]
    assert list(text("a b\n1 x\n2 y\n", cellwise=True).columns) == ["a b"]
    assert labels_of(text('a b\n1 "x y"\n2 y\n')) == {"a": ("1", "2"), "b": ("x y", "y")}
