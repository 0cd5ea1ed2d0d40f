"""Training of miners in this process: one process for each of hundreds of small tables would take most of an hour."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from unmask.attacks.fusion.miners import training
from unmask.attacks.fusion.miners.worker_processes import FailedError


class _Here:
    def __init__(self, *known: Any) -> None:
        self.lesson, self.fold_of, _ = known

    def keep(self) -> None:
        """Keep nothing: there are no processes."""

    def learn(self, miner: Any, seed: int) -> Any:
        """Train a miner; a failed miner is left out, as in worker processes."""
        try:
            return miner.learn(self.lesson, self.fold_of, seed)
        except Exception as error:
            raise FailedError(str(error)) from error


@contextmanager
def mined_here() -> Iterator[None]:
    """Train all miners without worker processes."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(training, "Workers", _Here)
        yield
