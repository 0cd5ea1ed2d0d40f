"""Several explanations of one release: which to believe, and what it says with all its uncertainty.

A release in which several explanations reproduce themselves holds each chain in the one that it came to. That chains
disagree shows it, and says nothing about which of them is right. The evidence does: it is compared between the fixed
points that random starts lead to, and those that the chains are at. One that is e¹⁰ times as likely as all others
together have next to nothing to add to; chains that all start there sample the posterior.

They do so only as far as evidence is known. It is a lower bound, so that a mode of which it falls short by more may be
wronged, and only modes that were found are compared: at least three must have come to the one that is believed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64
from unmask.attacks.definetti import gibbs_kernels, sampler
from unmask.attacks.definetti.fixed_point import FixedPointModes, FixedPointSearch, settle
from unmask.attacks.definetti.sampler import Fit, Sampling
from unmask.attacks.shared.grouped_people import GroupedPeople


@dataclass(frozen=True, slots=True, eq=False)
class ModeFit:
    """What chains found: all of them apart, or, where they disagreed and one mode is beyond doubt, all within that."""

    fit: Fit
    settled: FixedPointModes | None  # the modes, where the chains disagreed

    @property
    def within_one(self) -> bool:
        """Whether the chains were started again in the likeliest of several modes."""
        return self.settled is not None and len(self.settled.modes) > 1 and not self.settled.complaint()

    def complaint(self) -> str:
        """Say why nothing can be believed; nothing if something can."""
        disagreement = self.fit.agreement.complaint(self.fit.sampling)
        if disagreement and self.settled is not None and not self.within_one:
            return "; ".join(filter(None, (disagreement, self.settled.complaint())))
        return disagreement


def learn(groups: GroupedPeople, sampling: Sampling, settling: FixedPointSearch, rng: np.random.Generator) -> ModeFit:
    """Sample from different starts; where these chains disagree, sample again from the likeliest mode, if one is clear.

    Where they agree, nothing else is done. Groups too large to be summed over have no evidence to be compared by.
    """
    fit = sampler.learn(groups, sampling, rng)
    if fit.converged or fit.slots.layout.swapped.size:
        return ModeFit(fit, None)
    found = ModeFit(fit, settle(groups, settling, rng, [_expected(fit, data) for data in fit.data]))
    if found.settled is None or not found.within_one:
        return found
    return ModeFit(sampler.learn(groups, sampling, rng, found.settled.modes[0]), found.settled)


def _expected(fit: Fit, data: Float64) -> Float64:
    """Return how many people of each level and value a chain expects, (levels, values)."""
    layout = fit.slots.layout
    kernels = np.empty(data.size)
    kernels[fit.slots.order] = data
    counts = np.zeros((int(layout.offset[-1]), layout.n_values))
    gibbs_kernels.expected_counts(layout, kernels, counts)
    return counts
