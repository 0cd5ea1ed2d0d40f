"""Modules that a process does without, though they may be installed, and how others are loaded."""

from __future__ import annotations

import os
import sys
from importlib.abc import MetaPathFinder

from unmask.wording import message


def refuse_pandas() -> None:
    """Let no module of this process import pandas.

    Pyarrow does where it is installed, which takes a third of a second; neither a command nor a reader needs it.
    """
    sys.meta_path.insert(0, _WithoutPandas())


def reserve_no_memory() -> None:
    """Let Arrow's allocator take memory as it is used: it would reserve 1 GiB, which counts as data of the process."""
    os.environ.setdefault("MIMALLOC_ARENA_EAGER_COMMIT", "0")


class _WithoutPandas(MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        """Refuse pandas as if it were not installed."""
        del path, target
        if fullname == "pandas":
            msg = message("commands run without pandas")
            raise ModuleNotFoundError(msg, name=fullname)
