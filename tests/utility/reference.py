"""Utility by the words of the definitions, one person at a time; nothing here is fast, and nothing is shared with src.

A table is a list of columns, a release a list of groups: each is published with the ranges of its members.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

Value = float | str | None
Columns = Mapping[str, Sequence[Value]]


def axis(column: Sequence[Value]) -> list[Value]:
    """Return every value that a cell may stand for: all whole numbers of the range, or all texts that occur."""
    known = [value for value in column if value is not None]
    numbers = [int(value) for value in known if not isinstance(value, str)]
    every: list[Value] = (
        list(map(float, range(min(numbers), max(numbers) + 1))) if numbers else sorted(set(known), key=str)
    )
    return every + [None] * (None in column)


def cells(column: Sequence[Value], group_of: Sequence[int]) -> list[set[Value]]:
    """Return what the cell of each person may stand for."""
    result: list[set[Value]] = []
    for group in group_of:
        members = [value for value, other in zip(column, group_of, strict=True) if other == group]
        known = [value for value in members if value is not None]
        inside = {v for v in axis(column) if v is not None and known and min(known) <= v <= max(known)}  # type: ignore[operator]
        result.append(inside | ({None} if None in members else set()))
    return result


def width(column: Sequence[Value], group_of: Sequence[int]) -> float:
    """Return the mean charge of a column: values of the cell but one, over values of the column but one."""
    whole = len(axis(column)) - 1
    return sum((len(cell) - 1) / whole if whole else 0.0 for cell in cells(column, group_of)) / len(column)


def bits(column: Sequence[Value], group_of: Sequence[int]) -> tuple[float, float]:
    """Return the bits that a column lost, and all that it had."""
    n = Counter(column)
    lost = sum(
        math.log2(sum(n[other] for other in cell) / n[value])
        for value, cell in zip(column, cells(column, group_of), strict=True)
    )
    return lost, sum(math.log2(len(column) / n[value]) for value in column)


def kl(true: Counter[tuple[Value, ...]], published: Counter[tuple[Value, ...]]) -> float:
    """Return the divergence of two weighted lists."""
    p_all, q_all = sum(true.values()), sum(published.values())
    return sum(p / p_all * math.log((p / p_all) / (published[key] / q_all)) for key, p in true.items())


def marginal(column: Sequence[Value], group_of: Sequence[int]) -> float:
    """Return the divergence of one column."""
    published: Counter[tuple[Value, ...]] = Counter()
    for cell in cells(column, group_of):
        for value in cell:
            published[value,] += 1 / len(cell)  # type: ignore[assignment]
    return kl(Counter((value,) for value in column), published)


def pairs(columns: Columns, sensitive: Sequence[str], group_of: Sequence[int]) -> list[float]:
    """Return the divergence of each pair of columns, and of each column with the sensitive values."""
    result = []
    for one, two in combinations(columns.values(), 2):
        published: Counter[tuple[Value, ...]] = Counter()
        for a, b in zip(cells(one, group_of), cells(two, group_of), strict=True):
            for x in a:
                for y in b:
                    published[x, y] += 1 / len(a) / len(b)  # type: ignore[assignment]
        result.append(kl(Counter(zip(one, two, strict=True)), published))
    for one in columns.values():
        published = Counter()
        for i, cell in enumerate(cells(one, group_of)):
            mates = [ill for ill, group in zip(sensitive, group_of, strict=True) if group == group_of[i]]
            for x in cell:
                for ill in mates:
                    published[x, ill] += 1 / len(cell) / len(mates)  # type: ignore[assignment]
        result.append(kl(Counter(zip(one, sensitive, strict=True)), published))
    return result


def answer(
    columns: Columns, sensitive: Sequence[str], group_of: Sequence[int], asked: Mapping[str, set[Value]], ills: set[str]
) -> float:
    """Return how many people a query seems to count, by the release."""
    total = 0.0
    for i, group in enumerate(group_of):
        share = 1.0
        for name, accepted in asked.items():
            cell = cells(columns[name], group_of)[i]
            share *= len(cell & accepted) / len(cell)
        mates = [ill for ill, other in zip(sensitive, group_of, strict=True) if other == group]
        total += share * sum(ill in ills for ill in mates) / len(mates)
    return total
