"""How cells are written and read: what a person's value must look like to stand behind one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.masks.cells import Cells
from unmask.masks.notation.notation import CellsRead, read_cells, write_cells
from unmask.numerics.numerals import extreme
from unmask.schema import (
    OUTSIDE,
    UNKNOWN,
    Attribute,
    Categorical,
    Missing,
    Numeric,
    Ordered,
    Role,
    domain_values,
    recode,
)

AGE = Attribute("age", Role.QUASI_IDENTIFIER)


def fits(read: CellsRead, text: int, *people: object) -> list[bool]:
    """Return for each person's value whether the parsed cell may contain it."""
    attribute = read.cells.attribute
    if attribute.is_numeric:
        at = domain_values(attribute.domain, [str(p) for p in people])
        at[[p is None for p in people]] = np.nan
    else:
        at = recode(tuple(str(p) for p in people), attribute.values)
        at[[p is None for p in people]] = UNKNOWN
    return [bool(p) for p in read.cells.likelihood(at).dense()[read.cell_of[text]]]


def test_the_papers_two_hospitals_can_be_read():
    """Ganta et al. 2008, Table 1: ages <30, >=40 and 3*, zip 130**, nationality * (section 1.1.1)."""
    ages = read_cells(AGE, ["<30", ">=40", "3*"], also=["28", "32", "45"])
    assert ages.cells.attribute.domain == Numeric(step=1.0)
    assert fits(ages, 0, 28, 32, 45) == [True, False, False]
    assert fits(ages, 1, 28, 32, 45) == [False, False, True]
    assert fits(ages, 2, 28, 32, 45) == [False, True, False]
    assert "open ends" in ages.notes[0]
    zips = read_cells(AGE, ["130**"], also=["13012", "14850"])
    assert zips.cells.attribute.values == ("13012",), "a code that no cell stands for is no part of the domain"
    assert fits(zips, 0, "13012", "14850") == [True, False]
    assert fits(read_cells(AGE, ["*"]), 0, "Japanese", None) == [True, True]


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("[20, 30)", [20, 29], [19, 30]),
        ("(20, 30]", [21, 30], [20, 31]),
        ("[20;30[", [20, 29], [19, 30]),
        ("20-29", [20, 29], [19, 30]),
        ("20 - 29", [20, 29], [19, 30]),
        ("20–29", [20, 29], [19, 30]),
        ("20 to 29", [20, 29], [19, 30]),
        ("-10--5", [-10, -5], [-11, -4, 5]),
        ("[-10, -5]", [-10, -5], [-11, -4, 5]),
        ("-5-10", [-5, 0, 10], [-6, 11]),
        ("<30", [29, 10], [30]),
        ("<=30", [30, 10], [31]),
        ("≤30", [30, 10], [31]),
        (">40", [41, 99], [40]),
        (">=40", [40, 99], [39]),
        ("≥40", [40, 99], [39]),
        ("40+", [40, 99], [39]),
        ("30s", [30, 39], [29, 40]),
        ("3*", [30, 39], [29, 40, 3]),
        ("{20, 25}", [20, 25], [21, 22]),
        ("[20, 22]|25", [20, 22, 25], [23, 24, 26]),
        ("25", [25], [24, 26]),
    ],
)
def test_every_notation_for_numbers_means_what_people_mean_by_it(text, inside, outside):
    """On a column of integers from 10 to 99 (or below zero)."""
    known = [] if "*" in text else ["10", "99"]
    read = read_cells(AGE, [text], domain=Numeric(10.0 if min(inside) > 0 else -20.0, 99.0, 1.0), also=known)
    assert fits(read, 0, *inside) == [True] * len(inside)
    assert fits(read, 0, *outside) == [False] * len(outside)


def test_equal_sets_are_equal_cells_however_they_are_written():
    """`[20, 30)`, `20-29`, `{20, ..., 29}` and two touching intervals are one cell of a column of integers."""
    read = read_cells(AGE, ["[20, 30)", "20-29", "(19, 29]", "[20, 24]|25-29", "30-39"])
    assert read.cells.n == 2
    assert list(read.cell_of) == [0, 0, 0, 0, 1]


def test_on_numbers_with_decimals_an_interval_is_closed_as_written():
    """A temperature of 29.5 is no integer: `20-30` holds it, `20-29` does not."""
    read = read_cells(AGE, ["20-29", "[29, 29.7]", "30"])
    assert read.cells.attribute.domain == Numeric(step=None)
    assert fits(read, 0, 29.0, 29.5) == [True, False]
    assert fits(read, 1, 29.5, 29.7, 29.8) == [True, True, False]
    by_people = read_cells(AGE, ["20-29", "30-39"], also=["29.5"])
    assert by_people.cells.attribute.domain == Numeric(step=None)


def test_a_decimal_comma_is_a_matter_of_declaration():
    """`20,5` is a number only where the comma is known to be decimal."""
    assert not read_cells(AGE, ["20,5-29,5"]).cells.attribute.is_numeric
    read = read_cells(AGE, ["20,5-29,5", "[30,5; 40,25)"], decimal=",")
    assert list(read.cells.low) == [20.5, 30.5]
    assert list(read.cells.high) == [29.5, 40.25]


def test_an_open_end_runs_to_the_declared_bound_else_to_what_is_seen():
    """`<30` with a person of 17 begins at 17; with a declared bound of 0 at 0."""
    seen = read_cells(AGE, ["<30", "30-39", ">=40"], also=["17", "81"])
    assert (list(seen.cells.low), list(seen.cells.high)) == ([17, 30, 40], [29, 39, 81])
    declared = read_cells(AGE, ["<30", ">=40"], domain=Numeric(0.0, 120.0, 1.0))
    assert (list(declared.cells.low), list(declared.cells.high)) == ([0, 40], [29, 120])
    assert declared.notes == ()


def test_an_open_end_beyond_which_nothing_is_known_still_holds_something():
    """Without people, `<30` is the single integer below: never an empty cell."""
    read = read_cells(AGE, ["<30", "30-39", ">39", "*"])
    assert read.cells.n == 4
    assert fits(read, 0, 29, 30) == [True, False]
    assert fits(read, 2, 40, 39) == [True, False]
    assert np.isfinite(read.cells.low).all()


def test_digits_and_stars_that_may_be_numbers_or_codes_are_asked_about():
    """`3*` beside the age 5 may be 30 to 39, or all codes that begin with 3."""
    with pytest.raises(InvalidInputError, match=r"'3\*' stands for numbers or for codes.*roles\.toml"):
        read_cells(AGE, ["3*", "5"])
    with pytest.raises(InvalidInputError, match="two-digit"):
        read_cells(AGE, ["3*", "40-49"], also=["101"])
    assert fits(read_cells(AGE, ["3*", "5", "10*"], domain=Numeric(step=1.0)), 2, 100, 109, 110) == [True, True, False]
    codes = read_cells(AGE, ["3*", "5"], domain=Categorical(()), also=["31"])
    assert fits(codes, 0, "31", "5") == [True, False]


def test_masks_and_codes_of_one_length_are_codes_without_asking():
    """A zip column shows 13012 and 130**: text, and a leading zero stays."""
    read = read_cells(AGE, ["13012", "130**", "1485*"], also=["13099", "14850"])
    assert read.cells.attribute.values == ("13012", "13099", "14850")
    assert fits(read, 1, "13012", "13099", "14850") == [True, True, False]
    zeros = read_cells(AGE, ["01234", "01235"])
    assert zeros.cells.attribute.domain == Categorical(("01234", "01235"))


def test_a_mask_without_known_people_is_a_value():
    """No person known has such a code; the cell must not become empty, for it is still published."""
    read = read_cells(AGE, ["130**", "131**"])
    assert read.cells.attribute.values == ("130**", "131**")
    assert read.cells.n == 2


def test_a_label_of_the_hierarchy_stands_for_its_leaves():
    """`Higher` is Bachelors and Masters; with numbers below, a label may stand for an interval too."""
    schools = Hierarchy.from_rows([("HS", "Lower", "*"), ("Bachelors", "Higher", "*"), ("Masters", "Higher", "*")])
    read = read_cells(Attribute("edu", Role.QUASI_IDENTIFIER, hierarchy=schools), ["Higher", "HS", "*"])
    assert fits(read, 0, "HS", "Bachelors", "Masters") == [False, True, True]
    assert fits(read, 2, "anything") == [True]
    years = Hierarchy.from_rows([("20", "young"), ("21", "young"), ("22", "young"), ("70", "old"), ("80", "old")])
    read = read_cells(Attribute("age", Role.QUASI_IDENTIFIER, hierarchy=years), ["young", "old", "30-40"])
    assert read.cells.attribute.domain == Numeric(step=1.0)
    assert fits(read, 0, 20, 22, 23) == [True, True, False]
    assert fits(read, 1, 70, 75, 80) == [True, False, True]


def test_a_missing_value_hides_behind_the_mark_or_beside_an_interval():
    """`20-29|?` is a person in their twenties or a person of unknown age."""
    read = read_cells(AGE, ["20-29|?", "?", "30-39"])
    assert fits(read, 0, 25, None, 35) == [True, True, False]
    assert fits(read, 1, 25, None) == [False, True]
    assert fits(read, 2, 35, None) == [True, False]


def test_a_missing_cell_as_a_wildcard_is_any_value():
    """Under the wildcard policy an uninformative cell fits all people, and a person of unknown age fits any cell."""
    wild = Attribute("age", Role.QUASI_IDENTIFIER, missing=Missing.WILDCARD)
    read = read_cells(wild, ["?", "30-39"])
    assert fits(read, 0, 25, None) == [True, True]
    assert fits(read, 1, 25, None) == [False, True]


def test_as_a_wildcard_an_interval_or_missing_may_be_anybody():
    """`20-29|?` under the wildcard policy: a person of 45 may be the one with the missing age. `20-29` excludes it."""
    wild = Attribute("age", Role.QUASI_IDENTIFIER, missing=Missing.WILDCARD)
    read = read_cells(wild, ["20-29|?", "20-29"])
    assert [fits(read, cell, 25, 45, None) for cell in (0, 1)] == [[True, True, True], [True, False, True]]
    assert write_cells(read.cells.take(read.cell_of)) == ["20-29|?", "20-29"]
    own = read_cells(AGE, ["20-29|?"])
    assert fits(own, 0, 25, 45, None) == [True, False, True]


def test_values_that_look_like_notation_are_quoted():
    """A value may be `{x}`, `?`, `a*`, `a, b` or have quotes in it: what is written is read back as itself."""
    odd = ("{x}", "?", "a*", 'say "hi"', "a, b", "*", "x|?", "<=50K", "", " blank", "}")
    attribute = Attribute("odd", Role.QUASI_IDENTIFIER, Categorical(odd))
    code = np.arange(len(odd), dtype=float)
    alone = Cells.runs(attribute, code, code, np.zeros(len(odd), bool))
    pairs = Cells.runs(attribute, code[:-1], code[1:], np.ones(len(odd) - 1, bool))
    for cells in (alone, pairs):
        texts = write_cells(cells)
        assert len(set(texts)) == cells.n
        again = read_cells(Attribute("odd", Role.QUASI_IDENTIFIER), texts, domain=Categorical(()))
        for i in range(cells.n):
            meant = {odd[int(c)] for c in range(int(cells.low[i]), int(cells.high[i]) + 1)}
            assert fits(again, i, *odd) == [value in meant for value in odd]
    assert "<=50K" in write_cells(alone), "what cannot be mistaken is written as it is"


def test_a_set_whose_quotes_are_not_closed_is_refused_without_quoting_it():
    """One clear line; the cell may be a person's."""
    with pytest.raises(InvalidInputError, match="every quote closed") as caught:
        read_cells(AGE, ['{"secret, B}', "C"])
    assert "secret" not in str(caught.value)


def test_words_in_a_column_of_numbers_are_refused_by_their_number():
    """Declared as integers, 1 of 2 distinct cells is none; the cell itself stays out of the message."""
    with pytest.raises(InvalidInputError, match="1 of its 2 distinct cells") as caught:
        read_cells(AGE, ["20-29", "elderly"], domain=Numeric(step=1.0))
    assert "elderly" not in str(caught.value)


def test_a_declared_order_is_kept_and_must_be_complete():
    """The codes follow the declared order; a value it lacks is an error that counts, and does not name."""
    grades = Ordered(("low", "mid", "high"))
    read = read_cells(AGE, ["{low, mid}", "high"], domain=grades)
    assert read.cells.attribute.values == ("low", "mid", "high")
    assert list(read.cells.low) == [0, 2]
    with pytest.raises(InvalidInputError, match="1 are missing"):
        read_cells(AGE, ["highest"], domain=grades)


def test_hierarchy_labels_are_written_where_they_are_exact():
    """`130**` for all codes below it, braces for half of them."""
    zips = Hierarchy.masks(["13012", "13053", "14850"])
    attribute = Attribute("zip", Role.QUASI_IDENTIFIER, Categorical(zips.leaves), zips)
    cells = Cells.runs(attribute, np.array([0.0, 1.0, 0.0]), np.array([1.0, 2.0, 2.0]), np.zeros(3, bool))
    assert write_cells(cells) == ["130**", "{13053, 14850}", "1****"]


integers = st.tuples(st.integers(-30, 30), st.integers(0, 9), st.booleans()).map(lambda t: (t[0], t[0] + t[1], t[2]))
computable = st.floats(-1e6, 1e6).filter(lambda number: not extreme(np.array([number]))[0])  # else they are labels
decimals = st.tuples(computable, computable.map(abs), st.booleans()).map(lambda t: (t[0], t[0] + t[1], t[2]))


@given(st.one_of(st.lists(integers, min_size=1), st.lists(decimals, min_size=1)), st.data())
def test_law_written_numbers_read_back_as_the_same_cells(runs, data):
    """Boxes over numbers, with and without a missing value behind them, whatever the numbers are."""
    step = 1.0 if all(isinstance(low, int) for low, _, _ in runs) else None
    low, high, missing = (np.array(column) for column in zip(*runs, strict=True))
    attribute = Attribute("x", Role.QUASI_IDENTIFIER, Numeric(step=step))
    cells, _ = Cells.runs(attribute, low.astype(float), high.astype(float), missing.astype(bool)).ordered()
    texts = write_cells(cells)
    order = data.draw(st.permutations(range(cells.n)))
    read = read_cells(attribute, [texts[i] for i in order], domain=Numeric(step=step))
    assert list(read.cell_of) == list(order)
    for name in ("start", "low", "high", "low_open", "high_open", "missing", "anything"):
        np.testing.assert_array_equal(getattr(read.cells, name), getattr(cells, name))


@given(st.lists(st.text(max_size=6), min_size=1, max_size=8, unique=True), st.data())
def test_law_written_sets_read_back_as_the_same_cells(values, data):
    """Runs of codes over any texts whatever: commas, braces, quotes, stars and blanks included."""
    domain = tuple(sorted(values))
    n = len(domain)
    ends = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.booleans()), min_size=1))
    low = np.array([float(min(a, b)) for a, b, _ in ends])
    high = np.array([float(max(a, b)) for a, b, _ in ends])
    attribute = Attribute("x", Role.QUASI_IDENTIFIER, Categorical(domain))
    cells, _ = Cells.runs(attribute, low, high, np.array([m for _, _, m in ends])).ordered()
    read = read_cells(attribute, write_cells(cells), domain=Categorical(()))
    meant = cells.likelihood(np.append(np.arange(n), UNKNOWN).astype(np.int32)).dense()
    at = np.append(recode(domain, read.cells.attribute.values), UNKNOWN).astype(np.int32)
    named = at != OUTSIDE  # a value in no cell is in no domain either
    np.testing.assert_array_equal(read.cells.likelihood(at).dense()[read.cell_of][:, named], meant[:, named])


@given(st.sampled_from([0.1, 0.05, 0.3]), st.integers(-50, 50), st.integers(1, 9))
def test_law_multiples_of_a_decimal_step_lie_in_the_interval_that_begins_with_them(step, first, n):
    """0.3 lies in `[0.3, 0.6)` of a column with the step 0.1, and no text carries binary noise."""
    begin, inside, end = (round(step * number, 2) for number in (first, first + n - 1, first + n))
    read = read_cells(AGE, [f"[{begin}, {end})"], domain=Numeric(step=step))
    assert fits(read, 0, begin, inside, end) == [True, True, False]
    assert all(len(text) < 20 for text in write_cells(read.cells))


def test_texts_that_differ_are_cells_of_their_own_whatever_is_known_to_stand_behind_them():
    """Of June one day is known: `2023-06` and that day are still distinct, as are `130**` and `13***`."""
    days = read_cells(AGE, ["2023-06", "2023-06-11", "2023-Q2"], also=["2023-06-11"])
    assert days.cells.n == 3
    assert [fits(days, cell, "2023-06-11") for cell in range(3)] == [[True]] * 3
    assert write_cells(days.cells.take(days.cell_of)) == ["2023-06", "2023-06-11", "2023-Q2"]
    assert read_cells(AGE, ["130**", "13***"], also=["13012"]).cells.n == 2


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("2020", ["2020-01-01", "2020-12-31"], ["2019-12-31", "2021-01-01"]),
        ("2020-Q1", ["2020-01-01", "2020-03-31"], ["2019-12-31", "2020-04-01"]),
        ("2020-03", ["2020-03-01", "2020-03-31"], ["2020-02-29", "2020-04-01"]),
        ("2020-01-15..2020-03-31", ["2020-01-15", "2020-02-29", "2020-03-31"], ["2020-01-14", "2020-04-01"]),
        ("2020-01-15 .. 2020-03-31", ["2020-01-15", "2020-03-31"], ["2020-01-14"]),
    ],
)
def test_periods_and_ranges_of_dates_stand_for_their_days(text, inside, outside):
    """Both ends are included; days of people decide that the column has dates."""
    read = read_cells(AGE, [text, *outside], also=[*inside, *outside])
    assert fits(read, 0, *inside) == [True] * len(inside)
    assert fits(read, 0, *outside) == [False] * len(outside)
    assert write_cells(read.cells.take(read.cell_of))[0].replace(" ", "") == text.replace(" ", "")


def test_a_range_of_words_is_in_the_order_of_the_column():
    """`B..D` alphabetically, by the declared order where there is one; a value that looks like one is itself."""
    words = read_cells(AGE, ["B..D", "A"], also=["A", "B", "C", "Cx", "D", "E"])
    assert fits(words, 0, "A", "B", "C", "Cx", "D") == [False, True, True, True, True]
    grades = read_cells(AGE, ["low..mid", "high"], domain=Ordered(("low", "mid", "high")))
    assert fits(grades, 0, "low", "mid", "high") == [True, True, False]
    assert fits(read_cells(AGE, ["B..D", "C"], also=["B..D", "C"]), 0, "B..D", "C") == [True, False]
    assert fits(read_cells(AGE, ["etc..", "a...b", "C..B"]), 2, "C..B") == [True]
