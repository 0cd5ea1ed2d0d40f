"""Numbers are exact: two cells are equal in every command if and only if their numbers are."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask.arrays import Int32, Int64
from unmask.errors import InvalidInputError
from unmask.files.people import to_people, values_of
from unmask.files.raw import Kind, Raw
from unmask.files.reading import read
from unmask.files.releases import generalized
from unmask.files.roles import Roles
from unmask.files.tables import coding_notes, to_table
from unmask.links import Linking

ACCOUNTS = [2**53, 2**53, 2**53 + 1, 2**53 + 1]
ROLES = Roles.of(quasi=["n"], sensitive=["s"])


def by_sanitizers(raw: Raw) -> Int32:
    """Return which of the distinct people a sanitizer takes each row for."""
    return to_table(raw, ROLES).visible(None).profiles()[0]


def by_measure(raw: Raw) -> Int32:
    """Return the equivalence class of each row, the table taken as a release."""
    read = generalized(raw, ROLES)
    return read.release.group_of_row[read.row_of]


def by_attack(raw: Raw) -> Int64:
    """Return the one equivalence class that each row fits as a person."""
    release = generalized(raw, ROLES, also=values_of(raw))
    people = to_people(raw, [release]).table
    profile, distinct = people.profiles()
    fitting = np.full(distinct.n_rows, -1, np.int64)
    for block in release.release.masked.links(distinct, release.release.size, Linking()):
        weight = block.weight.dense()
        assert ((weight > 0).sum(axis=1) == 1).all()
        fitting[block.profiles] = weight.argmax(axis=1)
    return fitting[profile]


def in_parquet(folder: Path, numbers: Sequence[int | None]) -> Raw:
    """Write whole numbers to Parquet, as the narrowest type that holds them, and read them."""
    longest = max((len(str(abs(n))) for n in numbers if n is not None), default=1)
    kind = pa.int64() if longest <= 18 else pa.decimal128(38) if longest <= 38 else pa.decimal256(76)
    cells = pa.array(numbers if longest <= 18 else [None if n is None else Decimal(n) for n in numbers], kind)
    pq.write_table(pa.table({"n": cells, "s": ["x"] * len(numbers)}), folder / "data.parquet")
    return read(folder / "data.parquet")


def in_csv(folder: Path, numbers: Sequence[int | None]) -> Raw:
    """Write whole numbers to CSV, and read them."""
    lines = [f"{'' if n is None else n},x" for n in numbers]
    (folder / "data.csv").write_text("\n".join(["n,s", *lines]) + "\n")
    return read(folder / "data.csv")


near = st.builds(lambda base, step: base + step, st.sampled_from([2**53, -(2**53), 10**15, 10**32]), st.integers(-2, 2))
numbers = st.lists(st.one_of(st.integers(-(10**70), 10**70), st.integers(-9, 9), near), min_size=1, max_size=8)


@settings(max_examples=30)
@given(numbers, st.sampled_from([in_csv, in_parquet]), st.sampled_from([by_sanitizers, by_measure, by_attack]))
def test_law_cells_are_equal_if_and_only_if_their_integers_are(tmp_path_factory, numbers, written, compared):
    """Whatever the length, the form of the file, and the command that reads it."""
    classes = compared(written(tmp_path_factory.mktemp("law"), numbers))
    for i, one in enumerate(numbers):
        for j, other in enumerate(numbers):
            assert (classes[i] == classes[j]) == (one == other)


@pytest.mark.parametrize("written", [in_csv, in_parquet])
def test_account_numbers_that_float64_would_merge_are_two_groups(tmp_path, written):
    """…992 and …993 are one float64; they are two groups of two, and neither shares its diagnosis."""
    raw = written(tmp_path, ACCOUNTS)
    assert raw["n"].kind is Kind.LONG
    for classes in (by_sanitizers(raw), by_measure(raw), by_attack(raw)):
        assert list(classes) == [0, 0, 1, 1]


def test_long_codes_are_compared_digit_by_digit_in_order_of_size(tmp_path):
    """Codes of 33 digits that differ in the last one, beside a short one: three values, by size."""
    codes = [10**32 + 1, 10**32, 7]
    for raw in (in_csv(tmp_path, codes), in_parquet(tmp_path, codes)):
        assert raw["n"].labels == ("7", "1" + "0" * 32, "1" + "0" * 31 + "1")
        table = to_table(raw, ROLES)
        assert table.schema["n"].values == raw["n"].labels
        assert list(table["n"]) == [2, 1, 0]
        assert generalized(raw, ROLES).release.schema["n"].values == raw["n"].labels
        (note,) = [note for note in coding_notes(table, raw, ROLES) if "digits" in note]
        assert note == "numbers of more than 15 digits or beyond 1e+100, each a value of its own, in order of size: n"


def test_intervals_of_long_numbers_hold_the_people_who_are_in_them():
    """An interval of 16 digits: a value beyond its end by one is not in it."""
    people = Raw.of({"n": [2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3]})
    first, last = f"[{2**53}, {2**53 + 1})", f"{2**53 + 1}-{2**53 + 2}"
    published = Raw.of({"n": [first, last, f">{2**53 + 2}"], "s": ["a", "b", "c"]})
    release = generalized(published, ROLES, also=values_of(people))
    (block,) = release.release.masked.links(to_people(people, [release]).table, release.release.size, Linking())
    fitting = [set(release.row_of[np.flatnonzero(row)]) for row in block.weight.dense()]
    assert [len(groups) for groups in fitting] == [1, 1, 1, 1]
    assert fitting[1] == fitting[2]
    assert len({frozenset(groups) for groups in fitting}) == 3


def test_what_is_declared_of_long_numbers_is_held():
    """Integers they may be; bounds, which are compared as float64, they may not have."""
    raw = Raw.of({"n": ACCOUNTS, "s": list("aabb")})
    assert to_table(raw, _typed(type="integer")).schema["n"].values == (str(2**53), str(2**53 + 1))
    with pytest.raises(InvalidInputError, match="at most 15 digits to have low, high or step"):
        to_table(raw, _typed(type="integer", low=0.0))
    halves = Raw.of({"n": ["9007199254740993.5", "9007199254740993.6"], "s": ["a", "b"]})
    with pytest.raises(InvalidInputError, match="it has decimals"):
        to_table(halves, _typed(type="integer"))


def _typed(**declared: object) -> Roles:
    """Return roles that declare something of the column `n`."""
    column = ROLES.of_column("n").model_copy(update=declared)
    return ROLES.model_copy(update={"columns": {**ROLES.columns, "n": column}})


def test_decimals_of_parquet_are_what_they_say(tmp_path):
    """Money of 19 digits keeps its cents; short decimals are the numbers that a CSV would hold."""
    long = [Decimal("12345678901234567.11"), Decimal("12345678901234567.12"), None]
    short = [Decimal("70.10"), Decimal("70.15"), Decimal("70.10")]
    columns = {"n": pa.array(long, pa.decimal128(38, 2)), "short": pa.array(short, pa.decimal128(10, 2))}
    pq.write_table(pa.table(columns), tmp_path / "data.parquet")
    raw = read(tmp_path / "data.parquet")
    assert raw["n"].labels == ("12345678901234567.11", "12345678901234567.12")
    assert list(raw["n"].codes) == [0, 1, -1]
    assert raw["short"].numbers is not None
    assert raw["short"].numbers.tolist() == [70.1, 70.15]
    assert list(raw["short"].codes) == [0, 1, 0]


def test_decimals_of_text_that_float64_would_merge_stay_apart():
    """Seventeen digits of a float64 are a number; two decimals that are one float64 are two labels."""
    assert Raw.of({"x": ["0.30000000000000004", "0.3"]})["x"].kind is Kind.NUMBER
    merged = Raw.of({"x": ["0.30000000000000004", "0.300000000000000041", "+0.3"]})["x"]
    assert merged.labels == ("0.3", "0.30000000000000004", "0.300000000000000041")
    assert Raw.of({"x": ["1e400", "2"]})["x"].labels == ("2", "1" + "0" * 400)
    assert Raw.of({"x": ["1e20", "2"]})["x"].kind is Kind.INTEGER


def test_python_integers_of_any_length_are_read():
    """Arrow has no integer of 71 bits: a frame that holds one is read all the same, its float32 column, too."""
    columns = {"n": [2**70, 2**70 + 1, 1], "x": np.array([0.1, 70.15, 2], np.float32)}
    for frame in (columns, pd.DataFrame(columns), pl.DataFrame(columns)):
        raw = read(frame)
        assert raw["n"].labels == ("1", str(2**70), str(2**70 + 1))
        assert raw["x"].labels == ("0.1", "2", "70.15")


@settings(max_examples=20)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_law_float32_is_the_decimal_that_is_written_of_it(tmp_path_factory, values):
    """A float32 column is the same column from Parquet and from the CSV that Arrow writes of it."""
    folder = tmp_path_factory.mktemp("law")
    table = pa.table({"x": pa.array(values, pa.float32()), "row": list(range(len(values)))})
    pq.write_table(table, folder / "data.parquet")
    pacsv.write_csv(table, folder / "data.csv")
    read_back = []
    for name in ("data.parquet", "data.csv"):
        column = read(folder / name, decimal=".")["x"]
        assert column.numbers is not None
        read_back.append([float(column.numbers[code]) for code in column.codes])
    assert read_back[0] == read_back[1] == [float(str(np.float32(value))) for value in values]
