"""Hierarchies of numbers by their distribution: rounded widths, and quantiles."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import accumulate

from unmask.hierarchies import ROOT, Hierarchy, decimal_text, exact

PARTS = (8, 4, 2)
"""The numbers of quantiles of each level, finest first; each divides the one before, so levels are nested."""

MOST_INTERVALS = 20
"""The finest intervals are as wide as this many of them need to be for the range of the numbers."""


def rounded(values: Iterable[str]) -> Hierarchy:
    """Return intervals whose width is 1, 2 or 5 times a power of ten, then ever coarser ones until two are left.

    Assumes
        Values are numbers. Each width is a multiple of the one before, so levels are nested.
    """
    listed = list(dict.fromkeys(values))
    numbers = [exact(value) for value in listed]
    span = max(numbers) - min(numbers)
    least = Fraction(2) if all(number.denominator == 1 for number in numbers) else Fraction(0)
    widths = [_round_up(max(span / MOST_INTERVALS, least) or Fraction(1))]
    while max(numbers) // widths[-1] - min(numbers) // widths[-1] > 1:
        widths.append(_next(widths[-1]))
    return Hierarchy.intervals(listed, [decimal_text(width) for width in widths])


def quantiles(rows: Mapping[str, int]) -> Hierarchy:
    """Return eighths, quarters and halves of the rows by size; equal numbers stay together.

    `rows` are the rows with each number.
    """
    ordered = sorted(((exact(text), text) for text in rows), key=lambda one: one[0])
    numbers = [number for number, _ in ordered]
    through = list(accumulate(rows[text] for _, text in ordered))  # rows up to each number
    levels = []
    for parts in PARTS:
        starts = sorted({next(i for i, n in enumerate(through) if n * parts > k * through[-1]) for k in range(parts)})
        ends = [f"{decimal_text(numbers[start])})" for start in starts[1:]] + [f"{decimal_text(numbers[-1])}]"]
        labels = [f"[{decimal_text(numbers[start])}, {end}" for start, end in zip(starts, ends, strict=True)]
        levels.append([labels[bisect_right(starts, i) - 1] for i in range(len(numbers))])
    return Hierarchy.from_rows([text, *(labels[i] for labels in levels), ROOT] for i, (_, text) in enumerate(ordered))


def _round_up(width: Fraction) -> Fraction:
    """Return the least number of the form 1, 2 or 5 times a power of ten that is at least a width."""
    unit = Fraction(1)
    while unit > width:
        unit /= 10
    while unit * 10 <= width:
        unit *= 10
    return next(unit * step for step in (1, 2, 5, 10) if unit * step >= width)


def _next(width: Fraction) -> Fraction:
    """Return the next such number that is a multiple: 1 → 2 → 10 → 20, 5 → 10."""
    leading = width
    while leading >= 10:
        leading /= 10
    while leading < 1:
        leading *= 10
    return width * (5 if leading == 2 else 2)
