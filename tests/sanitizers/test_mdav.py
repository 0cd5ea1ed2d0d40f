"""MDAV's groups: who is grouped with whom; the same again by a slow scan; and what the literature's tables lose."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask.arrays import Float64, Int32
from unmask.datasets.adult import adult
from unmask.sanitizers import _mdav
from unmask.table import Table

Point = tuple[list[float], list[int]]

KV7 = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


def column(*numbers: float) -> Float64:
    """Return points on a line."""
    return np.array(numbers, np.float64)[:, np.newaxis]


def unlisted(number: Float64) -> Int32:
    """Return that points have no listed values."""
    return np.zeros((number.shape[0], 0), np.int32)


def groups_of(group_of: Int32) -> list[list[int]]:
    """Return the points of each group."""
    return [np.flatnonzero(group_of == group).tolist() for group in range(int(group_of.max(initial=-1)) + 1)]


def apart(one: Point, other: Point) -> float:
    """Return the squared distance of two points, added up in the order of their attributes."""
    d = 0.0
    for x, y in zip(one[0], other[0], strict=True):
        d += (x - y) * (x - y)
    for v, w in zip(one[1], other[1], strict=True):
        d += float(v != w)
    return d


def from_all(one: Point, total: list[float], left: list[Point], n_values: int) -> float:
    """Return the squared distance of a point to the centroid of those left, whose numbers have this total."""
    d = 0.0
    for x, t in zip(one[0], total, strict=True):
        d += (x - t / len(left)) * (x - t / len(left))
    for j, v in enumerate(one[1]):
        values = [other[1][j] for other in left]
        squares = 0.0
        for value in range(n_values):
            squares += (values.count(value) / len(left)) ** 2
        d += (1.0 - 2.0 * (values.count(v) / len(left)) + squares) / 2.0
    return d


def slow_groups(number: Float64, code: Int32, k: int) -> list[list[int]]:
    """Return the groups of MDAV, following the definition word by word; every sum runs in the same order."""
    every: list[Point] = list(zip(number.tolist(), code.tolist(), strict=True))
    points, n_values = list(range(len(every))), int(code.max(initial=0)) + 1
    total = [0.0] * number.shape[1]
    for x in number.tolist():
        total = [t + own for t, own in zip(total, x, strict=True)]
    found = []

    def take(center: int) -> None:
        nonlocal total
        near = sorted(points, key=lambda point: (apart(every[point], every[center]), point))[:k]
        for point in near:
            total = [t - own for t, own in zip(total, every[point][0], strict=True)]
            points.remove(point)
        found.append(sorted(near))

    while len(points) >= 2 * k:
        both, left = len(points) >= 3 * k, [every[point] for point in points]
        far = [from_all(every[point], total, left, n_values) for point in points]
        first = points[far.index(max(far))]
        take(first)
        if both:
            opposite = [apart(every[point], every[first]) for point in points]
            take(points[opposite.index(max(opposite))])
    return [*found, sorted(points)] if points else found


def squared_error(number: Float64, group_of: Int32) -> float:
    """Return SSE / SST: the part of the spread that group means lose."""
    size = np.bincount(group_of)
    means = np.stack([np.bincount(group_of, x) / size for x in number.T], axis=1)
    return float(((number - means[group_of]) ** 2).sum() / ((number - number.mean(axis=0)) ** 2).sum())


# --- the story


def test_seven_numbers_in_three_groups():
    """The mean is 8: 20 is farthest and takes 12; 0 lies opposite and takes 1; the other three are a group."""
    numbers = [0, 1, 2, 10, 11, 12, 20]
    group_of, n_groups = _mdav.partition(column(*numbers), unlisted(column(*numbers)), 2)
    assert n_groups == 3
    assert [[5, 6], [0, 1], [2, 3, 4]] == groups_of(group_of)


def test_a_rare_value_is_far_from_all_people_and_a_common_one_near():
    """Of a, a, a, a, a, b, c the farthest is b: (1 − 2/7 + 27/49) / 2 against (1 − 10/7 + 27/49) / 2 for an a."""
    code = np.array([[0, 0, 0, 0, 0, 1, 2]], np.int32).T
    group_of, _ = _mdav.partition(np.zeros((7, 0)), code, 2)
    assert [[0, 5], [1, 2], [3, 4, 6]] == groups_of(group_of)  # all others are 1 from b: the lowest comes first


# --- the edges


@pytest.mark.parametrize(("n", "sizes"), [(3, [3]), (4, [4]), (5, [5]), (6, [3, 3]), (8, [3, 5]), (9, [3, 3, 3])])
def test_between_k_and_2k_is_one_group_and_nothing_is_smaller_than_k(n, sizes):
    """With k = 3: n = k, 2k − 1, 2k, 3k − 1 and 3k people."""
    number = column(*range(n))
    assert sizes == [len(group) for group in groups_of(_mdav.partition(number, unlisted(number), 3)[0])]


def test_no_people_are_no_groups():
    """Nothing to do."""
    assert _mdav.partition(np.zeros((0, 2)), np.zeros((0, 1), np.int32), 3)[1] == 0


def test_people_who_are_all_alike_are_grouped_in_their_order():
    """Every distance is zero: the lowest come first, whatever there is to compare, or if there is nothing."""
    for number, code in ((np.ones((9, 2)), np.zeros((9, 1))), (np.zeros((9, 0)), np.zeros((9, 0)))):
        assert [[0, 1, 2, 3], [4, 5, 6, 7, 8]] == groups_of(_mdav.partition(number, code.astype(np.int32), 4)[0])


# --- laws


@given(data=st.data(), k=st.integers(1, 4))
def test_groups_equal_those_of_a_slow_scan(data, k):
    """Bit for bit, with ties everywhere: few numbers, few values, many people alike."""
    n = data.draw(st.integers(k, 40))
    drawn = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    n_numbers, n_listed, values = (data.draw(st.integers(0, top)) for top in (3, 2, 5))
    number = drawn.integers(0, values + 1, (n, n_numbers)) / data.draw(st.sampled_from([1.0, 3.0, 7.0]))
    code = drawn.integers(0, values + 1, (n, n_listed)).astype(np.int32)
    assert slow_groups(number, code, k) == groups_of(_mdav.partition(number, code, k)[0])


@given(seed=st.integers(0, 10_000), k=st.sampled_from([2, 3, 5, 10]))
@settings(max_examples=10)
def test_groups_equal_those_of_a_slow_scan_where_nothing_ties(seed, k):
    """Normal numbers and listed values, enough people for a tree of several levels."""
    drawn = np.random.default_rng(seed)
    number, code = drawn.normal(size=(300, 3)), drawn.integers(0, 3, (300, 1)).astype(np.int32)
    assert slow_groups(number, code, k) == groups_of(_mdav.partition(number, code, k)[0])


def test_groups_of_a_sample_of_adult_equal_those_of_a_slow_scan():
    """400 people, seven attributes as standardized codes: 91 % are of one country, so that ties are everywhere."""
    table = adult(quasi=KV7).take(np.arange(0, 30_162, 76))
    number = standardized(table)
    assert slow_groups(number, unlisted(number), 5) == groups_of(_mdav.partition(number, unlisted(number), 5)[0])


# --- figures


def standardized(table: Table) -> Float64:
    """Return seven attributes as codes, in units of their standard deviation."""
    number = np.stack([table[name].astype(np.float64) for name in KV7], axis=1)
    spread: Float64 = (number - number.mean(axis=0)) / number.std(axis=0)
    return spread


@pytest.mark.parametrize(("k", "lost"), [(5, 0.0146), (10, 0.0273), (50, 0.0866)])
def test_what_groups_of_adult_lose(k, lost):
    """SSE / SST of seven attributes as codes; ties are drawn, so the last digit varies: within 1 %."""
    number = standardized(adult(quasi=KV7))
    number = number[np.random.default_rng(0).permutation(number.shape[0])]
    group_of, n_groups = _mdav.partition(number, unlisted(number), k)
    assert n_groups == 30_162 // k
    assert lost == pytest.approx(squared_error(number, group_of), rel=0.01)


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("CASCrefmicrodata", {3: 5.6921862788, 5: 9.0884354976, 10: 14.1559304253}),
        ("Tarragona", {3: 16.9325876, 5: 22.4618597, 10: 33.1928848}),
    ],
)
def test_what_groups_of_the_reference_tables_lose(name: str, lost: dict[int, float], data_folder: Path):
    """The literature's two tables of companies and households, 13 numbers each: the percentages that sdcMicro gives."""
    with (data_folder / "sdcmicro" / f"{name}.csv").open(encoding="utf-8") as lines:
        rows = list(csv.reader(lines))[1:]
    number = np.array(rows, np.float64)[:, -13:]
    number = number / number.std(axis=0, ddof=1)
    losses = [100 * squared_error(number, _mdav.partition(number, unlisted(number), k)[0]) for k in lost]
    assert list(lost.values()) == pytest.approx(losses, rel=1e-8)
    assert all(one < other for one, other in pairwise(losses))
