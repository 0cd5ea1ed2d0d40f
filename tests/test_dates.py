"""Dates in other spellings than ISO's: read where day and month can be told apart, and said to be text where not."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.dates import begin_with_day, parse_date
from unmask.files.raw import Kind, Raw

JANUARY = ["2020-01-15", "2020-02-03"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["15/01/2020", "03/02/2020"], "read day first"),
        (["01/15/2020", "02/03/2020"], "read month first"),
        (["15-01-2020", "03/02/2020"], "read day first"),
        (["15.01.2020", "3.2.2020"], ""),
        (["2020-01-15", "03.02.2020"], ""),
        (["2020/1/15", "2020-02-03"], ""),
        (["2020-01-15", "03/02/2020", "15/01/2020"], "read day first"),
    ],
)
def test_spellings_of_dates_are_dates(texts: list[str], message: str):
    """Beside each other in one column too; how slashes were read is said."""
    raw = Raw.of({"admitted": texts})
    assert (raw["admitted"].kind, list(raw["admitted"].labels)) == (Kind.DATE, JANUARY)
    assert any(message in note for note in raw.notes) or not message
    assert any("dates of admitted" in note for note in raw.notes) is bool(message)


@pytest.mark.parametrize(
    "texts", [["03/04/2020", "05/06/2020"], ["15/01/2020", "01/15/2020"], ["31/02/2020", "15/01/2020"]]
)
def test_dates_that_could_be_two_are_text_and_said(texts: list[str]):
    """Nothing tells day from month, or the column contradicts itself."""
    raw = Raw.of({"admitted": texts})
    assert raw["admitted"].kind is Kind.TEXT
    assert any("dates of admitted have an ambiguous order of day and month" in note for note in raw.notes)


@given(st.lists(st.dates(date(1900, 1, 1), date(2100, 1, 1)), min_size=1, max_size=6), st.booleans())
def test_law_a_date_is_read_as_it_was_written(days: list[date], day_first: bool):  # noqa: FBT001 - drawn
    """Whenever one of them has a day above 12, all are read; else none is read wrongly."""
    form = "%d/%m/%Y" if day_first else "%m/%d/%Y"
    texts = [day.strftime(form) for day in days]
    order = begin_with_day(texts)
    assert order is (day_first if any(day.day > 12 for day in days) else None)
    for text, day in zip(texts, days, strict=True):
        assert parse_date(text, day_first=order) in ({day} if order is not None or day.day == day.month else {None})
