"""Lower bound of the evidence for one mode of the posterior.

If the posterior has several modes, the one of largest evidence should be used. The sum over all arrangements and
parameters near a mode is bounded from below with independent Dirichlet distributions around its expected counts: it is
the sum of each group's log sum over arrangements, minus the divergence of these distributions from the priors.

References
----------
Beal and Ghahramani. The variational Bayesian EM algorithm for incomplete data. Bayesian Statistics 7, 2003.
"""

from __future__ import annotations

import numpy as np
import scipy

from unmask.arrays import Float64
from unmask.attacks.shared.group_layout import Layout
from unmask.attacks.shared.permanents import log_permanent


def log_evidence(layout: Layout, counts: Float64, alpha: float, power: float = 1.0) -> float:
    """Return a lower bound of log P(attributes | groups and lists of values), up to a constant.

    `counts` (levels, values) are the expected numbers of people at a mode; the probabilities are raised to `power`.

    Fails
        With `InvalidInputError` where a group is too large to be summed over.
    """
    digamma, gammaln = scipy.special.digamma, scipy.special.gammaln
    log_theta = np.zeros_like(counts)
    distance = 0.0
    for first, end in zip(layout.offset[:-1], layout.offset[1:], strict=True):
        expected = power * counts[first:end]
        shape = expected + alpha
        total = shape.sum(axis=0)
        log_theta[first:end] = digamma(shape) - digamma(total)
        to_prior = gammaln(total) - gammaln(shape).sum(axis=0) + (expected * log_theta[first:end]).sum(axis=0)
        levels = int(end - first)
        distance += float((to_prior - gammaln(levels * alpha) + levels * gammaln(alpha)).sum())
    known = layout.level >= 0
    weight = power * np.where(known[:, :, None], log_theta[layout.level], 0.0).sum(axis=1)  # (profiles, values)
    found = 0.0
    for group, times in enumerate(layout.times):
        own = slice(layout.support_start[group], layout.support_start[group + 1])
        here = weight[layout.profile[layout.start[group] : layout.start[group + 1]]][:, layout.support[own]]
        highest = here.max(axis=1, keepdims=True)
        found += times * (log_permanent(np.exp(here - highest), layout.copies[own]) + float(highest.sum()))
    return float(found) - distance
