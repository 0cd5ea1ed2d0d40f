"""Hierarchies: which values become one when a column is coarsened."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy, number_text


def under(hierarchy: Hierarchy, label: str) -> set[str]:
    """Return the leaves that a label stands for."""
    return set(hierarchy.leaves_under(label) or ())


EDUCATION = "BA;Higher;*\nMA;Higher;*\nHS;Lower;*\n"


def test_twenty_in_steps_of_ten_is_20_to_30():
    """Half-open: 20 begins its own interval, it does not end the one before."""
    ages = Hierarchy.intervals([20, 29, 30], [10])
    assert under(ages, "[20, 30)") == {"20", "29"}
    assert under(ages, "[30, 40)") == {"30"}
    assert under(ages, "*") == {"20", "29", "30"}


def test_negative_numbers_fall_below_zero():
    """−5 lies in [−10, 0); an origin moves all borders."""
    assert under(Hierarchy.intervals([-5, 5], [10]), "[-10, 0)") == {"-5"}
    assert under(Hierarchy.intervals([18, 24], [7], origin=18), "[18, 25)") == {"18", "24"}


def test_codes_are_masked_from_the_right():
    """13012, 1301*, 130**, ... and at last only stars; shorter codes are filled up."""
    codes = Hierarchy.masks(["13012", "13053", "148"])
    assert under(codes, "130**") == {"13012", "13053"}
    assert under(codes, "*****") == {"13012", "13053", "148"}
    assert codes.n_levels == 6


def test_the_form_of_arx_is_read_and_written():
    """A line a leaf, levels from left to right; `;` or `,`, with or without a byte order mark."""
    one = Hierarchy.from_csv(EDUCATION)
    assert one.leaves == ("BA", "MA", "HS")
    assert under(one, "Higher") == {"BA", "MA"}
    assert under(one, "BA") == {"BA"}
    assert one.leaves_under("Doctor") is None
    assert one.to_csv() == EDUCATION
    assert Hierarchy.from_csv("\ufeff" + EDUCATION.replace(";", ",")).to_csv() == EDUCATION


def test_a_value_that_a_hierarchy_lacks_is_named_with_its_column_and_the_way_out():
    """One line, instead of a KeyError."""
    with pytest.raises(InvalidInputError, match=r"column 'edu' .* it lacks 1 of 2\. Add a line") as caught:
        Hierarchy.from_csv(EDUCATION).require("edu", ["BA", "PhD"])
    assert "\n" not in str(caught.value)
    Hierarchy.from_csv(EDUCATION).require("edu", ["BA", "HS"])


def test_levels_may_cross_and_it_can_be_asked():
    """Five, ten and twenty years are nested; twenty and fifty are not."""
    ages = range(100)
    assert Hierarchy.intervals(ages, [5, 10, 20]).is_nested()
    assert not Hierarchy.intervals(ages, [20, 50]).is_nested()
    assert Hierarchy.from_csv(EDUCATION).is_nested()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hierarchy.from_csv(""), "at least one line; got none"),
        (lambda: Hierarchy.from_csv("a;x\na;y\n"), "each leaf once; got 'a' twice"),
        (lambda: Hierarchy.from_csv("a;x\nb\n"), "line 2 of a hierarchy must have 2 levels like the first; got 1"),
        (lambda: Hierarchy.intervals([1], []), "widths must be greater than 0"),
        (lambda: Hierarchy.intervals([1], [0]), "widths must be greater than 0"),
    ],
)
def test_what_is_no_hierarchy_is_refused(make, message):
    """Empty, a leaf twice, a line too short, intervals without width."""
    with pytest.raises(InvalidInputError, match=message):
        make()


@given(st.floats(-1e14, 1e14) | st.integers(-(10**9), 10**9))
def test_numbers_are_written_as_people_do_and_read_back(number):
    """Without `.0`, and exactly."""
    text = number_text(float(number))
    assert float(text) == number
    assert not text.endswith(".0")


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=8), st.sampled_from([0.5, 1, 7, 10]))
def test_every_number_lies_in_its_interval(values, width):
    """By the definition of half-open, whatever the width."""
    made = Hierarchy.intervals(values, [width])
    for leaf, label in zip(made.leaves, made.label_of[0], strict=True):
        low, high = (float(end) for end in made.labels[0][label].strip("[)").split(", "))
        assert low <= float(leaf) < high


decimals = st.decimals(min_value=-1000, max_value=1000, places=3).map(lambda number: str(number.normalize() + 0))


@given(st.lists(decimals, min_size=1, max_size=8), st.sampled_from(["0.1", "0.05", "0.3", "2.5", "7"]))
def test_law_decimals_lie_in_intervals_whose_bounds_are_exact_multiples(values, width):
    """No binary noise: every bound is the decimal that people would write, and the next one is one width on."""
    made = Hierarchy.intervals(values, [width])
    for leaf, label in zip(made.leaves, made.label_of[0], strict=True):
        low, high = (Decimal(end) for end in made.labels[0][label].strip("[)").split(", "))
        assert low <= Decimal(leaf) < high
        assert high - low == Decimal(width)
        assert low % Decimal(width) == 0


def test_whole_numbers_of_any_length_keep_their_own_interval():
    """Two account numbers that a float would merge."""
    made = Hierarchy.intervals(["9007199254740992", "9007199254740993"], ["1"])
    assert made.to_csv().splitlines()[1] == "9007199254740993;[9007199254740993, 9007199254740994);*"


@pytest.mark.parametrize(("rows", "root"), [("a;x\nb;y\nc;y\n", True), ("a;x;*\nb;y;*\nc;y;*\n", False)])
def test_some_of_the_leaves_stay_as_far_apart(rows, root):
    """A root is added where there was none: else the one label that is left would become it."""
    some = Hierarchy.from_csv(rows).only(["b", "c", "other"])
    assert some.to_csv() == "b;y;*\nc;y;*\n"
    assert root is not rows.endswith("*\n")
