"""One partition of a release's groups: sweeps, expected counts and mean marginals, given the parameters.

Given the parameters, groups are independent. A partition needs the parameters and a seed, and returns counts: it keeps
no state between calls, so that a lost one can be repeated elsewhere with the same result, to the last bit.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from unmask.arrays import Float64, Int32, Int64, distinct_rows
from unmask.attacks.definetti import gibbs_kernels
from unmask.attacks.definetti._sweep import SURE
from unmask.attacks.shared.counter_random import stream_of
from unmask.attacks.shared.group_layout import Chain, chain_for
from unmask.attacks.shared.grouped_people import GroupedPeople, Slots, slots_of
from unmask.attacks.shared.permanents import Unsigned
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.wording import message

KNOWN = SURE
"""The probability at which a person counts as known."""

_ARRAYS = ("profile_of", "start", "value", "codes", "levels", "times")


class Sweep(NamedTuple):
    """The counts that a sweep of each chain draws, and its traced figures."""

    counts: Int64  # (chains, levels, values) people
    figures: Float64  # (chains, 2) people known, and the sum of squared probabilities


class Marginals(NamedTuple):
    """Each chain's mean probabilities, by entry: a type of groups, a profile in it, and one of its values."""

    group: Int64  # (entries,) the type's number in the partition
    codes: Int32  # (entries, attributes) the profile
    people: Int64  # (entries,) number of people of the profile, over all groups of the type
    value: Int32  # (entries,)
    probability: Float64  # (chains, entries)

    def share_known(self) -> Int64:
        """Return each chain's number of people with a probability of at least .8, (chains,)."""
        return np.asarray((self.probability >= SURE) @ self.people)


@dataclass(frozen=True, slots=True, eq=False)
class GroupPartition:
    """Types of groups that are swept together, with their layout; the number determines their random numbers."""

    number: int
    groups: GroupedPeople
    slots: Slots
    chain: Chain

    @classmethod
    def laid_out(cls, number: int, groups: GroupedPeople) -> GroupPartition:
        """Lay out the groups of a partition.

        Fails
            With `NotApplicableError` where a group is too large to be summed over: it would have a state.
        """
        slots = slots_of(groups)
        if slots.layout.large.size:
            raise NotApplicableError(
                message("needs groups small enough to be summed over; {size} are not", size=slots.layout.large.size)
            )
        return cls(number, groups, slots, chain_for(slots.layout, slots.shapes))

    def sweep(self, log_theta: Float64, seed: Unsigned) -> Sweep:
        """Draw all arrangements, for each chain's parameters, (chains, levels, values), and seed, (chains,)."""
        layout, shapes = self.slots.layout, self.slots.shapes
        counts = np.zeros(log_theta.shape, np.int64)
        figures = np.zeros((log_theta.shape[0], 2))
        if not self.groups.value.size:
            return Sweep(counts, figures)
        for c in range(log_theta.shape[0]):
            self.chain.log_theta[:] = log_theta[c]
            own = stream_of(np.uint64(seed[c]), self.number)
            figures[c] = gibbs_kernels.sweep(layout, shapes, self.chain, np.uint64(own))
            counts[c] = self.chain.counts
        return Sweep(counts, figures)

    def expect(self, log_theta: Float64 | None) -> Float64:
        """Return the expected people by level and value, (levels, values); None: all arrangements equally likely."""
        layout = self.slots.layout
        counts = np.zeros((int(layout.offset[-1]), layout.n_values))
        data = self.slots.equal.copy()
        if log_theta is not None and self.groups.value.size:
            self._expect(log_theta)
            gibbs_kernels.replace_marginals(self.chain.sums, self.slots.constant, data)
        gibbs_kernels.expected_counts(layout, data, counts)
        return counts

    def marginals(self, log_theta: Float64) -> Marginals:
        """Return the mean probabilities given several parameters of each chain, (chains, draws, levels, values)."""
        slots, layout = self.slots, self.slots.layout
        data = np.tile(slots.equal, (log_theta.shape[0], 1))
        for c in range(log_theta.shape[0] if self.groups.value.size else 0):
            self.chain.sums[:] = 0.0
            for one in log_theta[c]:
                self.chain.log_theta[:] = one
                gibbs_kernels.expect(layout, slots.shapes, self.chain)
            gibbs_kernels.replace_marginals(self.chain.sums / max(log_theta.shape[1], 1), slots.constant, data[c])
        width = np.diff(slots.start)
        slot = np.repeat(np.arange(slots.n), width)
        group = np.repeat(np.arange(layout.times.size), np.diff(layout.slot_start))
        first_row = np.cumsum(layout.slot_size) - layout.slot_size
        codes = layout.codes[layout.profile[first_row]]
        return Marginals(group[slot], codes[slot], slots.people[slot], slots.column, data[:, slots.order])

    def _expect(self, log_theta: Float64) -> None:
        self.chain.sums[:] = 0.0
        self.chain.log_theta[:] = log_theta
        gibbs_kernels.expect(self.slots.layout, self.slots.shapes, self.chain)


def typed_groups(
    members: Int32, start: Int64, value: Int32, times: Int64, levels: Int32, n_values: int
) -> GroupedPeople:
    """Return types of groups from their members' codes, (rows, attributes), -1 where missing, and values, (rows,)."""
    profile_of, example = distinct_rows(members)
    return GroupedPeople(profile_of, start, value, members[example], levels, n_values, times)


def pack_groups(groups: GroupedPeople) -> bytes:
    """Return the groups as bytes, equal for equal groups."""
    arrays = {name: getattr(groups, name) for name in _ARRAYS}
    file = io.BytesIO()
    for name, dtype in zip(_ARRAYS, (np.int32, np.int64, np.int32, np.int32, np.int32, np.int64), strict=True):
        np.save(file, np.ascontiguousarray(arrays[name], dtype), allow_pickle=False)
    np.save(file, np.int64(groups.n_values), allow_pickle=False)
    return file.getvalue()


def unpack_groups(packed: bytes) -> GroupedPeople:
    """Return the groups that `pack_groups` packed."""
    file = io.BytesIO(packed)
    arrays = {name: np.load(file, allow_pickle=False) for name in _ARRAYS}
    return GroupedPeople(**arrays, n_values=int(np.load(file, allow_pickle=False)))


def digest(packed: bytes) -> str:
    """Return a hash of packed groups."""
    return hashlib.sha256(packed).hexdigest()


def divided(groups: GroupedPeople, parts: int) -> list[GroupedPeople]:
    """Divide groups into so many partitions, one group in turn to each."""
    if parts < 1:
        raise InvalidInputError(message("partitions must be at least 1; got {parts}", parts=parts))
    n_groups = groups.start.size - 1
    whole = replace(groups, times=np.ones(n_groups, np.int64)) if groups.times is None else groups
    return [whole.take(np.arange(part, n_groups, parts)) for part in range(parts)]
