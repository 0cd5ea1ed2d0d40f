"""Partitions of the groups in this process, on its threads."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.attacks.definetti.group_partition import GroupPartition, Marginals, Sweep, digest, pack_groups
from unmask.attacks.definetti.partitioned_sampler import summed
from unmask.attacks.shared.grouped_people import GroupedPeople
from unmask.attacks.shared.permanents import Unsigned
from unmask.runtime.machine import processors

T = TypeVar("T")


@dataclass(eq=False)
class LocalPartitions:
    """Partitions that are swept by threads of this process; the same result as anywhere else."""

    groups: list[GroupedPeople]  # of each partition
    marginals: list[Marginals] = field(default_factory=list)  # of each partition, once they are averaged

    def __post_init__(self) -> None:
        self.parts = [GroupPartition.laid_out(number, groups) for number, groups in enumerate(self.groups)]
        sizes = [np.repeat(part.slots.layout.times, np.diff(part.slots.layout.start)).sum() for part in self.parts]
        self.people = int(sum(sizes))

    @property
    def levels(self) -> Int32:
        """The number of levels of each attribute, (attributes,)."""
        return self.groups[0].levels

    @property
    def n_values(self) -> int:
        """The number of sensitive values."""
        return self.groups[0].n_values

    @property
    def digest(self) -> str:
        """A hash of the groups and their division into partitions."""
        return hashlib.sha256("".join(digest(pack_groups(one)) for one in self.groups).encode()).hexdigest()

    def sweep(self, log_theta: Float64, seed: Unsigned) -> Sweep:
        """Draw all arrangements, for each chain's parameters, (chains, levels, values), and seed, (chains,)."""
        return summed(self._each(lambda part: part.sweep(log_theta, seed)))

    def expect(self, log_theta: Float64 | None) -> Float64:
        """Return the expected people by level and value, (levels, values); None: all arrangements equally likely."""
        return np.asarray(np.sum(self._each(lambda part: part.expect(log_theta)), axis=0))

    def share_known(self, log_theta: Float64) -> Float64:
        """Average probabilities over parameters, and return each chain's share of people known, (chains,)."""
        self.marginals = self._each(lambda part: part.marginals(log_theta))
        return np.asarray(np.sum([one.share_known() for one in self.marginals], axis=0) / max(self.people, 1))

    def _each(self, run: Callable[[GroupPartition], T]) -> list[T]:
        with ThreadPoolExecutor(min(processors(), len(self.parts))) as pool:
            return list(pool.map(run, self.parts))
