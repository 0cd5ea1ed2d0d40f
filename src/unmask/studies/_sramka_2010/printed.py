"""Table I of the paper: utility of fusion, and its ratio to the truth, the best miner and a guess, in percent.

Infinite for exact values of miners that only predict ranges; None where no guess can be nearer.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

SETTINGS = ("k=2", "k=10", "k=50", "k=100", "eps=.5", "eps=.1", "eps=.05", "eps=.01")
SIZE = 20_000
DATABASES = 5

_NONE = (None, None, None, None)

TABLE: Mapping[tuple[str, str, str], tuple[float | None, ...]] = {
    ("age", "A", "utility"): (1794, 4046, 4635, 4325, 19007, 19104, 19068, 19082),
    ("age", "A", "sigma-ideal"): (9, 20, 23, 22, 95, 96, 95, 95),
    ("age", "A", "sigma-best"): (206, 207, 134, 127, 97, 97, 96, 96),
    ("age", "A", "sigma-guess"): (*_NONE, 106, 97, 96, 96),
    ("age", "B", "utility"): (3204, 1456, 682, 585, 468, 156, 75, 5),
    ("age", "B", "sigma-ideal"): (16, 7, 3, 3, 2, 1, 0, 0),
    ("age", "B", "sigma-best"): (inf, inf, inf, inf, 70, 34, 23, 33),
    ("age", "B", "sigma-guess"): (103, 116, 149, 147, 190, 64, 31, 2),
    ("edu", "A", "utility"): (104, 1784, 5159, 5900, 14650, 14375, 13992, 13725),
    ("edu", "A", "sigma-ideal"): (1, 9, 26, 30, 73, 72, 70, 69),
    ("edu", "A", "sigma-best"): (104, 106, 126, 114, 97, 100, 99, 99),
    ("edu", "A", "sigma-guess"): (*_NONE, 91, 73, 71, 69),
    ("edu", "B", "utility"): (1766, 1520, 1510, 1447, 1383, 147, 148, 54),
    ("edu", "B", "sigma-ideal"): (9, 8, 8, 7, 7, 1, 1, 0),
    ("edu", "B", "sigma-best"): (inf, inf, inf, inf, 83, 62, 86, 110),
    ("edu", "B", "sigma-guess"): (38, 38, 56, 67, 843, 88, 93, 33),
}


def of(attribute: str, scenario: str, measure: str, setting: str) -> float | None:
    """Return a printed number, or None."""
    row = TABLE.get((attribute, scenario, measure), ())
    return row[SETTINGS.index(setting)] if row and setting in SETTINGS else None
