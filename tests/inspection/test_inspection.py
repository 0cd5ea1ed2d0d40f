"""The unit of protection, unique sets, Safe Harbor, the draft and the masked examples of an inspection."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unmask
from tests.inspection.tables import MADE, made_table
from unmask.cli import run
from unmask.files.raw import Raw
from unmask.files.roles import Roles
from unmask.inspection.column_profiles import SHARED_BY
from unmask.inspection.dependencies import dependencies
from unmask.inspection.unique_sets import added_people, unique_sets
from unmask.schema import Role

PEOPLE = st.lists(st.tuples(*[st.integers(0, 3)] * 4, st.integers(0, 6)), min_size=1, max_size=25)


def people_singled_out(rows: list[tuple[int, ...]], person: list[int], members: tuple[int, ...]) -> set[int]:
    """Return the people one of whose rows has values, in these columns, that no other person's row has."""
    owners: dict[tuple[int, ...], set[int]] = {}
    for row, owner in zip(rows, person, strict=True):
        owners.setdefault(tuple(row[i] for i in members), set()).add(owner)
    return {next(iter(one)) for one in owners.values() if len(one) == 1}


@given(PEOPLE)
def test_people_singled_out_are_those_of_a_plain_count(rows: list[tuple[int, ...]]):
    """People with several rows, too; each pair of rows compared by its values."""
    person = [row[4] for row in rows]
    number = np.unique(person, return_inverse=True)[1].astype(np.int32)
    raw = Raw.of({name: [row[i] for row in rows] for i, name in enumerate("abcd")})
    found = unique_sets(raw, list("abcd"), number)
    for size in (1, 2, 3):
        everybody = [people_singled_out(rows, person, m) for k in range(1, size + 1) for m in combinations(range(4), k)]
        assert found.singled_out[size - 1] == len(set().union(*everybody))
    for one in found.of_size(1):
        assert one.people == len(people_singled_out(rows, person, ("abcd".index(one.columns[0]),)))
    three, four = (people_singled_out(rows, person, tuple(range(k))) for k in (3, 4))
    assert added_people(raw, list("abc"), ["d"], number) == {"d": len(four - three)}


def test_a_minimal_set_counts_people_whom_no_smaller_set_singles_out():
    """Ages single out one of five; of the others only age and sex together, and without sex it is one."""
    raw = Raw.of({"age": [20, 20, 30, 30, 40], "sex": ["m", "f", "m", "f", "m"]})
    found = unique_sets(raw, ["age", "sex"], np.arange(5, dtype=np.int32))
    assert [(one.columns, one.people) for one in found.sets] == [(("age",), 1), (("age", "sex"), 4)]
    assert found.singled_out == (1, 5, 5)
    assert {one.column: one.spared for one in found.contributions} == {"age": 5, "sex": 4}


def test_columns_of_many_values_are_combined():
    """128 values fill the codes of one byte."""
    raw = Raw.of({"a": list(range(128)) * 2, "b": ["x"] * 128 + ["y"] * 128})
    found = unique_sets(raw, ["a", "b"], np.arange(256, dtype=np.int32))
    assert [(one.columns, one.people) for one in found.sets] == [(("a", "b"), 256)]


def test_people_are_counted_by_the_key_of_visits():
    """200 patients, some with several visits, and five rows copied."""
    unit = unmask.inspect(made_table("visites")).inspection.unit
    assert (unit.person_key, unit.people, unit.repeated) == ("numero_patient", 200, 5)
    assert unit.rows > 400
    homes = unmask.inspect(made_table("hogares")).inspection.unit
    assert (homes.household, homes.households, homes.people) == ("id_hogar", 150, homes.rows)


def test_a_dependency_is_exact_and_no_chance():
    """A postcode determines its city; a column of nearly equal values is determined by none."""
    zips = [f"{i % 8:05}" for i in range(80)]
    raw = Raw.of(
        {"zip": zips, "city": [f"c{int(z) // 2}" for z in zips], "rare": ["a"] * 79 + ["b"], "all": ["x"] * 80}
    )
    assert [str(one) for one in dependencies(raw)] == ["zip → city"]
    broken = Raw.of({"zip": zips, "city": ["other", *(f"c{int(z) // 2}" for z in zips[1:])]})
    assert dependencies(broken) == ()


@pytest.mark.parametrize("table", MADE)
def test_no_value_of_an_identifying_column_is_printed(table: str):
    """Neither on the screen, nor in the page, the JSON or the draft."""
    data = made_table(table)
    found = unmask.inspect(data)
    printed = str(found) + found.to_json() + found.to_html() + found.to_toml()
    never = found.inspection.having(Role.IDENTIFIER, Role.PERSON_KEY, Role.HOUSEHOLD)
    assert [
        (one.name, value) for one in never for value in map(str, data[one.name]) if len(value) > 5 and value in printed
    ] == []


def test_examples_are_given_only_where_many_share_them():
    """Ten rows are too few to give a value as it is."""
    data = {
        "city": ["Leipzig"] * SHARED_BY + ["Halle"] * (SHARED_BY - 1),
        "name": ["Ada"] * 10 + ["Ben", "Cem"] * 5 + ["Di"],
    }
    city, name = unmask.inspect(data).inspection.columns
    assert city.examples == ("Leipzig", "Aaaaa")
    assert name.examples == ("Aaa",)


def test_safe_harbor_names_the_kind_and_the_remedy():
    """Names, places, dates, phones, e-mails, accounts; ages above 89 are counted."""
    harbor = {one.name: one.harbor for one in unmask.inspect(made_table("clients")).inspection.columns}
    letters = {name: one.letter for name, one in harbor.items() if one is not None}
    assert letters == {
        "customer_no": "H", "first_name": "A", "last_name": "A", "email": "F", "phone": "D", "iban": "J",
        "birth_date": "C", "zip": "B", "city": "B",
    }  # fmt: skip
    ages = unmask.inspect({"age": [30, 89, 90, 95] * 5, "state": ["TX"] * 20}).inspection.columns
    assert ages[0].harbor is not None
    assert ages[0].harbor.remedy == "ages above 89 become 90 or older: 10 rows"
    assert ages[1].harbor is None


@pytest.mark.parametrize("table", MADE)
def test_the_draft_is_read_as_it_is(table: str, tmp_path: Path):
    """Every role of the draft is the proposed one, in the order of the table, with a comment before it."""
    found = unmask.inspect(made_table(table))
    found.write(tmp_path / "roles.toml")
    read = Roles.from_toml(tmp_path / "roles.toml")
    assert {name: one.role for name, one in read.columns.items()} == {
        one.name: one.role for one in found.inspection.columns
    }
    assert read.columns.keys() == found.roles.columns.keys()


def test_a_draft_goes_through_sanitize_and_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Visits: dates as months to years, postcodes masked, people counted by the drafted key."""
    monkeypatch.chdir(tmp_path)
    data = made_table("visites")
    rows = [",".join(data), *(",".join(map(str, row)) for row in zip(*data.values(), strict=True))]
    Path("visits.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert run(["inspect", "visits.csv", "--out", "roles.toml", "--html", "page.html", "--json", "found.json"]) == 0
    assert run(["inspect", "visits.csv", "--out", "roles.toml"]) == 2
    assert json.loads(Path("found.json").read_text(encoding="utf-8"))["unit"]["people"] == 200
    assert "<h2>" in Path("page.html").read_text(encoding="utf-8")
    assert run(["sanitize", "visits.csv", "mondrian", "--set", "k=3", "--out", "release"]) == 0
    assert run(["measure", "release", "--require", "k=3"]) == 0


def test_names_of_columns_are_quoted_in_the_draft(tmp_path: Path):
    """Spaces, quotes, umlauts and controls in names, of columns and of the table."""
    data = {'a "b"': [1, 2] * 6, "größe = x": [1, 2] * 6, "tab\there": ["x", "y"] * 6, "age": [1, 2] * 6}
    unmask.inspect(data).write(tmp_path / "roles.toml")
    assert set(Roles.from_toml(tmp_path / "roles.toml").columns) == set(data)


@pytest.mark.parametrize("data", [{"a": [1]}, {"a": [None, None], "b": [1, 2]}, {"": [1, 2]}, {"a": ["x"] * 30}])
def test_the_smallest_tables_are_inspected(data: dict[str, list[object]]):
    """One row, one column, no value at all, no name."""
    found = unmask.inspect(data)
    assert str(found)
    assert found.to_html()
    assert found.to_json()
    assert found.to_toml()


NAMES = st.lists(
    st.sampled_from(["age", "zip", "diagnosis", "income", "weight", "e_mail"])
    | st.text("abcdefgh_ ", min_size=1, max_size=120).filter(str.strip),
    min_size=1, max_size=12, unique_by=str.strip,
)  # fmt: skip


def assert_whole_on_screen(found: unmask.InspectedTable) -> None:
    """Check that no line is wider than a screen, and that each name, example and reason is whole."""
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 80
    words = "".join("".join(lines).split())
    for one in found.inspection.columns:
        for part in (one.name, *([] if one.proposal.is_remaining else [*one.examples, one.proposal.reason])):
            assert "".join(part.split()) in words


@given(names=NAMES, n=st.integers(2, 30))
def test_lines_fit_a_screen_of_80_columns(names, n):
    """Lines of long names and reasons are broken, not cut."""
    cells = [f"{'a long word ' * 4}{i % 5}" for i in range(n)]
    assert_whole_on_screen(unmask.inspect({name.strip(): cells for name in names}))


@pytest.mark.parametrize("table", MADE)
def test_real_tables_fit_a_screen_of_80_columns(table):
    """Dependencies, sets and kinds of Safe Harbor too."""
    assert_whole_on_screen(unmask.inspect(made_table(table)))
