"""What knowing the greedy rule says of each position of one group: what its engines return."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, frozen


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The probability of each value at each position of a group, in the order in which the algorithm read its people.

    Computed exactly, or by sampling worlds; then `resolved` says whether the draws were enough to tell.
    """

    value_given_position: Float64  # (n, values) each row adding up to 1
    error: Float64  # (n, values) Monte Carlo standard error; 0 where exact
    resolved: bool = True
    draws: Float64 | None = None  # (chains, n, values) what each chain says alone; None where nothing was drawn

    def __post_init__(self) -> None:
        for name in ("value_given_position", "error"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64))

    def chain(self, c: int) -> Float64:
        """Return what one chain says, (n, values)."""
        return self.value_given_position if self.draws is None else np.asarray(self.draws[c])

    @classmethod
    def exact(cls, value_given_position: Float64) -> Posterior:
        """Return beliefs that nothing was drawn for, (n, values)."""
        return cls(value_given_position, np.zeros(value_given_position.shape))
