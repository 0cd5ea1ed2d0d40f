"""Noise from OpenDP's vetted samplers: whoever claims an epsilon must not draw noise by floating point of their own.

References
----------
Mironov. On significance of the least significant bits for differential privacy. CCS 2012.
Ghosh, Roughgarden, Sundararajan. Universally utility-maximizing privacy mechanisms. SIAM J. Computing 2012.
"""

from __future__ import annotations

import importlib.util
from math import inf, nextafter
from typing import Any

import numpy as np

from unmask.arrays import Int64
from unmask.errors import InvalidInputError
from unmask.release import Noise

SMALLEST, LARGEST = 1e-9, 1e9
"""Between these an epsilon means something: with less all is noise, with more there is none."""


def require_epsilon(epsilon: float) -> None:
    """Fail where an epsilon is none, or so small or large that noise cannot be computed."""
    if not SMALLEST <= epsilon <= LARGEST:
        msg = f"epsilon must be a number between {SMALLEST:g} and {LARGEST:g}; got {epsilon:g}"
        raise InvalidInputError(msg)


def require_opendp(who: str) -> None:
    """Fail where the extra is not installed."""
    if importlib.util.find_spec("opendp") is None:
        msg = f"{who} must have OpenDP, which draws its noise; it is not installed. pip install unmask[release]"
        raise InvalidInputError(msg)


def noisy_integers(numbers: Int64, sensitivity: int, epsilon: float) -> tuple[Int64, Noise]:
    """Add discrete Laplace noise to whole numbers of which one person changes the sum by so much at most.

    Publishes
        Numbers that are `epsilon`-differentially private, as OpenDP's own proof says of the scale used: never more.
        The noise comes from the operating system; there is no seed that could be found out.
    """
    import opendp.prelude as dp  # noqa: PLC0415 - an extra, and heavy

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    scale = sensitivity / epsilon
    mechanism: Any = space >> dp.m.then_laplace(scale=scale)
    while mechanism.map(d_in=sensitivity) > epsilon:  # by the last digit: OpenDP rounds what it promises upwards
        scale = nextafter(scale, inf)
        mechanism = space >> dp.m.then_laplace(scale=scale)
    drawn = mechanism(numbers.tolist())
    return np.array(drawn, np.int64), Noise("discrete-laplace", scale)
