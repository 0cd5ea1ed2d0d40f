"""Privacy models by the words of their papers, for one group at a time and without any array; nothing here is fast."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from scipy.optimize import linprog

Counts = Sequence[int]


def shares(counts: Counts) -> list[Fraction]:
    """Return the share of each value."""
    return [Fraction(n, sum(counts)) for n in counts]


def recursive(counts: Counts, l: int) -> float:
    """Return what c must exceed."""
    falling = sorted((n for n in counts if n), reverse=True)
    tail = sum(falling[l - 1 :])
    return float(Fraction(falling[0], tail)) if tail else math.inf


def earth_mover(counts: Counts, overall: Counts, distance: Callable[[int, int], float]) -> float:
    """Return the cheapest way to turn one distribution into the other, by linear programming."""
    p, q = shares(counts), shares(overall)
    n = len(counts)
    cost = [distance(i, j) for i in range(n) for j in range(n)]
    leaving = [[1.0 if i == k else 0.0 for i in range(n) for _ in range(n)] for k in range(n)]
    arriving = [[1.0 if j == k else 0.0 for _ in range(n) for j in range(n)] for k in range(n)]
    solved = linprog(cost, A_eq=leaving + arriving, b_eq=[float(x) for x in (*p, *q)])
    assert solved.success
    return float(solved.fun)


def gains(counts: Counts, overall: Counts) -> list[tuple[float, float]]:
    """Return (p − q) / q and q of each value of the whole table."""
    return [(float((p - q) / q), float(q)) for p, q in zip(shares(counts), shares(overall), strict=True) if q]


def beta(counts: Counts, overall: Counts) -> float:
    """Return the least β of basic β-likeness."""
    return max(0.0, *(gain for gain, _ in gains(counts, overall)))


def enhanced_beta(counts: Counts, overall: Counts) -> float:
    """Return the least β of enhanced β-likeness, tried one after another."""

    def holds(limit: float) -> bool:
        return all(gain <= min(limit, -math.log(q)) + 1e-9 for gain, q in gains(counts, overall))

    return next((limit for limit in sorted({0.0, *(g for g, _ in gains(counts, overall))}) if holds(limit)), math.inf)


def delta(counts: Counts, overall: Counts) -> float:
    """Return what δ must exceed, in bits."""
    changes = [
        abs(math.log2(p / q)) if p else math.inf
        for p, q in zip(shares(counts), shares(overall), strict=True)
        if q
    ]  # fmt: skip
    return max(changes)
