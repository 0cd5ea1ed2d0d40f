"""Strict Mondrian: which cut, which attribute, which groups; and the same again by a slow, obvious program."""

from __future__ import annotations

import csv
import gzip
import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.compiled_code import interpreted
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.sanitizers._median_cuts import Accept, Cuts, partition

Row = tuple[int, ...]
Safe = Callable[[list[int]], bool]
"""Whether the values of some rows may be published together."""


def spans(codes: Int32) -> Float64:
    """Return maximum - minimum of each attribute."""
    width: Float64 = (codes.max(axis=0) - codes.min(axis=0)).astype(np.float64)
    return width


def column(*codes: int) -> Int32:
    """Return a table of one attribute."""
    return np.array(codes, np.int32)[:, np.newaxis]


def groups_of(cuts: Cuts) -> list[list[int]]:
    """Return the rows of each group."""
    return [np.flatnonzero(cuts.group_of == group).tolist() for group in range(cuts.n_groups)]


def slow_groups(
    table: Sequence[Row], k: int, width: Sequence[float], safe: Callable[[list[int]], bool]
) -> list[list[int]]:
    """Return the groups of strict Mondrian, following the definition word by word."""

    def best_cut(rows: list[int], attribute: int) -> tuple[list[int], list[int]] | None:
        allowed = []
        for boundary in sorted({table[row][attribute] for row in rows}):
            left = [row for row in rows if table[row][attribute] <= boundary]
            right = [row for row in rows if table[row][attribute] > boundary]
            if len(left) >= k and len(right) >= k:
                allowed.append((abs(len(left) - len(rows) / 2), boundary, left, right))
        return min(allowed)[2:] if allowed else None

    def divide(rows: list[int]) -> list[list[int]]:
        trials = []
        for attribute in range(len(width)):
            seen = [table[row][attribute] for row in rows]
            if max(seen) > min(seen):
                trials.append((-(max(seen) - min(seen)) / width[attribute], attribute))
        for _, attribute in sorted(trials):
            sides = best_cut(rows, attribute)
            if sides and safe(sides[0]) and safe(sides[1]):
                return divide(sides[0]) + divide(sides[1])
        return [rows]

    return divide(list(range(len(table))))


def entropy(counts: Int64) -> Float64:
    """Return the entropy in nats of each row of counts."""
    share = counts / counts.sum(axis=1, keepdims=True)
    nats: Float64 = -np.sum(share * np.log(np.where(share > 0, share, 1.0)), axis=1)
    return nats


def entropy_l(least: float, slack: float = 1e-12) -> Accept:
    """Demand entropy l-diversity of the first sensitive attribute."""
    return lambda size, counts: (size > 0) & (entropy(counts[0]) >= math.log(least) - slack)


def slow_entropy(values: list[int]) -> float:
    """Return the entropy in nats of a list."""
    return -sum(n / len(values) * math.log(n / len(values)) for n in Counter(values).values())


def adult() -> tuple[Int32, Int32]:
    """Return codes of seven attributes and the occupation of the complete rows of Adult's training part."""
    folder = os.environ.get("UNMASK_DATA")
    if not folder:
        pytest.skip("set UNMASK_DATA to the folder that holds adult/adult.data.gz")
    with gzip.open(Path(folder) / "adult" / "adult.data.gz", "rt", encoding="utf-8") as lines:
        records = [
            record for record in csv.reader(lines, skipinitialspace=True) if len(record) == 15 and "?" not in record
        ]
    text = {j: np.unique([record[j] for record in records], return_inverse=True)[1] for j in (1, 5, 6, 8, 9, 13)}
    age, education = (np.array([int(record[j]) for record in records]) for j in (0, 4))
    codes = np.stack([age, text[1], education, text[5], text[8], text[9], text[13]], axis=1)
    return codes.astype(np.int32), text[6][:, np.newaxis].astype(np.int32)


# The story


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((0, 0, 0, 0, 1, 5), [[0, 1, 2, 3], [4, 5]]),
        ((0, 5, 5, 5, 5, 5), [[0, 1, 2, 3, 4, 5]]),
        ((0, 0, 5, 5, 5, 5), [[0, 1], [2, 3, 4, 5]]),
    ],
)
def test_the_cut_is_the_allowable_boundary_nearest_the_median(codes: Row, expected: list[list[int]]) -> None:
    """Cutting literally at "<= median" would leave the third column in one group: its median is its maximum."""
    table = column(*codes)
    assert groups_of(partition(table, 2, width=spans(table))) == expected


def test_of_two_boundaries_equally_near_the_median_the_lower_one_is_cut() -> None:
    """Half of five is two and a half; the boundaries after two and after three rows are equally far."""
    table = column(0, 0, 1, 2, 2)
    assert groups_of(partition(table, 2, width=spans(table))) == [[0, 1], [2, 3, 4]]


def test_the_widest_attribute_is_cut_first_and_the_next_one_where_it_cannot_be_cut() -> None:
    """The first attribute spans all of its range but leaves one row on a side: the second one is cut."""
    table = np.array([[0, 0], [9, 0], [9, 1], [9, 1], [9, 5]], np.int32)
    assert groups_of(partition(table, 2, width=np.array([9.0, 10.0]))) == [[0, 1], [2, 3, 4]]


def test_of_equally_wide_attributes_the_first_is_cut() -> None:
    """Four corners of a square, k = 2: left and right, not top and bottom."""
    table = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
    assert groups_of(partition(table, 2, width=spans(table))) == [[0, 1], [2, 3]]


def test_summaries_are_the_members_extremes_and_regions_what_the_cuts_left() -> None:
    """Between two groups lies a gap that no summary covers; the region of the upper group begins after the cut."""
    table = column(10, 12, 20, 25)
    cuts = partition(table, 2, width=spans(table))
    assert (cuts.low[:, 0].tolist(), cuts.high[:, 0].tolist()) == ([10, 20], [12, 25])
    assert (cuts.region_low[:, 0].tolist(), cuts.region_high[:, 0].tolist()) == ([10, 13], [12, 25])


def test_a_model_refuses_one_cut_and_the_next_attribute_is_tried() -> None:
    """The first attribute would make two homogeneous groups; the second one mixes them."""
    table = np.array([[0, 0], [0, 1], [2, 0], [2, 1]], np.int32)
    values = column(0, 0, 1, 1)
    width = np.array([2.0, 2.0])
    assert groups_of(partition(table, 2, width=width)) == [[0, 1], [2, 3]]
    diverse = partition(table, 2, width=width, accept=entropy_l(2), values=values, n_values=(2,))
    assert groups_of(diverse) == [[0, 2], [1, 3]]


def test_a_model_is_not_offered_another_cut_of_the_same_attribute() -> None:
    """The cut after two rows would satisfy the model, but k alone prefers the one after three: no cut at all."""
    table = column(0, 0, 1, 2, 2, 2)
    values = column(0, 1, 0, 0, 1, 1)

    def both_values_as_often(size: Int64, counts: tuple[Int64, ...]) -> Bool:
        fits: Bool = (counts[0] * 2 == size[:, np.newaxis]).all(axis=1)
        return fits

    cuts = partition(table, 2, width=spans(table), accept=both_values_as_often, values=values, n_values=(2,))
    assert cuts.n_groups == 1


def test_a_model_sees_the_counts_of_every_sensitive_attribute() -> None:
    """Diverse in the one, homogeneous in the other: refused only where both are asked."""
    table = column(0, 0, 1, 1)
    values = np.array([[0, 2], [1, 2], [0, 3], [1, 3]], np.int32)

    def cut(judged: int) -> int:
        def accept(size: Int64, counts: tuple[Int64, ...]) -> Bool:
            assert [count.shape for count in counts] == [(size.size, 2), (size.size, 4)]
            assert all((count.sum(axis=1) == size).all() for count in counts)
            fits: Bool = np.logical_and.reduce([(count > 0).sum(axis=1) >= 2 for count in counts[:judged]])
            return fits

        return partition(table, 2, width=spans(table), accept=accept, values=values, n_values=(2, 4)).n_groups

    assert (cut(judged=1), cut(judged=2)) == (2, 1)


# Edges


def test_rows_that_are_all_alike_stay_together() -> None:
    """Nothing to cut: one group whose boxes are one point."""
    cuts = partition(np.full((7, 3), 4, np.int32), 2, width=np.zeros(3))
    assert (cuts.n_groups, cuts.low.tolist(), cuts.region_high.tolist()) == (1, [[4, 4, 4]], [[4, 4, 4]])


def test_a_table_without_attributes_is_one_group() -> None:
    """No person can be distinguished by nothing."""
    cuts = partition(np.zeros((3, 0), np.int32), 2, width=np.zeros(0))
    assert (cuts.group_of.tolist(), cuts.low.shape) == ([0, 0, 0], (1, 0))


def test_codes_may_be_negative_and_as_far_apart_as_integers_go() -> None:
    """Missing as a category lies below all values; a span of 2**32 - 1 must not overflow."""
    ends = np.iinfo(np.int32)
    table = column(ends.min, ends.min, -1, ends.max, ends.max)
    cuts = partition(table, 2, width=np.array([2.0**32 - 1]))
    assert groups_of(cuts) == [[0, 1], [2, 3, 4]]
    assert cuts.region_low[:, 0].tolist() == [ends.min, ends.min + 1]


@pytest.mark.parametrize("accept", [None, lambda size, counts: size > len(counts)], ids=["k alone", "with a model"])
def test_three_hundred_cuts_one_below_the_other_need_no_deep_stack(accept: Accept | None) -> None:
    """Each attribute marks k rows of its own, so that every cut takes k rows off and leaves all others."""
    n_attributes, k = 300, 3
    table = np.vstack([np.eye(n_attributes, dtype=np.int32).repeat(k, axis=0), np.zeros((k, n_attributes), np.int32)])
    values = np.zeros((table.shape[0], 0), np.int32)
    cuts = partition(table, k, width=np.ones(n_attributes), accept=accept, values=values)
    assert np.bincount(cuts.group_of).tolist() == [k] * (n_attributes + 1)


def test_a_model_with_thousands_of_values_is_asked_in_parts() -> None:
    """Counts of all nodes at once would be 50 times the table; asked in parts, the groups are the same."""
    rng = np.random.default_rng(5)
    table = rng.integers(0, 4000, (4000, 2)).astype(np.int32)
    values = rng.integers(0, 3, (4000, 1)).astype(np.int32)
    asked: list[int] = []

    def accept(size: Int64, counts: tuple[Int64, ...]) -> Bool:
        asked.append(counts[0].size)
        fits: Bool = 3 * counts[0].max(axis=1) <= 2 * size
        return fits

    few = partition(table, 2, width=spans(table), accept=accept, values=values, n_values=(3,))
    rounds = len(asked)
    many = partition(table, 2, width=spans(table), accept=accept, values=values, n_values=(5000,))
    assert np.array_equal(few.group_of, many.group_of)
    assert max(asked) <= 1 << 20
    assert len(asked) - rounds > rounds


@pytest.mark.parametrize(
    ("k", "width", "values", "n_values", "error"),
    [
        (5, [1.0], None, (), InfeasibleError),
        (0, [1.0], None, (), InvalidInputError),
        (2, [0.0], None, (), InvalidInputError),
        (2, [1.0, 1.0], None, (), InvalidInputError),
        (2, [math.nan], None, (), InvalidInputError),
        (2, [1.0], [[0], [1], [2], [-1]], (3,), InvalidInputError),
        (2, [1.0], [[0], [1], [2], [3]], (3,), InvalidInputError),
        (2, [1.0], None, (3,), InvalidInputError),
    ],
)
def test_what_does_not_fit_is_reported(
    k: int, width: list[float], values: list[list[int]] | None, n_values: tuple[int, ...], error: type[Exception]
) -> None:
    """Too few rows, a span of 0 or none where codes differ, and values without a place in the counts."""
    given_values = None if values is None else np.array(values, np.int32)
    with pytest.raises(error, match="must"):
        partition(column(0, 0, 1, 1), k, width=np.array(width), values=given_values, n_values=n_values)


# Laws


@st.composite
def tables(draw: st.DrawFn) -> tuple[Int32, Int32, int, Float64]:
    """Draw codes, two sensitive attributes, k and the spans of a table in which common values are common."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(1, 200))
    columns = []
    for domain in draw(st.lists(st.integers(2, 5000), min_size=1, max_size=4)):
        skewed = rng.random(n_rows) ** draw(st.sampled_from([1, 3, 8]))
        columns.append((skewed * domain).astype(np.int32) - draw(st.integers(0, 1)))
    codes = np.stack(columns, axis=1)
    values = (rng.random((n_rows, 2)) ** 2 * [draw(st.integers(2, 8)), 3]).astype(np.int32)
    return codes, values, draw(st.integers(1, min(n_rows, 20))), spans(codes)


@settings(max_examples=200, deadline=None)
@given(tables())
def test_the_groups_are_those_of_a_slow_and_obvious_program(drawn: tuple[Int32, Int32, int, Float64]) -> None:
    """No demand but k: the same rows in the same groups, in the same order."""
    codes, _, k, width = drawn
    expected = slow_groups([tuple(row) for row in codes.tolist()], k, width.tolist(), lambda _: True)
    assert groups_of(partition(codes, k, width=width)) == expected


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(0, 2**32 - 1))
def test_codes_with_weights_are_cut_as_that_many_rows(drawn: tuple[Int32, Int32, int, Float64], seed: int) -> None:
    """Equal rows count by their number: the same groups and boxes, also where k is more than the distinct rows."""
    codes, _, k, width = drawn
    weight = np.asarray(np.random.default_rng(seed).integers(1, 5, codes.shape[0]), np.int64)
    cuts, by_row = partition(codes, k, width=width, weight=weight), partition(codes.repeat(weight, 0), k, width=width)
    assert np.array_equal(cuts.group_of.repeat(weight), by_row.group_of)
    for box in ("low", "high", "region_low", "region_high"):
        assert np.array_equal(getattr(cuts, box), getattr(by_row, box))


@settings(max_examples=200, deadline=None)
@given(tables(), st.sampled_from([1.5, 2.0, 3.0]), st.sampled_from([0.4, 0.6, 1.0]))
def test_with_a_model_the_groups_are_those_of_a_slow_and_obvious_program(
    drawn: tuple[Int32, Int32, int, Float64], least: float, most: float
) -> None:
    """Entropy l of one sensitive attribute and the largest share of another, with the same slack on both sides."""
    codes, values, k, width = drawn

    def accept(size: Int64, counts: tuple[Int64, ...]) -> Bool:
        fits: Bool = entropy_l(least)(size, counts) & (counts[1].max(axis=1) <= most * size)
        return fits

    def safe(rows: list[int]) -> bool:
        first, second = ([int(values[row, j]) for row in rows] for j in range(2))
        diverse = slow_entropy(first) >= math.log(least) - 1e-12
        return diverse and max(Counter(second).values()) <= most * len(rows)

    expected = slow_groups([tuple(row) for row in codes.tolist()], k, width.tolist(), safe)
    cuts = partition(codes, k, width=width, accept=accept, values=values, n_values=(8, 3))
    assert groups_of(cuts) == expected


@settings(max_examples=20, deadline=None)
@given(tables())
def test_interpreted_and_compiled_kernels_cut_alike(drawn: tuple[Int32, Int32, int, Float64]) -> None:
    """Small tables are cut by the Python source of the kernels."""
    codes, values, k, width = drawn
    for judged in ({}, {"accept": entropy_l(1.5), "values": values, "n_values": (8, 3)}):
        compiled = partition(codes, k, width=width, **judged)  # type: ignore[arg-type]
        with interpreted():
            cuts = partition(codes, k, width=width, **judged)  # type: ignore[arg-type]
        for name in ("group_of", "low", "high", "region_low", "region_high"):
            np.testing.assert_array_equal(getattr(cuts, name), getattr(compiled, name), strict=True)


@settings(max_examples=50, deadline=None)
@given(tables(), st.integers(0, 2**32 - 1))
def test_a_model_that_accepts_everything_and_another_order_of_rows_change_nothing(
    drawn: tuple[Int32, Int32, int, Float64], seed: int
) -> None:
    """Level by level or depth first, shuffled or not: equal groups and equal boxes."""
    codes, values, k, width = drawn
    order = np.random.default_rng(seed).permutation(codes.shape[0])
    cuts = partition(codes, k, width=width)
    again = partition(
        codes[order], k, width=width, accept=lambda size, _: size > 0, values=values[order], n_values=(8, 3)
    )
    assert np.array_equal(cuts.group_of[order], again.group_of)
    for box in ("low", "high", "region_low", "region_high"):
        assert np.array_equal(getattr(cuts, box), getattr(again, box))


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(0, 2**32 - 1))
def test_each_person_is_in_one_summary_and_a_newcomer_in_one_region(
    drawn: tuple[Int32, Int32, int, Float64], seed: int
) -> None:
    """Members lie in the own box alone; any point between the table's extremes lies in exactly one region."""
    codes, _, k, width = drawn
    cuts = partition(codes, k, width=width)
    assert np.bincount(cuts.group_of, minlength=cuts.n_groups).min() >= k
    for group in range(cuts.n_groups):
        members = codes[cuts.group_of == group]
        assert np.array_equal(members.min(axis=0), cuts.low[group])
        assert np.array_equal(members.max(axis=0), cuts.high[group])
    inside = ((codes[:, np.newaxis] >= cuts.low) & (codes[:, np.newaxis] <= cuts.high)).all(axis=2)
    assert np.array_equal(inside.sum(axis=1), np.ones(codes.shape[0]))
    newcomers = np.random.default_rng(seed).integers(codes.min(axis=0), codes.max(axis=0) + 1, (50, codes.shape[1]))
    hit = (newcomers[:, np.newaxis] >= cuts.region_low) & (newcomers[:, np.newaxis] <= cuts.region_high)
    assert np.array_equal(hit.all(axis=2).sum(axis=1), np.ones(50))


# Figures


def test_adult_at_k_5_has_2967_groups_and_loses_2_57_percent() -> None:
    """Age coded by its value; coded by rank, the gaps at high ages close and there is one group less."""
    codes, _ = adult()
    width = spans(codes)
    cuts = partition(codes, 5, width=width)
    loss = ((cuts.high - cuts.low) / width)[cuts.group_of].mean()
    assert (codes.shape, cuts.n_groups, round(float(loss), 4)) == ((30162, 7), 2967, 0.0257)
    codes[:, 0] = np.unique(codes[:, 0], return_inverse=True)[1]
    assert partition(codes, 5, width=spans(codes)).n_groups == 2966


def test_adult_at_k_10_and_entropy_3_has_1497_groups() -> None:
    """The cut is chosen by k, the model judges that one cut."""
    codes, occupation = adult()
    cuts = partition(codes, 10, width=spans(codes), accept=entropy_l(3), values=occupation, n_values=(14,))
    assert cuts.n_groups == 1497
