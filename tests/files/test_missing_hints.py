"""Hints on marks of missing values that only stand among numbers, on real tables and drawn ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.files.missing_hints import AMONG_NUMBERS, missing_hints
from unmask.files.raw import Raw
from unmask.files.reading import read
from unmask.files.roles import Roles


@given(
    numbers=st.lists(
        st.integers(-9, 10**6).map(str) | st.sampled_from(["0.5", "1,234.5", "007"]), min_size=2, unique=True
    ),
    mark=st.sampled_from(AMONG_NUMBERS).flatmap(lambda mark: st.sampled_from([mark, mark.upper()])),
    others=st.lists(st.sampled_from(["Y", "48-02516", "E11", "10+", "flu"]), max_size=2, unique=True),
)
def test_one_mark_among_numbers_is_hinted_at(numbers, mark, others):
    """N of Census microdata; beside other words it is a word: no is not missing."""
    raw = Raw.of({"noc": [*numbers, mark, mark, *others]})
    hints = list(missing_hints(raw, Roles()))
    assert len(hints) == (not others)
    assert all(f"{mark!r} in noc (2 cells)" in hint and "--missing" in hint for hint in hints)


@pytest.mark.parametrize("cells", [["Y", "N", "N"], ["1", "N"], ["N", "N"], ["1", "2", "K"], ["1", "2", "n.d", "N"]])
def test_words_that_are_values_are_not_hinted_at(cells):
    """Yes and no, one number beside a letter, a grade of kindergarten, two words."""
    assert not list(missing_hints(Raw.of({"a": cells}), Roles()))


def test_marks_of_census_excerpts_are_hinted_at(data_folder):
    """N is not applicable in each column of the excerpts that has it."""
    raw = read(data_folder / "nist-acs-excerpts" / "tx2018.csv.gz")
    having = [name for name, column in raw.columns.items() if column.texts is not None and "N" in column.labels]
    (hint,) = missing_hints(raw, Roles())
    assert len(having) == 12
    assert all(f"'N' in {name} (" in hint for name in having)
    assert hint.endswith("--missing N makes it missing")
    assert not list(missing_hints(read(data_folder / "nist-acs-excerpts" / "tx2018.csv.gz", missing=["N"]), Roles()))


@pytest.mark.parametrize(
    "path",
    [
        "acs-income-2018/acs_income_2018_IL.parquet", "sdcmicro/CASCrefmicrodata.csv", "sdcmicro/EIA.csv.gz",
        "sdcmicro/testdata.csv.gz", "sdcmicro/Tarragona.csv",
    ],
)  # fmt: skip
def test_tables_without_marks_have_no_hint(data_folder, path):
    """No letter is taken for a mark."""
    assert not list(missing_hints(read(data_folder / path), Roles()))
