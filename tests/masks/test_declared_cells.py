"""Cells that say nothing of who is in the data."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest

from unmask.dates import day_number, period_of
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.masks.declared_cells import PERIODS, cells_text, declared_cells, parse_cells
from unmask.masks.notation.notation import write_cells
from unmask.schema import Attribute, Categorical, Numeric, Ordered, Role, Schema
from unmask.table import Table

PEOPLE = Table.of({"age": [17, 24, 25, 90, None], "sex": list("ffm?m")}, quasi=["age", "sex"])


def declared(name: str, domain: Categorical | Ordered | Numeric, hierarchy: Hierarchy | None = None) -> Table:
    """Return the people, with something declared of a column."""
    attributes = [replace(a, domain=domain, hierarchy=hierarchy) if a.name == name else a for a in PEOPLE.schema]
    return Table(Schema(tuple(attributes)), PEOPLE.columns, PEOPLE.n_rows)


def test_edges_make_cells_and_values_beyond_count_in_the_outermost():
    """Integers from 20 to 24 and from 25 to 40; 17 counts with the first, 90 with the last, who has no age nowhere."""
    column = declared_cells(declared("age", Numeric(step=1.0)), "age", parse_cells("age=20,25,40"))
    assert ["20-24", "25-40"] == write_cells(column.cells)
    assert [0, 0, 1, 1, -1] == column.cell_of.tolist()
    assert Numeric(20.0, 40.0, 1.0) == column.attribute.domain


def test_numbers_that_are_not_whole_have_half_open_cells():
    """29.5 belongs to the second cell, 40 to the last."""
    table = Table.of({"weight": [20.0, 29.5, 40.0, 29.25]}, quasi=["weight"])
    column = declared_cells(table, "weight", parse_cells("weight=20,29.5,40"))
    assert ["[20, 29.5)", "[29.5, 40]"] == write_cells(column.cells)
    assert [0, 1, 1, 0] == column.cell_of.tolist()


def test_listed_values_are_cells_and_others_are_in_none():
    """`?` is not listed here, so it is counted nowhere; `x` is listed, though it does not occur."""
    column = declared_cells(PEOPLE, "sex", parse_cells("sex = f, m, x"))
    assert ("f", "m", "x") == column.attribute.values
    assert [0, 0, 1, -1, 1] == column.cell_of.tolist()


def test_a_declared_domain_needs_no_telling():
    """Every integer from 17 to 90, seen or not; and values in a declared order, without the mark of a missing one."""
    by_age = declared_cells(declared("age", Numeric(17.0, 90.0, 1.0)), "age", {})
    assert (74, [0, 7, 8, 73, -1]) == (by_age.cells.n, by_age.cell_of.tolist())
    codes = tuple(PEOPLE.schema["sex"].values)
    by_sex = declared_cells(declared("sex", Ordered(codes)), "sex", {})
    assert ("f", "m") == by_sex.attribute.values


def test_a_level_of_a_hierarchy_that_has_every_declared_value():
    """Decades from 10 to 90, also those without people."""
    decades = Hierarchy.intervals([float(n) for n in range(10, 100)], [10])
    column = declared_cells(declared("age", Numeric(10.0, 99.0, 1.0), decades), "age", parse_cells("age@1"))
    assert (9, [0, 1, 1, 8, -1]) == (column.cells.n, column.cell_of.tolist())
    assert ["[10, 20)", "[20, 30)"] == write_cells(column.cells)[:2]


def test_a_hierarchy_of_the_values_that_occur_is_refused():
    """It would tell who is there: its labels were made of the data."""
    seen = Hierarchy.intervals([17.0, 24.0, 25.0, 90.0], [10])
    with pytest.raises(InvalidInputError, match="must list every value of the column; it lacks "):
        declared_cells(declared("age", Numeric(10.0, 99.0, 1.0), seen), "age", parse_cells("age@1"))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("age", "", "must have a declared range"),
        ("sex", "", "must have declared values"),
        ("age", "age@1", "must have a hierarchy"),
        ("age", "age=20", "at least two rising numbers"),
        ("age", "age=40,20", "at least two rising numbers"),
        ("age", "age=20,old", "at least two rising numbers"),
        ("age", "age", "must have cells once"),
        ("age", "age=1,2;age=3,4", "got 'age' twice"),
    ],
)
def test_what_is_not_declared_is_refused_with_the_way_out(name, text, words):
    """The extremes of the data, and which values occur, are information about people."""
    with pytest.raises(InvalidInputError, match=words):
        declared_cells(PEOPLE, name, parse_cells(text))


def test_a_range_with_too_many_steps_is_refused():
    """A million cells of one column are a mistake."""
    with pytest.raises(InvalidInputError, match="at most 100,000 cells"):
        declared_cells(declared("age", Numeric(0.0, 1e6, 1.0)), "age", {})


def test_cells_do_not_need_people():
    """Cells of an empty table are those of any other."""
    empty = declared("age", Numeric(step=1.0)).take(np.zeros(0, np.int64))
    assert ["20-24", "25-40"] == write_cells(declared_cells(empty, "age", parse_cells("age=20,25,40")).cells)


def test_declared_steps_are_exact_decimals():
    """Three steps of 0.1 are 0.3, not 0.30000000000000004: who has 0.3 is counted there."""
    table = Table.of({"x": [0.3, 0.7]}, quasi=["x"])
    domain = Numeric(0.1, 0.9, 0.1)
    table = replace(table, schema=Schema((replace(table.schema["x"], domain=domain),)))
    column = declared_cells(table, "x", {})
    assert write_cells(column.cells) == ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"]
    assert column.cell_of.tolist() == [2, 6]
    edges = declared_cells(table, "x", parse_cells("x=0.1,0.3,0.9"))
    assert write_cells(edges.cells) == ["[0.1, 0.2]", "[0.3, 0.9]"]
    assert edges.cell_of.tolist() == [1, 1]


def test_a_step_that_the_data_suggest_is_not_used():
    """All ages are whole, which one record could change: half-open cells, and no step."""
    column = declared_cells(PEOPLE, "age", parse_cells("age=20,25,40"))
    assert ["[20, 25)", "[25, 40]"] == write_cells(column.cells)
    assert Numeric(20.0, 40.0) == column.attribute.domain
    observed = replace(Numeric(17.0, 90.0, 1.0), observed=True)
    with pytest.raises(
        InvalidInputError, match=r"column 'age' must have a declared step .* step or type in roles.toml"
    ):
        declared_cells(declared("age", observed), "age", {})


def test_numbers_are_compared_as_numbers_whatever_the_others_look_like():
    """`1.0` is 1, beside words as among numbers alone; where all declared values are numbers, words are refused."""
    mixed = Table.of({"ill": ["1.0", "2", "3+", "x"]}, sensitive=["ill"])
    assert [0, -1, 1, -1] == declared_cells(mixed, "ill", parse_cells("ill=1,3+")).cell_of.tolist()
    with pytest.raises(InvalidInputError, match="column 'ill' must hold numbers only, as its declared values do"):
        declared_cells(mixed, "ill", parse_cells("ill=1,2"))


def test_a_column_without_values_has_the_given_cells():
    """No age is known: the edges still apply."""
    empty = Table.of({"age": [None, None]}, quasi=["age"])
    column = declared_cells(empty, "age", parse_cells("age=20,25,40"))
    assert ["[20, 25)", "[25, 40]"] == write_cells(column.cells)
    assert [-1, -1] == column.cell_of.tolist()


def test_the_mark_of_missing_values_does_not_depend_on_the_data():
    """`?` as a value would change how all missing ones are written."""
    marked = replace(PEOPLE, schema=Schema(tuple(replace(a, mark="NA") for a in PEOPLE.schema)))
    with pytest.raises(InvalidInputError, match=r"column 'sex' must leave '\?' to missing values"):
        declared_cells(marked, "sex", parse_cells("sex=f,m"))


@pytest.mark.parametrize("level", PERIODS)
def test_a_period_of_dates_gives_whole_periods_of_the_declared_range(level):
    """Each declared day is in the cell of its own period, whatever days occur; days beyond count outermost."""
    low, high = dt.date(1999, 12, 30), dt.date(2001, 2, 3)
    numbers = [day_number(low) + i for i in range((high - low).days + 1)]
    domain = Numeric(numbers[0], numbers[-1], 1.0, dates=True)
    attribute = Attribute("born", Role.QUASI_IDENTIFIER, domain)
    rows = np.array([*numbers, numbers[0] - 9000, numbers[-1] + 9000, np.nan])
    column = declared_cells(
        Table(Schema((attribute,)), {"born": rows}, rows.size), "born", parse_cells(f"born@{level}")
    )
    periods = [period_of(low + dt.timedelta(i), level) for i in range(len(numbers))]
    cells = list(dict.fromkeys(periods))
    assert [cells[i] for i in column.cell_of[:-3]] == periods
    assert column.cell_of[-3:].tolist() == [0, len(cells) - 1, -1]
    assert column.cells.n == len(cells)
    if level != "week":  # written as its days
        assert write_cells(column.cells) == cells
    assert cells_text(parse_cells(f"born@{level}")) == f"born@{level}"


def test_a_period_needs_a_declared_range_of_dates():
    """The first and last date of the data are dates of people."""
    attribute = Attribute("born", Role.QUASI_IDENTIFIER, Numeric(step=1.0, observed=True, dates=True))
    table = Table(Schema((attribute,)), {"born": np.array([0.0, 1.0])}, 2)
    with pytest.raises(InvalidInputError, match="must hold dates of a declared range to be counted by year"):
        declared_cells(table, "born", parse_cells("born@year"))
    with pytest.raises(InvalidInputError, match=r"a period of dates \(week, month.*; got 'yr'"):
        parse_cells("born@yr")
