"""Posterior of the positions of one group: the result of the engines of the greedy rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, frozen


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The probability of each value at each position of a group, in the order in which the algorithm read its people.

    Exact, or sampled; then `resolved` is whether the draws were sufficient.
    """

    value_given_position: Float64  # (n, values) each row adding up to 1
    error: Float64  # (n, values) Monte Carlo standard error; 0 where exact
    resolved: bool = True
    draws: Float64 | None = None  # (chains, n, values) of each chain; None if exact

    def __post_init__(self) -> None:
        for name in ("value_given_position", "error"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64))

    def chain(self, c: int) -> Float64:
        """Return the posterior of one chain, (n, values)."""
        return self.value_given_position if self.draws is None else np.asarray(self.draws[c])

    @classmethod
    def exact(cls, value_given_position: Float64) -> Posterior:
        """Return an exact posterior, (n, values)."""
        return cls(value_given_position, np.zeros(value_given_position.shape))
