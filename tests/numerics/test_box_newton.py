"""Projected Newton steps: the minimum within bounds, as SciPy finds it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from unmask.numerics.box_newton import minimize_within


def log_partition(rng, n_variables, n_points):
    """Return a convex function like a log-likelihood: the mean of log Σ exp(x · points) − x · chosen."""
    points, chosen = rng.normal(size=(5, n_points, n_variables)), rng.normal(size=n_variables) * 2

    def function(x):
        scores = points @ x  # (cases, points)
        top = scores.max(axis=1, keepdims=True)
        weights = np.exp(scores - top)
        total = weights.sum(axis=1, keepdims=True)
        shares = weights / total
        mean = np.einsum("cp,cpv->cv", shares, points)
        spread = points - mean[:, None, :]
        hessian = np.einsum("cp,cpv,cpw->vw", shares, spread, spread)
        return float((top + np.log(total)).sum() - chosen @ x), mean.sum(axis=0) - chosen, hessian

    return function


@given(seed=st.integers(0, 2**32), n_variables=st.integers(1, 8), n_points=st.integers(2, 6))
def test_no_point_within_the_bounds_is_lower_than_the_minimum(seed, n_variables, n_points):
    """SciPy's L-BFGS-B, which knows no curvature, ends at most 1e-9 lower."""
    function = log_partition(np.random.default_rng(seed), n_variables, n_points)
    ours = minimize_within(function, np.ones(n_variables), 0.0, 2.0)
    peer = scipy.optimize.minimize(
        lambda x: function(x)[:2], np.ones(n_variables), jac=True, method="L-BFGS-B", bounds=[(0.0, 2.0)] * n_variables,
        options={"ftol": 1e-14, "gtol": 1e-9},
    )  # fmt: skip
    assert ((ours >= 0) & (ours <= 2)).all()
    assert function(ours)[0] <= peer.fun + 1e-9 * max(1.0, abs(peer.fun))


@pytest.mark.parametrize(("slope", "end"), [(1.0, 0.0), (-1.0, 2.0), (0.0, 1.0)])
def test_a_direction_without_curvature_is_followed_to_the_bound_it_falls_towards(slope, end):
    """A level direction is not followed at all."""

    def function(x):
        return slope * float(x[0]), np.array([slope]), np.zeros((1, 1))

    assert minimize_within(function, np.ones(1), 0.0, 2.0) == pytest.approx(end)


def test_alike_variables_share_the_minimum_equally():
    """Of all points with the sum 1, the one that is reached from equal starts."""

    def function(x):
        away = float(x.sum()) - 1.0
        return away**2, np.full(3, 2 * away), np.full((3, 3), 2.0)

    assert minimize_within(function, np.ones(3), 0.0, 2.0) == pytest.approx([1 / 3] * 3, abs=1e-6)
