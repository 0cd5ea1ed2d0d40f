"""Gibbs sampler over partitions of the groups, which may lie on several machines.

The model and the stopping rule are those of `sampler`. The driver draws the parameters from the counts of all
partitions; each partition draws the arrangements of its groups, given the parameters and a seed, and returns counts.
Partitions keep no state. Probabilities are averaged at the end, over the kept parameters, in one more pass.

The result depends on the data, the division into partitions and the random stream; not on where, in which order and
how often partitions are computed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64, Int32, Int64, starts
from unmask.attacks.definetti import gibbs_kernels
from unmask.attacks.definetti.chain_segments import state_of
from unmask.attacks.definetti.fixed_point import posterior_mean
from unmask.attacks.definetti.group_partition import Sweep
from unmask.attacks.definetti.sampler import MOST_COUNTS, Agreement, Sampling, first_kept, round_lengths, thinning
from unmask.attacks.shared.permanents import Unsigned
from unmask.errors import InvalidInputError
from unmask.runtime import work
from unmask.wording import message

CHECKPOINT = 25
"""Iterations between checkpoints."""

_DRAWS = 64  # the most parameters of a chain that probabilities are averaged over; more in small tables
_PEOPLE = 1 << 23  # people times draws of a chain, where these are more than `_DRAWS`
_DRAWS_BYTES = 1 << 27  # of all chains together
_START, _STILL = 50, 1e-3  # iterations of the fixed point that the first chain starts from, and their tolerance


class Partitions(Protocol):
    """The groups of a release, in partitions."""

    @property
    def people(self) -> int:
        """The number of people."""
        ...

    @property
    def levels(self) -> Int32:
        """The number of levels of each attribute, (attributes,)."""
        ...

    @property
    def n_values(self) -> int:
        """The number of sensitive values."""
        ...

    @property
    def digest(self) -> str:
        """A hash of the groups and their division into partitions."""
        ...

    def sweep(self, log_theta: Float64, seed: Unsigned) -> Sweep:
        """Draw all arrangements, for each chain's parameters, (chains, levels, values), and seed, (chains,)."""
        ...

    def expect(self, log_theta: Float64 | None) -> Float64:
        """Return the expected people by level and value, (levels, values); None: all arrangements equally likely."""
        ...

    def share_known(self, log_theta: Float64) -> Float64:
        """Average probabilities over parameters, (chains, draws, levels, values), and keep them.

        Returns each chain's share of people with a mean probability of at least .8, (chains,).
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PartitionedFit:
    """The sampled parameters; the partitions hold the probabilities that follow from them."""

    log_theta: Float64 = field(repr=False)  # (chains, draws, levels, values)
    agreement: Agreement
    sampling: Sampling

    def complaint(self) -> str:
        """Return why the fit is not reliable, or an empty string."""
        return self.agreement.complaint(self.sampling)


class _Segment(NamedTuple):
    """The results of all chains between two checkpoints."""

    traced: Float64  # (chains, iterations, 3)
    counts: NDArray[np.float32]  # (chains, iterations, picked)
    log_theta: Float64  # (chains, iterations / every, levels, values)


class _Sampler:
    """The state of the chains: counts and random streams."""

    def __init__(self, partitions: Partitions, sampling: Sampling, rng: np.random.Generator) -> None:
        self.partitions = partitions
        self.sampling = sampling
        self.rngs = rng.spawn(sampling.chains)
        self.offset = starts(partitions.levels)
        self.cells = (int(self.offset[-1]), partitions.n_values)
        size = 8 * self.cells[0] * self.cells[1] * sampling.chains
        self.every = max(1, -(-sampling.limit * size // _DRAWS_BYTES))
        self.parts = work.parts_of(
            "partitioned-chains",
            f"{sampling.alpha} {sampling.power} {sampling.chains} {sampling.limit} {partitions.digest} "
            f"{[state_of(own) for own in self.rngs]}",
            (),
        )
        self.counts = np.zeros((sampling.chains, *self.cells), np.int64)
        self.picked = np.zeros(0, np.int64)

    def start(self) -> None:
        """Start the first chain in a fixed point of the parameters, the others in random arrangements."""
        self.parts.saved("start", self._started, lambda _: self._state(), self._restore)
        largest = np.argsort(-self.counts[0].ravel(), kind="stable")
        self.picked = np.sort(largest[:MOST_COUNTS])

    def _started(self) -> None:
        log_theta = np.zeros(self.counts.shape)
        log_theta[0] = fixed_parameters(self.partitions, self.sampling.alpha, self.sampling.power)
        self.counts = self.partitions.sweep(log_theta, self._seeds()).counts

    def segment(self, first: int, iterations: int) -> _Segment:
        """Run all chains from one checkpoint to the next, or load what an earlier process saved."""

        def pack(new: _Segment) -> work.Arrays:
            return {**new._asdict(), **self._state()}

        def unpack(kept: work.Arrays) -> _Segment:
            found = _Segment(kept["traced"], kept["counts"], kept["log_theta"])
            if found.traced.shape != (len(self.rngs), iterations, 3):
                msg = f"a segment must have {iterations} iterations"
                raise ValueError(msg)
            self._restore(kept)
            return found

        return self.parts.saved(f"iterations-{first}", lambda: self._run(first, iterations), pack, unpack)

    def _run(self, first: int, iterations: int) -> _Segment:
        chains = len(self.rngs)
        traced = np.empty((chains, iterations, 3))
        cells = np.empty((chains, iterations, self.picked.size), np.float32)
        kept = []
        log_theta = np.empty(self.counts.shape)
        for i in range(iterations):
            for c, own in enumerate(self.rngs):
                gibbs_kernels.draw_parameters(self.offset, self.counts[c], self.sampling.alpha, log_theta[c], own)
            log_theta *= self.sampling.power
            swept = self.partitions.sweep(log_theta, self._seeds())
            self.counts = swept.counts
            traced[:, i, :2] = swept.figures / max(self.partitions.people, 1)
            traced[:, i, 2] = (self.counts * log_theta).sum(axis=(1, 2))
            cells[:, i] = self.counts.reshape(chains, -1)[:, self.picked]
            if (first + i) % self.every == 0:
                kept.append(log_theta.copy())
        return _Segment(traced, cells, np.array(kept).reshape(-1, *self.counts.shape).swapaxes(0, 1))

    def _seeds(self) -> Unsigned:
        return np.array([own.integers(2**63, dtype=np.uint64) for own in self.rngs])

    def _state(self) -> work.Arrays:
        streams = json.dumps([state_of(own) for own in self.rngs])
        return {"chains.counts": self.counts, "chains.streams": np.frombuffer(streams.encode(), np.uint8)}

    def _restore(self, kept: work.Arrays) -> None:
        counts, streams = kept["chains.counts"], json.loads(bytes(kept["chains.streams"]))
        if counts.shape != self.counts.shape or counts.dtype != np.int64 or len(streams) != len(self.rngs):
            msg = f"counts must have shape {self.counts.shape}"
            raise ValueError(msg)
        self.counts = counts
        for own, state in zip(self.rngs, streams, strict=True):
            own.bit_generator.state = json.loads(state)


def learn(partitions: Partitions, sampling: Sampling, rng: np.random.Generator) -> PartitionedFit:
    """Sample parameters and arrangements until the chains agree or the limit is reached.

    Rounds and comparisons are those of `sampler.learn`; probabilities are averaged only where the traced figures agree.
    """
    sampler = _Sampler(partitions, sampling, rng)
    lengths = round_lengths(sampling.limit)
    rounds: list[list[_Segment]] = []
    with work.step(message("learning from all groups"), sampling.limit) as step:
        sampler.start()
        for number, length in enumerate(lengths):
            before = sum(lengths[:number])
            rounds.append([])
            for done in range(0, length, CHECKPOINT):
                iterations = min(CHECKPOINT, length - done)
                rounds[-1].append(sampler.segment(before + done, iterations))
                step.advance(iterations)
            if number == 0:
                continue
            first = first_kept(lengths, number)
            segments = [segment for one in rounds[first:] for segment in one]
            traced = np.concatenate([one.traced for one in segments], axis=1)
            counts = np.concatenate([one.counts for one in segments], axis=1)[:, :: thinning(length)]
            last = number == len(lengths) - 1
            agreement = Agreement.of(before + length, traced, counts, np.zeros(sampling.chains))
            if agreement.complaint(sampling) and not last:
                continue
            log_theta = _spread(
                np.concatenate([one.log_theta for one in segments], axis=1), max(_DRAWS, _PEOPLE // partitions.people)
            )
            agreement = Agreement.of(before + length, traced, counts, partitions.share_known(log_theta))
            if last or not agreement.complaint(sampling):
                break
    return PartitionedFit(log_theta, agreement, sampling)


def fixed_parameters(partitions: Partitions, alpha: float, power: float) -> Float64:
    """Return parameters near a fixed point, (levels, values), as logarithms times the power.

    They are the posterior mean of expected counts.
    """
    offset = starts(partitions.levels)
    counts = partitions.expect(None)
    log_theta = np.zeros(counts.shape)
    for _ in range(_START):
        log_theta = power * posterior_mean(offset, counts, alpha)
        new = partitions.expect(log_theta)
        moved = float(np.abs(new - counts).sum())
        counts = new
        if moved <= _STILL * float(counts.sum()):
            break
    return log_theta


def _spread(log_theta: Float64, most: int) -> Float64:
    """Return evenly spaced parameters of each chain, at most so many."""
    draws = log_theta.shape[1]
    if draws < 1:
        raise InvalidInputError(
            message("chains must keep at least one draw of the parameters. Raise the limit of iterations")
        )
    chosen = np.unique(np.linspace(0, draws - 1, min(draws, most)).round().astype(int))
    return log_theta[:, chosen]


def summed(sweeps: Sequence[Sweep]) -> Sweep:
    """Add up the sweeps of all partitions, in order: sums of floating point numbers depend on it."""
    counts: Int64 = np.sum([one.counts for one in sweeps], axis=0)
    figures: Float64 = np.sum([one.figures for one in sweeps], axis=0)
    return Sweep(counts, figures)
