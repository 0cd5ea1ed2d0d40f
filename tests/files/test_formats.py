"""Files that are no text: recognized by their first bytes, whatever their ending and wherever they come from."""

from __future__ import annotations

import gzip
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unmask.errors import InvalidInputError
from unmask.files.formats import FileKind, format_of
from unmask.files.reading import read

REST = bytes(range(200))
ZIP = b"PK\x03\x04" + b"\x14\0" * 11
HEADS = {
    "an old Feather file": (b"FEA1" + REST,),
    "an SQLite database": (b"SQLite format 3\0" + REST,),
    "a DuckDB database": (bytes(8) + b"DUCK" + REST,),
    "an R": (b"RDX3\nX\n" + REST, b"X\n\0\0\0\x03" + REST),
    "JSON": (b'[{"age": 20}, {"age": 30}]', b'\xef\xbb\xbf[\n  {\n "age": 20}]', b'{"age": 20}\n{"age": 30}\n'),
    "HTML": (b"\n<!DOCTYPE html><html>", b"<html><table>"),
    "XML": (b'<?xml version="1.0"?><Workbook>',),
}
CASES = [(name, head) for name, heads in HEADS.items() for head in heads]


READ = {
    FileKind.DTA: (
        b"<stata_dta><header><release>118</release>" + REST,
        bytes([0x71, 2, 1, 0, 2, 0]) + REST,
        bytes([0x72, 1, 1, 0, 2, 0]) + REST,
    ),
    FileKind.SAV: (b"$FL2@(#) SPSS DATA FILE" + REST, b"$FL3@(#) SPSS DATA FILE" + REST),
    FileKind.POR: (b"ASCII SPSS PORT FILE".ljust(40) * 5 + b"0" * 256 + b"SPSSPORT" + b"A8/20261128",),
    FileKind.SAS7BDAT: (bytes(12) + bytes.fromhex("c2ea8160b31411cfbd9208 0009c7318c181f1011") + REST,),
    FileKind.XPT: (
        b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!",
        b"HEADER RECORD*******LIBV8   HEADER RECORD!!!!!!!",
    ),
    FileKind.WORKBOOK: (
        ZIP + b"[Content_Types].xml" + REST + b"xl/workbook.xml",
        ZIP + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
        ZIP + REST,
        b"\xd0\xcf\x11\xe0" + REST,
    ),
    FileKind.ARROW: (b"ARROW1" + REST, b"\xff\xff\xff\xff" + REST),
    FileKind.PARQUET: (b"PAR1" + REST,),
}


@pytest.mark.parametrize(("reader", "head"), [(reader, head) for reader, heads in READ.items() for head in heads])
def test_a_format_is_recognized_by_its_first_bytes(reader, head):
    """And the reader of it is chosen, whatever the name of the file."""
    form = format_of(head)
    assert form is not None
    assert form.kind is reader


@pytest.mark.parametrize(("name", "head"), CASES)
@pytest.mark.parametrize("as_gzip", [False, True])
def test_a_format_is_called_by_its_name(tmp_path, name, head, as_gzip):
    """As a file of another name, and packed: never UTF-16, zero bytes, or a table of one column."""
    path = tmp_path / "people.csv"
    path.write_bytes(gzip.compress(head) if as_gzip else head)
    with pytest.raises(InvalidInputError, match=f"it is {name}.*") as caught:
        read(path)
    assert "UTF-16" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_standard_input_is_recognized_too(monkeypatch):
    """Parquet through a pipe is read as from a file, and cut off it is said to be."""
    whole = io.BytesIO()
    pq.write_table(pa.table({"age": [20, 30]}), whole)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(whole.getvalue())))
    assert read("-").n_rows == 2
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"PAR1" + REST)))
    with pytest.raises(InvalidInputError, match="'standard input' must be a complete Parquet file"):
        read("-")


def test_zero_bytes_are_utf16_only_where_they_alternate(tmp_path):
    """Text without a byte order mark is offered its own encoding; other bytes are not."""
    path = tmp_path / "data.csv"
    for encoding in ("utf-16-le", "utf-16-be"):
        path.write_bytes("age,ill\n20,flu\n".encode(encoding))
        with pytest.raises(InvalidInputError, match=f"give --encoding {encoding}"):
            read(path)
        assert read(path, encoding=encoding).n_rows == 1
    path.write_bytes(b"age,ill\n20,\0flu\n")
    with pytest.raises(InvalidInputError, match=r"zero bytes\. Save it as CSV"):
        read(path)


@pytest.mark.parametrize("text", ["r,x\nq,y\n", "ORCID,n\n1,2\n", "<html>,b\n1,2\n", "PKZ,b\n1,2\n", "BZh,b\n1,2\n"])
def test_text_that_begins_like_a_format(tmp_path, text):
    """A header decides nothing by its first letters, unless they are those of a format as a whole."""
    path = tmp_path / "data.csv"
    path.write_text(text)
    if text.startswith("<html>"):
        with pytest.raises(InvalidInputError, match="HTML"):
            read(path)
    else:
        assert read(path).n_rows == 1
