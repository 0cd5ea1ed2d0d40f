"""R-hat and effective sample size, compared with arviz and with theory."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.attacks.definetti.convergence import effective_draws, r_hat, r_hat_of_counts, standard_error
from unmask.errors import InvalidInputError


def autoregressive(correlation, chains, draws, rng):
    """Draw chains whose neighbors correlate: n draws are worth n (1 - r) / (1 + r)."""
    noise = rng.normal(size=(chains, draws))
    for t in range(1, draws):
        noise[:, t] = correlation * noise[:, t - 1] + np.sqrt(1 - correlation**2) * noise[:, t]
    return noise


CASES = {
    "independent": lambda rng: rng.normal(size=(4, 500)),
    "correlated": lambda rng: autoregressive(0.8, 4, 501, rng),
    "alternating": lambda rng: autoregressive(-0.4, 4, 300, rng),
    "strongly alternating": lambda rng: autoregressive(-0.98, 4, 300, rng),
    "shifted": lambda rng: autoregressive(0.5, 4, 400, rng) + rng.normal(size=(4, 1)),
    "stuck": lambda rng: autoregressive(0.99, 4, 200, rng),
    "counts": lambda rng: np.round(autoregressive(0.6, 4, 150, rng)),
    "heavy tails": lambda rng: np.exp(3 * autoregressive(0.9, 4, 1000, rng)),
    "wider": lambda rng: rng.normal(size=(4, 300)) * np.array([[1.0], [1.0], [1.0], [3.0]]),
}


@pytest.mark.parametrize("case", CASES)
def test_arviz_computes_the_same(case):
    """R-hat to ten digits; sample sizes within 2 % (arviz ends its sum a pair earlier where nothing decays)."""
    arviz = pytest.importorskip("arviz")
    draws = CASES[case](np.random.default_rng(1))
    assert r_hat(draws) == pytest.approx(arviz.rhat(draws), abs=1e-10)
    assert effective_draws(draws) == pytest.approx(arviz.ess(draws), rel=0.02)
    assert standard_error(draws) == pytest.approx(np.squeeze(arviz.mcse(draws)), rel=0.02)


def test_one_chain_that_sits_elsewhere_is_seen():
    """Three chains agree, the fourth found another mode: R-hat says so, though each chain looks calm."""
    draws = np.random.default_rng(2).normal(size=(4, 400))
    assert r_hat(draws) < 1.01
    draws[3] += 1
    assert r_hat(draws) > 1.05


def test_a_drifting_chain_has_a_large_r_hat():
    """One chain is enough, for its halves are compared."""
    draws = np.random.default_rng(3).normal(size=(1, 400))
    assert r_hat(draws) < 1.02
    assert r_hat(draws + np.linspace(0, 2, 400)) > 1.1


def test_correlated_draws_are_worth_fewer():
    """Theory: 4 x 5,000 draws with neighbors correlated .8 are worth 20,000 / 9; four standard errors are 15 % here."""
    draws = autoregressive(0.8, 4, 5000, np.random.default_rng(4))
    assert effective_draws(draws) == pytest.approx(20_000 / 9, rel=0.15)
    assert standard_error(draws) == pytest.approx(np.sqrt(9 / 20_000), rel=0.08)


def test_alternating_draws_are_worth_at_most_the_limit_of_vehtari_et_al():
    """Draws of opposite sign in turn are worth more than independent ones; N draws count for N log10 N at most."""
    draws = autoregressive(-0.98, 4, 300, np.random.default_rng(6))
    assert effective_draws(draws) == pytest.approx(1200 * np.log10(1200), rel=1e-12)
    assert standard_error(draws) == pytest.approx(draws.std(ddof=1) / np.sqrt(1200 * np.log10(1200)), rel=1e-12)


def test_a_constant_quantity_has_r_hat_1():
    """Counts that all arrangements share are constant: R-hat 1, not 0 / 0."""
    draws = np.full((4, 100), 3.0)
    assert r_hat(draws) == 1
    assert effective_draws(draws) == 400
    assert standard_error(draws) == 0


def test_chains_that_are_each_constant_but_differ_have_not_converged():
    """Nothing moves within, everything differs between: infinity."""
    assert r_hat(np.repeat(np.arange(4.0), 50).reshape(4, 50)) == np.inf


def test_many_quantities_are_answered_at_once():
    """A third axis of quantities gives the same numbers as one call each, for any number type."""
    draws = np.round(np.random.default_rng(5).normal(size=(4, 60, 7)) * 5).astype(np.float32)
    for function in (r_hat, effective_draws, standard_error):
        together = function(draws)
        assert together.shape == (7,)
        assert together == pytest.approx([float(function(draws[:, :, i])) for i in range(7)])


def test_too_few_draws_are_an_error():
    """Halves of one draw have no spread."""
    with pytest.raises(InvalidInputError, match=r"at least 4, \.\.\.\); got \(4, 3\)"):
        r_hat(np.zeros((4, 3)))


def test_counts_have_the_r_hat_of_any_numbers():
    """With ties, gaps, a constant, chains that are stuck, an odd number of draws, and a range too wide to count."""
    rng = np.random.default_rng(7)
    draws = rng.poisson(np.array([0.1, 3.0, 900.0, 5.0, 0.0, 2.0]), size=(4, 75, 6))
    draws[1, :, 2] += 20
    draws[2, ::5, 3] = 4000
    draws[:, :, 5] = np.arange(4)[:, None]
    found, expected = r_hat_of_counts(draws.astype(np.float32)), r_hat(draws)
    assert found[:5] == pytest.approx(expected[:5])
    assert min(found[5], expected[5]) > 1e6  # infinite, but for rounding
    draws = draws[:, :, :5]
    draws[0, 0, 0] = 1 << 20
    assert r_hat_of_counts(draws) == pytest.approx(r_hat(draws))
    assert r_hat_of_counts(np.zeros((4, 75, 0))).size == 0
