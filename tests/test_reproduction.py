"""A figure: what a paper printed, what we find, and whether the two agree."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from unmask.errors import InvalidInputError
from unmask.reproduction import PERCENT, UNKNOWN, Figure, Reproduction, Studied, around


def test_what_is_printed_is_rounded():
    """5/32 is .15625: the paper's .16 is that number, a paper's .15 would not be."""
    assert Figure.exact("a", "a", Fraction(5, 32), "0.16").verdict is Reproduction.REPRODUCED
    assert Figure.exact("a", "a", Fraction(5, 32), "0.15", "unknown").verdict is Reproduction.DIFFERS
    assert Figure.exact("a", "a", Fraction(100, 101), "100/101").verdict is Reproduction.REPRODUCED
    assert Figure.exact("a", "a", 0.9901, "100/101", "rounded").verdict is Reproduction.DIFFERS
    assert Figure.exact("a", "a", 1.0, None).verdict is Reproduction.NOT_COMPARABLE


def test_a_printed_number_lies_in_the_range_or_not():
    """And where the paper has none, there is nothing to be compared."""
    assert Figure.ranged("a", "a", 10, (8, 12), 12).verdict is Reproduction.REPRODUCED
    assert Figure.ranged("a", "a", 10, (8, 12), 12.1, "unknown").verdict is Reproduction.DIFFERS
    assert Figure.ranged("a", "a", 10, (8, 12), None).verdict is Reproduction.NOT_COMPARABLE


def test_a_figure_that_differs_must_say_why():
    """The cause that was tested, or that none is known."""
    with pytest.raises(InvalidInputError, match="must name the cause that was tested, or say that none is known"):
        Figure.ranged("a", "a", 10, (8, 12), 13)


@pytest.mark.parametrize(("paper", "note"), [(12, "read so"), (None, "read so"), (13, f"read so. {UNKNOWN}")])
def test_a_cause_is_named_only_of_a_difference(paper, note):
    """A figure that agrees, or has nothing to be compared with, drops its cause."""
    assert Figure.ranged("a", "a", 10, (8, 12), paper, "read so", cause=UNKNOWN).note == note
    assert Figure.claim("a", "all is well", 1, None, holds=True, note="read so", cause=UNKNOWN).note == "read so"
    assert UNKNOWN in Figure.claim("a", "all is well", 1, None, holds=False, cause=UNKNOWN).note


def test_a_figure_that_does_not_differ_cannot_say_that_its_cause_is_unknown():
    """So no study can, whatever its settings."""
    for paper in (12, None):
        with pytest.raises(InvalidInputError, match="does not differ: its note must name no cause"):
            Figure.ranged("a", "a", 10, (8, 12), paper, f"read so. {UNKNOWN.capitalize()}")


def test_only_numbers_with_a_range_can_be_missed_by_chance():
    """An exact number and a sentence cannot."""
    figures = (
        Figure.ranged("a", "a", 10, (8, 12), 12),
        Figure.ranged("b", "b", 10, (8, 12), 13, "unknown"),
        Figure.ranged("c", "c", 10, (8, 12), None),
        Figure.exact("d", "d", 1, "1"),
        Figure.claim("e", "all is well", 1, (0, 2), holds=True),
    )
    found = Studied("s", "S", figures, (), {}, 1)
    assert [figure.id for figure in found.ranged] == ["a", "b"]
    assert [found.count(verdict) for verdict in Reproduction] == [3, 1, 0, 0, 1]


def test_a_range_wider_than_half_of_what_is_possible_decides_nothing():
    """A printed number inside it is not reproduced, whatever it is; one outside differs all the same."""
    assert Figure.ranged("a", "a", 50, (20, 80), 30, within=PERCENT).verdict is Reproduction.NOT_DECIDED
    assert Figure.ranged("a", "a", 50, (20, 80), 90, "unknown", within=PERCENT).verdict is Reproduction.DIFFERS
    assert Figure.ranged("a", "a", 50, (20, 70), 30, within=PERCENT).verdict is Reproduction.REPRODUCED
    near = Figure.ranged("a", "a", 5, (-20, 30), 3, within=PERCENT)
    assert (near.low, near.high, near.verdict) == (0, 30, Reproduction.REPRODUCED)
    assert Figure.claim("a", "most", 60, (20, 90), holds=True, within=PERCENT).verdict is Reproduction.NOT_DECIDED


def test_two_runs_have_no_range():
    """Their interval would be that of 12.7 standard errors: it decides nothing."""
    one = Figure.ranged("a", "a", 2, around(np.array([1.0, 3.0])), 2)
    assert (one.low, one.high, one.verdict) == (None, None, Reproduction.NOT_DECIDED)


def test_what_is_true_by_definition_is_no_reproduction():
    """It is counted apart, and differs where it fails here."""
    assert Figure.claim("a", "a", 1, None, holds=True, is_arithmetic=True).verdict is Reproduction.ARITHMETIC
    failed = Figure.claim("a", "a", 1, None, holds=False, is_arithmetic=True, cause="a defect")
    assert failed.verdict is Reproduction.DIFFERS


def test_figures_have_names_of_their_own():
    """Otherwise they could not be cited."""
    one = Figure.exact("a", "a", 1, "1")
    with pytest.raises(InvalidInputError, match="got 'a' twice"):
        Studied("s", "S", (one, one), (), {}, 1)
