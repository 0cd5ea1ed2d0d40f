"""Beliefs: a probability for each person and answer, in shared rows; Bayes' rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judged import ILL, beliefs_of
from unmask.arrays import Ragged
from unmask.beliefs import About, Beliefs, Question
from unmask.errors import InvalidInputError


def test_the_likeliest_answer_comes_first():
    """A cold 1/4, flu 3/4; what is impossible is not listed."""
    beliefs = beliefs_of({"cold": 0.25, "flu": 0.75}, {})
    assert list(beliefs.of(0).items()) == [("flu", 0.75), ("cold", 0.25)]
    assert beliefs.of(1) == {}
    assert (beliefs.n_targets, beliefs.n_attacked) == (2, 1)


def test_bayes_rule_multiplies_and_divides():
    """Half flu, half cold; a fever is three times as likely with flu: 3/4 and 1/4."""
    prior = beliefs_of({"flu": 0.5, "cold": 0.5})
    fever = beliefs_of({"flu": 0.75, "cold": 0.25})
    after, contradicted = prior.given(fever)
    assert after.of(0) == pytest.approx({"flu": 0.75, "cold": 0.25})
    assert contradicted.size == 0


def test_evidence_that_rules_out_everything_does_not_concern_this_person():
    """She has flu for certain, the evidence says cold: the prior stays, and she is named."""
    prior = beliefs_of({"flu": 1.0}, {"flu": 0.5, "cold": 0.5})
    after, contradicted = prior.given(beliefs_of({"cold": 1.0}, {"cold": 1.0}))
    assert after.of(0) == {"flu": 1.0}
    assert after.of(1) == {"cold": 1.0}
    assert contradicted.tolist() == [0]


def test_targets_without_evidence_are_not_attacked():
    """Where either side has no belief there is none."""
    after, _ = beliefs_of({"flu": 1.0}, {"flu": 1.0}).given(beliefs_of({"flu": 1.0}, {}))
    assert after.row_of.tolist() == [0, -1]


@given(st.data())
def test_bayes_rule_is_its_formula_for_each_person(data):
    """However rows are shared: prior × likelihood, normalized; the prior where nothing is left."""
    n = data.draw(st.integers(1, 6))
    weights = st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any)
    sides = []
    for _ in range(2):
        rows = np.array(data.draw(st.lists(weights, min_size=1, max_size=3)), float)
        row_of = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=n, max_size=n)), np.int32)
        dense = rows / rows.sum(axis=1, keepdims=True)
        sides.append(Beliefs(ILL, ("cold", "flu", "hiv"), row_of, Ragged.of(dense)))
    after, contradicted = sides[0].given(sides[1])
    product = sides[0].dense() * sides[1].dense()
    dead = product.sum(axis=1) == 0
    expected = np.where(dead[:, None], sides[0].dense(), product)
    assert after.dense() == pytest.approx(expected / expected.sum(axis=1, keepdims=True))
    assert contradicted.tolist() == np.flatnonzero(dead).tolist()


def test_a_prior_is_one_shared_row():
    """Ten million people cost four bytes each."""
    prior = Beliefs.shared(ILL, ["cold", "flu"], np.array([0.5, 0.5]), 10_000_000)
    assert prior.rows.n_rows == 1
    assert prior.row_of.nbytes == 40_000_000


def test_values_align_by_label():
    """Another list of answers in another order; one that is believed possible must not be missing from it."""
    beliefs = beliefs_of({"flu": 0.75, "cold": 0.25})
    other = beliefs.aligned(["plague", "flu", "cold"])
    assert other.dense().tolist() == [[0, 0.75, 0.25]]
    with pytest.raises(InvalidInputError, match="value must be one of plague, flu; got 'cold'"):
        beliefs.aligned(["plague", "flu"])
    assert beliefs_of({"flu": 1.0}).aligned(["flu"]).dense().tolist() == [[1]]  # what is impossible may be missing


def test_probability_of_one_value_for_all_targets():
    """NaN for targets not attacked; an unknown value gets a suggestion."""
    beliefs = beliefs_of({"flu": 1.0}, {}, {"cold": 1.0})
    assert np.array_equal(beliefs.probability("flu"), [1, np.nan, 0], equal_nan=True)
    with pytest.raises(InvalidInputError, match="Did you mean 'flu'"):
        beliefs.probability("flue")


def test_the_firmest_beliefs_are_listed_first():
    """Two of three: the certain one, then the one at .75; ties in the order of people."""
    beliefs = beliefs_of({"flu": 0.5, "cold": 0.5}, {"cold": 1.0}, {}, {"flu": 0.75, "hiv": 0.25})
    assert list(beliefs.top(2)) == [(1, "cold", 1.0), (3, "flu", 0.75)]


@pytest.mark.parametrize(
    ("row_of", "rows", "message"),
    [
        ([0], [[0.5, 0.4, 0.0]], "must be a distribution"),
        ([0], [[1.5, -0.5, 0.0]], "must be a distribution"),
        ([1], [[1.0, 0.0, 0.0]], "point to one of 1 rows"),
        ([-2], [[1.0, 0.0, 0.0]], "point to one of 1 rows"),
        ([0], [[1.0, 0.0]], "a column for each of 3 values; got 2"),
    ],
)
def test_what_is_no_belief_is_refused(row_of, rows, message):
    """Not adding up to 1, negative, pointing nowhere, of another width."""
    with pytest.raises(InvalidInputError, match=message):
        Beliefs(ILL, ("cold", "flu", "hiv"), np.array(row_of, np.int32), Ragged.of(np.array(rows)))


def test_ways_and_errors_belong_to_entries():
    """One number for each possible answer, not for each value."""
    with pytest.raises(InvalidInputError, match="ways must have one number for each entry"):
        Beliefs(ILL, ("a", "b"), np.array([0], np.int32), Ragged.of(np.array([[1.0, 0.0]])), ways=np.ones(2))


def test_a_question_is_written_as_people_and_files_write_it():
    """An attribute by its name, a place as the row of a release."""
    assert str(About.attribute("ill")) == "ill"
    assert str(About.place("ward")) == "@row:ward"
    assert About.place("ward").question is Question.PLACE
