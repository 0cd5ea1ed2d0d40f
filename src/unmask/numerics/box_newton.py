"""Minimum of a smooth convex function within bounds, by projected Newton steps.

For few variables. `scipy.optimize` has the same and more, and loads for a third of a second in every audit.

References
----------
Bertsekas. Projected Newton methods for optimization problems with simple constraints. SIAM J. Control and Optimization
1982.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unmask.arrays import Float64

Derivatives = tuple[float, Float64, Float64]
"""Value, gradient (variables,), and Hessian (variables, variables)."""

_MOST_STEPS = 100
_SHORTEST = 1e-12  # of the factors by which a step is shortened
_DECREASE = 1e-4  # least share of the decrease that the gradient predicts (Armijo)
_RIDGE = 1e-10  # of the largest curvature: a direction without curvature is followed to the bounds


def minimize_within(
    function: Callable[[Float64], Derivatives], start: Float64, low: float, high: float, *, tolerance: float = 1e-9
) -> Float64:
    """Return where a convex function is smallest among points with all variables between `low` and `high`.

    Stops where the gradient, leaving out what points beyond the bounds, is at most `tolerance` in each variable.
    """
    point = np.clip(start, low, high)
    value, gradient, hessian = function(point)
    for _ in range(_MOST_STEPS):
        free = np.flatnonzero(~(((point <= low) & (gradient > 0)) | ((point >= high) & (gradient < 0))))
        if np.abs(gradient[free]).max(initial=0.0) <= tolerance:
            break
        curvature = hessian[np.ix_(free, free)]
        ridge = _RIDGE * max(float(curvature.diagonal().max()), np.finfo(float).tiny)
        step = np.zeros_like(point)
        step[free] = -np.linalg.solve(curvature + ridge * np.eye(free.size), gradient[free])
        length = 1.0
        while length >= _SHORTEST:
            tried = np.clip(point + length * step, low, high)
            found = function(tried)
            if found[0] <= value + _DECREASE * float(gradient @ (tried - point)):
                break
            length /= 2
        else:
            break
        point, (value, gradient, hessian) = tried, found
    return point
