"""Noise from OpenDP's vetted samplers: a claimed epsilon must not rest on ordinary floating-point sampling.

References
----------
Mironov. On significance of the least significant bits for differential privacy. CCS 2012.
Ghosh, Roughgarden, Sundararajan. Universally utility-maximizing privacy mechanisms. SIAM J. Computing 2012.
"""

from __future__ import annotations

from math import inf, nextafter
from typing import Any

import numpy as np

from unmask.arrays import Int64
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.release import Noise
from unmask.runtime.extras import require_installed
from unmask.wording import message

SMALLEST, LARGEST = 1e-9, 1e9
"""The range of meaningful epsilons: below, all is noise; above, there is none."""


def require_epsilon(epsilon: float) -> None:
    """Fail where an epsilon is not a number in the range for which noise can be computed."""
    if not SMALLEST <= epsilon <= LARGEST:
        msg = message(
            "epsilon must be a number between {smallest} and {largest}; got {epsilon}",
            smallest=numeral(SMALLEST, "g"),
            largest=numeral(LARGEST, "g"),
            epsilon=numeral(epsilon, "g"),
        )
        raise InvalidInputError(msg)


def require_opendp(name: str) -> None:
    """Fail where OpenDP is not installed."""
    require_installed("opendp", message("the noise of {name}", name=name))


def noisy_integers(numbers: Int64, sensitivity: int, epsilon: float) -> tuple[Int64, Noise]:
    """Add discrete Laplace noise to whole numbers whose sum changes by at most `sensitivity` with one person.

    Publishes
        Numbers that are `epsilon`-differentially private, by OpenDP's own proof for the scale used. The noise comes
        from the operating system; there is no seed to discover.
    """
    import opendp.prelude as dp  # noqa: PLC0415 - an extra, and heavy

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    scale = sensitivity / epsilon
    mechanism: Any = space >> dp.m.then_laplace(scale=scale)
    while mechanism.map(d_in=sensitivity) > epsilon:  # by the last digit: OpenDP rounds its guarantee upwards
        scale = nextafter(scale, inf)
        mechanism = space >> dp.m.then_laplace(scale=scale)
    drawn = mechanism(numbers.tolist())
    return np.array(drawn, np.int64), Noise("discrete-laplace", scale)
