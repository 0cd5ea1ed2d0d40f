"""Raw columns and roles to tables: what numbers, texts, dates, missing values and keys become."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from unmask.errors import InvalidInputError
from unmask.files.raw import CellFormat, Raw
from unmask.files.roles import Roles
from unmask.files.tables import coding_notes, to_table
from unmask.schema import Categorical, Missing, Numeric, Ordered, Role
from unmask.table import Table

PEOPLE: dict[str, list[Any]] = {
    "name": ["Ann", "Bob", "Cid", "Dee"],
    "age": [39, 50, 39, None],
    "weight": [70.5, 80, 65, 71],
    "edu": ["HS", "BA", None, "HS"],
    "sick": ["flu", "cold", "flu", None],
}


def _coded(raw: Raw, roles: Roles) -> tuple[Table, tuple[str, ...]]:
    """Return a table, and how its columns were understood."""
    table = to_table(raw, roles)
    return table, tuple(coding_notes(table, raw, roles))


def roles_of(text: str, tmp_path) -> Roles:
    """Write roles.toml and read it."""
    (tmp_path / "roles.toml").write_text(text)
    return Roles.from_toml(tmp_path / "roles.toml")


def test_roles_turn_raw_columns_into_a_table_of_people():
    """The story: numbers stay numbers, text is coded in alphabetical order, the name never enters."""
    roles = Roles.of(quasi=["age", "weight", "edu"], sensitive=["sick"], identifier=["name"])
    table, notes = _coded(Raw.of(PEOPLE), roles)
    assert table.schema.names == ("age", "weight", "edu", "sick")
    assert table.schema["age"].domain == Numeric(step=1.0)
    assert table.schema["weight"].domain == Numeric(step=None)
    assert table.schema["edu"].domain == Categorical(("BA", "HS"))
    assert table.schema["sick"].values == ("cold", "flu", "?"), "under the policy `own` a missing value is a value"
    np.testing.assert_array_equal(table["age"], [39, 50, 39, np.nan])
    assert list(table["edu"]) == [1, 0, -1, 1]
    assert list(table["sick"]) == [1, 0, 1, 2]
    assert notes == (
        "in alphabetical order: edu; --order changes that",
        "sick is missing in 1 row: a value that can be found out; --harmless sick=? changes that",
    )


def test_a_table_is_the_same_by_file_and_by_hand():
    """`Table.of` and `to_table` agree on every rule of coding, numbers as sensitive values included."""
    columns: dict[str, list[Any]] = {
        "age": [39, 50, 9, None],
        "edu": ["HS", "BA", None, "HS"],
        "pay": [10.5, 9, 100, None],
    }
    for policy in (Missing.OWN, Missing.WILDCARD):
        by_hand = Table.of(columns, quasi=["age", "edu"], sensitive=["pay"], missing=policy)
        roles = Roles.of(quasi=["age", "edu"], sensitive=["pay"], missing_policy=policy)
        by_file = to_table(Raw.of(columns), roles)
        assert by_file.schema.attributes == by_hand.schema.attributes
        for name in by_hand.schema.names:
            np.testing.assert_array_equal(by_file[name], by_hand[name])
    assert by_hand.schema["pay"].values == ("9", "10.5", "100")


def test_columns_without_a_role_are_left_out_and_said_in_one_line():
    """Or carried along, where `--rest insensitive` says so."""
    roles = Roles.of(quasi=["age"], sensitive=["sick"])
    table, notes = _coded(Raw.of(PEOPLE), roles)
    assert table.schema.names == ("age", "sick")
    assert notes[0] == "3 columns without a role not used: name, weight, edu"
    rest = to_table(Raw.of(PEOPLE), roles.with_options(rest="insensitive", identifier=["name"]))
    assert rest.schema["weight"].role is Role.INSENSITIVE
    assert rest.schema["weight"].values == ("65", "70.5", "71", "80")


def test_what_is_not_declared_is_asked_for():
    """No quasi-identifier, no sensitive column, a name with a slip: one line with the way out."""
    with pytest.raises(InvalidInputError, match=r"must have a quasi-identifier column.*-q COLUMN.*name, age, weight"):
        to_table(Raw.of(PEOPLE), Roles.of(sensitive=["sick"]))
    with pytest.raises(InvalidInputError, match=r"must have a sensitive column.*-s COLUMN"):
        to_table(Raw.of(PEOPLE), Roles.of(quasi=["age"]))
    assert to_table(Raw.of(PEOPLE), Roles.of(quasi=["age"]), require=[Role.QUASI_IDENTIFIER]).n_rows == 4
    with pytest.raises(InvalidInputError, match="Did you mean 'weight'"):
        to_table(Raw.of(PEOPLE), Roles.of(quasi=["wieght"], sensitive=["sick"]))


def test_mixed_types_are_noted():
    """Ages with one `n/a` among them become categories: said by the column's name, never by the cell."""
    _, notes = _coded(Raw.of({"age": ["39", "n/a"], "s": ["a", "b"]}), Roles.of(quasi=["age"], sensitive=["s"]))
    assert notes[0] == "numbers and text beside each other in age: read as text"
    _, notes = _coded(Raw.of({"zip": ["01067", "10115"], "s": ["a", "b"]}), Roles.of(quasi=["zip"], sensitive=["s"]))
    assert notes[0] == "codes with leading zeros in zip: read as text"


def test_declared_orders_types_and_bounds_hold(tmp_path):
    """An order is kept, a type is checked, a bound is kept; what breaks one is counted, not quoted."""
    text = """
    [columns]
    age = { role = "quasi-identifier", type = "integer", low = 0, high = 120 }
    weight = { role = "quasi-identifier", type = "category" }
    edu = { role = "quasi-identifier", order = ["HS", "BA", "PhD"] }
    sick = { role = "sensitive", harmless = ["cold", "sneeze"], limit = { flu = 0.1 } }
    """
    table, notes = _coded(Raw.of(PEOPLE), roles_of(text, tmp_path))
    schema = table.schema
    assert schema["age"].domain == Numeric(0, 120, 1)
    assert schema["weight"].values == ("65", "70.5", "71", "80")
    assert schema["edu"].domain == Ordered(("HS", "BA", "PhD"), declared=True)
    assert list(table["edu"]) == [0, 1, -1, 0]
    assert list(schema["sick"].harm.limits(schema["sick"].values, 0.5)) == [0.5, 0.1, 0.5]
    assert any("not among its values: sneeze" in note for note in notes)
    for old, new, message in [
        ("high = 120", "high = 45", "rows beyond them: 1"),
        ('order = ["HS", "BA", "PhD"]', 'type = "integer"', "must hold numbers"),
        ('type = "category"', 'type = "integer"', "must hold integers"),
        ('order = ["HS", "BA", "PhD"]', 'type = "date"', "must hold dates"),
        ('order = ["HS", "BA", "PhD"]', "bins = [1, 2]", "to be put into bins"),
        ('order = ["HS", "BA", "PhD"]', 'levels = ["year"]', "must hold dates"),
        ('type = "category"', "mask = true, bins = [5]", "in one way; got mask and bins"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            to_table(Raw.of(PEOPLE), roles_of(text.replace(old, new), tmp_path))


def test_numbers_that_are_really_categories_can_be_declared_so():
    """By `order` or by type: 1 = single, 2 = married is no number."""
    raw = Raw.of({"civil": [1, 2, 1], "s": ["a", "b", "a"]})
    roles = Roles.of(quasi=["civil"], sensitive=["s"], order={"civil": [2, 1]})
    table = to_table(raw, roles)
    assert table.schema["civil"].values == ("2", "1")
    assert list(table["civil"]) == [1, 0, 1]


def test_a_hierarchy_that_lacks_a_value_names_column_and_value_and_the_way_out(tmp_path):
    """The one message that quotes a value: without it the file cannot be mended."""
    (tmp_path / "edu.csv").write_text("HS;Lower;*\nMA;Higher;*\n")
    roles = roles_of('columns.edu = { role = "quasi-identifier", hierarchy = "edu.csv" }', tmp_path)
    with pytest.raises(InvalidInputError, match=r"column 'edu' must list every value.*lacks 1 of 2. Add"):
        to_table(Raw.of(PEOPLE), roles.with_options(sensitive=["sick"]))
    (tmp_path / "edu.csv").write_text("HS;Lower;*\nMA;Higher;*\nBA;Higher;*\n", encoding="utf-16")
    edu = to_table(Raw.of(PEOPLE), roles.with_options(sensitive=["sick"])).schema["edu"]
    assert edu.domain == Categorical(("BA", "HS", "MA"), declared=True), "its leaves declare the domain"
    assert edu.hierarchy is not None
    assert edu.hierarchy.leaves_under("Higher") == frozenset({"MA", "BA"})
    with pytest.raises(InvalidInputError, match=r"no such file. Did you mean 'edu.csv'"):
        to_table(Raw.of(PEOPLE), roles.with_options(sensitive=["sick"], hierarchy={"edu": tmp_path / "educ.csv"}))


def test_hierarchies_can_be_made_of_the_column(tmp_path):
    """Masks for codes, bins for numbers, months and quarters for dates."""
    days = ["2020-05-17", "2019-12-31"]
    raw = Raw.of({"zip": ["13012", "14850"], "age": [17, 30], "pay": [7.5, 30], "day": days, "s": ["a", "b"]})
    text = """
    [columns]
    zip = { role = "quasi-identifier", mask = true }
    age = { role = "quasi-identifier", bins = [18, 30, 65] }
    pay = { role = "quasi-identifier", bins = [10] }
    day = { role = "quasi-identifier", type = "date", levels = ["month", "quarter", "year"] }
    s = { role = "sensitive" }
    """
    table, notes = _coded(raw, roles_of(text, tmp_path))
    made = {a.name: a.hierarchy for a in table.schema if a.hierarchy is not None}
    assert made["zip"].leaves_under("13***") == frozenset({"13012"})
    assert made["age"].leaves_under("<18") == frozenset({"17"})
    assert made["age"].leaves_under("30-64") == frozenset({"30"})
    assert made["pay"].leaves_under("[0, 10)") == frozenset({"7.5"})
    assert made["day"].leaves_under("2020-05") == frozenset({"2020-05-17"})
    assert made["day"].leaves_under("2020-Q2") == frozenset({"2020-05-17"})
    assert made["day"].leaves_under("2019") == frozenset({"2019-12-31"})
    assert table.schema["day"].domain == Numeric(step=1.0, dates=True)
    assert "dates, counted in days: day" in notes


def test_keys_number_people_and_households_and_weights_weigh():
    """Who has no key stands alone; a weight that is negative, missing or no number is refused."""
    raw = Raw.of(
        {"q": [1, 2, 3, 4], "s": ["a"] * 4, "p": ["x", None, "x", None], "h": [7, 7, 8, 8], "w": [1, 2, 3, 4.5]}
    )
    roles = Roles.of(quasi=["q"], sensitive=["s"], person_key="p", household="h", weight="w")
    table = to_table(raw, roles)
    assert table.person_of is not None
    assert table.household_of is not None
    assert list(table.person_of) == [0, 1, 0, 2]
    assert list(table.household_of) == [0, 0, 1, 1]
    assert table.weight is not None
    assert list(table.weight) == [1, 2, 3, 4.5]
    for bad in ([1, 2, 3, -4], [1, 2, 3, None], ["a", "b", "c", "d"]):
        with pytest.raises(InvalidInputError, match="must hold a number of at least 0 in every row"):
            to_table(
                Raw.of({"q": [1, 2, 3, 4], "s": ["a"] * 4, "w": bad}),
                Roles.of(quasi=["q"], sensitive=["s"], weight="w"),
            )


def test_a_value_that_looks_like_the_mark_gets_another_mark():
    """Where `?` is an answer that people gave, a missing one is written NA."""
    raw = Raw.of({"q": ["?", "yes", None], "s": ["?", "x", None]})
    assert raw["q"].labels == ("yes",), "unless it was declared to be missing, as it is by default"
    roles = Roles.of(quasi=["q"], sensitive=["s"])
    raw = Raw.from_arrow(pa.table({"q": ["?", "yes", ""], "s": ["?", "x", ""]}), "t", CellFormat(frozenset()))
    table = to_table(raw, roles)
    assert table.schema["q"].mark == "NA"
    assert table.schema["s"].values == ("?", "x", "NA")


@pytest.mark.parametrize("n", [1, 2, 50])
def test_tiny_constant_and_empty_columns_are_tables_too(n):
    """One row; the same value everywhere; no value at all; duplicate rows."""
    raw = Raw.of({"same": ["a"] * n, "none": [None] * n, "one": [1] * n, "s": ["x"] * n})
    table, notes = _coded(raw, Roles.of(quasi=["same", "none", "one"], sensitive=["s"]))
    assert table.n_rows == n
    assert list(table["none"]) == [-1] * n
    assert "without a single value: none" in notes
    assert table.profiles()[1].n_rows == 1
