"""Modules that a process does without, though they may be installed."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder


def refuse_pandas() -> None:
    """Let no module of this process import pandas.

    Pyarrow does where it is installed, which takes a third of a second; neither a command nor a reader needs it.
    """
    sys.meta_path.insert(0, _WithoutPandas())


class _WithoutPandas(MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        """Refuse pandas as if it were not installed."""
        del path, target
        if fullname == "pandas":
            msg = "commands run without pandas"
            raise ModuleNotFoundError(msg, name=fullname)
