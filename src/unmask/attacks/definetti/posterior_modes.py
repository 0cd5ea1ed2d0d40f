"""Selection among several posterior modes, and sampling within the best one.

If the posterior has several modes, each chain stays in the one that it reached. Disagreement of the chains reveals
this, but not which mode is right. The evidence of the modes is compared, at the fixed points of random starts and of
the chains. If one mode is e¹⁰ times as probable as any other, chains that all start there sample the posterior.

Limits: the evidence is a lower bound, whose error may differ between modes, and only modes that were reached are
compared. At least three starts must have reached the selected mode.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64
from unmask.attacks.definetti import gibbs_kernels, sampler
from unmask.attacks.definetti.fixed_point import FixedPointModes, FixedPointSearch, settle
from unmask.attacks.definetti.sampler import Fit, Sampling
from unmask.attacks.shared.grouped_people import GroupedPeople
from unmask.wording import joined


@dataclass(frozen=True, slots=True, eq=False)
class ModeFit:
    """A sampled fit: by independent chains, or, if they disagreed and one mode is clear, by chains within that mode."""

    fit: Fit
    settled: FixedPointModes | None  # the modes, if the chains disagreed

    @property
    def within_one(self) -> bool:
        """Whether the chains were restarted in the best of several modes."""
        return self.settled is not None and len(self.settled.modes) > 1 and not self.settled.complaint()

    def complaint(self) -> str:
        """Return why the fit is not reliable, or an empty string."""
        disagreement = self.fit.agreement.complaint(self.fit.sampling)
        if disagreement and self.settled is not None and not self.within_one:
            return joined(filter(None, (disagreement, self.settled.complaint())))
        return disagreement


def learn(groups: GroupedPeople, sampling: Sampling, settling: FixedPointSearch, rng: np.random.Generator) -> ModeFit:
    """Sample from different starts; if the chains disagree and one mode is clear, sample again from that mode.

    Groups too large to be summed over have no evidence, so their modes are not compared.
    """
    fit = sampler.learn(groups, sampling, rng)
    if fit.converged or fit.slots.layout.large.size:
        return ModeFit(fit, None)
    found = ModeFit(fit, settle(fit.slots, settling, rng, [_expected(fit, data) for data in fit.data]))
    if found.settled is None or not found.within_one:
        return found
    return ModeFit(sampler.learn(groups, sampling, rng, found.settled.modes[0]), found.settled)


def _expected(fit: Fit, data: Float64) -> Float64:
    """Return a chain's expected number of people by level and value, (levels, values)."""
    layout = fit.slots.layout
    kernels = np.empty(data.size)
    kernels[fit.slots.order] = data
    counts = np.zeros((int(layout.offset[-1]), layout.n_values))
    gibbs_kernels.expected_counts(layout, kernels, counts)
    return counts
