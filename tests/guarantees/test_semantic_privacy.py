"""Semantic privacy: what an intruder concludes with and without a person's record, every table and output listed."""

from __future__ import annotations

from math import exp, expm1, log, tanh

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import stories
from tests.differential_privacy.test_budget import declared
from tests.guarantees import enumerated
from tests.guarantees.enumerated import differences, failing, laplace_count, or_in_clear, priors, randomized_response
from unmask.beliefs import About
from unmask.guarantees import semantic_privacy
from unmask.guarantees.semantic_privacy import PrintedSemanticPrivacy, SemanticPrivacy, theorem_16, theorem_18

ILL = About.attribute("condition")

WORST = {
    0.1: (0.02499, 0.04996, 0.02499, 0.04996, 0.10517),
    0.5: (0.12435, 0.24492, 0.12435, 0.24492, 0.64872),
    1.0: (0.24492, 0.46212, 0.24492, 0.46212, 1.71828),
    2.0: (0.46212, 0.76159, 0.46212, 0.76159, 6.38906),
}
"""ε: Laplace count of one person, of two or more; randomized response; tanh(ε/2); e^ε − 1."""


def worst(mechanism: enumerated.Matrix, n: int, seed: int = 0) -> float:
    """Return the largest statistical difference over priors, people and outputs."""
    return max(float(differences(mechanism, prior, n).max()) for prior in priors(n, np.random.default_rng(seed)))


@pytest.mark.parametrize("epsilon", WORST)
def test_the_sharp_bound_is_reached_by_a_noisy_count_of_two_people(epsilon):
    """Not by the count of one, nor by randomized response of any number, which stop at tanh(ε/4); of four for one ε."""
    most = 4 if epsilon == 1 else 3
    one, more, response, sharp, printed = WORST[epsilon]
    assert one == round(worst(laplace_count(epsilon, 1), 1), 5)
    for n in range(2, most + 1):
        assert more == round(worst(laplace_count(epsilon, n), n), 5)
    for n in range(1, most + 1):
        assert response == round(worst(randomized_response(epsilon, n), n), 5)
    assert sharp == round(semantic_privacy.sharp(epsilon), 5)
    assert printed == round(semantic_privacy.proposition_15(epsilon), 5)


def test_which_output_reaches_it():
    """Either (1, 0) or (1, 1): a noisy count of 1 speaks for the first by e^ε, and for the second without person 1."""
    prior = np.array([0, 0, 0.5, 0.5])  # tables 00, 01, 10, 11
    found = differences(laplace_count(0.8, 2), prior, 2)[0]
    assert np.arange(-28, 33)[np.isclose(found, tanh(0.4))].tolist() == [1]


def test_two_releases_reach_the_bound_for_the_sum():
    """ε = .3 and .5: .37995 = tanh(.4)."""
    assert 0.37995 == round(worst(enumerated.both(laplace_count(0.3, 2), laplace_count(0.5, 2)), 2), 5)
    assert 0.37995 == round(semantic_privacy.sharp(0.8), 5)


@pytest.mark.parametrize(
    ("epsilon", "delta", "n", "difference", "printed"),
    [(0.1, 1e-6, 100, 0.351859, 0.101810), (0.5, 1e-8, 1000, 3.481889, 0.100024)],
)
def test_theorem_16_with_its_constants(epsilon, delta, n, difference, printed):
    """The failure as printed, and what is quoted: the larger of that and the safe one."""
    found = theorem_16(epsilon, delta, n)
    assert difference == round(found.difference, 6)
    assert printed == round(semantic_privacy.failure_as_printed(epsilon, delta, n), 6)
    safe = semantic_privacy.failure_with_safe_constant(epsilon, delta, n)
    assert found.failure == max(safe, semantic_privacy.failure_as_printed(epsilon, delta, n)) == safe


def test_the_constant_of_lemma_19_can_be_exceeded():
    """In units of δ the mass beyond e^±2ε reaches 19.1 at ε = .1, where 18.1 is printed; 1.80 at ε = 1, for .74.

    Two outputs: a is likelier by more than e^2ε in the first world, b in the second; both worlds are (ε, δ)-close.
    """
    for epsilon, reached, printed in ((0.1, 19.1, 18.1), (1.0, 1.80, 0.74)):
        delta, e = 1e-4, np.exp(epsilon)
        a = delta / (1 - 1 / e)  # with a e^−2ε on the other side: a − e^ε (a e^−2ε) = δ
        first, second = np.array([a, a / e**2]), np.array([a / e**2, a])
        assert delta == pytest.approx(max(first[0] - e * second[0], second[1] - e * first[1]))
        assert reached == pytest.approx(first.sum() / delta, abs=0.05)
        assert printed == pytest.approx(2 / (epsilon * e), abs=0.05)
        assert first.sum() <= 2 * delta / (1 - 1 / e)


def test_where_the_printed_theorems_are_vacuous():
    """Theorem 16 from ln(2)/3 on, Proposition 15 from ln 2 on; the sharp bound never."""
    assert not theorem_16(log(2) / 3 - 0.01, 1e-9, 10).vacuous
    assert theorem_16(log(2) / 3, 1e-9, 10).vacuous
    assert not semantic_privacy.repaired(log(2) / 3, 1e-9, 10).vacuous
    assert theorem_16(0.1, 1e-4, 100).vacuous, "it may fail always"
    for epsilon, nothing in ((0.6, False), (0.7, True)):
        promise = PrintedSemanticPrivacy().promises([declared(epsilon)], ILL)
        assert promise is not None
        assert nothing == promise.vacuous == ("nothing" in promise.assumes)
        assert expm1(epsilon) == promise.limit


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-3), (0.5, 1e-3), (0.1, 1e-2), (1.0, 0.05)])
@pytest.mark.parametrize("n", [2, 3])
def test_randomized_response_with_rare_full_disclosure_keeps_theorem_16(epsilon, delta, n):
    """It fails with probability δ, where the theorem allows n √δ and more; the sharp form holds, too."""
    mechanism = or_in_clear(randomized_response(epsilon, n), delta)
    for prior in priors(n, np.random.default_rng(0)):
        for found in (theorem_16(epsilon, delta, n), semantic_privacy.repaired(epsilon, delta, n)):
            assert failing(mechanism, prior, n, found.difference) <= min(delta + 1e-12, found.failure)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    epsilon=st.floats(0.05, 2),
    delta=st.floats(1e-4, 0.3),
    slack=st.floats(0.01, 1),
)
def test_beliefs_lie_further_apart_no_more_often_than_the_repair_allows(seed, epsilon, delta, slack):
    """Any (ε, δ)-private mechanism is a private one, and with probability δ anything at all."""
    rng = np.random.default_rng(seed)
    private = np.exp(epsilon * rng.uniform(-0.25, 0.25, (8, 6)))  # of ratios e^(ε/2) at most, and as much by the sum
    private /= private.sum(axis=1, keepdims=True)
    mechanism = (1 - delta) * private + delta * rng.dirichlet(np.full(6, 0.1), size=8)
    limit = semantic_privacy.sharp(epsilon) + slack
    allowed = semantic_privacy.failure_by_repair(epsilon, delta, 3, slack)
    for prior in rng.dirichlet(np.full(8, 0.3), size=20):
        assert failing(mechanism, prior, 3, limit) <= allowed + 1e-12


def telltale(epsilon: float) -> enumerated.Matrix:
    """Return randomized responses of three people, except for the table in which all have a 1: that is disclosed."""
    mechanism = np.concatenate([randomized_response(epsilon, 3), np.zeros((8, 1))], axis=1)
    mechanism[7] = np.eye(9)[8]
    return mechanism


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_repair_fails_as_often_as_derived(epsilon):
    """Moving η = δ / (1 + e^ε) of either output: n (η + 2 η (1 + e^(ε/2))² / slack)."""
    moved = 1e-4 / (1 + exp(epsilon))
    expected = 7 * (moved + 2 * moved * (1 + exp(epsilon / 2)) ** 2 / 0.3)
    assert semantic_privacy.failure_by_repair(epsilon, 1e-4, 7, 0.3) == pytest.approx(expected)


def test_where_most_tables_are_safe_theorem_18_holds_and_16_does_not_apply():
    """All three ill is disclosed, so no δ below 1 covers its neighbors; yet a prior of rare illness hardly changes.

    With one in a hundred ill, two or three ill have probability 2.98e-4; all other tables are safe.
    """
    epsilon, delta, prior = 0.1, 3e-4, np.array([np.prod(np.where(t, 0.01, 0.99)) for t in enumerated.tables(3)])
    mechanism = telltale(epsilon)
    assert enumerated.closeness(mechanism, 7, 6, epsilon) == 1, "not differentially private"
    unsafe = [
        t for t in range(8) if any(enumerated.closeness(mechanism, t, t ^ bit, epsilon) > 1e-12 for bit in (1, 2, 4))
    ]
    assert [3, 5, 6, 7] == unsafe
    outside = float(prior[unsafe].sum())
    assert 2.98e-4 == pytest.approx(outside)

    promised = theorem_18(epsilon, delta, 3, outside)
    assert promised is not None
    assert not promised.vacuous
    assert promised.failure >= theorem_16(epsilon, delta, 3).failure
    assert 1e-6 == pytest.approx(failing(mechanism, prior, 3, promised.difference))

    sure = np.eye(8)[7] / 2 + np.eye(8)[6] / 2
    assert theorem_18(epsilon, delta, 3, float(sure[unsafe].sum())) is None, "the condition is about the prior"
    assert 0.5 <= failing(mechanism, sure, 3, promised.difference), "and without it nothing holds"


def test_publishing_one_random_person_is_close_in_total_variation_and_means_nothing():
    """The paper's counterexample: outputs move by 1/n only, and in every run one record is disclosed in full."""
    n = 3
    worlds = enumerated.tables(n)
    mechanism = np.stack([(worlds[:, i] == bit) / n for i in range(n) for bit in (0, 1)], axis=1)
    for table in range(8):
        assert 1 / n == pytest.approx(np.abs(mechanism[table] - mechanism[table ^ 1]).sum() / 2)
    uniform = np.full(8, 1 / 8)
    found = differences(mechanism, uniform, n).max(axis=0)
    assert found.min() >= 0.5, "in every output somebody's belief moves by half, from even odds to certain"
    assert 1 == pytest.approx(failing(mechanism, uniform, n, 0.49))


def test_what_is_promised_of_releases():
    """Two beliefs on seeing one output; with δ it says how often it fails, for how many people."""
    promise = SemanticPrivacy().promises([declared(0.3), declared(0.5)], ILL)
    assert promise is not None
    assert ("own-record-effect", False) == (promise.metric, promise.vacuous)
    assert tanh(0.4) == pytest.approx(promise.limit)
    less = SemanticPrivacy().promises([declared(0.8, 1e-8)], ILL)
    assert less is not None
    assert tanh(0.4) + 2e-4 == pytest.approx(less.limit)
    assert "but with probability 0.00231" in less.assumes
    always = SemanticPrivacy().promises([declared(0.1, 0.01)], ILL)
    assert always is not None
    assert (1, True) == (always.limit, always.vacuous), "of twelve people it may fail for somebody every time"
    printed = PrintedSemanticPrivacy().promises([declared(0.1, 1e-8)], ILL)
    assert printed is not None
    assert theorem_16(0.1, 1e-8, 12).difference == printed.limit
    assert "by Theorem 16" in printed.assumes


@pytest.mark.parametrize("guarantee", [SemanticPrivacy(), PrintedSemanticPrivacy()])
def test_nothing_is_promised_where_nothing_is_declared(guarantee):
    """Nor about places."""
    assert guarantee.promises(stories.hospitals(), ILL) is None
    assert guarantee.promises([declared(0.1)], About.place("release")) is None


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_limits_of_the_formulas(epsilon):
    """Nothing spent moves nothing; without δ nothing fails; with ε = 0 and a δ the printed constants are infinite."""
    assert semantic_privacy.Semantics(tanh(epsilon / 2)) == semantic_privacy.repaired(epsilon, 0, 5)
    assert semantic_privacy.Semantics(expm1(3 * epsilon)) == theorem_16(epsilon, 0, 5) == theorem_18(epsilon, 0, 5, 0)
    assert theorem_16(0, 1e-6, 5).vacuous
    assert not semantic_privacy.repaired(0, 1e-6, 5).vacuous
