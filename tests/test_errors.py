"""Errors: one tree, one line, a way out."""

from __future__ import annotations

import pytest

from unmask.errors import (
    ContradictionError,
    InfeasibleError,
    InvalidInputError,
    NotApplicableError,
    NotConvergedError,
    OutputError,
    UnmaskError,
    alternatives,
    did_you_mean,
    enumerated,
)


def test_every_deliberate_error_hangs_on_one_tree():
    """One `except` catches them all; a broken requirement is also a `ValueError`."""
    kinds = (ContradictionError, InfeasibleError, InvalidInputError, NotApplicableError, NotConvergedError, OutputError)
    assert all(issubclass(kind, UnmaskError) for kind in kinds)
    assert issubclass(InvalidInputError, ValueError)
    assert not issubclass(InfeasibleError, ValueError)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("zip", "zipcode"),
        ("ZIPCODE", "zipcode"),
        ("zip-code", "zipcode"),
        ("agee", "age"),
        ("marital_status", "marital-status"),
    ],
)
def test_a_slip_of_the_pen_gets_the_name_that_was_meant(name, meant):
    """A letter too many, capitals, a hyphen for an underscore, half of a word."""
    assert did_you_mean(name, ["age", "sex", "zipcode", "marital-status"]) == f" Did you mean {meant!r}?"


def test_a_word_of_several_names_gets_all_of_them():
    """`l` is a word of three models."""
    models = ["distinct-l", "entropy-l", "k", "max-share-l"]
    assert did_you_mean("l", models) == " Did you mean 'distinct-l' or 'entropy-l' or 'max-share-l'?"


def test_a_hundred_names_are_not_listed():
    """An error is one line; the guess is made among all of them."""
    error = str(InvalidInputError.unknown_name("word", "w97", [f"w{i:02}" for i in range(97)]))
    assert "w23 and 73 others; got 'w97'. Did you mean" in error
    assert "w24" not in error


def test_what_resembles_nothing_gets_no_guess():
    """Better no advice than a wrong one."""
    assert did_you_mean("qqq", ["age", "sex"]) == ""
    error = InvalidInputError.unknown_name("column", "zip", ["age", "sex", "zipcode"])
    assert str(error) == "column must be one of age, sex, zipcode; got 'zip'. Did you mean 'zipcode'?"
    assert "one of none" in str(InvalidInputError.unknown_name("column", "zip", []))


@pytest.mark.parametrize("names", [[], ["age"], ["age", "sex", "zip"]], ids=len)
def test_names_are_listed_with_and_or_or(names):
    """None is an empty text."""
    assert enumerated(iter(names)) == " and ".join(names)
    assert alternatives(iter(names)) == " or ".join(names)
