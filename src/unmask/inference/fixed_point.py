"""Parameters that reproduce themselves: who has which value, learned in a hundredth of a sampler's time.

Given the parameters, each group's exact marginals say how many people of each
attribute and value to expect; given expected counts, the parameters are their
posterior mean. Repeated, the two settle. What is lost is the uncertainty of the
parameters, which is small where many people tell of each, and everything on a
table of twelve: so this is an approximation for large tables. It is also a good
place to start a chain.

From several starts the same must come out. Where it does not, the posterior has
several modes, and the one that was found is an accident.

References
----------
Dempster, Laird and Rubin. Maximum likelihood from incomplete data via the EM algorithm. J. Royal Statistical Society B
1977 (with the posterior mean for the maximum, which is off by up to .5 for rare values).
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unmask import work
from unmask.arrays import Float64
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.inference import _gibbs
from unmask.inference._layout import Chain, chain_for
from unmask.inference._sweep import SURE, sweep_swaps
from unmask.inference.grouped import Groups, Slots, slots_of

_SPREAD_OF_MEANS = 0.01  # mean difference between two starts' probabilities, from which they disagree


class FixedPoint(NamedTuple):
    """Where the iteration stopped."""

    log_theta: Float64  # (levels, values)
    counts: Float64  # (levels, values) expected
    data: Float64  # (kernels' entries,)
    iterations: int
    settled: bool  # the last step moved no probability by more than the tolerance


@dataclass(frozen=True, slots=True)
class Settling:
    """How to look for a fixed point."""

    alpha: float = 1.0
    starts: int = 4
    limit: int = 1000
    tolerance: float = 1e-4
    spread: float = 0.02  # between the starts' shares of people who are known

    def __post_init__(self) -> None:
        if not self.alpha > 0:
            raise InvalidInputError(f"alpha must be positive; got {self.alpha}")
        if self.starts < 2:
            raise InvalidInputError(f"starts must be at least 2, or nothing can disagree; got {self.starts}")


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """What several starts settled on; the first one began with all arrangements equally likely."""

    slots: Slots
    points: tuple[FixedPoint, ...]
    settling: Settling

    @property
    def alpha(self) -> float:
        """The parameter of every Dirichlet prior."""
        return self.settling.alpha

    @property
    def mean(self) -> Float64:
        """The first start's probabilities, (entries,)."""
        return np.asarray(self.points[0].data[self.slots.order])

    @property
    def data(self) -> Float64:
        """The probabilities of each start, (starts, entries)."""
        return np.array([point.data[self.slots.order] for point in self.points])

    @property
    def apart(self) -> float:
        """The mean difference of everybody's probabilities between the two starts that agree least."""
        data, slots = self.data, self.slots
        weight = np.repeat(slots.people, np.diff(slots.start))
        total = max(int(weight.sum()), 1)
        return max(
            (float(np.abs(one - other) @ weight) / total for i, one in enumerate(data) for other in data[:i]),
            default=0.0,
        )

    @property
    def share_known(self) -> Float64:
        """The share of people with a probability of at least .8, by start."""
        slots = self.slots
        if not slots.n:
            return np.zeros(len(self.points))
        highest = np.maximum.reduceat(self.data, slots.start[:-1], axis=1)
        return np.asarray((highest >= SURE) @ slots.people / slots.people.sum())

    def complaint(self) -> str:
        """Say how the starts disagree; nothing if they agree."""
        said = []
        moving = sum(not point.settled for point in self.points)
        if moving:
            said.append(f"{moving} of {len(self.points)} starts still moved after {self.settling.limit} iterations")
        if not self.apart <= _SPREAD_OF_MEANS:
            said.append(f"probabilities from two starts differ by {self.apart:.3f} on average")
        spread = float(np.ptp(self.share_known))
        if not spread <= self.settling.spread:
            said.append(f"the share of people known differs by {100 * spread:.1f} points between starts")
        return "; ".join(said)


def settle(groups: Groups, settling: Settling, rng: np.random.Generator) -> Settled:
    """Iterate from equal chances, and from random arrangements, until nothing moves.

    Fails
        With `NotApplicableError` where a group is too large to be summed over.
    """
    slots = slots_of(groups)
    if slots.layout.swapped.size:
        raise NotApplicableError(
            f"needs groups small enough to be summed over; {slots.layout.swapped.size} are not. Use tier=exact"
        )
    seeds = [None, *(int(own.integers(2**63)) for own in rng.spawn(settling.starts - 1))]
    threads = min(os.cpu_count() or 1, len(seeds))
    with work.step("settling from several starts", len(seeds)) as step, ThreadPoolExecutor(threads) as pool:

        def run(seed: int | None) -> FixedPoint:
            chain = chain_for(slots.layout, slots.shapes)
            point = fixed_point(slots, settling.alpha, chain, seed, limit=settling.limit, tolerance=settling.tolerance)
            step.advance()
            return point

        points = tuple(pool.map(run, seeds))
    return Settled(slots, points, settling)


def fixed_point(
    slots: Slots, alpha: float, chain: Chain, seed: int | None = None, *, limit: int = 50, tolerance: float = 1e-3
) -> FixedPoint:
    """Iterate from equal chances, or from the random arrangement of a seed; the chain is room to work.

    Groups that are swapped move a little for ever, so that they may not settle.
    """
    layout, shapes = slots.layout, slots.shapes
    counts = np.zeros(chain.counts.shape)
    data = slots.equal
    if seed is None:
        _gibbs.expected_counts(layout, data, counts)
    else:
        chain.log_theta[:] = 0.0
        _gibbs.sweep(layout, shapes, chain, np.uint64(seed))
        counts[:] = chain.counts
    constant = slots.constant
    moved, iteration = np.inf, 0
    while moved >= tolerance and iteration < limit:
        iteration += 1
        for first, end in zip(layout.offset[:-1], layout.offset[1:], strict=True):
            block = counts[first:end] + alpha
            chain.log_theta[first:end] = np.log(block / block.sum(axis=0))
        chain.sums[:] = 0.0
        _gibbs.expect(layout, shapes, chain)
        if layout.swapped.size:
            sweep_swaps(layout, chain, np.uint64(0))
        before, data = data, np.where(constant, slots.equal, chain.sums)
        counts[:] = 0.0
        _gibbs.expected_counts(layout, data, counts)
        moved = float(np.abs(data - before).max(initial=0.0))
    return FixedPoint(chain.log_theta.copy(), counts, data, iteration, moved < tolerance)
