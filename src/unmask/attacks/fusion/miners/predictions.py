"""Predictions of miners for the published rows: a class or a number each, and probabilities of all classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64, Int32, frozen
from unmask.errors import InvalidInputError
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class MinerPrediction:
    """The predictions of one miner, line by line."""

    answer: Int32 | Float64  # (lines,) a class or a number
    chance: NDArray[np.float32] | None = None  # (lines, classes) predicted probabilities


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """The predictions of several miners for published rows; rows with equal features share a line.

    `held_out`: all rows were predicted by models trained without their group. `left_out` has the reason of each miner
    that failed.

    Fails
        With `InvalidInputError` if miners predict different lines, or a row points to no line.
    """

    names: tuple[str, ...]  # of the miners that answered
    kinds: tuple[str, ...]  # bayes, trees, ...
    row_of: Int32 = field(repr=False)  # (rows,) the line of each
    by_miner: tuple[MinerPrediction, ...] = field(repr=False)  # by miner
    n_lines: int
    n_classes: int  # 0: numbers
    held_out: bool = False
    left_out: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "row_of", frozen(self.row_of, np.int32))
        if not len(self.names) == len(self.kinds) == len(self.by_miner):
            raise InvalidInputError(message("each of {n} miners must have a kind and predictions", n=len(self.names)))
        if self.row_of.size and not 0 <= self.row_of.min() <= self.row_of.max() < self.n_lines:
            raise InvalidInputError(message("rows must point to one of {n_lines} lines", n_lines=self.n_lines))
        for name, prediction in zip(self.names, self.by_miner, strict=True):
            chances = prediction.chance is None or prediction.chance.shape == (self.n_lines, self.n_classes)
            if prediction.answer.shape != (self.n_lines,) or not chances:
                raise InvalidInputError(
                    message(
                        "miner {name} must answer for {n_lines} lines; got {shape}",
                        name=repr(name),
                        n_lines=self.n_lines,
                        shape=prediction.answer.shape,
                    )
                )

    @property
    def is_numeric(self) -> bool:
        """Whether numbers are predicted, not classes."""
        return not self.n_classes

    @property
    def answers(self) -> NDArray[Any]:
        """The predictions of all miners, (miners, lines)."""
        if not self.by_miner:
            return np.zeros((0, self.n_lines), np.float64 if self.is_numeric else np.int32)
        return np.stack([prediction.answer for prediction in self.by_miner])

    def only(self, names: Sequence[str]) -> Predictions:
        """Return the predictions of some of the miners."""
        known = dict(zip(self.names, range(len(self.names)), strict=True))
        for name in names:
            if name not in known:
                raise InvalidInputError.unknown_name(message("miner"), name, self.names)
        chosen = [known[name] for name in names]
        kinds, by_miner = tuple(self.kinds[i] for i in chosen), tuple(self.by_miner[i] for i in chosen)
        return replace(self, names=tuple(names), kinds=kinds, by_miner=by_miner, left_out={})
