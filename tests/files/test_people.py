"""The people file: read as the releases are, with what is sensitive left aside; and the truth, kept apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from unmask.errors import InvalidInputError
from unmask.files.people import to_people, to_truth, values_of
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.files.releases import anatomized, generalized
from unmask.files.roles import Roles
from unmask.links import Linking
from unmask.schema import Numeric, Role
from unmask.view import IN_IT

ROLES = Roles.of(quasi=["zip", "age"], sensitive=["condition"])
HOSPITAL = {"zip": ["130**"] * 4, "age": ["<30", "<30", ">=30", ">=30"], "condition": ["flu", "cold", "flu", "AIDS"]}


def raw(columns: Mapping[str, Sequence[Any]]) -> Raw:
    """Return a people file."""
    return Raw.of(columns, "people.csv")


def hospital(people: Raw, name: str = "h") -> ReadRelease:
    """Return the hospital's release, held against some people."""
    return generalized(Raw.of(HOSPITAL), ROLES, name=name, also=values_of(people))


def anatomy() -> ReadRelease:
    """Return a release with a group column."""
    qit = Raw.of({"zip": ["13012", "13013", "13012", "13014"], "gid": ["a", "a", "b", "b"]})
    return anatomized(qit, Raw.of({"gid": ["a", "a", "b", "b"], "condition": ["flu", "cold", "flu", "AIDS"]}), ROLES)


def links(read: ReadRelease, table: Any) -> list[list[float]]:
    """Return the weights of all people for the groups."""
    (block,) = read.release.masked.links(table, read.release.size, Linking())
    weights: list[list[float]] = block.weight.dense().tolist()
    return weights


def test_people_are_read_as_the_release_is():
    """13012 must not become an integer where the release says 130**; ages must, where it says <30."""
    people = raw({"zip": [13012, 13012, 14850], "age": ["28", "45", "28"]})
    read = hospital(people)
    found = to_people(people, [read])
    assert found.table.schema.names == ("zip", "age")
    assert found.table.schema["zip"].values == ("13012", "14850")
    assert isinstance(found.table.schema["age"].domain, Numeric)
    assert links(read, found.table) == [[1, 0], [0, 1], [0, 0]]
    assert found.names is None
    assert found.located is None
    assert found.notes == ()


def test_a_column_is_text_for_all_where_it_is_text_for_one_release():
    """One hospital shows ages as numbers, the other as words: people's ages fit the numbers all the same."""
    people = raw({"age": [28, 45]})
    words = generalized(Raw.of({"age": ["young", "45"], "condition": ["flu", "cold"]}), ROLES, name="w")
    numbers = hospital(people)
    found = to_people(people, [numbers, words])
    assert found.table.schema["age"].values == ("28", "45")
    assert links(numbers, found.table) == [[1, 0], [0, 1]]
    assert sorted(links(words, found.table)) == [[0, 0], [1, 0]]


def test_a_quasi_identifier_that_is_lacking_fits_everything_and_is_said():
    """Without ages, Alice may be in either group; asked for by -q, the lack is an error; without any, too."""
    people = raw({"zip": ["13012"], "shoe size": [38], "hat": [7]})
    read = hospital(people)
    found = to_people(people, [read])
    assert np.count_nonzero(links(read, found.table)) == 2
    assert found.notes == (
        "'people.csv' has no age: unknown, and fits everything",
        "2 columns of 'people.csv' not used: shoe size, hat",
    )
    with pytest.raises(InvalidInputError, match=r"named by -q in 'people.csv' must be one of.*got 'age'"):
        to_people(people, [read], named=["age"])
    with pytest.raises(InvalidInputError, match=r"must have a quasi-identifier of the releases \(zip, age\)"):
        to_people(raw({"name": ["Ann"]}), [read])


def test_sensitive_columns_are_ignored_and_said():
    """What is asked about must not be among what is known."""
    people = raw({"zip": ["13012"], "age": [28], "condition": ["AIDS"]})
    found = to_people(people, [hospital(people)])
    assert all(a.role is Role.QUASI_IDENTIFIER for a in found.table.schema)
    assert "condition" not in found.table.schema
    assert found.notes == ("sensitive in the releases, so not taken from 'people.csv': condition",)


def test_missing_values_of_people_are_missing_and_words_fit_only_stars():
    """No age is `many`; such a person fits no interval, and the note counts without quoting."""
    people = raw({"zip": ["13012", None], "age": ["many", "28"]})
    read = hospital(people)
    found = to_people(people, [read])
    assert np.isinf(found.table["age"][0])
    assert found.table["zip"].tolist() == [0, -1]
    assert links(read, found.table)[0] == [0, 0]
    assert found.notes == ("column 'age': 1 people have no number there, and fit only what fits anything",)


def test_a_column_called_like_the_releases_group_column_fixes_the_group():
    """A person with gid b is in group b, whatever its number is now; an empty cell leaves the group unknown."""
    read = anatomy()
    people = raw({"zip": ["13012", "13012", "13014"], "gid": ["b", "a", None]})
    found = to_people(people, [read])
    assert found.located is not None
    assert found.located[0].group.tolist() == [read.group_of["b"], read.group_of["a"], IN_IT]
    assert (
        found.notes
        == (
            "'people.csv' has no age: unknown, and fits everything",
            "column 'gid' gives people's groups in release 'release'",
        )[-1:]
    )
    with pytest.raises(InvalidInputError, match=r"must be groups of release 'release'; 1 people have another"):
        to_people(raw({"zip": ["13012", "13013"], "gid": ["c", "a"]}), [read])


def test_several_releases_with_one_name_for_groups_need_their_own_columns():
    """`gid` alone could mean either; `RELEASE.gid` says which."""
    both = [anatomy(), hospital(raw({"zip": ["13012"], "age": [28]}))]
    assert to_people(raw({"zip": ["13012"], "gid": ["a"]}), both).located is not None, "only one of them has groups"
    two = [anatomy(), anatomy()]
    vague = to_people(raw({"zip": ["13012"], "gid": ["a"]}), two)
    assert vague.located is None
    assert "may mean several releases" in vague.notes[0]


def test_people_are_named_by_their_key():
    """Lines of one person hang together; who has no key is called by the line."""
    people = raw({"id": ["p1", "p2", "p1", None], "zip": ["13012"] * 4, "age": [28, 30, 28, 28]})
    found = to_people(people, [hospital(people)], Roles.of(person_key="id"))
    assert found.names == ("p1", "p2", "p1", "3")
    assert found.table.person_of is not None
    assert found.table.person_of.tolist() == [0, 1, 0, 2]
    assert found.notes == ()


def test_the_truth_stands_line_by_line_or_is_joined_by_the_key():
    """The same lines, or the person key in both files; who is not among them has no known answer."""
    people = raw({"id": ["p1", "p2", "p3"], "zip": ["13012"] * 3, "age": [28, 30, 28]})
    releases = [hospital(people)]
    found = to_people(people, releases, Roles.of(person_key="id"))
    truth = to_truth(raw({"condition": ["AIDS", "plague", "flu"]}), "condition", found, releases)
    assert truth.values == ("AIDS", "cold", "flu", "plague")
    assert truth.answer.tolist() == [0, 3, 2]
    joined = to_truth(raw({"id": ["p3", "p1", "p9"], "condition": ["flu", "AIDS", "cold"]}), "condition", found,
                      releases, key="id")  # fmt: skip
    assert joined.answer.tolist() == [0, -1, 2]
    with pytest.raises(InvalidInputError, match=r"must have the 3 lines of the people file.*it has 2"):
        to_truth(raw({"condition": ["AIDS", "flu"]}), "condition", found, releases)
    with pytest.raises(InvalidInputError, match="Did you mean 'condition'"):
        to_truth(raw({"condition": ["AIDS"]}), "conditions", found, releases)
    with pytest.raises(InvalidInputError, match="one answer; some have several"):
        to_truth(raw({"id": ["p1", "p1"], "condition": ["flu", "cold"]}), "condition", found, releases, key="id")


def test_numbers_and_missing_values_are_the_same_answers_as_in_the_release():
    """A pay of 50.0 is the release's 50; a missing one is its `?`."""
    release = generalized(
        Raw.of({"age": ["1-9"] * 3, "pay": [50, 9, None]}), Roles.of(quasi=["age"], sensitive=["pay"])
    )
    people = raw({"age": [5, 5, 5]})
    found = to_people(people, [release])
    truth = to_truth(raw({"pay": ["50.0", "7", None]}), "pay", found, [release])
    assert truth.values == ("9", "50", "?", "7")
    assert truth.answer.tolist() == [1, 3, 2]
