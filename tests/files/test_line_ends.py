"""Files that mix line ends: put together from parts of Windows, Unix and old Macs."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.files.line_ends import with_one_line_end
from unmask.files.reading import read

ENDS = ("\n", "\r\n", "\r")


def rows_of(raw) -> list[tuple[str | None, ...]]:
    """Return the cells of a table, row by row, None where missing."""
    columns = [[c.labels[code] if code >= 0 else None for code in c.codes] for c in raw.columns.values()]
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize(
    "content",
    ["a,b\r\n1,x\n2,y\r3,z\r\n", "a,b\n1,x\r\n2,y\n3,z", "a,b\r1,x\n2,y\r3,z", "a,b\r\r\n1,x\r\r\n2,y\r\r\n3,z\r\r\n"],
)
def test_mixed_line_ends_are_line_ends(tmp_path, content):
    """Three people, however the lines end; Windows' line ends that were converted twice included."""
    (tmp_path / "data.csv").write_bytes(content.encode())
    assert rows_of(read(tmp_path / "data.csv")) == [("1", "x"), ("2", "y"), ("3", "z")]


def test_line_ends_inside_quotes_belong_to_the_cell(tmp_path):
    """A spreadsheet ends lines as Windows does, and lines inside a cell as Unix does; a quote inside a cell is one."""
    path = tmp_path / "data.csv"
    path.write_bytes(b'a,b\r\n"two\nlines","x ""y""\r\nz"\r\n5" pipe,last\r\n')
    assert rows_of(read(path)) == [("two\nlines", 'x "y"\r\nz'), ('5" pipe', "last")]


def test_an_open_quote_is_still_an_error(tmp_path):
    """Said by line number, without the cell."""
    (tmp_path / "data.csv").write_bytes(b'a,b\r\n"x",1\n"Secret,2\r\n')
    with pytest.raises(InvalidInputError, match="close the quotes") as caught:
        read(tmp_path / "data.csv")
    assert "Secret" not in str(caught.value)


def test_a_file_with_one_kind_of_line_end_is_not_copied(tmp_path):
    """Whatever the kind; a file of two is copied, and the copy is gone afterwards."""
    path = tmp_path / "data.csv"
    for end in ENDS:
        path.write_bytes(end.join(["a", "1", "2"]).encode())
        with with_one_line_end(path, ",") as same:
            assert same == path
    path.write_bytes(b"a\r\n1\n")
    with with_one_line_end(path, ",") as other:
        assert other != path
        assert other.read_bytes() == b"a\n1\n"
    assert not other.exists()


cells = st.text(st.sampled_from('ab",;\r\n'), max_size=5).map(str.strip)
row = st.tuples(st.just("x"), cells, cells)


@given(
    st.tuples(*(cells.map(name.__add__) for name in "kmn"), st.sampled_from(ENDS)),
    st.lists(st.tuples(row, st.sampled_from(ENDS)), min_size=1, max_size=6),
    st.sampled_from([",", ";"]),
)
def test_law_the_ends_of_lines_change_no_cell(tmp_path_factory, header, lines, delimiter):
    """Lines end in any way; quoted cells and names are read as they were written."""
    *names, end_of_header = header
    out = io.StringIO(newline="")
    for cells_of_row, end in [(names, end_of_header), *lines]:
        csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator=end).writerow(cells_of_row)
    path = tmp_path_factory.mktemp("law") / "data.csv"
    path.write_bytes(out.getvalue().encode())
    raw = read(path, missing=[], delimiter=delimiter, decimal=".")
    assert list(raw.columns) == names
    assert rows_of(raw) == [tuple(cell or None for cell in cells_of_row) for cells_of_row, _ in lines]
