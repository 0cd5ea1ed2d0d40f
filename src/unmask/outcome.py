"""The outcome of an attack for targets, releases and chains: numbers and names, which `report` puts in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Convergence:
    """How far the chains of a sampler agree."""

    iterations: int  # of each chain, the discarded ones included
    r_hat: float  # the largest: of traced figures, and of counts


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an attack, beside its beliefs."""

    contradictions: int = 0  # targets whose evidence has probability zero: they stay at the prior
    unsettled: int = 0  # targets that were not attacked, since too few draws agree about them
    ambiguous: Mapping[str, int] = field(default_factory=dict)  # release → targets that fit several of its cells
    unknown_rows: int = 0  # targets whose published row is not known
    repeated: Mapping[str, str] = field(default_factory=dict)  # release → the one that has the same content
    convergence: Convergence | None = None  # None: no chains were run
    miners: tuple[str, ...] = ()  # that answered
    failed_miners: Mapping[str, str] = field(default_factory=dict)  # miner → why it did not answer
    best_miners: tuple[str, ...] = ()  # by a scenario
