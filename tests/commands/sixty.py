"""Sixty people of random ages, in a file: enough for a release with noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


def written(folder: Path) -> Path:
    """Write them as CSV; skip the test where noise cannot be drawn."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    rng = np.random.default_rng(0)
    lines = [
        f"{rng.integers(20, 80)},{rng.choice(['f', 'm'])},{rng.choice(['cold', 'flu', 'gout'])}" for _ in range(60)
    ]
    file = folder / "people.csv"
    file.write_text("age,sex,ill\n" + "\n".join(lines) + "\n")
    return file
