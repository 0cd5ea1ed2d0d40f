"""Reading tables as they come: what people's files look like, and what must not happen to them."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather

from unmask.errors import InvalidInputError
from unmask.files.raw import Kind, Raw
from unmask.files.reading import read


def values(raw: Raw, name: str) -> list[str | float | None]:
    """Return a column as plain Python values, None where missing."""
    column = raw[name]
    distinct = column.labels if column.numbers is None else column.numbers.tolist()
    return [None if code < 0 else distinct[code] for code in column.codes]


@pytest.fixture
def written(tmp_path):
    """Return a function that writes bytes or text to a file and reads it."""

    def write(content: bytes | str, name: str = "data.csv", **options: object) -> Raw:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read(path, **options)  # type: ignore[arg-type]

    return write


def test_a_table_is_read_as_people_would_read_it(written):
    """The story: numbers are numbers, codes keep their zeros, blanks go, `?` is missing."""
    raw = written("age, zip, sex, weight\n39, 01234, Male, 70.5\n50, 01235, ?, 80\n, 01234, Female, 65\n")
    assert values(raw, "age") == [39.0, 50.0, None]
    assert values(raw, "zip") == ["01234", "01235", "01234"]
    assert values(raw, "sex") == ["Male", None, "Female"]
    assert values(raw, "weight") == [70.5, 80.0, 65.0]
    assert [raw[c].kind for c in raw.columns] == [Kind.INTEGER, Kind.TEXT, Kind.TEXT, Kind.NUMBER]
    assert raw.notes == ("cells that count as missing: 1 empty, 1 ?; --missing changes that",)


def test_a_long_name_and_a_long_cell_hide_no_delimiter(written):
    """Python's reader by default refuses cells of more than 131,072 characters."""
    long = "x" * 140_000
    raw = written(f"age;{long},z;b\n39;flu,{long};c\n")
    assert list(raw.columns) == ["age", f"{long},z", "b"]
    assert raw.notes == ("columns separated by semicolon",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(written, delimiter):
    """Comma, semicolon, tab, bar; all but the comma are said."""
    rows = [["name", "city"], ["Ann", '"Rome, Italy; a | b"'], ["Bob", "Oslo"]]
    raw = written("\n".join(delimiter.join(row) for row in rows) + "\n")
    assert values(raw, "city") == ["Rome, Italy; a | b", "Oslo"]
    assert bool(raw.notes) == (delimiter != ",")


@pytest.mark.parametrize(
    ("encoding", "words"),
    [("utf-8", ()), ("utf-8-sig", ()), ("utf-16", ("UTF-16",)), ("utf-32", ("UTF-32",)), ("cp1252", ("Windows-1252",))],
)
def test_the_encoding_is_found_and_never_makes_mojibake(written, encoding, words):
    """`Größe` and `Zoë` come out as they went in; whatever is not UTF-8 by itself is said."""
    raw = written("Größe,name\n1,Zoë €\n".encode(encoding))
    assert list(raw.columns) == ["Größe", "name"]
    assert values(raw, "name") == ["Zoë €"]
    assert len(raw.notes) == len(words)
    assert all(word in note for word, note in zip(words, raw.notes, strict=True))


def test_a_declared_encoding_is_believed_and_must_be_right(written):
    """Latin-2 has no mark of its own; a wrong or unknown encoding is one clear line."""
    assert values(written("a,b\nŁódź,1\n".encode("iso8859-2"), encoding="iso8859-2"), "a") == ["Łódź"]
    with pytest.raises(InvalidInputError, match="right --encoding"):
        written("a,b\né,1\n".encode("cp1252"), encoding="utf-8")
    with pytest.raises(InvalidInputError, match="'utf-9'"):
        written("a,b\n1,2\n", encoding="utf-9")
    with pytest.raises(InvalidInputError, match="zero bytes"):
        written("a,b\n1,2\n".encode("utf-16-le"))


def test_a_decimal_comma_is_found_or_asked_about(written):
    """`1,5` beside semicolons is one and a half; `1,234` may be a thousand: asked, never guessed."""
    raw = written("weight;dose\n1,5;3\n2,25;4\n")
    assert values(raw, "weight") == [1.5, 2.25]
    assert raw.decimal == ","
    assert "decimal comma in weight" in raw.notes[1]
    with pytest.raises(InvalidInputError, match="may be a decimal number or a thousand"):
        written("income;x\n1,234;1\n12,345;2\n")
    assert values(written("income;x\n1,234;1\n12,345;2\n", decimal=","), "income") == [1.234, 12.345]
    assert values(written("income;x\n1,234;1\n12,345;2\n", decimal="."), "income") == [1234.0, 12345.0]
    assert values(written("income;x\n1,234;1\n12,5;2\n"), "income") == [1.234, 12.5]


def test_line_ends_and_quotes_of_all_kinds(written):
    """Windows and old Mac line ends, no newline at the end, new lines and doubled quotes inside quotes, empty lines."""
    for ends in ("\r\n", "\r", "\n"):
        assert values(written(ends.join(["a,b", "1,x", "2,y"])), "b") == ["x", "y"]
    raw = written('a,b\n"two\nlines","say ""hi"""\n\n,5" pipe\n\n')
    assert values(raw, "a") == ["two\nlines", None]
    assert values(raw, "b") == ['say "hi"', '5" pipe']


def test_what_counts_as_missing_is_declared(written):
    """NA may be a country code, -99 and `refused` are no answers; an empty cell is always missing."""
    text = "country,age\nNA,-99\n,30\nrefused,40\n"
    assert values(written(text), "country") == [None, None, "refused"]
    raw = written(text, missing=["-99", "refused"])
    assert values(raw, "country") == ["NA", None, None]
    assert values(raw, "age") == [None, 30.0, 40.0]
    frame = read(pd.DataFrame({"age": [-99, 30]}), missing=["-99"])
    assert values(frame, "age") == [None, 30.0]


def test_mixed_types_become_text(written):
    """One `n/a` among ages: text, and marked as mixed, so that commands can note it."""
    raw = written("age,ok\n39,1\nn/a,2\n")
    assert values(raw, "age") == ["39", "n/a"]
    assert [column for column in raw.columns if raw[column].mixed] == ["age"]


def test_long_numbers_are_names(written):
    """An insurance number of 19 digits would lose its end as a float64."""
    raw = written("id,x\n1234567890123456789,1\n1234567890123456788,2\n")
    assert values(raw, "id") == ["1234567890123456789", "1234567890123456788"]
    table = read(pa.table({"id": [1234567890123456789, 1234567890123456788]}))
    assert values(table, "id") == ["1234567890123456789", "1234567890123456788"]


def test_dates_become_text_in_the_order_of_time(written):
    """`31.12.2019` is 2019-12-31; what only looks like a date stays as it is."""
    raw = written("a,b,c\n2020-01-02,31.12.2019,2020-02-31\n2019-01-02,1.1.2020,2020-02-30\n2019-01-02,01.01.2020,x\n")
    assert values(raw, "a") == ["2020-01-02", "2019-01-02", "2019-01-02"]
    assert values(raw, "b") == ["2019-12-31", "2020-01-01", "2020-01-01"]
    assert [raw[c].kind for c in "abc"] == [Kind.DATE, Kind.DATE, Kind.TEXT]
    frame = pl.DataFrame({"d": [None, dt.date(2020, 5, 17)]})
    assert values(read(frame), "d") == [None, "2020-05-17"]


def test_odd_column_names_work(written):
    """`Full Name`, `a"b`, `select`, two that differ by case, and one that is only there because of pandas' index."""
    raw = written('Full Name,"a""b",select,A,a,e-mail\nx,y,z,1,2,3\n')
    assert list(raw.columns) == ["Full Name", 'a"b', "select", "A", "a", "e-mail"]
    assert values(raw, "a") == [2.0]
    raw = written(",age\n0,39\n")
    assert list(raw.columns) == ["age"]
    assert "without a name" in raw.notes[0]
    with pytest.raises(InvalidInputError, match="Did you mean 'Full Name'"):
        written("Full Name,b\n1,2\n")["full_name"]


def test_duplicate_column_names_are_an_error(written):
    """DuckDB would call the second one `a_1`; pandas keeps both."""
    with pytest.raises(InvalidInputError, match="'a' stands there twice"):
        written("a,b,a\n1,2,3\n")
    with pytest.raises(InvalidInputError, match="distinct"):
        read(pd.DataFrame([[1, 2]], columns=["a", "a"]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b"\n\n", "it is empty"),
        (b"\xef\xbb\xbf", "it is empty"),
        (b"a,b\n", "at least one row"),
        (b"a", "at least one row"),
        (b"39, State-gov, 77516\n50, Private, 83311\n", "seems to hold data"),
        (b"a,b\n1,2\nSecret,2,3\n", r"line 3 of '.*' must have 2 cells like the header; got 3"),
        (b"a,b\n1,2\nSecret\n", r"line 3 of '.*' must have 2 cells like the header; got 1"),
        (b'a,b\n"x",1\n"Secret,2\n', "close the quotes"),
    ],
)
def test_a_file_that_is_no_table_is_one_clear_line(written, content, message):
    """Empty, header only, no header, ragged lines, an open quote: said by line number, never by content."""
    with pytest.raises(InvalidInputError, match=message) as caught:
        written(content)
    assert "\n" not in str(caught.value)
    assert "Secret" not in str(caught.value)
    assert "77516" not in str(caught.value)
    assert caught.value.__cause__ is None or "Secret" not in str(caught.value.__cause__)


def test_one_row_and_one_column_are_a_table(written):
    """The smallest cases, a missing value in the only column included."""
    assert values(written("a,b\n1,x\n"), "b") == ["x"]
    assert values(written("a\n1\n\n3\n"), "a") == [1.0, None, 3.0]
    assert values(written("a,b\n?,x\nNA,y\n"), "a") == [None, None]


def test_an_unreadable_file_is_refused(written, tmp_path):
    """Missing (with a guess), a folder, a truncated Parquet, something that is no data at all."""
    (tmp_path / "patients.csv").write_text("a\n1\n")
    with pytest.raises(InvalidInputError, match=r"no such file. Did you mean 'patients.csv'"):
        read(tmp_path / "patient.csv")
    with pytest.raises(InvalidInputError, match="it is a folder"):
        read(tmp_path)
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for cut in (whole[:-10], whole[:20], whole[5:]):
        with pytest.raises(InvalidInputError, match="complete Parquet"):
            written(cut, "cut.parquet")
    assert written(b"a,b\n1,2\n", "text.parquet").n_rows == 1
    with pytest.raises(InvalidInputError, match="complete gzip"):
        written(gzip.compress(b"a,b\n1,2\n" * 100)[:-12], "cut.csv.gz")
    with pytest.raises(InvalidInputError, match="got int"):
        read(5)


def test_the_same_table_in_every_form(written, tmp_path, monkeypatch):
    """CSV, gzip, Parquet, Arrow, standard input, pandas, Polars, Arrow tables, plain columns: one content."""
    frame = pd.DataFrame({"age": [39, 50], "weight": [1.5, np.nan], "sex": ["Male", None]}, index=[7, 7])
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "frame.parquet")
    feather.write_feather(table, tmp_path / "frame.arrow")
    text = "age,weight,sex\n39,1.5,Male\n50,,\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    for raw in (
        written(text),
        written(gzip.compress(text.encode()), "data.csv.gz"),
        read(tmp_path / "frame.arrow"),
        read("-"),
        read(frame),
        read(pl.from_arrow(table)),
        read(pl.DataFrame(pl.from_arrow(table)).lazy()),
        read(table),
        read({"age": [39, 50], "weight": [1.5, None], "sex": ["Male", None]}),
        Raw.of({"age": [39, 50], "weight": [1.5, None], "sex": ["Male", None]}),
    ):
        assert [values(raw, c) for c in ("age", "weight", "sex")] == [[39.0, 50.0], [1.5, None], ["Male", None]]
        assert [raw[c].kind for c in ("age", "weight", "sex")] == [Kind.INTEGER, Kind.NUMBER, Kind.TEXT]


@pytest.mark.parametrize("values_of_a", [[1, 2, 3], [1, "x", None]], ids=["numbers", "mixed"])
@pytest.mark.parametrize("level", [None, "visit"])
def test_the_named_levels_of_an_index_are_columns(values_of_a, level):
    """A person key is often one; it was lost beside a column of mixed values."""
    index = pd.MultiIndex.from_arrays([["p", "q", "r"], [7, 8, 9]], names=["pid", level])
    raw = read(pd.DataFrame({"a": values_of_a}, index=index))
    assert list(raw.columns) == ["a", "pid", *([] if level is None else [level])]
    assert values(raw, "pid") == ["p", "q", "r"]


def test_frames_with_odd_columns():
    """Mixed Python values, booleans, categories with unused levels, an index written to Parquet, nested lists."""
    frame = pd.DataFrame({"mixed": [1, "x", None], "flag": [True, False, True]})
    frame["level"] = pd.Categorical(["b", "a", None], categories=["a", "b", "unused"])
    raw = read(frame)
    assert values(raw, "mixed") == ["1", "x", None]
    assert values(raw, "flag") == ["true", "false", "true"]
    assert raw["level"].labels == ("a", "b")
    with pytest.raises(InvalidInputError, match="column 'l' must hold numbers, text or dates"):
        read(pa.table({"l": [[1], [2]]}))
    with pytest.raises(InvalidInputError, match="at least one row"):
        read(pd.DataFrame({"a": []}))


def test_frames_with_values_of_other_libraries():
    """Sparse columns, mixed values beside pandas' NA, NumPy's dates in a mapping, names that are equal as text."""
    frame = pd.DataFrame(
        {"mixed": pd.Series([1, "b", pd.NA], dtype=object), "sparse": pd.arrays.SparseArray([0, 0, 1])}
    )
    assert values(read(frame), "mixed") == ["1", "b", None]
    assert values(read(frame), "sparse") == [0.0, 0.0, 1.0]
    for mixed in (pd.DataFrame({"a": pd.Series([1, 2.5, True, None], dtype=object)}), {"a": [1, 2.5, np.True_, None]}):
        assert values(read(mixed), "a") == ["1", "2.5", "true", None]
    assert values(read({"day": np.array(["2024-01-01", "NaT"], "datetime64[D]")}), "day") == ["2024-01-01", None]
    with pytest.raises(InvalidInputError, match="must be distinct; '1' stands there twice"):
        read({1: [1], "1": [2]})


def test_one_instant_is_one_text_in_every_unit():
    """Frames of seconds and of nanoseconds can be compared."""
    instants = [dt.datetime(2024, 1, 1, 12), dt.datetime(2024, 1, 1, 12, 0, 0, 250_000), None]  # noqa: DTZ001
    expected = ["2024-01-01T12:00:00", "2024-01-01T12:00:00.25", None]
    for unit in ("ms", "us", "ns"):
        assert values(read(pa.table({"at": pa.array(instants, pa.timestamp(unit))})), "at") == expected


@pytest.mark.parametrize(
    "frame",
    [
        {"a": [1, 2], "b": [1]},
        {"a": 5},
        pd.DataFrame({"a": pd.cut([1, 2], [0, 1, 2])}),
        pd.DataFrame({"a": pd.Series(["\ud800", "b"], dtype=object)}),
        pa.table({"a": pa.array([0], pa.timestamp("s", "Mars/Phobos"))}),
        pa.table({"a": pa.array([2**62], pa.timestamp("s"))}),
        pa.table({"a": pa.array([b"\xff"]).view(pa.string())}),
        pl.DataFrame({"a": ["x\0y"]}),
        pa.table({"a\0": ["x"]}),
    ],
    ids=["lengths", "no column", "intervals", "surrogate", "time zone", "year", "UTF-8", "zero", "zero in a name"],
)
def test_a_frame_that_cannot_be_read_is_bad_input(frame):
    """An error of the library that holds it never reaches the user."""
    with pytest.raises(InvalidInputError, match=r"^columns? (of a data frame|'a.*') must (be|have|hold) "):
        read(frame)


def test_a_byte_order_mark_is_no_part_of_a_name(written):
    """Else a release whose first column has it could not be read again."""
    assert list(written('"\ufeff age",b\n1,2\n').columns) == ["age", "b"]
    assert list(written("\ufeff\ufeffage,b\n1,2\n").columns) == ["age", "b"]
    assert list(read({"\ufeffage": [1]}).columns) == ["age"]


def test_names_that_a_database_would_take_for_a_pattern(tmp_path):
    """`data[1]*.csv` is one file, not many."""
    path = tmp_path / "data[1]*.csv"
    path.write_text("a,b\n1,2\n")
    (tmp_path / "data1x.csv").write_text("a,b\n3,4\n")
    assert values(read(path), "a") == [1.0]


def test_the_order_of_rows_decides_nothing(written):
    """Distinct values are coded in sorted order, so shuffled rows give shuffled codes and nothing else."""
    forwards = written("a,b\nx,10\nz,9\ny,100\n")
    backwards = written("a,b\ny,100\nz,9\nx,10\n")
    assert forwards["a"].labels == backwards["a"].labels == ("x", "y", "z")
    np.testing.assert_array_equal(forwards["b"].codes, backwards["b"].codes[::-1])


cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=5).map(str.strip)
cells = st.one_of(
    cells, st.sampled_from(["'", "'a'", '"', "a'b", "\\", "#", "a\\", '\\"', ",", ";", "1", "x y", "\r", "\n"])
)


@settings(max_examples=40)
@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=8), st.sampled_from([",", ";", "\t", "|"]))
def test_law_what_pythons_writer_writes_is_read_as_it_was(tmp_path_factory, rows, delimiter):
    """Whatever texts there are: quotes, apostrophes, backslashes and line ends of all kinds inside them included."""
    path = tmp_path_factory.mktemp("law") / "data.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        returns = any("\r" in cell for row in rows for cell in row)  # which the writer would leave unquoted
        if returns:
            writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
        else:
            writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
        writer.writerows([("first", "second", "third"), *rows])
    raw = read(path, missing=[], decimal=".")
    for i, name in enumerate(raw.columns):
        column = raw[name]
        assert [column.labels[code] if code >= 0 else "" for code in column.codes] == [row[i].strip() for row in rows]
