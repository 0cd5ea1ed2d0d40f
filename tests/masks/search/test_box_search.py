"""Search among boxes: the same answers as looking at every box, for every kind of end that a box can have."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.errors import InvalidInputError
from unmask.masks.search.box_search import build, containing, nearest
from unmask.masks.search.box_set import BoxSet

Answer = tuple[Int64, Int32]


def listed(boxes: Answer) -> list[list[int]]:
    """Return the boxes of each point."""
    start, box = boxes
    return [box[first:last].tolist() for first, last in pairwise(start)]


def of(*rows: tuple[float, ...]) -> Float64:
    """Return a matrix of numbers."""
    return np.array(rows, np.float64)


def slow_containing(low: Float64, high: Float64, points: Float64) -> list[list[int]]:
    """Look at every box."""
    return [
        [
            box
            for box in range(len(low))
            if all(np.isnan(x) or (a <= x <= b) for a, x, b in zip(low[box], point, high[box], strict=True))
        ]
        for point in points
    ]


def slow_distance(low: Float64, high: Float64, point: Float64, scale: Float64, nominal: Bool) -> float:
    """Add up how far outside a box a point lies."""
    total = 0.0
    for a, x, b, unit, unordered in zip(low, point, high, scale, nominal, strict=True):
        if np.isnan(x) or a <= x <= b:
            continue
        if unordered:
            total += 1.0
        elif unit > 0:
            total += unit * (a - x if x < a else x - b)
    return float(total)


def slow_nearest(
    low: Float64, high: Float64, group: Int32, points: Float64, scale: Float64, nominal: Bool, without: Int32
) -> list[list[int]]:
    """Measure every box."""
    result = []
    for point, left_out in zip(points, without, strict=True):
        distance = {
            box: slow_distance(low[box], high[box], point, scale, nominal)
            for box in range(len(low))
            if group[box] != left_out
        }
        least = min(distance.values(), default=0.0)
        result.append([box for box, d in distance.items() if d <= least * (1 + 1e-12)])
    return result


# The story


def test_a_person_fits_every_box_around_them() -> None:
    """Ages 20-29 and 25-40 overlap: a person of 27 fits both, one of 22 the first, one of 50 none."""
    tree = build(of((20,), (25,)), of((29,), (40,)))
    assert listed(containing(tree, of((27,), (22,), (50,)))) == [[0, 1], [0], []]


def test_both_ends_of_a_box_belong_to_it() -> None:
    """[20, 29] holds 20 and 29, and 29.001 no more."""
    tree = build(of((20,)), of((29,)))
    assert listed(containing(tree, of((20,), (29,), (29.001,)))) == [[0], [0], []]


def test_what_is_not_known_of_a_person_fits_anywhere() -> None:
    """Of age and sex only the age is known: the boxes of both sexes are left."""
    tree = build(of((20, 0), (20, 1), (30, 0)), of((29, 0), (29, 1), (39, 0)))
    assert listed(containing(tree, of((25, np.nan), (np.nan, np.nan)))) == [[0, 1], [0, 1, 2]]


def test_of_boxes_that_do_not_fit_all_the_nearest_ones_are_found() -> None:
    """A person of 30 lies one year from 20-29 and from 31-40, further from 50-60."""
    tree = build(of((20,), (31,), (50,)), of((29,), (40,), (60,)))
    assert listed(nearest(tree, of((30,)), np.ones(1), np.zeros(1, bool), np.array([-1], np.int32))) == [[0, 1]]


def test_the_own_group_can_be_left_out_with_all_of_its_boxes() -> None:
    """The group of the person's own box has a second one next to it: the nearest other group is meant."""
    tree = build(of((20,), (30,), (50,)), of((29,), (39,), (60,)), np.array([7, 7, 8], np.int32))
    places = of((25,), (25,))
    boxes = nearest(tree, places, np.ones(1), np.zeros(1, bool), np.array([7, -1], np.int32))
    assert listed(boxes) == [[2], [0]]


def test_a_mismatch_of_values_without_order_counts_one_however_far() -> None:
    """Codes 0 and 9 of a nominal attribute differ as much as 0 and 1; of an ordered one they do not."""
    tree = build(of((1, 0), (9, 0)), of((1, 0), (9, 0)))
    point, scale, kept = of((0, 0)), np.ones(2), np.array([-1], np.int32)
    assert listed(nearest(tree, point, scale, np.array([True, False]), kept)) == [[0, 1]]
    assert listed(nearest(tree, point, scale, np.array([False, False]), kept)) == [[0]]


def test_distances_that_differ_by_rounding_are_equal() -> None:
    """0.1 + 0.2 and 0.3 are the same distance, though not the same number."""
    tree = build(of((0.1, 0.2), (0.3, 0), (0.3 + 1e-9, 0)), of((1, 1), (1, 1), (1, 1)))
    boxes = nearest(tree, of((0, 0)), np.ones(2), np.zeros(2, bool), np.array([-1], np.int32))
    assert listed(boxes) == [[0, 1]]


# Edges


def test_without_boxes_nothing_is_found() -> None:
    """No box contains a point, and none is nearest."""
    tree = build(np.zeros((0, 2)), np.zeros((0, 2)))
    assert listed(containing(tree, np.zeros((3, 2)))) == [[], [], []]
    boxes = nearest(tree, np.zeros((3, 2)), np.ones(2), np.zeros(2, bool), np.full(3, -1, np.int32))
    assert listed(boxes) == [[], [], []]


def test_without_points_there_is_no_result() -> None:
    """Starts are one zero."""
    start, box = containing(build(np.zeros((2, 1)), np.ones((2, 1))), np.zeros((0, 1)))
    assert (start.tolist(), box.tolist()) == ([0], [])


def test_without_attributes_every_box_contains_every_point() -> None:
    """Without published attributes all people are equal."""
    assert listed(containing(build(np.zeros((9, 0)), np.zeros((9, 0))), np.zeros((1, 0)))) == [list(range(9))]


def test_where_every_box_is_left_out_none_is_nearest() -> None:
    """One group, left out."""
    tree = build(of((0,), (5,)), of((1,), (6,)), np.zeros(2, np.int32))
    assert listed(nearest(tree, of((0,)), np.ones(1), np.zeros(1, bool), np.zeros(1, np.int32))) == [[]]


def test_an_empty_box_and_a_box_at_infinity_contain_only_what_is_there() -> None:
    """Minus infinity is a place like others; an empty box holds nothing but what may be anywhere."""
    inf = np.inf
    tree = build(of((-inf,), (inf,), (-inf,)), of((-inf,), (-inf,), (inf,)))
    assert listed(containing(tree, of((-inf,), (0,), (inf,), (np.nan,)))) == [[0, 2], [2], [2], [0, 1, 2]]


def test_ten_thousand_equal_boxes_are_all_found() -> None:
    """No cut tells them apart: they share one leaf."""
    tree = build(np.zeros((10_000, 3)), np.ones((10_000, 3)))
    assert tree.after.size == 1
    assert listed(containing(tree, of((0.5, 1, 0), (2, 0, 0)))) == [list(range(10_000)), []]


def test_boxes_ever_further_apart_make_no_deep_tree() -> None:
    """Cuts at equal distances would take one box off each time; ranks take half."""
    ends = np.logspace(-150, 150, 1000)[:, np.newaxis]
    tree = build(ends, ends)
    assert tree.depth <= 2 * np.log2(ends.size)
    assert listed(containing(tree, ends)) == [[i] for i in range(ends.size)]


def test_a_point_among_four_thousand_boxes_meets_few_nodes() -> None:
    """A wrong turn would still find everything, only slowly: count the nodes that a walk through the tree looks at."""
    grid = np.stack(np.meshgrid(np.arange(64.0), np.arange(64.0)), axis=-1).reshape(-1, 2)
    tree = build(grid, grid + 0.5)
    looked_at = []
    for point in grid[::97]:
        node = n_looked_at = 0
        while node < tree.after.size:
            low, high = tree.node_ends[node].T
            node = node + 1 if ((low <= point) & (point <= high)).all() else int(tree.after[node])
            n_looked_at += 1
        looked_at.append(n_looked_at)
    assert max(looked_at) <= 3 * np.log2(len(grid))


@pytest.mark.parametrize(
    ("low", "high", "group"),
    [
        (of((1, 2)), of((1, np.nan)), [0]),
        (of((2,)), of((1,)), [0]),
        (of((np.inf,)), of((5,)), [0]),
        (of((1,)), of((1, 2)), [0]),
        (of((1,)), of((1,)), [0, 1]),
        (np.zeros(3), np.zeros(3), [0, 1, 2]),
    ],
)
def test_invalid_boxes_are_refused(low: Float64, high: Float64, group: list[int]) -> None:
    """NaN, an end before the beginning, and arrays of different shapes."""
    with pytest.raises(InvalidInputError, match="must"):
        build(low, high, np.array(group, np.int32))


@pytest.mark.parametrize(
    ("points", "scale", "n_left_out"),
    [(of((1,)), [1, 1], 1), (of((1, 2)), [1], 1), (of((1, 2)), [1, 1], 2), (of((1, 2)), [1, -1], 1)],
)
def test_points_that_do_not_match_the_boxes_are_refused(points: Float64, scale: list[float], n_left_out: int) -> None:
    """Boxes have two attributes, and each point may leave out one group."""
    tree = build(of((0, 0)), of((1, 1)))
    with pytest.raises(InvalidInputError, match="must"):
        nearest(tree, points, np.array(scale, float), np.zeros(2, bool), np.full(n_left_out, -1, np.int32))


# Laws


@st.composite
def searches(draw: st.DrawFn) -> tuple[Float64, Float64, Int32, Float64, Float64, Bool, Int32]:
    """Draw boxes, their groups, points, scales, which attributes are nominal, and the groups left out."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_points, d = draw(st.integers(0, 120)), draw(st.integers(0, 12)), draw(st.integers(1, 5))
    side, grid = draw(st.sampled_from([0, 3, 30])), draw(st.sampled_from([1.0, 0.1]))
    low = rng.integers(0, 40, (n, d)).astype(np.float64) * grid
    high = low + rng.integers(0, side + 1, (n, d)) * grid
    points = rng.integers(-3, 50, (n_points, d)).astype(np.float64) * grid
    if draw(st.booleans()):
        low[rng.random((n, d)) < 0.1] = -np.inf
        high[rng.random((n, d)) < 0.1] = np.inf
        nowhere = rng.random((n, d)) < 0.05
        low[nowhere], high[nowhere] = np.inf, -np.inf
        points[rng.random((n_points, d)) < 0.1] = -np.inf
    if draw(st.booleans()):
        points[rng.random((n_points, d)) < 0.2] = np.nan
    group = rng.integers(0, draw(st.integers(1, 20)), n).astype(np.int32)
    without = rng.integers(-1, 20, n_points).astype(np.int32)
    scale = rng.integers(0, 4, d) / draw(st.sampled_from([1, 3, 7]))
    return low, high, group, points, scale, rng.random(d) < 0.3, without


@settings(max_examples=80, deadline=None)
@given(searches())
def test_the_boxes_around_a_point_are_those_found_by_looking_at_every_box(
    drawn: tuple[Float64, Float64, Int32, Float64, Float64, Bool, Int32],
) -> None:
    """Overlapping, empty, infinite, one point wide: the same boxes in rising order; few boxes are compared."""
    low, high, _, points, *_ = drawn
    expected = slow_containing(low, high, points)
    assert listed(containing(build(low, high), points)) == expected
    assert listed(BoxSet(low, high).containing(points)) == expected


@settings(max_examples=80, deadline=None)
@given(searches())
def test_the_nearest_boxes_are_those_found_by_measuring_every_box(
    drawn: tuple[Float64, Float64, Int32, Float64, Float64, Bool, Int32],
) -> None:
    """All of them where several are equally near, none of the group left out."""
    low, high, group, points, scale, nominal, without = drawn
    expected = slow_nearest(low, high, group, points, scale, nominal, without)
    assert listed(nearest(build(low, high, group), points, scale, nominal, without)) == expected
    assert listed(BoxSet(low, high, group).nearest(points, scale, nominal, without)) == expected


@settings(max_examples=30, deadline=None)
@given(searches(), st.integers(0, 2**32 - 1))
def test_the_order_of_boxes_changes_nothing_but_their_numbers(
    drawn: tuple[Float64, Float64, Int32, Float64, Float64, Bool, Int32], seed: int
) -> None:
    """Trees differ, answers do not."""
    low, high, _, points, *_ = drawn
    order = np.random.default_rng(seed).permutation(low.shape[0])
    boxes = listed(containing(build(low[order], high[order]), points))
    assert [sorted(order[one].tolist()) for one in boxes] == listed(containing(build(low, high), points))


def test_threads_that_share_a_tree_get_what_one_thread_gets() -> None:
    """Searching writes nothing into the tree."""
    rng = np.random.default_rng(3)
    low = rng.random((2000, 4))
    tree = build(low, low + 0.2)
    blocks = np.split(rng.random((8000, 4)), 8)
    alone = [listed(containing(tree, block)) for block in blocks]
    with ThreadPoolExecutor(4) as pool:
        together = [listed(boxes) for boxes in pool.map(lambda block: containing(tree, block), blocks)]
    assert together == alone
