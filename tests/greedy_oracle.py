"""Brute-force posterior in greedy groups under the known rule: every order, assignment and coin.

As slow as it is simple, for at most eight people or so. Only plain fields of a release are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations, product
from math import inf
from typing import Any

from tests import greedy, oracle
from unmask.sanitizers.greedy_rule.rule import GreedyRule
from unmask.view import View


@cache
def cuts(values: tuple[str, ...], rule: GreedyRule) -> dict[greedy.Cut, Fraction]:
    """Return the probability of each way to cut people who hold these values in this order."""
    found: Counter[greedy.Cut] = Counter()
    for cut, weight in greedy.cuts(values, rule):
        found[cut] += weight  # type: ignore[assignment]  # counts in fractions
    return {cut: Fraction(weight) for cut, weight in found.items()}


def exact(view: View) -> list[list[Fraction]]:
    """Return the belief about each target as fractions, in the order of the prior's values."""
    release: Any = view.releases[0]
    published = oracle._read(release, view.about.name)
    rule, tail = GreedyRule.of(release.provenance.parameters), release.provenance.tail
    held: list[Counter[str]] = [Counter() for _ in published.lines]
    worlds = list(product(*(oracle.arrangements(group) for group in published.groups)))
    for lines in _orders(published.group_of, _keys(release)):
        begins = tuple(i for i, line in enumerate(lines)
                       if i == 0 or published.group_of[line] != published.group_of[lines[i - 1]])  # fmt: skip
        for world in worlds:
            given = [list(values) for values in world]
            value_of = {line: given[group].pop() for line, group in enumerate(published.group_of)}
            made = cuts(tuple(value_of[line] for line in lines), rule)
            for merged in (False, True):
                if tail in {None, "hidden"} or merged == (tail == "merged"):
                    weight = made.get(((*begins, len(lines)), merged), Fraction(0))
                    for line, v in value_of.items():
                        held[line][v] += weight  # type: ignore[assignment]
    priors, everywhere = oracle._priors(view), oracle._everywhere([published])
    result = []
    for person, prior in enumerate(priors):
        chances = oracle._chances(view, 0, published, person, row_level=True)
        found = {v: sum((w * held[line][v] for line, w in enumerate(chances) if w), Fraction(0)) for v in prior}
        result.append(oracle._reweighted(found, prior, everywhere))
    return result


def _keys(release: Any) -> list[tuple[float, ...]]:
    """Return for each row what the published order goes by, as far as it is published."""
    result: list[list[float]] = [[] for _ in release.masked.group_of_line]
    names = [cells.attribute.name for cells in release.masked.cells]
    for name in release.provenance.order:
        if name in names:
            cells = release.masked.cells[names.index(name)]
            published = release.masked.cell[:, names.index(name)]
            low = [float(cells.low[cells.start[c]]) if cells.start[c + 1] > cells.start[c] else -inf for c in published]
        elif name in release.columns:
            low = [float(code) for code in release.columns[name]]
        else:
            break
        for key, x in zip(result, low, strict=True):
            key.append(x)
    return [tuple(key) for key in result]


def _orders(group_of: Sequence[int], keys: Sequence[tuple[float, ...]]) -> Iterator[list[int]]:
    """List the orders in which the published rows can have stood: by their keys, and group after group."""
    members = [[line for line, g in enumerate(group_of) if g == group] for group in range(max(group_of) + 1)]
    inside = [[way for way in permutations(lines) if _rising(way, keys)] for lines in members]
    for order in permutations(range(len(members))):
        if all(keys[inside[a][0][-1]] <= keys[inside[b][0][0]] for a, b in pairwise(order)):
            for ways in product(*(inside[group] for group in order)):
                yield [line for way in ways for line in way]


def _rising(way: Sequence[int], keys: Sequence[tuple[float, ...]]) -> bool:
    return all(keys[a] <= keys[b] for a, b in pairwise(way))
