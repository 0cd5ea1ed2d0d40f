"""Files of other programs: each cell is read as in a CSV file of the same cells."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter

from tests.workbooks import write_ods, write_workbook
from unmask.errors import InvalidInputError, ResourceError
from unmask.files.foreign.moments import moments_of
from unmask.files.formats import FileKind
from unmask.files.raw import Raw
from unmask.files.reading import read

PEOPLE = pd.DataFrame(
    {
        "age": [31.0, 20.0, np.nan, 1e6],
        "zip": ["01067", "1067", "", "x y"],
        "dose": [0.1, 1.5, -3.25, 1 / 3],
        "born": [dt.date(2020, 1, 2), dt.date(1980, 3, 4), None, dt.date(1931, 12, 31)],
        "seen": pd.to_datetime(
            pd.Series(["2020-01-02 03:04:05", None, "2020-01-02 00:00:00", "1999-12-31 23:59:59"]).astype(object)
        ),
        "sex": [1.0, 2.0, 2.0, 1.0],
    }
)
SAS = Path(__file__).parent / "sas"
SEXES: dict[int | float, str] = {1: "male", 2: "female"}
CSV = """age,zip,dose,born,seen,sex
31,01067,0.1,2020-01-02,2020-01-02T03:04:05,male
20,1067,1.5,1980-03-04,,female
,,-3.25,,2020-01-02T00:00:00,female
1000000,x y,0.3333333333333333,1931-12-31,1999-12-31T23:59:59,male
"""


def cells_of(raw: Raw) -> dict[str, list[str | None]]:
    """Return the cells of each column, by its name in lower case: SAS and SPSS write others in capitals."""
    return {
        name.lower(): [None if code < 0 else column.values[code] for code in column.codes]
        for name, column in raw.columns.items()
    }


def labelled() -> pd.DataFrame:
    """Return the people with labels in place of codes, for formats without labels."""
    return PEOPLE.assign(sex=PEOPLE["sex"].map(SEXES))


def listed(frame: pd.DataFrame) -> list[list[object]]:
    """Return the names and the rows of a frame; None is missing."""
    rows = frame.astype(object).itertuples(index=False)
    return [list(frame.columns), *([None if pd.isna(cell) else cell for cell in row] for row in rows)]


def written(folder: Path) -> dict[str, Path]:
    """Write the people in every format, under one name that says nothing."""
    table = pa.Table.from_pandas(labelled(), preserve_index=False)
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, table.schema) as out:
        out.write_table(table)
    writers = {
        "sav": lambda path: pyreadstat.write_sav(PEOPLE, path, variable_value_labels={"sex": SEXES}),
        "zsav": lambda path: pyreadstat.write_sav(PEOPLE, path, variable_value_labels={"sex": SEXES}, compress=True),
        "por": lambda path: pyreadstat.write_por(labelled(), path),
        "dta": lambda path: pyreadstat.write_dta(PEOPLE, path, variable_value_labels={"sex": SEXES}),
        "xpt5": lambda path: pyreadstat.write_xport(labelled(), path, file_format_version=5),
        "xpt8": lambda path: pyreadstat.write_xport(labelled(), path, file_format_version=8),
        "xlsx": lambda path: write_workbook(path, listed(labelled()), title="People of 2020"),
        "ods": lambda path: write_ods(path, listed(labelled())),
        "arrow": lambda path: pyarrow.feather.write_feather(table, path),
        "stream": lambda path: path.write_bytes(stream.getvalue()),
        "parquet": lambda path: pq.write_table(table, path),
        "zstd": lambda path: path.write_bytes(pa.compress(CSV.encode(), codec="zstd", asbytes=True)),
    }
    for form, write in writers.items():
        (folder / form).mkdir()
        write(folder / form / "people.csv")
    return {form: folder / form / "people.csv" for form in writers}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The people in every format."""
    return written(tmp_path_factory.mktemp("forms"))


@pytest.mark.parametrize(
    "form", ["sav", "zsav", "por", "dta", "xpt5", "xpt8", "xlsx", "ods", "arrow", "stream", "zstd"]
)
def test_a_cell_is_read_as_in_csv(files, form, tmp_path):
    """Numbers, codes with zeros, days, moments, labels, missing cells; the name of the file decides nothing."""
    (tmp_path / "people.csv").write_text(CSV)
    plain, other = read(tmp_path / "people.csv"), read(files[form])
    assert cells_of(other) == cells_of(plain)
    assert [column.kind for column in other.columns.values()] == [column.kind for column in plain.columns.values()]


def test_labels_and_missing_values(tmp_path):
    """A value without a label stays as it is; ranges, marks of text and letters are missing, and counted."""
    frame = pd.DataFrame({"age": [31.0, 99, 97, 20], "opinion": [1.0, 5, 9, 8], "zip": ["01067", "n/a", "1", "n/a"]})
    pyreadstat.write_sav(
        frame,
        tmp_path / "a.sav",
        variable_value_labels={"age": {99: "refused"}, "opinion": {1: "yes", 8: "other", 9: "other"}},
        missing_ranges={"age": [{"lo": 97, "hi": 99}], "zip": ["n/a"]},
    )
    raw = read(tmp_path / "a.sav")
    assert cells_of(raw) == {
        "age": ["31", None, None, "20"],
        "opinion": ["yes", "5", "other (9)", "other (8)"],
        "zip": ["01067", None, "1", None],
    }
    assert raw["age"].is_numeric
    assert raw.asides == (
        "labels in place of codes in opinion",
        "cells that the file declares missing: 1 97, 2 n/a, 1 refused",
    )
    letters: dict[Any, str] = {1: "one", "a": "refused"}
    pyreadstat.write_dta(
        pd.DataFrame({"a": [1, "a", 3, "b"], "b": ["x", "y", "z", ""]}),
        tmp_path / "a.dta",
        missing_user_values={"a": ["a", "b"]},
        variable_value_labels={"a": letters},
    )
    raw = read(tmp_path / "a.dta")
    assert cells_of(raw) == {"a": ["one", None, "3", None], "b": ["x", "y", "z", None]}
    assert "cells that the file declares missing: 1 .b, 1 refused" in raw.asides


def test_files_of_sas():
    """As SAS wrote them: dates, moments, times, and its letters of missing values."""
    people = read(SAS / "people.sas7bdat.gz")
    assert cells_of(people) == {
        "mychar": ["a", "b", "c", "d", "e"],
        "mynum": ["1.1", "1.2", "-1000.3", "-1.4", "1000.3"],
        "mydate": ["2018-05-06", "1880-05-06", "1960-01-01", "1583-01-01", None],
        "dtime": ["2018-05-06T10:10:10", "1880-05-06T10:10:10", "1960-01-01T00:00:00", "1583-01-01T00:00:00", None],
        "mylabl": ["1", "2", "1", "2", "1"],
        "myord": ["1", "2", "3", "1", "1"],
        "mytime": ["10:10:10", "23:10:10", "00:00:00", "16:10:10", None],
    }
    missing = read(SAS / "missing.sas7bdat.gz")
    assert missing.asides == ("cells that the file declares missing: 1 .A, 1 .B, 1 .C, 1 .X, 1 .Y, 1 .Z, 1 ._",)


@pytest.mark.parametrize(
    ("form", "reader", "number", "expected"),
    [
        ("%td", FileKind.DTA, 0, dt.date(1960, 1, 1)),
        ("%tdDD/NN/CCYY", FileKind.DTA, -1, dt.date(1959, 12, 31)),
        ("%tm", FileKind.DTA, -1, "1959-12"),
        ("%tq", FileKind.DTA, 80, "1980-Q1"),
        ("%th", FileKind.DTA, 1, "1960-H2"),
        ("%tw", FileKind.DTA, 52, "1961-W01"),
        ("%tcHH:MM:SS", FileKind.DTA, 3_723_500.0, "01:02:03.5"),
        ("%tc", FileKind.DTA, 1000.0, dt.datetime.fromisoformat("1960-01-01T00:00:01")),
        ("EDATE10", FileKind.SAV, 86400.0, dt.date(1582, 10, 15)),
        ("DTIME9.2", FileKind.SAV, 90_061.0, "25:01:01"),
        ("YYMMDDN8.", FileKind.XPT, 1, dt.date(1960, 1, 2)),
        ("E8601DT19", FileKind.SAS7BDAT, 1.0, dt.datetime.fromisoformat("1960-01-01T00:00:01")),
        ("DATE9", FileKind.SAS7BDAT, 1e300, None),
    ],
)
def test_dates_of_statistics_packages(form, reader, number, expected):
    """Numbers since an epoch, in the unit of their format."""
    written = moments_of([number, None], form, reader)
    assert written is not None
    assert written.to_pylist() == [expected, None]


@pytest.mark.parametrize(
    ("form", "reader"), [("%9.0g", FileKind.DTA), ("F8.2", FileKind.SAV), ("BEST12", FileKind.XPT), ("", FileKind.POR)]
)
def test_numbers_are_no_dates(form, reader):
    """By their format."""
    assert moments_of([1.0], form, reader) is None


def test_sheets_titles_and_merged_cells(tmp_path):
    """The only sheet with cells, a sheet by name or number; titles are left out, merged cells and formulas counted."""
    path = tmp_path / "people.xlsx"
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet("People")
    sheet.merge_range("A1:C1", "People, as of 2020")
    sheet.write_row("A3", ["age", "zip", "ill", "", "bmi"])
    for i, row in enumerate([[31, "01067", "flu"], [31.5, 1067, "*"], ["?", "", ""]], 3):
        sheet.write_row(i, 0, row)
    sheet.merge_range("C5:C6", "cold")
    sheet.write_formula("E4", "=20+1", value=21.25)
    sheet.write_formula("E5", "=20+1", value="")
    book.add_worksheet("Empty")
    book.close()
    raw = read(path)
    assert cells_of(raw) == {
        "age": ["31", "31.5", None], "zip": ["01067", "1067", None], "ill": ["flu", "cold", None],
        "bmi": ["21.25", None, None],
    }  # fmt: skip
    assert raw.notes[:4] == (
        "sheet 'People', the only one of 2 with cells",
        "rows 1 to 2 above the header left out, as a title; --skip-lines changes that",
        "1 merged cells: only the first cell of each has a value, the others are empty",
        "1 of 2 formulas have no stored value, and are empty: save it in its program",
    )
    assert read(path, sheet="1", skip_lines=2).n_rows == 3
    with pytest.raises(InvalidInputError, match="If it is a title, skip it: --skip-lines 1"):
        read(path, cellwise=True)
    with pytest.raises(InvalidInputError, match="Did you mean 'People'"):
        read(path, sheet="Peopel")
    with pytest.raises(InvalidInputError, match="a number from 1 to 2"):
        read(path, sheet="3")


def test_several_sheets_with_cells_are_not_chosen_from(tmp_path):
    """Their names and sizes are listed: a codebook must not be taken for the people, nor the people of one year."""
    path = tmp_path / "people.xlsx"
    book = xlsxwriter.Workbook(path)
    for name in ("2019", "2020"):
        book.add_worksheet(name).write_column(0, 0, ["age", int(name)])
    book.close()
    with pytest.raises(InvalidInputError, match=r"2 hold data: '2019' \(2 × 1 cells\), '2020' .* Give --sheet NAME"):
        read(path)
    assert cells_of(read(path, sheet="2020")) == {"age": ["2020"]}


@pytest.mark.parametrize("form", ["sav", "por", "dta", "xpt8", "xlsx", "ods", "arrow", "stream", "zstd"])
def test_a_file_that_is_cut_off(files, form, tmp_path):
    """One line, without a path: its reader may crash, in a process of its own."""
    path = tmp_path / "cut.csv"
    content = files[form].read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])
    with pytest.raises(InvalidInputError, match=r"cut\.csv' must be") as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_hostile_workbooks(tmp_path):
    """One locked by a password, a zip archive of something else, a bomb."""
    path = tmp_path / "people.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(508) + "EncryptedPackage".encode("utf-16-le") + bytes(512))
    with pytest.raises(InvalidInputError, match="locked by a password"):
        read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "x")
    with pytest.raises(InvalidInputError, match="another zip archive"):
        read(path)
    write_workbook(path, [["age"], [1]])
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    far = parts["xl/worksheets/sheet1.xml"].replace(b'r="2"', b'r="1048576"').replace(b'r="A2"', b'r="XFD1048576"')
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in {**parts, "xl/worksheets/sheet1.xml": far}.items():
            archive.writestr(name, part)
    with pytest.raises(ResourceError, match="must fit into memory"):
        read(path, sheet="People")


def test_without_the_extra(files, monkeypatch):
    """One line, with what to install."""
    monkeypatch.setattr("unmask.runtime.extras.find_spec", lambda _: None)
    for form in ("xlsx", "sav"):
        with pytest.raises(InvalidInputError, match=r"not installed. Install it: pip install 'unmask\[files\]'"):
            read(files[form])


@pytest.mark.parametrize("form", ["sav", "dta", "xlsx", "ods"])
def test_no_record_decides_how_another_is_read(form, tmp_path):
    """Read cell by cell, for noise: a label, a text, a number of more digits, or a time changes no other cell."""
    first = [[31.5, "01067", dt.date(2020, 1, 2)], [2.0, "1067", None]]
    other = [1 / 3, "x", dt.date(1980, 1, 1)]
    writers = {
        "sav": lambda frame, path: pyreadstat.write_sav(
            frame, path, variable_value_labels={"dose": {2: "two", 1 / 3: "third"}}
        ),
        "dta": lambda frame, path: pyreadstat.write_dta(frame, path, variable_value_labels={"dose": {2: "two"}}),
        "xlsx": lambda frame, path: write_workbook(path, listed(frame)),
        "ods": lambda frame, path: write_ods(path, listed(frame)),
    }
    alone, beside = tmp_path / "alone", tmp_path / "beside"
    for path, rows in ((alone, first), (beside, [*first, other])):
        writers[form](pd.DataFrame(rows, columns=["dose", "zip", "born"]), path)
    less, more = cells_of(read(alone, cellwise=True)), cells_of(read(beside, cellwise=True))
    assert {name: cells[:2] for name, cells in more.items()} == less
