"""Cells of dates: what each spelling stands for, and that what is written is read as the same days."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.arrays import starts
from unmask.dates import LEVELS, day_number, moment_number, moment_texts, period_ends, period_of
from unmask.errors import InvalidInputError
from unmask.masks.cells import Cells
from unmask.masks.notation.date_cells import parse
from unmask.masks.notation.notation import CellsRead, read_cells, write_cells
from unmask.schema import Attribute, Numeric, Role, domain_values, labels_of

BORN = Attribute("born", Role.QUASI_IDENTIFIER)
DAYS = Numeric(step=1.0, dates=True)
MOMENTS = Numeric(dates=True)


def fitting(read: CellsRead, text: int, people: list[str]) -> list[str]:
    """Return the people's values that a cell may stand for."""
    domain = read.cells.attribute.domain
    held = read.cells.likelihood(domain_values(domain, people)).dense()[read.cell_of[text]] > 0
    return [value for value, inside in zip(people, held.tolist(), strict=True) if inside]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("1977-10-05", "1977-10-05", "1977-10-05"),
        ("05.10.1977", "1977-10-05", "1977-10-05"),
        ("5.10.1977", "1977-10-05", "1977-10-05"),
        ("1977/10/5", "1977-10-05", "1977-10-05"),
        ("1977.10.05", "1977-10-05", "1977-10-05"),
        ("10/10/1977", "1977-10-10", "1977-10-10"),
        ("1977", "1977-01-01", "1977-12-31"),
        ("1977-10", "1977-10-01", "1977-10-31"),
        ("1980-02", "1980-02-01", "1980-02-29"),
        ("1977/10", "1977-10-01", "1977-10-31"),
        ("1980-Q1", "1980-01-01", "1980-03-31"),
        ("1980Q1", "1980-01-01", "1980-03-31"),
        ("1980-q4", "1980-10-01", "1980-12-31"),
        ("1980-H2", "1980-07-01", "1980-12-31"),
        ("1977-W40", "1977-10-03", "1977-10-09"),
        ("1977W40", "1977-10-03", "1977-10-09"),
        ("1980s", "1980-01-01", "1989-12-31"),
        ("1980-1989", "1980-01-01", "1989-12-31"),
        ("1975–1979", "1975-01-01", "1979-12-31"),
        ("[2020-01-01, 2020-03-31]", "2020-01-01", "2020-03-31"),
        ("[2020-01-01, 2020-04-01)", "2020-01-01", "2020-03-31"),
        ("(2019-12-31, 2020-04-01)", "2020-01-01", "2020-03-31"),
        ("[2020-01; 2020-03]", "2020-01-01", "2020-03-31"),
        ("2020-01-15..2020-03-31", "2020-01-15", "2020-03-31"),
        ("2020-01-15 .. 2020-03-31", "2020-01-15", "2020-03-31"),
        ("2020-01-15 - 2020-03-31", "2020-01-15", "2020-03-31"),
        ("2020-01-15 – 2020-03-31", "2020-01-15", "2020-03-31"),
        ("2020-01-15 to 2020-03-31", "2020-01-15", "2020-03-31"),
        ("2020-01-15/2020-03-31", "2020-01-15", "2020-03-31"),
        ("15.01.2020 bis 31.03.2020", "2020-01-15", "2020-03-31"),
        ("1977-10..1978-Q1", "1977-10-01", "1978-03-31"),
        ("<1950-01-01", None, "1949-12-31"),
        ("<=1949", None, "1949-12-31"),
        ("before 1950", None, "1949-12-31"),
        (">=2000", "2000-01-01", None),
        ("after 1999", "2000-01-01", None),
        ("2000+", "2000-01-01", None),
        ("since 2000-01", "2000-01-01", None),
        ("42 years on 2020-10-04", "1977-10-05", "1978-10-04"),
        ("42 years on 2020-02-29", "1977-03-01", "1978-02-28"),
        ("90+ years on 2020-10-04", None, "1930-10-04"),
        ("40-49 years on 2020-12-31", "1971-01-01", "1980-12-31"),
    ],
)
def test_each_spelling_of_a_date_stands_for_its_days(text, first, last):
    """Whole days from the first to the last one; None is an open end."""
    (piece,) = list(parse(text) or ())
    assert piece.low == (-np.inf if first is None else moment_number(first))
    assert piece.high - piece.high_open == (np.inf if last is None else moment_number(last))


@pytest.mark.parametrize(
    "text",
    ["03/04/2020", "15/01/2020", "31.02.2020", "2020-13", "2020-13-01", "1977-W54", "1989-1980", "20200115", "12", "x",
     "2020-Q5", "0000", "2020-03-31..2020-01-15", "(2020-01-01, 2020-01-01]", "-5 years on 2020-01-01", "", "{}"],
)  # fmt: skip
def test_other_texts_are_no_dates(text):
    """A date that may be two is none, if nothing says which part is the day."""
    assert parse(text) is None


def test_the_order_of_day_and_month_is_that_of_the_column():
    """One cell with a part above 12 decides; people are read by their own."""
    read = read_cells(BORN, ["15/01/2020", "03/02/2020"], also=["2020-01-15", "2020-02-03"])
    assert [fitting(read, cell, ["2020-01-15", "2020-02-03"]) for cell in (0, 1)] == [["2020-01-15"], ["2020-02-03"]]
    assert not read_cells(BORN, ["03/04/2020"], also=["2020-04-03"]).cells.attribute.is_numeric


def test_years_alone_are_numbers_unless_dates_are_declared_or_people_have_dates():
    """`1977` and `1980-1989` are numbers or dates."""
    for texts in (["1977", "1978"], ["1970-1979", "1980-1989"]):
        assert read_cells(BORN, texts).cells.attribute.domain == Numeric(step=1.0)
        for read in (read_cells(BORN, texts, domain=DAYS), read_cells(BORN, texts, also=["1977-10-05"])):
            assert read.cells.attribute.domain == DAYS
    assert fitting(read_cells(BORN, ["1977", "1978"], also=["1977-10-05"]), 0, ["1977-10-05"]) == ["1977-10-05"]


def test_a_column_declared_to_hold_dates_holds_nothing_else():
    """One line names the column."""
    with pytest.raises(InvalidInputError, match="cells of column 'born' must be dates or ranges of dates; 1 of its 2"):
        read_cells(BORN, ["1977-10", "unknown"], domain=DAYS)


@pytest.mark.parametrize(
    ("person", "fit"),
    [
        ("1977-10-05", {"1977-10-05", "1977-10", "1977-Q4", "1977-H2", "1977", "1975-1979", "1977-10-01..1977-12-24",
                        "42 years on 2020-06-30"}),
        ("1977-10", {"1977-10-05", "1977-10", "1977-Q4", "1977-H2", "1977", "1975-1979", "1977-10-01..1977-12-24",
                     "42 years on 2020-06-30"}),
        ("1977-06", {"1977", "1975-1979", "43 years on 2020-06-30"}),
        ("1977-07-01", {"1977-H2", "1977", "1975-1979", "42 years on 2020-06-30"}),
        ("1978", {"1975-1979", "42 years on 2020-06-30"}),
        ("43 years on 2020-06-30", {"1977", "1975-1979", "43 years on 2020-06-30"}),
        ("90+ years on 2020-06-30", {"90+ years on 2020-06-30", "1920-1929"}),
        ("1925", {"90+ years on 2020-06-30", "1920-1929"}),
        ("1990", set()),
    ],
)  # fmt: skip
def test_people_who_give_a_day_a_month_a_year_or_an_age_are_linked_to_every_published_form(person, fit):
    """All cells that have a day in common with what is known, and no other ones."""
    cells = ["1977-10-05", "1977-10", "1977-Q4", "1977-H2", "1977", "1975-1979", "1977-10-01..1977-12-24",
             "42 years on 2020-06-30", "43 years on 2020-06-30", "90+ years on 2020-06-30", "1920-1929"]  # fmt: skip
    for people in ([person], [person, "1990-01-01"], [person, "1990"], [person, "1990-03"]):
        for domain in (None, DAYS):
            read = read_cells(BORN, cells, domain=domain, also=people)
            assert {cells[cell] for cell in range(len(cells)) if person in fitting(read, cell, [person])} == fit


dates = st.dates(date(1600, 1, 1), date(2200, 12, 31))


@given(dates, st.sampled_from(LEVELS), st.just(date(2200, 12, 31)))
def test_law_a_period_has_the_days_whose_period_it_is(day, level, reference):
    """The day lies in its period; the days before the first and after the last one lie in others."""
    period = period_of(day, level, reference)
    (piece,) = list(parse(period) or ())
    low, end = piece.low, piece.high
    assert low <= day_number(day) < end
    first = date(1600, 1, 1) if np.isneginf(low) else date.fromordinal(int(low) + date(1970, 1, 1).toordinal())
    last = date.fromordinal(int(end) - 1 + date(1970, 1, 1).toordinal())
    assert {period_of(one, level, reference) for one in (first, last)} == {period}
    if np.isfinite(low):
        assert period_of(first - (date(1970, 1, 2) - date(1970, 1, 1)), level, reference) != period


@given(st.lists(st.tuples(st.integers(-200_000, 90_000), st.integers(0, 800)), min_size=1, max_size=5), st.booleans())
def test_law_what_is_written_of_days_is_read_as_the_same_days(ends, periods):
    """Any ranges of days, and whole months that become periods."""
    if periods:
        months = (period_ends(moment_texts(np.array([float(day)]), timed=False)[0][:-3]) for day, _ in ends)
        ends = [(int(month[0]), int(month[1] - month[0]) - 1) for month in months if month is not None]
    low = np.array([float(first) for first, _ in ends])
    high = low + [width for _, width in ends]
    no = np.zeros(len(ends), bool)
    attribute = Attribute("born", Role.QUASI_IDENTIFIER, DAYS)
    cells = Cells(attribute, starts(np.ones(len(ends), np.int64)), low, high, no, no, no, no)
    read = read_cells(BORN, write_cells(cells), domain=DAYS)
    back = read.cells.take(read.cell_of)
    assert back.low.tolist() == low.tolist()
    assert back.high.tolist() == high.tolist()
    assert not back.low_open.any()
    assert not back.high_open.any()


@given(st.lists(st.datetimes(), min_size=1, max_size=5), st.booleans())
def test_law_what_is_written_of_date_times_is_read_as_the_same(times, ranges):
    """To the microsecond; ranges of date-times, too."""
    low: Any = np.array([moment_number(time.isoformat()) for time in times], np.float64)
    high: Any = low + (1.25 if ranges else 0.0)
    high = domain_values(MOMENTS, labels_of(MOMENTS, high))
    no = np.zeros(len(times), bool)
    attribute = Attribute("born", Role.QUASI_IDENTIFIER, MOMENTS)
    cells = Cells(attribute, starts(np.ones(len(times), np.int64)), low, high, no, no, no, no)
    read = read_cells(BORN, write_cells(cells), domain=MOMENTS)
    back = read.cells.take(read.cell_of)
    assert np.abs(back.low - low).max() * 86400 < 1e-6
    assert np.abs(back.high - high).max() * 86400 < 1e-6


@given(st.lists(st.integers(-800_000, 3_000_000), min_size=1, max_size=5))
def test_law_labels_of_days_are_days_again(numbers):
    """Also where noise leads far away."""
    column = np.array(numbers, np.float64)
    assert domain_values(DAYS, labels_of(DAYS, column)).tolist() == column.tolist()
