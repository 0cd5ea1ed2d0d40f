"""Miners that go wrong, each in its own way, and a lesson small enough to know by heart."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

import numpy as np

from unmask.attacks.fusion.miners.predictions import MinerPrediction
from unmask.attacks.fusion.miners.training_data import Lesson


@dataclass(frozen=True)
class Odd:
    """A miner that predicts 0 for all rows, or fails in the way it is named after."""

    name: str
    kind: str = "misc"
    alone: bool = False

    def require(self) -> None:
        """It needs nothing."""

    def learn(self, lesson, fold_of, seed):
        """Fail, or answer."""
        lines = lesson.lines(fold_of)[1].size
        if self.name == "raises":
            raise ValueError("no such thing\nand more")
        if self.name == "hangs":
            time.sleep(600)
        if self.name == "greedy":
            np.ones((1 << 30,))  # 8 GiB
        if self.name == "crashes":
            os._exit(3)
        if self.name == "short":
            return MinerPrediction(np.zeros(lines - 1, np.int32))
        if self.name == "beyond":
            return MinerPrediction(np.full(lines, lesson.n_classes, np.int32))
        if self.name == "process":
            return MinerPrediction(np.full(lines, os.getpid(), float))
        if self.name == "chatty":
            print("hello")  # noqa: T201 - that is what it is for
            sys.stdout.flush()
        if self.name == "drawn":
            return MinerPrediction(np.random.default_rng(seed).integers(0, lesson.n_classes, lines).astype(np.int32))
        return MinerPrediction(np.zeros(lines, np.int32))


def town(n=400, seed=1, *, numbers=False):
    """Return rows that show one of four cells, told by two of three attributes in four rows of five; groups of four."""
    rng = np.random.default_rng(seed)
    listed = rng.integers(0, 4, (n, 2)).astype(float)
    level = rng.normal(size=n)
    answer = np.where(rng.random(n) < 0.8, (listed[:, 0] + 2 * (level > 0)) % 4, rng.integers(0, 4, n))
    features = np.column_stack([listed, np.round(level, 1)])
    group_of = (np.arange(n) // 4).astype(np.int32)
    if numbers:
        return Lesson(features, np.array([True, True, False]), answer + rng.normal(0, 0.5, n), 0, group_of)
    return Lesson(features, np.array([True, True, False]), answer.astype(np.int32), 4, group_of)
