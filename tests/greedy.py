"""Greedy grouping, once more and slowly: every way in which a table may be cut, with its probability."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from unmask.sanitizers.greedy_rule.rule import GreedyRule

Cut = tuple[tuple[int, ...], bool]
"""Where groups begin, and one past the last; whether the last one was merged."""

_Seen = tuple[tuple[int, ...], tuple[str, ...], bool | None]
"""The published content: groups, their lists of values, and whether the last one was merged."""


def safe(values: Sequence[str], rule: GreedyRule) -> bool:
    """Whether people may be a group."""
    counts = Counter(v for v in values if rule.positive in {None, v})
    return rule.publishable(len(values), max(counts.values(), default=0))


def cuts(values: Sequence[str], rule: GreedyRule) -> Iterator[tuple[Cut, Fraction]]:
    """Yield each way to cut people who stand in order, and how probable the coins make it."""
    n, p = len(values), Fraction(rule.p).limit_denominator(1000)

    def closed(first: tuple[int, ...], since: int, here: int, weight: Fraction) -> Iterator[tuple[Cut, Fraction]]:
        if weight == 0:
            return
        while here < n and not safe(values[since:here], rule):
            here += 1
        if safe(values[since:here], rule) and here == n and since < n:
            yield ((*first, n), False), weight
        elif here < n:
            begins = since if rule.coin == "prefix" else here
            yield from closed(first, begins, here + 1, weight * p)
            yield from closed((*first, here), here, here + 1, weight * (1 - p))
        else:
            while len(first) > 1 and not safe(values[first[-1] :], rule):
                first = first[:-1]
            yield ((*first, n), True), weight

    yield from closed((0,), 0, 1, Fraction(1))


@dataclass(frozen=True)
class Group:
    """A group of a release: what is known of it, and what must be believed of its people, by position and value."""

    size: int
    last: bool
    merged: bool | None
    belief: tuple[dict[str, Fraction], ...]


def groups(n: int, values: Sequence[str], rule: GreedyRule, *, hidden: bool = False) -> Iterator[Group]:
    """Yield every group of every release of n people, with beliefs by all tables that give the release."""
    total: defaultdict[_Seen, Fraction] = defaultdict(Fraction)
    having: defaultdict[_Seen, list[defaultdict[str, Fraction]]] = defaultdict(
        lambda: [defaultdict(Fraction) for _ in range(n)]
    )
    for table in itertools.product(values, repeat=n):
        if not safe(table, rule):
            continue
        for (first, merged), weight in cuts(table, rule):
            lists = tuple("".join(sorted(table[a:b])) for a, b in itertools.pairwise(first))
            seen = first, lists, None if hidden else merged
            total[seen] += weight
            for person, value in zip(having[seen], table, strict=True):
                person[value] += weight
    for seen, weight in total.items():
        first, _, tail = seen
        for a, b in itertools.pairwise(first):
            belief = tuple({v: share / weight for v, share in person.items()} for person in having[seen][a:b])
            yield Group(b - a, b == n, tail, belief)
