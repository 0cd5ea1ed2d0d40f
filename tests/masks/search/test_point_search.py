"""Nearest and farthest points, whatever has been taken away: the same as a plain look at all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unmask.arrays import Float64, Int32, Int64
from unmask.masks.search import point_search


def distances(number: Float64, code: Int32, at: Float64, listed: Int32) -> Float64:
    """Return the squared distance of every point."""
    d = np.zeros(number.shape[0])
    for j in range(number.shape[1]):
        if not np.isnan(at[j]):
            d += (number[:, j] - at[j]) ** 2
    for j in range(code.shape[1]):
        if listed[j] >= 0:
            d += code[:, j] != listed[j]
    return d


@given(data=st.data())
def test_the_nearest_are_those_of_a_plain_look(data):
    """By distance, then by number; what is not known is not compared, and one owner's are passed over."""
    drawn = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    n, n_numbers, n_listed = data.draw(st.integers(1, 120)), data.draw(st.integers(0, 3)), data.draw(st.integers(0, 2))
    number = drawn.integers(0, 4, (n, n_numbers)) / 3.0
    code = drawn.integers(0, 3, (n, n_listed)).astype(np.int32)
    owner = drawn.integers(0, 5, n)
    tree = point_search.build(number, code)
    gone = drawn.permutation(n)[: data.draw(st.integers(0, n))]
    point_search.take_away(tree, gone)
    there = np.setdiff1d(np.arange(n), gone)
    at = np.where(drawn.random((6, n_numbers)) < 0.2, np.nan, drawn.random((6, n_numbers)) * 2)
    listed = drawn.integers(-1, 4, (6, n_listed)).astype(np.int32)
    without: Int64 = drawn.integers(-1, 5, 6)
    found, point = point_search.nearest_of_each(tree, at, listed, 4, owner, without)
    for q in range(6):
        d = distances(number, code, at[q], listed[q])
        best = sorted((d[p], int(p)) for p in there if owner[p] != without[q])[:4]
        assert [p for _, p in best] == [p for p in point[q].tolist() if p >= 0]
        assert [x for x, _ in best] == found[q][: len(best)].tolist()


@given(data=st.data())
def test_the_farthest_is_that_of_a_plain_look(data):
    """The lowest of several; −1 once no point is left."""
    drawn = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    n, n_numbers, n_listed = data.draw(st.integers(1, 120)), data.draw(st.integers(0, 3)), data.draw(st.integers(0, 2))
    number = drawn.integers(0, 4, (n, n_numbers)) / 3.0
    code = drawn.integers(0, 3, (n, n_listed)).astype(np.int32)
    tree = point_search.build(number, code)
    start, charge = np.arange(n_listed + 1) * 3, drawn.integers(0, 3, 3 * n_listed) / 2.0
    most = np.array([charge[3 * j : 3 * j + 3].max() for j in range(n_listed)])
    left = list(range(n))
    for point in [*drawn.permutation(n).tolist(), None]:
        at = drawn.random(n_numbers)
        d = distances(number, code, at, np.full(n_listed, -1, np.int32))
        for j in range(n_listed):
            d += charge[3 * j + code[:, j]]
        best = min(((-d[p], p) for p in left), default=(0, -1))[1]
        assert best == point_search.farthest(tree, at, charge, start, most)
        if point is not None:
            left.remove(point)
            point_search.take_away(tree, np.array([point]))
