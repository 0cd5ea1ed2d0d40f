"""Typed results of an attack for targets, releases and chains; `report` turns them into text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Convergence:
    """Convergence of the chains of a sampler."""

    iterations: int  # of each chain, the discarded ones included
    r_hat: float  # the largest: of traced figures, and of counts


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of an attack apart from its beliefs."""

    contradictions: int = 0  # targets whose evidence has probability zero: they keep the prior
    unsettled: int = 0  # targets not attacked: too few draws agree about them
    ambiguous: Mapping[str, int] = field(default_factory=dict)  # release → targets that fit several of its cells
    unknown_rows: int = 0  # targets whose published row is not known
    repeated: Mapping[str, str] = field(default_factory=dict)  # release → the one that has the same content
    convergence: Convergence | None = None  # None: no chains were run
    is_approximate: bool = False  # by a fixed point in place of draws, which no interval covers
    fallback: str = ""  # why the first model gave no answer, and another took its place
    miners: tuple[str, ...] = ()  # that gave predictions
    failed_miners: Mapping[str, str] = field(default_factory=dict)  # miner → why it gave none
    best_miners: tuple[str, ...] = ()  # by scenario score
