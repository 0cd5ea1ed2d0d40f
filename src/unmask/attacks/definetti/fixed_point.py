"""Fixed points of the parameters by EM: the fast tier, in a hundredth of a sampler's time.

Given the parameters, each group's exact marginals give expected counts by level
and value; given expected counts, the parameters are their posterior mean. The
iteration converges. It ignores the uncertainty of the parameters, which is small
where each has many people, and large in small tables: it is an approximation for
large tables, and a good start of a chain.

All starts must reach the same fixed point. If they do not, the posterior has
several modes: more starts search for them, and the mode of largest evidence is
used if the evidence is clear and several starts reached it.

References
----------
Dempster, Laird and Rubin. Maximum likelihood from incomplete data via the EM algorithm. J. Royal Statistical Society B
1977 (here with the posterior mean; the maximum is biased by up to .5 for rare values).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.attacks.definetti import gibbs_kernels
from unmask.attacks.definetti.block_moves import ROUNDS_ALONE, sweep_blocks
from unmask.attacks.definetti.evidence_bound import log_evidence
from unmask.attacks.shared.group_layout import Chain, chain_for
from unmask.attacks.shared.grouped_people import Slots
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.runtime import work
from unmask.runtime.machine import processors
from unmask.wording import message

_APART = 0.01  # mean difference between two starts' probabilities that makes them different modes
_CLOSE = 0.001  # share of people by level and value that differs between counts too close for different modes
_CLEARLY = 10.0  # the least difference in log evidence between the best mode and any other
_FOUND = 3  # the least number of starts at the best of several modes


class FixedPoint(NamedTuple):
    """The last iterate of one start."""

    log_theta: Float64  # (levels, values) logarithms of the parameters, times the power
    counts: Float64  # (levels, values) expected
    data: Float64  # (kernels' entries,)
    iterations: int
    settled: bool  # the last step moved no probability by more than the tolerance


@dataclass(frozen=True, slots=True)
class FixedPointSearch:
    """Parameters of the search for fixed points."""

    alpha: float = 1.0
    power: float = 1.0  # of P(attributes | value)
    starts: int = 4
    more_starts: int = 8  # if the first disagree
    limit: int = 1000
    tolerance: float = 1e-4

    def __post_init__(self) -> None:
        if not self.alpha > 0:
            raise InvalidInputError(message("alpha must be positive; got {alpha}", alpha=self.alpha))
        if self.starts < 2:
            raise InvalidInputError(
                message("starts must be at least 2, so that they can disagree; got {starts}", starts=self.starts)
            )


@dataclass(frozen=True, slots=True, eq=False)
class FixedPointModes:
    """The modes that several starts reached, by decreasing evidence, which is only computed for several modes.

    A mode is the first start that reached it; `found` is the number of starts that did.
    """

    slots: Slots
    modes: tuple[FixedPoint, ...]
    found: tuple[int, ...]
    evidence: tuple[float, ...]  # logarithms, relative to the best
    settling: FixedPointSearch

    @property
    def alpha(self) -> float:
        """The parameter of every Dirichlet prior."""
        return self.settling.alpha

    @property
    def power(self) -> float:
        """The power of P(attributes | value)."""
        return self.settling.power

    @property
    def mean(self) -> Float64:
        """The best mode's probabilities, (entries,)."""
        return np.asarray(self.modes[0].data[self.slots.order])

    @property
    def replicates(self) -> tuple[FixedPointModes, ...]:
        """None: a fixed point draws nothing."""
        return ()

    def complaint(self) -> str:
        """Return why no mode is reliable, or an empty string."""
        if not self.modes[0].settled:
            return message("probabilities still moved after {n} iterations", n=self.settling.limit)
        if len(self.modes) == 1:
            return ""
        starts, solutions = sum(self.found), len(self.modes)
        if self.found[0] < _FOUND:
            return message(
                "{starts} starts found {solutions} different solutions, and only {best} the best",
                starts=starts, solutions=solutions, best=self.found[0],
            )  # fmt: skip
        if self.evidence[1] > -_CLEARLY:
            return message(
                "{starts} starts found {solutions} different solutions, of which two are about as likely",
                starts=starts, solutions=solutions,
            )  # fmt: skip
        return ""


def require_small_groups(slots: Slots) -> None:
    """Fail with `NotApplicableError` where a group is too large to be summed over."""
    if n_large := slots.layout.large.size:
        raise NotApplicableError(
            message("needs groups small enough to be summed over; {n_large} are not. Use tier=exact", n_large=n_large)
        )


def settle(
    slots: Slots, settling: FixedPointSearch, rng: np.random.Generator, also: Sequence[Float64] = ()
) -> FixedPointModes:
    """Return the fixed points from equal probabilities, random arrangements, and given counts `also`.

    Fails
        With `NotApplicableError` where a group is too large to be summed over.
    """
    require_small_groups(slots)
    layout = slots.layout
    seeds = [None, *(int(own.integers(2**63)) for own in rng.spawn(settling.starts + settling.more_starts - 1))]
    with (
        work.step(message("settling from several starts"), settling.starts + len(also)) as step,
        ThreadPoolExecutor(processors()) as pool,
    ):

        def run(start: int | Float64 | None, near: Float64 | None = None) -> FixedPoint:
            point = fixed_point(
                slots,
                settling.alpha,
                chain_for(layout, slots.shapes),
                start,
                power=settling.power,
                limit=settling.limit,
                tolerance=settling.tolerance,
                near=near,
            )
            step.advance()
            return point

        first = run(None)
        others = [*seeds[1 : settling.starts], *also]
        points = [first, *pool.map(lambda start: run(start, first.counts if first.settled else None), others)]
        found = _modes(slots, points)
        if len(found) > 1:
            points += pool.map(run, seeds[settling.starts :])
            found = _modes(slots, points)
        evidence = [0.0]
        if len(found) > 1:
            evidence = list(
                pool.map(
                    lambda mode: log_evidence(layout, points[mode[0]].counts, settling.alpha, settling.power), found
                )
            )
    order = sorted(range(len(found)), key=lambda i: -evidence[i])
    return FixedPointModes(
        slots,
        tuple(points[found[i][0]] for i in order),
        tuple(len(found[i]) for i in order),
        tuple(evidence[i] - max(evidence) for i in order),
        settling,
    )


def _is_close(counts: Float64, near: Float64) -> bool:
    """Whether expected counts, which determine the next ones, are too close to a fixed point's to leave its mode."""
    return bool(np.abs(counts - near).sum() <= _CLOSE * near.sum())


def _modes(slots: Slots, points: list[FixedPoint]) -> list[list[int]]:
    """Group the starts by mode: those close to the first start of the mode."""
    weight = np.repeat(slots.people, np.diff(slots.start)).astype(np.float64)
    weight /= max(float(weight.sum()), 1.0)
    found: list[list[int]] = []
    for i, point in enumerate(points):
        for mode in found:
            if float(np.abs(point.data - points[mode[0]].data)[slots.order] @ weight) <= _APART:
                mode.append(i)
                break
        else:
            found.append([i])
    return found


def posterior_mean(offset: Int64, counts: Float64, alpha: float) -> Float64:
    """Return the logarithms of the parameters' posterior mean, (levels, values), given counts of people."""
    log_theta = np.empty(counts.shape)
    for first, end in pairwise(offset):
        block = counts[first:end] + alpha
        log_theta[first:end] = np.log(block / block.sum(axis=0))
    return log_theta


def fixed_point(
    slots: Slots,
    alpha: float,
    chain: Chain,
    start: int | Float64 | None = None,
    *,
    power: float = 1.0,
    limit: int = 50,
    tolerance: float = 1e-3,
    near: Float64 | None = None,
) -> FixedPoint:
    """Iterate from equal probabilities, a seed's random arrangement, or counts; the chain is overwritten.

    The iteration also ends, after its first step, at expected counts close to those of another fixed point, `near`
    (levels, values).
    Groups sampled by blocks keep changing a little, so the iteration may not converge.
    """
    layout, shapes = slots.layout, slots.shapes
    counts = np.zeros(chain.counts.shape)
    data = slots.equal.copy()
    if start is None:
        gibbs_kernels.expected_counts(layout, data, counts)
    elif isinstance(start, int):
        chain.log_theta[:] = 0.0
        gibbs_kernels.sweep(layout, shapes, chain, np.uint64(start))
        counts[:] = chain.counts
    else:
        counts[:] = start
    moved, iteration = np.inf, 0
    while moved >= tolerance and iteration < limit and not (iteration and near is not None and _is_close(counts, near)):
        iteration += 1
        chain.log_theta[:] = power * posterior_mean(layout.offset, counts, alpha)
        chain.sums[:] = 0.0
        gibbs_kernels.expect(layout, shapes, chain)
        if layout.large.size:
            sweep_blocks(layout, shapes, chain, np.uint64(iteration), ROUNDS_ALONE)
        moved = gibbs_kernels.replace_marginals(chain.sums, slots.constant, data)
        gibbs_kernels.expected_counts(layout, data, counts)
    return FixedPoint(chain.log_theta.copy(), counts, data, iteration, moved < tolerance)
