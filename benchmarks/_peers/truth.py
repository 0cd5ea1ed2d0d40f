"""The right answers, by code that is slow and simple enough to be believed. Nothing here is shared with the package.

A missing value is a value of its own: `None` in a column equals `None`. Groups are people with equal quasi-identifiers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import exp, inf, log
from typing import Any

from benchmarks._peers.tables import Data

Classes = Sequence[tuple[Sequence[str], Mapping[str, float]]]
"""What a release shows: the cells of each class, and how many people of it have each sensitive value."""


def groups_of(data: Data) -> list[Counter[Any]]:
    """Return the sensitive values of each group, counted."""
    found: dict[tuple[Any, ...], Counter[Any]] = {}
    rows = data.rows()
    for row in rows:
        found.setdefault(tuple(row[name] for name in data.quasi), Counter())[row[data.sensitive]] += 1
    return list(found.values())


def measured(what: str, data: Data, l: int = 2) -> float:  # noqa: C901, PLR0911 - a formula for each measure
    """Return the value of a measure."""
    groups = groups_of(data)
    sizes = [group.total() for group in groups]
    n = sum(sizes)
    everywhere: Counter[Any] = sum(groups, Counter())
    overall = {value: count / n for value, count in everywhere.items()}
    shares = ({value: group[value] / group.total() for value in overall} for group in groups)
    match what:
        case "k":
            return min(sizes)
        case "largest risk":
            return 1 / min(sizes)
        case "average risk":  # of each person 1 / size, the mean over people
            return sum(size * (1 / size) for size in sizes) / n
        case "discernibility":
            return sum(size * size for size in sizes)
        case "classification":
            return sum(group.total() - max(group.values()) for group in groups) / n
        case "value guessed":
            return sum(max(group.values()) for group in groups) / n
        case "distinct l":
            return min(len(group) for group in groups)
        case "alpha":
            return max(max(share.values()) for share in shares)
        case "entropy l":
            return min(exp(-sum(p * log(p) for p in share.values() if p > 0)) for share in shares)
        case "recursive c":
            return max(_ratio(sorted(group.values(), reverse=True), l) for group in groups)
        case "t, equal":
            return max(sum(abs(share[v] - overall[v]) for v in overall) / 2 for share in shares)
        case "t, ordered":
            order = sorted(overall, key=float)
            return max(_moved([share[v] - overall[v] for v in order]) for share in shares)
        case "beta":
            return max((share[v] - overall[v]) / overall[v] for share in shares for v in overall)
        case "enhanced beta":  # the least b with gain <= min(b, -ln q) for each value; none where a gain exceeds -ln q
            gains = [((share[v] - overall[v]) / overall[v], -log(overall[v])) for share in shares for v in overall]
            return inf if any(gain > most + 1e-12 for gain, most in gains) else max(gain for gain, _ in gains)
        case "delta-disclosure":
            return max(abs(log(share[v] / overall[v])) if share[v] else inf for share in shares for v in overall)
    raise ValueError(what)


def _ratio(counts: list[int], l: int) -> float:
    """Return the number that c must exceed: the largest count over the sum of the l-th and smaller ones."""
    tail = sum(counts[l - 1 :])
    return counts[0] / tail if tail else inf


def _moved(difference: list[float]) -> float:
    """Return the earth mover's distance over ordered values; with a single value, nothing moves."""
    total, carried = 0.0, 0.0
    for d in difference:
        carried += d
        total += abs(carried)
    return total / (len(difference) - 1) if len(difference) > 1 else 0.0


def people(classes: Classes) -> int:
    """Return how many people a release has."""
    return round(sum(sum(values.values()) for _, values in classes))


def smallest(classes: Classes) -> int:
    """Return the size of the smallest class, 0 in an empty release."""
    return round(min((sum(values.values()) for _, values in classes), default=0))


def closeness(classes: Classes) -> float:
    """Return t of a release, any two values equally far apart."""
    everywhere: Counter[str] = Counter()
    for _, values in classes:
        everywhere.update(dict(values))
    n = sum(everywhere.values())
    return max(
        sum(abs(values.get(v, 0) / sum(values.values()) - everywhere[v] / n) for v in everywhere) / 2
        for _, values in classes
    )


def range_loss(classes: Classes, data: Data) -> float:
    """Return the mean width of published ranges, as shares of the width of all values; cells are low, high, low, …."""
    numbers = {name: [float(row[name]) for row in data.rows() if row[name] is not None] for name in data.quasi}
    width = [max(column) - min(column) or 1.0 for column in numbers.values()]
    lost = 0.0
    for cells, values in classes:
        ends = [float(end) for end in cells]
        lost += sum(values.values()) * sum((hi - lo) / w for lo, hi, w in
                                           zip(ends[::2], ends[1::2], width, strict=True))  # fmt: skip
    return lost / (people(classes) * len(width))


def label_loss(classes: Classes, data: Data) -> float:
    """Return the mean share of leaves that a published label stands for, 0 for a leaf and 1 for the root."""
    lost = 0.0
    cost = [_cost(data.hierarchies[name]) for name in data.quasi]
    for cells, values in classes:
        lost += sum(values.values()) * sum(one[cell] for one, cell in zip(cost, cells, strict=True))
    return lost / (people(classes) * len(cost))


def _cost(rows: Sequence[Sequence[str]]) -> dict[str, float]:
    n = len(rows)
    under: Counter[str] = Counter(label for row in rows for label in set(row))
    return {label: (count - 1) / (n - 1) for label, count in under.items()}


def least_label_loss(data: Data, k: int) -> float:
    """Return the least loss of all full-domain recodings in which every class has k people: all of them are tried."""
    tables = [data.hierarchies[name] for name in data.quasi]
    profiles = Counter(tuple(str(row[name]) for name in data.quasi) for row in data.rows())
    best = inf
    for node in product(*(range(len(rows[0])) for rows in tables)):
        up = [{row[0]: row[level] for row in rows} for rows, level in zip(tables, node, strict=True)]
        classes: Counter[tuple[str, ...]] = Counter()
        for profile, n in profiles.items():
            classes[tuple(labels[leaf] for labels, leaf in zip(up, profile, strict=True))] += n
        if min(classes.values()) >= k:
            best = min(best, label_loss([(cells, {"": n}) for cells, n in classes.items()], data))
    return best


def allowed(data: Data, groupings: Sequence[Sequence[int]], target: int) -> set[str]:
    """Return the values that every release allows a person, known by attributes; released are ranges of groups."""
    rows = data.rows()
    left: set[str] | None = None
    for grouping in groupings:
        fits: set[str] = set()
        for members in _members(grouping):
            inside = all(
                min(float(rows[i][name]) for i in members)
                <= float(rows[target][name])
                <= max(float(rows[i][name]) for i in members)
                for name in data.quasi
            )
            if inside:
                fits |= {str(rows[i][data.sensitive]) for i in members}
        left = fits if left is None else left & fits
    return left or set()


def _members(grouping: Sequence[int]) -> Iterator[list[int]]:
    found: dict[int, list[int]] = {}
    for i, group in enumerate(grouping):
        found.setdefault(group, []).append(i)
    yield from found.values()
