"""Columns that mix bands, numbers, dates and words: each cell says which people may stand behind it."""

from __future__ import annotations

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from unmask.attacks.shared.location import linked
from unmask.files.declared_dates import may_be_two
from unmask.files.people import to_people, values_of
from unmask.files.raw import Raw
from unmask.files.releases import generalized
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.links import Linking
from unmask.masks.notation.notation import read_cells
from unmask.release import Release
from unmask.schema import Attribute, Missing, Role, domain_values
from unmask.table import Table

ROLES = Roles.of(quasi=["a", "b"], sensitive=["s"])
TEXTS = [
    "20", "25", "25.0", "25.5", "+7", "1e3", "0123", "123456789012345678", "20-29", "20 - 29", "[20, 30)", "<30", "30+",
    "Under 18", "18 to 64", "65 and over", "30s", "2*", "13***", "N", "n", "male", "Male", " MALE", "E10-E14", "1-2",
    "15/01/2020", "2020-01-15", "2020-01-16", "01/02/2020", "15.01.2020", "{A, B}", "A", "20-29|?", "", "?", "*", "inf",
]  # fmt: skip


def groups_that_fit(release: Release, people: Table) -> list[set[int]]:
    """Return for each person the groups that they may be in."""
    number, profiles = people.profiles()
    weight, _ = linked(release, profiles, Linking())
    return [set(weight.column[weight.start[i] : weight.start[i + 1]].tolist()) for i in number.tolist()]


@pytest.mark.parametrize("policy", [Missing.OWN, Missing.WILDCARD])
@given(rows=st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(TEXTS)), min_size=1, max_size=12))
def test_of_a_release_of_the_very_same_table_every_person_fits(policy, rows):
    """Whatever the cells mean: a person published with them fits them, and is in a group that they fit."""
    roles = ROLES.with_options(missing_policy=str(policy))
    columns = {"a": [a for a, _ in rows], "b": [b for _, b in rows], "s": ["x"] * len(rows)}
    raw = Raw.of(columns)
    if any(may_be_two(raw[name]) for name in "ab"):
        reject()  # a table asks which part is the day
    read = generalized(raw, roles, also=values_of(raw))
    own = read.release.group_of_row[read.row_of]
    for people in (to_table(raw, roles).visible(None), to_people(raw, [read], roles).table):
        fit = groups_that_fit(read.release, people)
        assert [group in found for group, found in zip(own.tolist(), fit, strict=True)] == [True] * len(rows)


@pytest.mark.parametrize(
    ("cells", "people", "expected"),
    [
        (["20-29", "30-39", "N"], ["20", "31", "N"], [{"20"}, {"31"}, {"N"}]),
        (["Under 18", "18 to 64", "65 and over", "unknown"], ["17", "18", "65"], [{"17"}, {"18"}, {"65"}, set()]),
        (["under 18", "18 TO 64", "65 or more", "x"], ["17", "18", "65"], [{"17"}, {"18"}, {"65"}, set()]),
        (["at least 20", "up to 19", "N"], ["20", "19"], [{"20"}, {"19"}, set()]),
        (["over 20", "below 20", "20"], ["19", "20", "21", "N"], [{"21"}, {"19"}, {"20"}]),
        (["20-39"], ["20-29", "30-34", "40-49"], [{"20-29", "30-34"}]),
        (["15/01/2020", "2020-01-16"], ["2020-01-15", "2020-01-16"], [{"2020-01-15"}, {"2020-01-16"}]),
        (["2020-01-15"], ["15/01/2020", "01/02/2020"], [{"15/01/2020"}]),
        (["2020-02-01"], ["1/13/2020", "2/1/2020"], [{"2/1/2020"}]),
        (["2020-02-01"], ["01/02/2020"], [set()]),  # the first of February or the second of January
        (
            ["2020-01", "2020-02-03", "unknown"], ["2020-01-05", "2020-02-03", "unknown"],
            [{"2020-01-05"}, {"2020-02-03"}, {"unknown"}],
        ),
        (["2020-01-01–2020-03-31", "x"], ["2020-01-05", "2020-04-03", "x"], [{"2020-01-05"}, {"x"}]),
        (["2020", "x"], ["2020-01-05", "20"], [set(), set()]),  # beside a number, 2020 may be one
        (["20-29", "30+"], ["25 years", "31 years", "n/a"], [{"25 years"}, {"31 years"}]),
        (["20-29 years", "30+ years"], ["25", "31"], [{"25"}, {"31"}]),
        (["10,000-19,999", "20,000+"], ["$12,500", "$25,000"], [{"$12,500"}, {"$25,000"}]),
        (["Male", "female"], ["male", "female"], [{"male"}, {"female"}]),
        (["male"], ["male", "Male"], [{"male", "Male"}]),
        (["male", "Male"], ["male", "Male"], [{"male"}, {"Male"}]),  # the column tells them apart
        (["New  York", "x"], ["new york"], [{"new york"}, set()]),
        (["20.0", "N"], ["20", "N"], [{"20"}, {"N"}]),
        (["{20, 25-30}", "N"], ["20", "24", "26"], [{"20", "26"}, set()]),
        (["1", "1-2"], ["1", "2", "1-2"], [{"1"}, {"2", "1-2"}]),  # houses: the first is not in the second
    ],
)  # fmt: skip
def test_each_cell_stands_for_the_people_it_may_be(cells, people, expected):
    """Cell by cell, held against the values of people as they write them."""
    read = read_cells(Attribute("a", Role.QUASI_IDENTIFIER), cells, also=people)
    attribute = read.cells.attribute
    if attribute.is_numeric:
        at = domain_values(attribute.domain, people)
        fits = read.cells.likelihood(at).dense()[read.cell_of] > 0
        found = [{p for p, inside in zip(people, row, strict=True) if inside} for row in fits]
    else:
        found = [set(read.cells.labels()[cell]) & set(people) for cell in read.cell_of]
    assert found == expected


def test_two_spellings_of_cells_stay_two_unless_declared():
    """A release alone is counted as it is: Male and male are two groups, and a band is none of the numbers in it."""
    raw = Raw.of({"a": ["Male", "male", "20-29", "25"], "b": ["x"] * 4, "s": ["1"] * 4})
    assert generalized(raw, ROLES).release.n_groups == 4
