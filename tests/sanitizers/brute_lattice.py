"""Full-domain recoding by trying every node, one person and one cell at a time; nothing here is fast."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Row = tuple[str, ...]
Hierarchies = Sequence[dict[str, list[str]]]
"""Per column, a value's labels, the value itself first."""

Fine = Callable[[list[int], list[str]], bool]
"""Is a group of these rows, with these sensitive values, safe?"""


@dataclass(frozen=True)
class Tried:
    """What came of one node."""

    node: tuple[int, ...]
    groups: dict[Row, list[int]]  # those published
    suppressed: int
    score: float


def looks(rows: Sequence[Row], hierarchies: Hierarchies, node: Sequence[int]) -> list[Row]:
    """Return how each row is published at a node."""
    return [tuple(h[v][at] for v, h, at in zip(row, hierarchies, node, strict=True)) for row in rows]


def every_node(
    rows: Sequence[Row], values: Sequence[str], hierarchies: Hierarchies, fine: Fine, loss: str, limit: int
) -> Iterator[Tried]:
    """Yield all nodes that leave out at most `limit` people, and publish a person."""
    depth = [len(next(iter(h.values()))) for h in hierarchies]
    for node in itertools.product(*(range(n) for n in depth)):
        rows_at_node = looks(rows, hierarchies, node)
        groups: dict[Row, list[int]] = {}
        for i, look in enumerate(rows_at_node):
            groups.setdefault(look, []).append(i)
        kept = {look: who for look, who in groups.items() if fine(who, [values[i] for i in who])}
        left = len(rows) - sum(len(who) for who in kept.values())
        if kept and left <= limit:
            yield Tried(node, kept, left, score(loss, rows, hierarchies, node, kept))


def score(
    loss: str, rows: Sequence[Row], hierarchies: Hierarchies, node: Sequence[int], kept: dict[Row, list[int]]
) -> float:
    """Return what a node loses, by the words of each loss."""
    n = len(rows)
    inside = {i for who in kept.values() for i in who}
    left = n - len(inside)
    if loss == "aecs":
        return n / (len(kept) + (left > 0))
    if loss == "discernibility":
        return sum(len(who) ** 2 for who in kept.values()) + n * left
    if loss == "height":
        return sum(node)
    rows_at_node = looks(rows, hierarchies, node)
    column = []
    for c, (h, at) in enumerate(zip(hierarchies, node, strict=True)):
        same = Counter(labels[at] for labels in h.values())
        people = Counter(look[c] for look in rows_at_node)
        own = Counter(row[c] for row in rows)
        top = len(next(iter(h.values()))) - 1
        total = 0.0
        for i, row in enumerate(rows):
            if loss == "precision":
                total += at / max(top, 1) if i in inside else 1
            elif loss == "entropy":
                total += math.log2((people[rows_at_node[i][c]] if i in inside else n) / own[row[c]])
            else:
                total += same[rows_at_node[i][c]] / len(h) if i in inside else 1
        mean = total / n
        if loss in {"loss", "arithmetic"}:
            mean = max(0.0, (mean - 1 / len(h)) / (1 - 1 / len(h))) if len(h) > 1 else 0.0
        column.append(mean)
    if loss == "loss":
        return math.prod(1 + one for one in column) ** (1 / len(column)) - 1
    return sum(column) * n if loss == "entropy" else sum(column) / len(column)
