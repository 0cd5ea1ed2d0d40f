"""Dates in other spellings than ISO's: read where day and month can be told apart, and said to be text where not."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.attacks.shared.location import linked
from unmask.dates import begin_with_day, moment_number, moment_numbers, parse_date, parse_moment
from unmask.errors import InvalidInputError
from unmask.files.declared_dates import with_declared_dates
from unmask.files.people import to_people, values_of
from unmask.files.published import ReadRelease
from unmask.files.raw import Kind, Raw
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.files.roles import Roles
from unmask.files.tables import coding_notes, to_table
from unmask.inspection.column_profiles import ColumnProfile
from unmask.links import Linking
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table

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


@pytest.mark.parametrize("texts", [["03/04/2020", "05/06/2020"], ["15/01/2020", "01/15/2020"]])
def test_dates_that_could_be_two_are_text_and_said(texts: list[str]):
    """Nothing tells day from month, or the column contradicts itself."""
    raw = Raw.of({"admitted": texts})
    assert raw["admitted"].kind is Kind.TEXT
    assert any("dates of admitted have an ambiguous order of day and month" in note for note in raw.notes)


@pytest.mark.parametrize("wrong", ["2020-02-30", "31.02.2020", "31/02/2020", "2019-02-29 10:30"])
def test_a_date_of_no_such_day_is_no_question_of_order(wrong: str):
    """No calendar has it: `day_first` would not help; the value is not quoted, and without it all are dates."""
    raw = Raw.of({"admitted": ["2020-01-15", "2020-01-16", wrong]})
    assert raw["admitted"].kind is Kind.TEXT
    (note,) = [note for note in raw.notes if "admitted" in note]
    assert note.startswith("1 of 3 distinct dates of admitted name no such day")
    assert "day_first" not in note
    assert wrong not in note
    assert ColumnProfile.of(raw, "admitted").type == "date, some impossible"


@given(st.lists(st.dates(date(1900, 1, 1), date(2100, 1, 1)), min_size=1, max_size=6), st.booleans())
def test_law_a_date_is_read_as_it_was_written(days: list[date], day_first: bool):  # noqa: FBT001 - drawn
    """Whenever one of them has a day above 12, all are read; else none is read wrongly."""
    form = "%d/%m/%Y" if day_first else "%m/%d/%Y"
    texts = [day.strftime(form) for day in days]
    order = begin_with_day(texts)
    assert order is (day_first if any(day.day > 12 for day in days) else None)
    for text, day in zip(texts, days, strict=True):
        assert parse_date(text, day_first=order) in ({day} if order is not None or day.day == day.month else {None})


@pytest.mark.parametrize(
    ("texts", "kind", "labels"),
    [
        (["2020-01-15T10:30", "2020-01-16 09:00:05"], Kind.MOMENT, ["2020-01-15T10:30:00", "2020-01-16T09:00:05"]),
        (["2020-01-15 10:30:00.250", "2020-01-15"], Kind.MOMENT, ["2020-01-15T00:00:00", "2020-01-15T10:30:00.25"]),
        (["15.01.2020 10:30", "16.01.2020 09:00"], Kind.MOMENT, ["2020-01-15T10:30:00", "2020-01-16T09:00:00"]),
        (["01/15/2020 10:30", "02/03/2020 09:00"], Kind.MOMENT, ["2020-01-15T10:30:00", "2020-02-03T09:00:00"]),
        (["2020-01-15T00:00:00", "2020-01-16 00:00"], Kind.DATE, ["2020-01-15", "2020-01-16"]),
        (["2020-01-15T23:30-05:00", "2020-01-15T10:00Z"], Kind.MOMENT, ["2020-01-15T10:00:00", "2020-01-16T04:30:00"]),
        (["2020-01-15T23:30-05:00", "2020-01-15T10:00"], Kind.TEXT, ["2020-01-15T10:00", "2020-01-15T23:30-05:00"]),
        (["2020-01-15T25:30", "2020-01-15T10:00"], Kind.TEXT, ["2020-01-15T10:00", "2020-01-15T25:30"]),
        (["01/02/2020 10:30", "02/03/2020 09:00"], Kind.TEXT, ["01/02/2020 10:30", "02/03/2020 09:00"]),
    ],
)
def test_date_times_keep_their_time_of_day(texts: list[str], kind: Kind, labels: list[str]):
    """In ISO form; in UTC where all have a zone, and text where only some have one."""
    raw = Raw.of({"seen": texts})
    assert (raw["seen"].kind, list(raw["seen"].labels)) == (kind, labels)
    assert any("date-times of seen have time zones: read in UTC" in note for note in raw.notes) is raw["seen"].zoned
    assert raw["seen"].zoned is (kind is Kind.MOMENT and "Z" in "".join(texts))


def _roles(**declared: object) -> Roles:
    columns = {"seen": {"role": "quasi-identifier", **declared}, "ill": {"role": "sensitive"}}
    return Roles.model_validate({"columns": columns})


def test_a_date_that_may_be_two_is_asked_about_and_the_declaration_answers():
    """One line names the column and the key; either answer is taken, and a wrong one is refused."""
    raw = Raw.of({"seen": ["03/04/2020", "05/06/2020"], "ill": ["a", "b"]})
    message = (
        "column 'seen' must say whether its day or its month comes first: in both orders its cells are dates. "
        'Set day_first = true or false for it in roles.toml, or type = "text"'
    )
    with pytest.raises(InvalidInputError, match=message):
        to_table(raw, _roles())
    for day_first, first in ((True, "2020-04-03"), (False, "2020-03-04")):
        read = with_declared_dates(raw, _roles(day_first=day_first))
        assert read["seen"].labels[0] == first
        assert not any("ambiguous" in note for note in read.notes)
        assert to_table(read, _roles(day_first=day_first)).schema["seen"].holds_dates
    assert to_table(raw, _roles(type="text")).schema["seen"].values == ("03/04/2020", "05/06/2020")
    with pytest.raises(InvalidInputError, match="column 'seen' must hold dates with the month first, by its day_first"):
        with_declared_dates(Raw.of({"seen": ["15/01/2020", "02/01/2020"], "ill": ["a", "b"]}), _roles(day_first=False))


@pytest.mark.parametrize(
    ("cells", "declared", "expected"),
    [
        (["34", "90"], {"reference": "2020-06-30"}, ["34 years on 2020-06-30", "90 years on 2020-06-30"]),
        (["30-39", "90+"], {"reference": "2020-06-30"}, ["30-39 years on 2020-06-30", "90+ years on 2020-06-30"]),
        (["34", "1977-10"], {"reference": "2020-06-30"}, ["1977-10", "34 years on 2020-06-30"]),
        (["1977", "1980"], {"type": "date"}, ["1977", "1980"]),
        (["1977", "34"], {"reference": "2020-06-30"}, ["1977", "34 years on 2020-06-30"]),
    ],
)
def test_ages_and_years_are_dates_where_they_are_declared_to_be(cells, declared, expected):
    """On the reference date; years of four digits are years."""
    read = with_declared_dates(Raw.of({"seen": cells, "ill": ["a", "b"]}), _roles(**declared))
    assert (read["seen"].kind, list(read["seen"].labels)) == (Kind.TEXT, expected)


def test_times_of_day_are_published_as_ranges_of_moments_and_hidden_by_levels(tmp_path):
    """Nothing is lost on the way, and everybody fits the own group."""
    texts = ["2020-01-15T10:30:00", "2020-01-15T23:59:59.5", "2020-02-01T00:00:00", "2020-02-28T12:00:00"]
    raw = Raw.of({"seen": texts, "ill": ["a", "b"] * 2})
    roles = _roles(levels=["day", "month"], high="2020-02-28")
    table = to_table(raw, roles)
    note = 'dates with a time of day, each moment a value of its own: seen; levels = ["day"] hides it'
    assert note in list(coding_notes(table, raw, roles))
    for sanitizer, cells in (
        (Mondrian(k=2), ["2020-01-15T10:30:00..2020-01-15T23:59:59.5", "2020-02-01T00:00:00..2020-02-28T12:00:00"]),
        (FullDomain(k=2), ["2020-01", "2020-02"]),
    ):
        made = sanitizer.sanitize(table, np.random.default_rng(0))
        write_release(made.release, tmp_path / sanitizer.name)
        lines = (tmp_path / sanitizer.name / "rows.csv").read_text().splitlines()[1::2]
        assert [line.split(",")[0] for line in lines] == cells
        read = read_release(tmp_path / sanitizer.name, also=values_of(raw))
        assert read.release.same_content(made.release)
        for known in (texts, [text[:10] for text in texts], [text[:7] for text in texts]):
            people = Raw.of({"seen": known, "ill": ["a", "b"] * 2})
            read = read_release(tmp_path / sanitizer.name, also=values_of(people))
            assert _own_groups_fit(read, to_people(people, [read]).table)


def _own_groups_fit(read: ReadRelease, people: Table) -> bool:
    number, profiles = people.profiles()
    weight, _ = linked(read.release, profiles, Linking())
    own = read.release.group_of_row[read.row_of]
    return all(own[i] in weight.column[weight.start[p] : weight.start[p + 1]] for i, p in enumerate(number.tolist()))


def test_people_who_give_periods_are_refused_where_the_release_was_not_read_with_them():
    """A release made here has days: a month is none of them."""
    raw = Raw.of({"seen": ["2020-01-15", "2020-02-15"] * 2, "ill": ["a", "b"] * 2})
    made = Mondrian(k=2).sanitize(to_table(raw, _roles()), np.random.default_rng(0))
    read = ReadRelease(made.release, np.arange(4))
    assert to_people(raw, [read]).table.n_rows == 4
    with pytest.raises(InvalidInputError, match="column 'seen' of 'table' must hold days to be compared"):
        to_people(Raw.of({"seen": ["2020-01"], "ill": ["a"]}), [read])


@given(st.lists(st.datetimes(), min_size=1, max_size=5), st.booleans())
def test_law_texts_parsed_at_once_are_those_parsed_one_by_one(times: list[datetime], timed: bool):  # noqa: FBT001 - drawn
    """To the last bit, so that a person and a cell with one text are equal."""
    texts = [time.isoformat() if timed else time.date().isoformat() for time in times]
    numbers = moment_numbers(texts)
    assert numbers is not None
    assert numbers.tolist() == [moment_number(text) for text in texts]
    assert moment_numbers([*texts, "2020-02-30"]) is None


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("01/15/2020 01:30 PM", "2020-01-15T13:30:00"),
        ("01/15/2020 1:30PM", "2020-01-15T13:30:00"),
        ("1/15/2020 12:00 am", "2020-01-15"),
        ("2020-01-15 12:05:09 p.m.", "2020-01-15T12:05:09"),
        ("2020-01-15T11:59\u202fPM", "2020-01-15T23:59:00"),
    ],
)
def test_times_of_twelve_hours_are_read(written, read):
    """Noon is 12 PM, midnight 12 AM; beside others the column holds moments."""
    at = parse_moment(written, day_first=False)
    assert at is not None
    assert at == moment_number(read)
    column = Raw.of({"seen": [written, "2020-12-31 14:05"]})["seen"]
    assert column.kind is Kind.MOMENT
    assert column.labels[0].startswith(read)


@pytest.mark.parametrize("written", ["2020-01-15 13:30 PM", "2020-01-15 0:30 AM", "2020-01-15 1:60 PM"])
def test_hours_that_no_clock_shows_are_no_time(written):
    """A text, and not another time."""
    assert parse_moment(written, day_first=False) is None
