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
from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.errors import InvalidInputError
from unmask.inference import _gibbs
from unmask.inference._layout import Chain, Layout, Shapes, chain_for, lay_out
from unmask.inference._sweep import SURE
from unmask.inference.chains import r_hat, standard_error

TRACED = ("share known", "sum of squares", "log-likelihood")

_ROUNDS = (1, 2, 3, 4, 6, 8, 12, 16)  # when the chains are compared, in sixteenths of the limit
_MOST_COUNTS = 5000  # more counts than these are not traced; the largest are
_SNAPSHOTS = 25  # sweeps kept from a chain and round
_SNAPSHOTS_SMALL = 250  # of small tables, where a single group weighs more, and sweeps cost nothing
_SNAPSHOT_BYTES = 1 << 26  # from all chains together
_SMALL = 10_000  # rows; smaller tables get several sweeps an iteration


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """What is published: people's profiles by group, and each group's values in no order."""

    profile_of: Int32  # (rows,) in group order
    start: Int64  # (groups + 1,)
    value: Int32  # (rows,) the values of each group
    codes: Int32  # (profiles, attributes) the levels of a profile, -1 where missing: counts for nothing
    levels: Int32  # (attributes,) how many levels an attribute has
    n_values: int

    def __post_init__(self) -> None:
        rows = self.profile_of.size
        if self.start[0] != 0 or self.start[-1] != rows or (np.diff(self.start) < 0).any() or self.value.size != rows:
            raise InvalidInputError(
                f"groups must have as many values as rows; got {rows} rows, {self.value.size} values, "
                f"and groups that end at {self.start[-1]}"
            )
        if rows and not (self.profile_of.min() >= 0 and self.profile_of.max() < self.codes.shape[0]):
            raise InvalidInputError(f"profiles must lie in 0 to {self.codes.shape[0] - 1}")
        if rows and not (self.value.min() >= 0 and self.value.max() < self.n_values):
            raise InvalidInputError(f"values must lie in 0 to {self.n_values - 1}; a missing one belongs to no group")
        if self.codes.shape[1] != self.levels.size or (self.codes < -1).any() or (self.codes >= self.levels).any():
            raise InvalidInputError("the codes of an attribute must lie below its number of levels, or be -1")


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

    slot_of_row: Int32  # (rows,) the slots of a group are neighbors
    start: Int64  # (slots + 1,)
    column: Int32  # (entries,) values, rising within a slot
    data: Float64  # (chains, entries) each chain's mean marginals
    agreement: Agreement
    sampling: Sampling
    layout: Layout = field(repr=False)
    shapes: Shapes = field(repr=False)
    snapshots: tuple[Snapshot, ...] = field(repr=False)  # spread over the kept iterations of all chains

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
        self.layout, self.shapes, self.slot_of_row = lay_out(
            groups.profile_of, groups.start, groups.value, groups.codes, groups.levels, groups.n_values
        )
        layout = self.layout
        self.slots_in = np.diff(layout.slot_start)
        self.owner = np.repeat(np.arange(self.slots_in.size), self.slots_in)  # the group of a slot
        width = np.diff(layout.support_start)[self.owner]
        self.slot = np.repeat(np.arange(self.owner.size), width)  # the slot of an entry
        nth = np.arange(self.slot.size) - np.repeat(np.cumsum(width) - width, width)
        supported = layout.support_start[self.owner][self.slot] + nth
        self.column = layout.support[supported]
        constant = np.ones(self.slots_in.size, bool)
        for some in (layout.pairs, layout.exact, layout.swapped):
            constant[some] = False
        self.constant: Bool = constant[self.owner][self.slot]
        self.equal = layout.copies[supported] / np.diff(layout.start)[self.owner][self.slot]  # random worlds
        self.cells = (int(layout.offset[-1]), layout.n_values)
        self.rngs = rng.spawn(sampling.chains)
        self.sweeps = int(np.clip(_SMALL // max(groups.value.size, 1), 1, 32))
        self.chains = [chain_for(layout, self.shapes) for _ in self.rngs]
        start, expected = self._fixed_point(self.chains[0])
        self.picked = np.sort(np.argsort(-expected.ravel(), kind="stable")[:_MOST_COUNTS])
        for number, (chain, own) in enumerate(zip(self.chains, self.rngs, strict=True)):
            chain.log_theta[:] = start if number == 0 else 0.0  # no parameters: any arrangement is as likely
            _gibbs.sweep(layout, self.shapes, chain, own.integers(2**63, dtype=np.uint64))

    def _fixed_point(self, chain: Chain) -> tuple[Float64, Float64]:
        """Return the parameters that reproduce themselves if arrangements are expectations, and the expected counts."""
        layout, alpha = self.layout, self.sampling.alpha
        data = self.equal
        for _ in range(50):
            expected = np.zeros(self.cells)
            _gibbs.expected_counts(layout, data, expected)
            for first, end in zip(layout.offset[:-1], layout.offset[1:], strict=True):
                block = expected[first:end] + alpha
                chain.log_theta[first:end] = np.log(block / block.sum(axis=0))
            chain.sums[:] = 0
            _gibbs.sweep(layout, self.shapes, chain, np.uint64(0))
            before, data = data, np.where(self.constant, self.equal, chain.sums)
            if np.abs(data - before).max(initial=0) < 1e-3:
                break
        return chain.log_theta.copy(), expected

    def round(self, pool: ThreadPoolExecutor, iterations: int, step: work.Step) -> _Segment:
        """Let all chains run for some iterations."""
        size = 16 * self.cells[0] * self.cells[1] * len(self.chains)
        most = _SNAPSHOTS_SMALL if self.slot_of_row.size < _SMALL else _SNAPSHOTS
        wanted = int(np.clip(_SNAPSHOT_BYTES // (2 * max(size, 1)), 2, most))
        part = -(-iterations // wanted)
        thin = max(1, iterations // 500)
        for chain in self.chains:
            chain.sums[:] = 0
        traced: list[list[Float64]] = [[] for _ in self.chains]
        counts: list[list[NDArray[np.float32]]] = [[] for _ in self.chains]
        snapshots: list[list[Snapshot]] = [[] for _ in self.chains]

        def run(number: int, n: int) -> None:
            chain, own = self.chains[number], self.rngs[number]
            seeds = own.integers(2**63, size=(n, self.sweeps), dtype=np.uint64)
            figures = np.empty((n, len(TRACED)))
            cells = np.empty((n, self.picked.size), np.float32)
            _gibbs.iterate(
                self.layout, self.shapes, chain, self.sampling.alpha, seeds, figures, self.picked, cells, own
            )
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
        data = np.where(self.constant, self.equal, sums / (kept * self.sweeps))
        start = np.searchsorted(self.slot, np.arange(self.owner.size + 1))

        people = self.slot_of_row.size
        highest = np.maximum.reduceat(data, start[:-1], axis=1) if people else np.zeros((len(self.chains), 0))
        share_known = (highest >= SURE) @ self.layout.slot_size / max(people, 1)
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
        order = np.lexsort((self.column, self.slot))
        return Fit(
            self.slot_of_row.astype(np.int32),
            start,
            self.column[order],
            data[:, order],
            agreement,
            self.sampling,
            self.layout,
            self.shapes,
            tuple(snapshot for s in segments for chain in s.snapshots for snapshot in chain),
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
