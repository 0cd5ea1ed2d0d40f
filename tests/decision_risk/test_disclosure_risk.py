"""Disclosure risk: the paper's definitions by hand, k-anonymity as a special case, and several dictionaries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.decision_risk import plain
from unmask.decision_risk.disclosure_risk import bayes_risk, risk, withheld, worst_risk
from unmask.decision_risk.rules.minimax import Minimax
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError

BOOK = [("Mary", "Smith", 1), ("Mary", "Jones", 2), ("Ann", "Smith", 3), ("Ann", "Jones", 4)]
MARY = [BOOK[0]]
W = np.array([[0.1, 0.2, 1.0]])


def disclosing(*disclosed: int, n: int = 1, m: int = 3) -> np.ndarray:
    """Disclose the same attributes of each of n records."""
    return np.tile([j in disclosed for j in range(m)], (n, 1))


@pytest.mark.parametrize(
    ("disclosed", "rho", "phi1", "loss"),
    [((), 4, 0.0, 0.25), ((0,), 2, 0.1, 0.552585), ((1,), 2, 0.2, 0.610701), ((2,), 1, 1.0, 2.718282),
     ((0, 1), 1, 0.3, 1.349859)],
)  # fmt: skip
def test_mary_smith_among_four(disclosed, rho, phi1, loss):
    """Each name alone leaves two; together they name her as surely as her number does, at a lower price."""
    consistency = plain.compared(MARY, BOOK)
    found = risk(consistency, Sensitivity.phi5(W), disclosing(*disclosed))
    assert [rho] == found.count.tolist()
    assert math.isclose(loss, found.value, abs_tol=5e-7)
    assert math.isclose(phi1 / rho, risk(consistency, Sensitivity.phi1(W[0], 1), disclosing(*disclosed)).value)


def test_infinite_weight_without_a_match_has_no_loss():
    """Zero times infinity is nothing; with one who fits the risk is infinite."""
    never = Sensitivity.phi3(np.full((1, 3), np.inf))
    assert 0 == risk(plain.compared([("Zoe", "Smith", 1)], BOOK), never, disclosing(0)).value
    assert math.inf == risk(plain.compared(MARY, BOOK), never, disclosing(0)).value
    assert 0 == risk(plain.compared(MARY, BOOK), never, disclosing()).value


def test_wrong_identification_has_a_loss():
    """One of two Marys is identified wrongly half of the time; a single one, or none, never."""
    sensitivity = Sensitivity(W, wrong=4.0)
    assert math.isclose(0.5 * 0.1 + 0.5 * 4, risk(plain.compared(MARY, BOOK), sensitivity, disclosing(0)).value)
    assert math.isclose(1.0, risk(plain.compared(MARY, BOOK), sensitivity, disclosing(2)).value)
    assert 0 == risk(plain.compared([("Zoe", "Smith", 1)], BOOK), sensitivity, disclosing(0)).value
    always = Sensitivity(W, wrong=math.inf)
    assert math.isclose(1.0, risk(plain.compared(MARY, BOOK), always, disclosing(2)).value)


def test_what_is_missing_cannot_be_disclosed():
    """A rule that would disclose it discloses nothing, and nothing is charged for it."""
    found = risk(plain.compared([("Mary", None, 1)], BOOK), Sensitivity.phi3(W), disclosing(0, 1))
    assert ([2], 0.05) == (found.count.tolist(), found.value)


def test_the_risk_is_the_average_loss():
    """Of Mary Smith, who is found, and of a Zoe who is not."""
    found = risk(plain.compared([BOOK[0], ("Zoe", "Smith", 1)], BOOK), Sensitivity.phi1(W[0], 2), disclosing(0, 1, n=2))
    assert [0.3, 0.0] == pytest.approx(found.loss.tolist())
    assert math.isclose(0.15, found.value)


def test_the_riskiest_attribute_is_the_one_that_helps_most_if_it_is_withheld():
    """Mary Smith is named by her number or by both names: without the number she still is, at less harm."""
    consistency, sensitivity = plain.compared(MARY, BOOK), Sensitivity.phi1(W[0], 1)
    assert math.isclose(1.3, risk(consistency, sensitivity, disclosing(0, 1, 2)).value)
    assert [1.2, 1.1, 0.3] == pytest.approx(withheld(consistency, sensitivity, disclosing(0, 1, 2)).tolist())
    assert [0.1, 0.05, 0.3] == pytest.approx(withheld(consistency, sensitivity, disclosing(0, 1)).tolist())


@given(plain.cases(), st.sampled_from([0.0, 0.4]))
def test_the_risk_equals_its_definition(case, wrong):
    """Records against entries, one by one, in fractions."""
    sensitivity = Sensitivity(np.array(case.weight), form="multiplicative", wrong=wrong)
    found = risk(plain.compared(case.records, case.entries), sensitivity, np.array(case.disclosed))
    for i, record in enumerate(case.records):
        present = [j for j, flag in enumerate(case.disclosed[i]) if flag and record[j] is not None]
        n = len(plain.fitting(record, case.entries, present))
        expected = (plain.phi5(case.weight[i], present) + (n - 1) * wrong) / n if n else 0.0
        assert math.isclose(expected, found.loss[i], rel_tol=1e-12)


@given(plain.cases(), st.integers(1, 4))
def test_k_anonymity_is_a_bound_of_c_over_k_under_constant_sensitivity(case, k):
    """Theorem 3: against the table itself a record of k look-alikes costs at most c / k, and any other more."""
    n, m = len(case.records), len(case.records[0])
    found = risk(plain.compared(case.records, case.records), Sensitivity.same(3.0, (n, m)), np.array(case.disclosed))
    assert ((found.loss <= 3.0 / k + 1e-12) == (found.count >= k)).all()


def test_under_constant_sensitivity_a_date_is_worse_than_a_diagnosis():
    """The paper's paradox: the date of a visit names one of eight, HIV hides among four; weights put it right."""
    days = [f"2020-01-0{day}" for day in range(1, 9)]
    ills = ["HIV", "flu"] * 4
    patients = list(zip(days, ills, strict=True))
    consistency = plain.compared(patients[:1], patients)
    date, diagnosis = disclosing(0, m=2), disclosing(1, m=2)
    same = Sensitivity.same(1.0, (1, 2))
    assert (1.0, 0.25) == (risk(consistency, same, date).value, risk(consistency, same, diagnosis).value)
    weighed = Sensitivity.phi1(np.array([0.1, 8.0]), 1)
    assert (0.1, 2.0) == (risk(consistency, weighed, date).value, risk(consistency, weighed, diagnosis).value)


THREE = (BOOK, BOOK[:2], [*BOOK, ("Mary", "Smith", 9)])


def test_the_bayes_risk_weighs_dictionaries():
    """Three quarters of the risk against all four, and a quarter of that against two."""
    sensitivity = Sensitivity.phi1(W[0], 1)
    risks = [risk(plain.compared(MARY, book), sensitivity, disclosing(1)) for book in THREE[:2]]
    assert math.isclose(0.75 * 0.1 + 0.25 * 0.2, bayes_risk(risks, [3, 1]))


def test_dictionary_of_probability_zero_contributes_nothing():
    """Not even where its risk is infinite."""
    never = Sensitivity.phi3(np.array([[np.inf, 0.2, 1.0]]))
    risks = [risk(plain.compared(MARY, book), never, disclosing(0)) for book in ([("Zoe", "Smith", 1)], BOOK)]
    assert 0 == bayes_risk(risks, [1, 0])
    assert math.inf == bayes_risk(risks, [1, 1e-9])


@pytest.mark.parametrize("prior", [[1], [0, 0], [-1, 2], [math.nan, 1], [math.inf, 1]])
def test_probabilities_of_dictionaries(prior):
    """One each, at least 0, not all 0."""
    risks = [risk(plain.compared(MARY, book), Sensitivity.phi3(W), disclosing(0)) for book in THREE[:2]]
    with pytest.raises(InvalidInputError, match="one probability of at least 0 each"):
        bayes_risk(risks, prior)


def test_shapes_are_checked():
    """Disclosures and weights are of the records, and dictionaries are compared with the same ones."""
    consistency = plain.compared(MARY, BOOK)
    with pytest.raises(InvalidInputError, match="a disclosure must be records × attributes"):
        risk(consistency, Sensitivity.phi3(W), disclosing(0, m=2))
    with pytest.raises(InvalidInputError, match="weights must be records × attributes"):
        risk(consistency, Sensitivity.phi3(np.ones((2, 3))), disclosing(0))
    with pytest.raises(InvalidInputError, match="same records"):
        Minimax(1).choose([consistency, plain.compared(BOOK, BOOK)], Sensitivity.phi3(W))
    with pytest.raises(InvalidInputError, match="at least one dictionary"):
        Minimax(1).choose([], Sensitivity.phi3(W))
    with pytest.raises(InvalidInputError, match="at least one; got none"):
        worst_risk([])
