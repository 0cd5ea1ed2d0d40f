"""Gibbs sampler for the assignment of values within groups, under Naive Bayes.

Each group publishes its people's quasi-identifiers and, separately, the list of
their sensitive values. Attributes that often occur in groups with a value are
probably associated with it, which distinguishes the people of one group. The
model: ``P(value) ∏ P(attribute i | value)`` with an unknown Dirichlet
distribution for each attribute and value. P(value) cancels, since a group's list
of values is fixed. The sampler alternates between the parameters given all values
and, exactly, each group's arrangement given the parameters. It averages the exact
marginals of each sweep instead of the drawn arrangements (Rao-Blackwell), which
is worth a hundred times as many sweeps.

Several chains run in rounds, from different starts, until they agree. A chain's segment of a round can be saved, and
reused by another process.

References
----------
Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, section 5.1.
Gelfand and Smith. Sampling-based approaches to calculating marginal densities. JASA 1990 (averaging marginals).
"""
# Over 300 lines: the fit and the rounds of `_Sampler` share the chains' state.

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64
from unmask.attacks.definetti import gibbs_kernels
from unmask.attacks.definetti._sweep import SURE
from unmask.attacks.definetti.chain_segments import (
    ChainSegment,
    SegmentSize,
    Snapshot,
    pack_segment,
    require_held,
    state_of,
    unpack_segment,
)
from unmask.attacks.definetti.convergence import r_hat, r_hat_of_counts, standard_error
from unmask.attacks.definetti.fixed_point import FixedPoint, fixed_point
from unmask.attacks.shared.group_layout import chain_for
from unmask.attacks.shared.grouped_people import GroupedPeople, Slots, slots_of
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.runtime.machine import processors
from unmask.wording import joined, marked, message

TRACED = (marked("share known"), marked("sum of squares"), marked("log-likelihood"))

_ROUNDS = (4, 5, 6, 8, 12, 16, 24, 32, 48, 64)  # times of comparison of the chains, in 64ths of the limit
MOST_COUNTS = 5000  # the most counts traced: the largest
_SNAPSHOTS = 25  # snapshots of a chain and round
_SNAPSHOTS_SMALL = 250  # in small tables, where a group has more weight, and sweeps are cheap
_SNAPSHOT_BYTES = 1 << 26  # of all chains together
_SMALL = 10_000  # rows; smaller tables get several sweeps an iteration


@dataclass(frozen=True, slots=True)
class Sampling:
    """Parameters of the sampler and its stopping rule."""

    alpha: float = 1.0  # of every Dirichlet prior: 1 is the paper's uniform one
    power: float = 1.0  # of P(attributes | value): below 1 for attributes that are not independent
    chains: int = 4
    limit: int = 4000  # iterations of a chain, the discarded ones included
    r_hat: float = 1.01  # for the traced figures
    r_hat_counts: float = 1.05  # for the largest of all counts
    spread: float = 0.02  # between the chains' shares of people known
    threads: int | None = None  # results do not depend on it

    def __post_init__(self) -> None:
        if not self.alpha > 0:
            raise InvalidInputError(message("alpha must be positive; got {alpha}", alpha=self.alpha))
        if self.chains < 2:
            raise InvalidInputError(
                message("chains must be at least 2, so that they can disagree; got {chains}", chains=self.chains)
            )
        if self.limit < 160:
            raise InvalidInputError(
                message("the limit of iterations must be at least 160; got {limit}", limit=self.limit)
            )


@dataclass(frozen=True, slots=True)
class Agreement:
    """Convergence diagnostics of the chains."""

    iterations: int  # of each chain
    kept: int
    r_hat: dict[str, float]  # by traced figure
    r_hat_counts: float  # the largest
    n_counts: int  # counts traced
    share_known: Float64  # (chains,) share of people with a probability of at least .8
    error: dict[str, float]  # Monte Carlo standard error of the first two traced figures

    @classmethod
    def of(cls, iterations: int, traced: Float64, counts: NDArray[np.float32], share_known: Float64) -> Agreement:
        """Compare the chains after so many iterations each.

        `traced` (chains, kept, figures) are in the order of `TRACED`, the first two as shares; `counts`
        (chains, thinned, picked) the largest counts; `share_known` (chains,) that of each chain's mean.
        """
        return cls(
            iterations,
            traced.shape[1],
            dict(zip(TRACED, r_hat(traced).tolist(), strict=True)),
            float(r_hat_of_counts(counts).max(initial=1.0)),
            counts.shape[2],
            share_known,
            dict(zip(TRACED[:2], standard_error(traced[:, :, :2]).tolist(), strict=True)),
        )

    def complaint(self, limits: Sampling) -> str:
        """Return how the chains disagree, or an empty string."""
        worst = max(self.r_hat, key=self.r_hat.__getitem__)
        spread = float(np.ptp(self.share_known))
        problems = []
        if not self.r_hat[worst] <= limits.r_hat:
            problems.append(
                message(
                    "R-hat of the {number} is {r_hat} (limit {limit})",
                    number=message(worst), r_hat=numeral(self.r_hat[worst], ".3f"), limit=limits.r_hat,
                )
            )  # fmt: skip
        if not self.r_hat_counts <= limits.r_hat_counts:
            problems.append(
                message(
                    "the largest R-hat of {n} counts is {r_hat} (limit {limit})",
                    n=self.n_counts, r_hat=numeral(self.r_hat_counts, ".3f"), limit=limits.r_hat_counts,
                )
            )  # fmt: skip
        if not spread <= limits.spread:
            problems.append(
                message(
                    "the share of people known differs by {points} points (limit {limit})",
                    points=numeral(100 * spread, ".1f"), limit=numeral(100 * limits.spread, "g"),
                )
            )  # fmt: skip
        return joined(problems)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The sampled fit: probabilities by slot (a distinct profile in a group) over the group's values."""

    slots: Slots = field(repr=False)
    data: Float64  # (chains, entries) each chain's mean marginals
    agreement: Agreement
    sampling: Sampling
    snapshots: tuple[Snapshot, ...] = field(repr=False)  # spread over the kept iterations of all chains
    traced: Float64 = field(repr=False)  # (chains, kept, figures) in the order of `TRACED`
    chain_of: tuple[int, ...] = field(repr=False)  # (snapshots,)

    @property
    def alpha(self) -> float:
        """The parameter of every Dirichlet prior."""
        return self.sampling.alpha

    @property
    def power(self) -> float:
        """The power of P(attributes | value)."""
        return self.sampling.power

    @property
    def converged(self) -> bool:
        """Whether the chains agree."""
        return not self.agreement.complaint(self.sampling)

    @property
    def mean(self) -> Float64:
        """The probabilities, over all chains, (entries,)."""
        return np.asarray(self.data.mean(axis=0))

    @property
    def replicates(self) -> tuple[Fit, ...]:
        """The fit of each chain."""
        return tuple(
            replace(
                self,
                data=self.data[[c]],
                snapshots=tuple(one for one, own in zip(self.snapshots, self.chain_of, strict=True) if own == c),
                chain_of=(c,) * self.chain_of.count(c),
            )
            for c in range(self.data.shape[0])
        )

    @property
    def error(self) -> Float64:
        """The Monte Carlo standard error, from the differences between chains, (entries,)."""
        return np.asarray(self.data.std(axis=0, ddof=1) / np.sqrt(self.data.shape[0]))


class _RoundResults(NamedTuple):
    """The results of all chains in one round."""

    sums: list[Float64]  # by chain
    traced: Float64  # (chains, iterations, 3)
    counts: NDArray[np.float32]  # (chains, iterations / thin, picked)
    thin: int
    snapshots: list[list[Snapshot]]  # by chain
    iterations: int


class _Sampler:
    """The running chains; after an interruption, they continue from the end of the last finished round."""

    def __init__(
        self, groups: GroupedPeople, sampling: Sampling, rng: np.random.Generator, around: FixedPoint | None
    ) -> None:
        self.sampling = sampling
        self.around = around
        self.slots = slots_of(groups)
        layout, shapes = self.slots.layout, self.slots.shapes
        self.cells = (int(layout.offset[-1]), layout.n_values)
        self.rngs = rng.spawn(sampling.chains)
        self.n_people = groups.value.size
        self.sweeps = int(np.clip(_SMALL // max(self.n_people, 1), 1, 32))
        self.chains = [chain_for(layout, shapes) for _ in self.rngs]
        self.parts = work.parts_of(
            "chains",
            f"{replace(sampling, threads=None)} {groups.n_values} {[state_of(own) for own in self.rngs]}",
            (
                *(groups.profile_of, groups.start, groups.value, groups.codes, groups.levels),
                *(() if around is None else (around.log_theta,)),
            ),
        )
        self.start = self.parts.saved("start", self._starting, dict, self._started)
        self.picked = np.sort(np.argsort(-self.start["counts"].ravel(), kind="stable")[:MOST_COUNTS])
        self.lengths = round_lengths(sampling.limit)
        self.at: list[int | None] = [None for _ in self.chains]  # the last round of each; -1 before the first
        self.stopped = False

    def _starting(self) -> work.Arrays:
        """Return the start of the first chain, or of all."""
        start = self.around or fixed_point(self.slots, self.sampling.alpha, self.chains[0], power=self.sampling.power)
        return {"log_theta": start.log_theta, "counts": start.counts, "held": self.chains[0].held.copy()}

    def _started(self, kept: work.Arrays) -> work.Arrays:
        if any(kept[name].shape != self.cells or kept[name].dtype != np.float64 for name in ("log_theta", "counts")):
            msg = f"a start must have shape {self.cells}"
            raise ValueError(msg)
        require_held(kept["held"], self.slots.layout)
        return kept

    def round(self, pool: ThreadPoolExecutor, number: int, step: work.Step) -> _RoundResults:
        """Run all chains for a round, or load its saved segments."""
        try:
            found = list(pool.map(lambda c: self._segment(number, c, step), range(len(self.chains))))
        except BaseException:
            self.stopped = True  # otherwise the other chains would finish the round first
            raise
        return _RoundResults(
            [one.sums for one in found],
            np.array([one.traced for one in found]),
            np.array([one.counts for one in found]),
            thinning(self.lengths[number]),
            [one.snapshots for one in found],
            self.lengths[number],
        )

    def _segment(self, number: int, c: int, step: work.Step) -> ChainSegment:
        """Return a chain's segment of a round, saved or newly run."""
        iterations, chain, own = self.lengths[number], self.chains[c], self.rngs[c]

        def unpack(kept: work.Arrays) -> ChainSegment:
            thin = thinning(iterations)
            parts = self._divided(iterations)
            shape = SegmentSize(
                iterations, len(TRACED), sum(-(-n // thin) for n in parts), self.picked.size, len(parts)
            )
            segment = unpack_segment(kept, shape, self.slots.layout, chain, own)
            step.advance(iterations / len(self.chains))
            return segment

        found = self.parts.saved(
            _part(number, c), lambda: self._run(number, c, step), lambda new: pack_segment(new, chain, own), unpack
        )
        self.at[c] = number
        return found

    def _run(self, number: int, c: int, step: work.Step) -> ChainSegment:
        """Run a chain for a round."""
        layout, shapes = self.slots.layout, self.slots.shapes
        alpha, power = self.sampling.alpha, self.sampling.power
        chain, own = self.chains[c], self.rngs[c]
        if self.at[c] is None and number:  # the previous round was lost
            self._segment(number - 1, c, work.Step("", None, None))
        if self.at[c] is None:
            if c == 0:
                chain.held[:] = self.start["held"]
            here = c == 0 or self.around is not None
            chain.log_theta[:] = (
                self.start["log_theta"] if here else 0.0
            )  # equal parameters: all arrangements are equally probable
            gibbs_kernels.sweep(layout, shapes, chain, own.integers(2**63, dtype=np.uint64))
        chain.sums[:] = 0
        kinds = gibbs_kernels.kinds_of(layout)
        traced, counts, snapshots = [], [], []
        for n in self._divided(self.lengths[number]):
            if self.stopped:
                raise CancelledError
            seeds = own.integers(2**63, size=(n, self.sweeps), dtype=np.uint64)
            figures = np.empty((n, len(TRACED)))
            cells = np.empty((n, self.picked.size), np.float32)
            gibbs_kernels.iterate(layout, shapes, chain, alpha, power, seeds, figures, self.picked, cells, own, *kinds)
            traced.append(figures)
            counts.append(cells[:: -thinning(self.lengths[number])][::-1])
            snapshots.append(Snapshot(chain.log_theta.copy(), chain.counts.copy(), seeds[-1, -1]))
            step.advance(n / len(self.chains))
        return ChainSegment(chain.sums.copy(), np.concatenate(traced), np.concatenate(counts), snapshots)

    def _divided(self, iterations: int) -> list[int]:
        """Divide a round into parts, each with a snapshot at its end."""
        size = 16 * self.cells[0] * self.cells[1] * len(self.chains)
        most = _SNAPSHOTS_SMALL if self.n_people < _SMALL else _SNAPSHOTS
        wanted = int(np.clip(_SNAPSHOT_BYTES // (2 * max(size, 1)), 2, most))
        part = -(-iterations // wanted)
        return [min(part, iterations - done) for done in range(0, iterations, part)]

    def last(self) -> int:
        """Return the last saved round of all chains; -1 if there is none."""
        chains = range(len(self.chains))
        whole = (n for n in range(len(self.lengths)) if all(self.parts.has(_part(n, c)) for c in chains))
        return max(whole, default=-1)

    def drop(self, number: int) -> None:
        """Delete the saved segments of a round."""
        for c in range(len(self.chains)):
            self.parts.drop(_part(number, c))

    def fit(self, segments: list[_RoundResults], iterations: int) -> Fit:
        """Return the fit from the rounds kept."""
        kept = sum(segment.iterations for segment in segments)
        sums = np.array([np.sum([s.sums[c] for s in segments], axis=0) for c in range(len(self.chains))])
        slots = self.slots
        data = np.where(slots.constant, slots.equal, sums / (kept * self.sweeps))[:, slots.order]
        people = self.n_people
        highest = np.maximum.reduceat(data, slots.start[:-1], axis=1) if people else np.zeros((len(self.chains), 0))
        share_known = (highest >= SURE) @ slots.people / max(people, 1)
        traced = np.concatenate([s.traced for s in segments], axis=1)
        traced[:, :, :2] /= max(people, 1)
        coarsest = segments[-1].thin
        counts = np.concatenate([s.counts[:, :: coarsest // s.thin] for s in segments], axis=1)
        agreement = Agreement.of(iterations, traced, counts, share_known)
        return Fit(
            slots,
            data,
            agreement,
            self.sampling,
            tuple(snapshot for s in segments for chain in s.snapshots for snapshot in chain),
            traced,
            tuple(c for s in segments for c, chain in enumerate(s.snapshots) for _ in chain),
        )


def learn(groups: GroupedPeople, sampling: Sampling, rng: np.random.Generator, around: FixedPoint | None = None) -> Fit:
    """Sample arrangements and parameters until the chains agree or the limit is reached.

    The first chain starts from a fixed point of the parameters, the others from
    random arrangements; or all from one mode (`around`), and then their agreement
    does not exclude other modes. The chains are first compared after 1/16 of the
    limit; the last three quarters of the iterations, or more, are kept.
    """
    sampler = _Sampler(groups, sampling, rng, around)
    lengths, last = sampler.lengths, sampler.last()
    first = first_kept(lengths, last)
    kept: dict[int, _RoundResults] = {}
    threads = min(sampling.threads or processors(), sampling.chains)
    with ThreadPoolExecutor(threads) as pool, work.step(message("learning from all groups"), sampling.limit) as step:
        step.advance(sum(lengths[:first]))
        for number in range(first, len(lengths)):
            kept[number] = sampler.round(pool, number, step)
            for old in [n for n in kept if n < first_kept(lengths, number)]:
                del kept[old]
                sampler.drop(old)
            if number >= max(last, 1):
                fit = sampler.fit(list(kept.values()), sum(lengths[: number + 1]))
                if fit.converged:
                    break
    return fit


def round_lengths(limit: int) -> list[int]:
    """Return the iterations of each round: a start that is never kept, then one round up to each comparison."""
    totals = [limit * part // _ROUNDS[-1] for part in _ROUNDS]
    ends = [0, totals[0] // 5, *totals]
    return [end - start for start, end in pairwise(ends)]


def first_kept(lengths: Sequence[int], number: int) -> int:
    """Return the first round to be kept after a round."""
    first = 1
    while 4 * sum(lengths[first + 1 : number + 1]) >= 3 * sum(lengths[: number + 1]) > 0:
        first += 1
    return min(first, max(number, 0))


def _part(number: int, chain: int) -> str:
    return f"round-{number}-chain-{chain + 1}"


def thinning(iterations: int) -> int:
    """Return every how many iterations of a round the counts are traced."""
    return max(1, iterations // 500)
