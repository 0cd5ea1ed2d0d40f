"""How the cells of a column were read is one line, names published texts only, and can be declared."""

from __future__ import annotations

import pytest

from tests.masks.notation.test_spellings import AGES, MONEY, matched
from unmask.errors import InvalidInputError
from unmask.files.raw import Raw
from unmask.files.releases import anatomized, generalized
from unmask.files.roles import Roles
from unmask.masks.notation.notation import read_cells
from unmask.masks.notation.reading import describe
from unmask.schema import Attribute, Categorical, Role

AGE = Attribute("age", Role.QUASI_IDENTIFIER)
TENS = [f"{low}-{low + 9}" for low in range(0, 120, 10)]


@pytest.mark.parametrize(
    ("cells", "people", "expected"),
    [
        ([*TENS, "N"], [*AGES, "N"], "age: 12 bands, 1 word: N"),
        ([*TENS, "N"], (), "age: 12 bands, 1 word: N"),
        (["Male", "M", "Other"], ["male"],
         "age: 3 words; in another spelling than people's values: M, Male; matching no person: Other"),
        (["male", "M"], ["male", "F"], "age: 2 words; matching no person: M"),
        (TENS, AGES, "age: 12 bands"),
        (["20", "21", "N", "*"], [*AGES, "N"], ""),
        (["20", "21", "N", "*"], AGES, "age: 2 numbers, 1 word: N; matching no person: N"),
        (["male", "female"], ["male", "female"], ""),
        (["Under 18", "18 to 64", "65+", "a", "b", "c", "d"], AGES,
         "age: 3 bands, 4 words: a, b, c, …; matching no person: a, b, c, …"),
        (["N" * 30 + "\x1b", "20-29"], AGES,
         "age: 1 band, 1 word: " + "N" * 20 + "…; matching no person: " + "N" * 20 + "…"),
        (["1 or 2", "3"], AGES, "age: 1 set, 1 number"),
        (["021XX", "902**", "90210"], ["02139", "90210"], "age: 2 masks, 1 number"),
        (["{A, B}", "C"], ["A", "B", "C"], "age: 1 set, 1 word: C"),
        (["A..C", "D"], ["A", "B", "C"], "age: 1 range, 1 word: D; matching no person: D"),
        (["2020-01", "2020-02-03"], ["2020-01-05"], "age: 1 period, 1 date"),
        (["2020-01", "2020-02-03", "?!"], ["2020-01-05", "?!"], "age: 1 period, 1 date, 1 word: ?!"),
        (["M", "F"], ["male", "female"], "age: 2 words; in another spelling than people's values: F, M"),
        (
            ["20-30", "30-40"], AGES,
            'age: 2 bands; ends occur twice, as 30, which fits both bands; cells = "half-open" leaves upper ends out',
        ),
        (["[20, 30]", "[30, 40]"], AGES, "age: 2 bands"),
        (["10,000-19,999"], MONEY, "age: 1 band; commas separate thousands, by people's values"),
        (
            ["10,000-19,999"], (),
            "age: 1 band; commas separate thousands; --decimal , makes them decimal signs",
        ),
        (["10,000-1,999,999"], (), "age: 1 band; commas separate thousands"),
        (["1.000-1.999"], MONEY, "age: 1 band; points separate thousands, by people's values"),
        (["1.000-1.999"], ["1.5"], "age: 1 band; points are decimal signs, by people's values"),
        (["1.000-1.999"], (), "age: 1 band; points are decimal signs; --decimal , makes them separate thousands"),
        (["20/29", "30/39"], AGES, 'age: 2 words; cells = "bands" would read 20/29, 30/39 as numbers'),
        (
            ["6 months", "1-2 years"], AGES,
            ("age: 2 words; several units (months, years), so numbers with units are words; "
             "matching no person: 6 months, 1-2 years"),
        ),
        (
            ["1-2", "3"], ["1-2", "3"],
            'age: 1 number, 1 word: 1-2; values of people, too: 1-2; cells = "bands" reads them as numbers',
        ),
        (["1-2", "3-4"], ["1-2", "3-4"], ""),
    ],
)  # fmt: skip
def test_the_reading_is_one_line(cells, people, expected):
    """Empty where each cell is one value, as it is written."""
    assert describe(read_cells(AGE, cells, also=people)) == expected


@pytest.mark.parametrize(
    ("reading", "cells", "people", "expected"),
    [
        ("bands", ["20/29", "30/39"], ("20", "29", "35"), [{"20", "29"}, {"35"}]),
        ("bands", ["20_29", "5-10k"], ("20", "5000", "10000"), [{"20"}, {"5000", "10000"}]),
        ("bands", ["1-2", "3"], ("1-2", "1", "2", "3"), [{"1-2", "1", "2"}, {"3"}]),
        (None, ["1-2", "1"], ("1-2", "1", "2"), [{"1-2", "2"}, {"1"}]),  # a house
        ("bands", ["3*", "5", "101"], ("3", "31", "5"), [{"31"}, {"5"}, set()]),
        ("bands", ["20-30", "30-40"], ("20", "30", "40"), [{"20", "30"}, {"30", "40"}]),
        ("half-open", ["20-30", "30-40"], ("20", "30", "40"), [{"20"}, {"30"}]),
        ("half-open", ["20 to 30 years", "[30, 40]", "N"], ("20", "30", "40"), [{"20"}, {"30", "40"}, set()]),
        ("half-open", ["20-30", "30-40"], ("29.5", "30.5"), [{"29.5"}, {"30.5"}]),
        ("labels", ["20-30", "021**", "M"], ("20-30", "25", "02139", "male"), [{"20-30"}, set(), set()]),
        ("labels", ["{A, B}", "A", "*"], ("A", "B", "{A, B}"), [{"{A, B}"}, {"A"}, {"A", "B", "{A, B}"}]),
    ],
)
def test_a_declared_reading_decides(reading, cells, people, expected):
    """`bands`: numbers wherever possible; `half-open`: without upper ends; `labels`: the text alone."""
    assert matched(read_cells(AGE, cells, also=people, reading=reading), people) == expected


@pytest.mark.parametrize(
    ("cells", "bounds", "lowest"),
    [
        (["-29", "30-39", "40+"], (0.0, 90.0), {"0", "29"}),
        (["\u221229", "30-39", "40+"], (0.0, None), {"0", "29"}),
        (["-29", "30-39", "40+"], (None, 90.0), {"-29"}),
        (["-29", "30-39", "40+"], (-50.0, 90.0), {"-29"}),
        (["-99", "30-39", "40+"], (0.0, 90.0), {"-99"}),  # a code of missing values
        (["-29", "30", "40"], (0.0, 90.0), {"-29"}),
        (["-29", "-9", "30-39"], (0.0, 90.0), {"-29"}),
    ],
)
def test_a_lowest_band_without_its_lower_end_is_read_where_numbers_are_declared_not_to_be_negative(
    cells, bounds, lowest
):
    """Else `-29` is the number; so is a code of missing values, which is not below the other bands."""
    people = ("-99", "-29", "0", "29", "35", "45")
    assert matched(read_cells(AGE, cells, bounds=bounds, also=people), people)[0] == lowest


def test_labels_are_values_whatever_they_look_like():
    """Dates and long numbers too; the release has no numbers then."""
    for cells in (["2020-01", "2020-02"], ["12345678901234567", "1"], ["1", "2"]):
        read = read_cells(AGE, cells, also=cells, reading="labels")
        assert read.cells.attribute.domain == Categorical(tuple(sorted(cells)))
        assert describe(read) == ""


def test_roles_declare_how_cells_of_other_tools_are_read():
    """For one table and for two; a reading of text beside a type of numbers is refused."""
    columns = {"age": ["20-30", "30-40"], "s": ["x", "y"]}
    roles = Roles.model_validate({"columns": {"age": {"cells": "half-open"}}}).with_options(
        quasi=["age"], sensitive=["s"]
    )
    people = {"age": ("25", "30")}
    release = generalized(Raw.of(columns), roles, also=people)
    assert release.release.masked.lines.cells[0].high.tolist() == [29, 39]
    assert "age: 2 bands" in release.notes
    shared = generalized(Raw.of(columns), Roles.of(quasi=["age"], sensitive=["s"]), also=people)
    assert any(note.startswith("age: 2 bands; ends occur twice") for note in shared.notes)
    two = Raw.of({"age": ["20-30", "30-40"], "group": ["1", "2"]}), Raw.of({"group": ["1", "2"], "s": ["x", "y"]})
    assert "age: 2 bands" in anatomized(*two, roles, also=people).notes
    with pytest.raises(ValueError, match='cells = "labels" only if'):
        Roles.model_validate({"columns": {"age": {"cells": "labels", "type": "integer"}}})


def test_stars_that_may_be_numbers_or_codes_are_numbers_if_so_declared():
    """Without the declaration the run ends, and names the column."""
    with pytest.raises(InvalidInputError, match="'age'"):
        read_cells(AGE, ["3*", "5"])
    assert read_cells(AGE, ["3*", "5"], reading="bands").cells.high.tolist() == [5, 39]
