"""Who has which value in a group, learned from all other groups: Naive Bayes over arrangements.

Every group publishes its people's quasi-identifiers and, detached, the list of
their sensitive values. Attributes that keep turning up in groups together with
a value are probably linked to it, and that link tells the people of one group
apart. The model: ``P(value) ∏ P(attribute i | value)`` with an unknown Dirichlet
distribution for each attribute and value. P(value) cancels, for a group's list of
values is fixed. A Gibbs sampler alternates between the parameters given everybody's
value and, exactly, each group's arrangement given the parameters; what is averaged
are the exact marginals of each sweep, not the arrangements drawn, which is worth a
hundred times as many sweeps.

Several chains run in rounds, from different starts, until they agree.

References
----------
Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, section 5.1.
Gelfand and Smith. Sampling-based approaches to calculating marginal densities. JASA 1990 (averaging marginals).
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmask import work
from unmask.arrays import Float64, Int64
from unmask.errors import InvalidInputError
from unmask.inference import _gibbs
from unmask.inference._layout import chain_for
from unmask.inference._sweep import SURE
from unmask.inference.chains import r_hat, standard_error
from unmask.inference.fixed_point import fixed_point
from unmask.inference.grouped import Groups, Slots, slots_of

TRACED = ("share known", "sum of squares", "log-likelihood")

_ROUNDS = (1, 2, 3, 4, 6, 8, 12, 16)  # when the chains are compared, in sixteenths of the limit
_MOST_COUNTS = 5000  # more counts than these are not traced; the largest are
_SNAPSHOTS = 25  # sweeps kept from a chain and round
_SNAPSHOTS_SMALL = 250  # of small tables, where a single group weighs more, and sweeps cost nothing
_SNAPSHOT_BYTES = 1 << 26  # from all chains together
_SMALL = 10_000  # rows; smaller tables get several sweeps an iteration


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to sample, and when to stop."""

    alpha: float = 1.0  # of every Dirichlet prior: 1 is the paper's uniform one
    chains: int = 4
    limit: int = 4000  # iterations of a chain, the discarded ones included
    r_hat: float = 1.01  # for the traced figures
    r_hat_counts: float = 1.05  # for the largest of all counts
    spread: float = 0.02  # between the chains' shares of people who are known
    threads: int | None = None  # no result depends on it

    def __post_init__(self) -> None:
        if not self.alpha > 0:
            raise InvalidInputError(f"alpha must be positive; got {self.alpha}")
        if self.chains < 2:
            raise InvalidInputError(f"chains must be at least 2, or nothing can disagree; got {self.chains}")
        if self.limit < 160:
            raise InvalidInputError(f"the limit of iterations must be at least 160; got {self.limit}")


class Snapshot(NamedTuple):
    """One sweep of one chain: enough to have it again, group by group."""

    log_theta: Float64  # (levels, values)
    counts: Int64  # (levels, values) after the sweep
    seed: np.uint64


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well the chains agree."""

    iterations: int  # of each chain
    kept: int
    r_hat: dict[str, float]  # by traced figure
    r_hat_counts: float  # the largest
    n_counts: int  # counts traced
    share_known: Float64  # (chains,) share of people with a probability of at least .8
    error: dict[str, float]  # Monte Carlo standard error of the first two traced figures

    def complaint(self, limits: Sampling) -> str:
        """Say how far the chains are from agreeing; nothing if they agree."""
        worst = max(self.r_hat, key=self.r_hat.__getitem__)
        spread = float(np.ptp(self.share_known))
        said = []
        if not self.r_hat[worst] <= limits.r_hat:
            said.append(f"R-hat of the {worst} is {self.r_hat[worst]:.3f} (limit {limits.r_hat})")
        if not self.r_hat_counts <= limits.r_hat_counts:
            said.append(
                f"the largest R-hat of {self.n_counts} counts is {self.r_hat_counts:.3f} (limit {limits.r_hat_counts})"
            )
        if not spread <= limits.spread:
            said.append(
                f"the share of people known differs by {100 * spread:.1f} points (limit {100 * limits.spread:g})"
            )
        return "; ".join(said)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What the chains found: probabilities by slot (a distinct profile in a group) over the group's values."""

    slots: Slots = field(repr=False)
    data: Float64  # (chains, entries) each chain's mean marginals
    agreement: Agreement
    sampling: Sampling
    snapshots: tuple[Snapshot, ...] = field(repr=False)  # spread over the kept iterations of all chains
    traced: Float64 = field(repr=False)  # (chains, kept, figures) in the order of `TRACED`

    @property
    def alpha(self) -> float:
        """The parameter of every Dirichlet prior."""
        return self.sampling.alpha

    @property
    def converged(self) -> bool:
        """Whether the chains agree."""
        return not self.agreement.complaint(self.sampling)

    @property
    def mean(self) -> Float64:
        """The probabilities, over all chains, (entries,)."""
        return np.asarray(self.data.mean(axis=0))

    @property
    def error(self) -> Float64:
        """Their Monte Carlo standard error, from the differences between chains, (entries,)."""
        return np.asarray(self.data.std(axis=0, ddof=1) / np.sqrt(self.data.shape[0]))


class _Segment(NamedTuple):
    """What a round left behind."""

    sums: list[Float64]  # by chain
    traced: Float64  # (chains, iterations, 3)
    counts: NDArray[np.float32]  # (chains, iterations / thin, picked)
    thin: int
    snapshots: list[list[Snapshot]]  # by chain
    iterations: int


class _Sampler:
    """The chains while they run."""

    def __init__(self, groups: Groups, sampling: Sampling, rng: np.random.Generator) -> None:
        self.sampling = sampling
        self.slots = slots_of(groups)
        layout, shapes = self.slots.layout, self.slots.shapes
        self.cells = (int(layout.offset[-1]), layout.n_values)
        self.rngs = rng.spawn(sampling.chains)
        self.n_people = groups.value.size
        self.sweeps = int(np.clip(_SMALL // max(self.n_people, 1), 1, 32))
        self.chains = [chain_for(layout, shapes) for _ in self.rngs]
        start = fixed_point(self.slots, sampling.alpha, self.chains[0])
        self.picked = np.sort(np.argsort(-start.counts.ravel(), kind="stable")[:_MOST_COUNTS])
        for number, (chain, own) in enumerate(zip(self.chains, self.rngs, strict=True)):
            chain.log_theta[:] = start.log_theta if number == 0 else 0.0  # no parameters: any arrangement is as likely
            _gibbs.sweep(layout, shapes, chain, own.integers(2**63, dtype=np.uint64))

    def round(self, pool: ThreadPoolExecutor, iterations: int, step: work.Step) -> _Segment:
        """Let all chains run for some iterations."""
        size = 16 * self.cells[0] * self.cells[1] * len(self.chains)
        most = _SNAPSHOTS_SMALL if self.n_people < _SMALL else _SNAPSHOTS
        wanted = int(np.clip(_SNAPSHOT_BYTES // (2 * max(size, 1)), 2, most))
        part = -(-iterations // wanted)
        thin = max(1, iterations // 500)
        for chain in self.chains:
            chain.sums[:] = 0
        traced: list[list[Float64]] = [[] for _ in self.chains]
        counts: list[list[NDArray[np.float32]]] = [[] for _ in self.chains]
        snapshots: list[list[Snapshot]] = [[] for _ in self.chains]

        layout, shapes = self.slots.layout, self.slots.shapes

        def run(number: int, n: int) -> None:
            chain, own = self.chains[number], self.rngs[number]
            seeds = own.integers(2**63, size=(n, self.sweeps), dtype=np.uint64)
            figures = np.empty((n, len(TRACED)))
            cells = np.empty((n, self.picked.size), np.float32)
            alpha = self.sampling.alpha
            _gibbs.iterate(layout, shapes, chain, alpha, seeds, figures, self.picked, cells, own)
            traced[number].append(figures)
            counts[number].append(cells[::-thin][::-1])
            snapshots[number].append(Snapshot(chain.log_theta.copy(), chain.counts.copy(), seeds[-1, -1]))

        done = 0
        while done < iterations:
            n = min(part, iterations - done)
            list(pool.map(run, range(len(self.chains)), [n] * len(self.chains)))
            done += n
            step.advance(n)
        return _Segment(
            [chain.sums.copy() for chain in self.chains],
            np.array([np.concatenate(figures) for figures in traced]),
            np.array([np.concatenate(cells) for cells in counts]),
            thin,
            snapshots,
            iterations,
        )

    def fit(self, segments: list[_Segment], iterations: int) -> Fit:
        """Sum up what was kept."""
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
        agreement = Agreement(
            iterations,
            kept,
            dict(zip(TRACED, r_hat(traced).tolist(), strict=True)),
            float(r_hat(counts).max(initial=1.0)),
            self.picked.size,
            share_known,
            dict(zip(TRACED[:2], standard_error(traced[:, :, :2]).tolist(), strict=True)),
        )
        return Fit(
            slots,
            data,
            agreement,
            self.sampling,
            tuple(snapshot for s in segments for chain in s.snapshots for snapshot in chain),
            traced,
        )


def learn(groups: Groups, sampling: Sampling, rng: np.random.Generator) -> Fit:
    """Sample arrangements and parameters until the chains agree or the limit is reached.

    The first chain starts from the parameters that reproduce themselves in
    expectation, the others from random arrangements. The chains are compared after
    1/16 of the limit and ever later; the later three quarters, or a little more, are kept.
    """
    sampler = _Sampler(groups, sampling, rng)
    totals = [sampling.limit * part // _ROUNDS[-1] for part in _ROUNDS]
    done = 2 * totals[0] // 5  # as long a start is never kept
    threads = min(sampling.threads or os.cpu_count() or 1, sampling.chains)
    with ThreadPoolExecutor(threads) as pool, work.step("learning from all groups", sampling.limit) as step:
        sampler.round(pool, done, step)
        kept: list[_Segment] = []
        for total in totals:
            kept.append(sampler.round(pool, total - done, step))
            done = total
            while 4 * sum(segment.iterations for segment in kept[1:]) >= 3 * done:
                del kept[0]
            fit = sampler.fit(kept, done)
            if fit.converged:
                break
    return fit
