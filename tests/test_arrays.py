"""Sparse rows and read-only arrays: the ground that every noun stands on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask import arrays
from unmask.arrays import (
    Ragged,
    distinct_integers,
    distinct_numbers,
    distinct_rows,
    distinct_tuples,
    expand,
    frozen,
    gathered,
    order_of,
    sorted_rows,
    starts,
)
from unmask.errors import InvalidInputError


def matrices(rows=(0, 5), columns=(1, 4)):
    """Draw small matrices with many zeros."""
    shape = st.tuples(st.integers(*rows), st.integers(*columns))
    numbers = st.sampled_from([0.0, 0.0, 0.5, 1.0, -2.0])
    return shape.flatmap(
        lambda s: st.lists(numbers, min_size=s[0] * s[1], max_size=s[0] * s[1]).map(lambda v: np.array(v).reshape(s))
    )


def test_a_missing_entry_is_exactly_zero():
    """Two rows, three columns, two entries: one of them in each row."""
    rows = Ragged(np.array([0, 1, 2]), np.array([2, 0], np.int32), np.array([0.5, 1.0]), 3)
    assert rows.dense().tolist() == [[0, 0, 0.5], [1, 0, 0]]
    assert rows.at(np.array([0, 0, 1, 1]), np.array([2, 1, 0, -1])).tolist() == [0.5, 0, 1, 0]


@given(matrices())
def test_sparse_rows_compute_what_the_matrix_computes(matrix):
    """Sums, maxima, columns, selections: as on the dense matrix that they stand for."""
    rows = Ragged.of(matrix)
    assert np.array_equal(rows.dense(), matrix)
    assert rows.sums() == pytest.approx(matrix.sum(axis=1))
    assert rows.column_sums() == pytest.approx(matrix.sum(axis=0))
    assert np.array_equal(rows.maxima(), np.maximum(matrix, 0).max(axis=1))
    assert np.array_equal(rows.dense_column(0), matrix[:, 0])
    assert np.array_equal(np.concatenate([np.zeros((0, matrix.shape[1])), *map(rows.dense, rows.blocks())]), matrix)
    factor = np.arange(matrix.shape[1], dtype=float)
    assert np.array_equal(rows.columns_scaled(factor).dense(), matrix * factor)
    order = np.arange(matrix.shape[0])[::-1]
    assert np.array_equal(rows.take(order).dense(), matrix[order])
    assert np.array_equal(Ragged.stacked([rows, rows]).dense(), np.concatenate([matrix, matrix]))


@given(matrices(rows=(0, 5), columns=(3, 3)), matrices(rows=(3, 3)), st.booleans())
def test_the_product_is_that_of_the_matrices(left, right, many):
    """Term by term where they are few, by SciPy where they are many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unmask.arrays.SAMPLED", -1 if many else 1000)
        assert np.array_equal((Ragged.of(left) @ Ragged.of(right)).dense(), left @ right)


@given(matrices(rows=(1, 5)), st.data())
def test_entries_are_found_without_making_anything_dense(matrix, data):
    """Any pairs of row and column, in any order, also where there is no entry."""
    n = data.draw(st.integers(0, 8))
    row = np.array(data.draw(st.lists(st.integers(0, matrix.shape[0] - 1), min_size=n, max_size=n)), np.int64)
    column = np.array(data.draw(st.lists(st.integers(0, matrix.shape[1] - 1), min_size=n, max_size=n)), np.int64)
    assert np.array_equal(Ragged.of(matrix).at(row, column), matrix[row, column])


@given(matrices((3, 3), (4, 4)), matrices((3, 3), (4, 4)), st.booleans())
def test_the_sum_is_that_of_the_matrices(left, right, many):
    """By entries, or by scipy where there are many; an exact 0 is no entry."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unmask.arrays.SAMPLED", -1 if many else 1000)
        total = Ragged.of(left) + Ragged.of(right).times(0.5)
    assert np.array_equal(total.dense(), left + 0.5 * right)
    assert total.data.all()


def test_normalized_rows_add_up_to_one_and_empty_rows_stay_empty():
    """A row of nothing has no shares."""
    assert Ragged.of(np.array([[1.0, 3.0], [0.0, 0.0]])).normalized().dense().tolist() == [[0.25, 0.75], [0, 0]]


def test_gathered_entries_are_added_up_in_any_order():
    """Three counts of one cell; what cancels leaves no entry behind."""
    rows = Ragged.gather(np.array([1, 0, 1, 0]), np.array([2, 0, 2, 0]), np.array([1.0, 2.0, 1.0, -2.0]), (2, 3))
    assert rows.dense().tolist() == [[0, 0, 0], [0, 0, 2]]
    assert rows.column.size == 1


@pytest.mark.parametrize(
    ("start", "column", "data", "message"),
    [
        ([0, 2], [0], [1.0], "rise from 0 to 1 entries"),
        ([1, 1], [0], [1.0], "rise from 0"),
        ([0, 2, 1], [0], [1.0], "rise from 0"),
        ([0, 1], [0], [1.0, 2.0], "one number an entry; got 2 for 1"),
        ([0, 1], [3], [1.0], "lie below 3"),
        ([0, 1], [-1], [1.0], "lie below 3"),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(start, column, data, message):
    """Starts that do not rise to the number of entries, columns out of range."""
    with pytest.raises(InvalidInputError, match=message):
        Ragged(np.array(start), np.array(column, np.int32), np.array(data), 3)


def test_nothing_that_is_kept_can_be_written_to():
    """Neither the array, nor the one that the caller still holds."""
    mine = np.array([1.0, 2.0])
    kept = frozen(mine)
    mine[0] = 7
    assert kept.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 5
    rows = Ragged.of(np.eye(2))
    assert not any(array.flags.writeable for array in (rows.start, rows.column, rows.data))


def test_a_view_of_an_array_that_somebody_else_can_write_to_is_copied():
    """A slice shares its memory with the whole: what is frozen must not change behind our back."""
    whole = np.arange(4.0)
    kept = frozen(whole[:2])
    whole[0] = 9
    assert kept.tolist() == [0, 1]


def test_runs_are_expanded_entry_by_entry():
    """Rows of 2, 0 and 3 entries; rows 2 and 0 are wanted."""
    entries, position = expand(starts(np.array([2, 0, 3])), np.array([2, 0]))
    assert entries.tolist() == [2, 3, 4, 0, 1]
    assert position.tolist() == [0, 0, 0, 1, 1]


@given(matrices())
def test_distinct_rows_are_numbered_in_sorted_order(matrix):
    """Equal rows share a number; the example of each number is such a row."""
    number, example = distinct_rows(matrix)
    assert np.array_equal(matrix[example][number], matrix)
    listed = [tuple(row) for row in matrix[example].tolist()]
    assert listed == sorted(set(map(tuple, matrix.tolist())))


@given(st.integers(2, 70), st.sampled_from([2, 9, 1 << 30, 1 << 61]), st.integers(0, 2**32))
def test_rows_of_many_columns_are_sorted_alike(columns, width, seed):
    """However many bits a row would need: ranks take the place of what 62 cannot hold."""
    matrix = np.random.default_rng(seed).integers(-width, width, (12, columns))
    matrix[::3, : columns - 1] = matrix[0, : columns - 1]
    assert sorted_rows(matrix).tolist() == sorted(range(12), key=lambda row: matrix[row].tolist())


def test_a_missing_number_equals_a_missing_number():
    """NaN is not equal to itself, but two rows that lack the same are the same."""
    number, _ = distinct_rows(np.array([[np.nan, 1], [np.nan, 1], [np.nan, 2]]))
    assert number.tolist() == [0, 0, 1]
    assert distinct_rows(np.zeros((3, 0)))[0].tolist() == [0, 0, 0]


@given(
    steps=st.lists(st.integers(-4, 4), max_size=9),
    width=st.sampled_from([1.0, 0.5, 0.1, 1e17]),
    shift=st.sampled_from([0.0, 0.25, -3.7, 1e16, np.inf]),
)
def test_distinct_numbers_are_found_whether_they_are_counted_or_sorted(steps, width, shift):
    """Whole steps from the least are counted; anything else is sorted, to the same result."""
    numbers = np.array(steps, float) * width + shift
    distinct, number = distinct_numbers(numbers)
    assert distinct.tolist() == sorted(set(numbers.tolist()))
    assert distinct[number].tolist() == numbers.tolist()


@given(
    st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 1)), min_size=1, max_size=9), st.sampled_from([1, 1 << 40])
)
def test_rows_are_sorted_and_equal_ones_stay_as_they_stand(rows, width):
    """Packed into one number where they fit, column by column where they do not."""
    order = sorted_rows(np.array(rows, np.int64) * width).tolist()
    assert order == sorted(range(len(rows)), key=lambda row: rows[row])


@given(st.lists(st.integers(-1, 4), max_size=9), st.sampled_from([1, 2, 1 << 16]))
def test_gathered_entries_are_those_of_indexing(codes, block):
    """Block by block, and code -1 is the last entry."""
    table = np.array([5, 6, 7, 8, 9], np.int16)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "BLOCK", block)
        found = gathered(table, np.array(codes, np.int32))
    assert found.dtype == np.int16
    assert np.array_equal(found, table[np.array(codes, np.int32)])


@given(
    st.integers(1, 9), st.integers(0, 2**32), st.sampled_from([1, 40, 70_000]), st.sampled_from([50, 1 << 16, 1 << 62])
)
def test_counted_and_hashed_integers_are_numbered_as_sorted_ones(repeats, seed, n, ends):
    """Counted, hashed or sorted: the number is the rank, and the example is the first row, whatever the machine."""
    rng = np.random.default_rng(seed)
    numbers = np.repeat(rng.integers(-ends, ends, n), repeats)
    rng.shuffle(numbers)
    values, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    for sampled in (1, arrays.SAMPLED, numbers.size + 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrays, "SAMPLED", sampled)
            number, example = distinct_integers(numbers)
        assert np.array_equal(number, inverse)
        assert np.array_equal(example, first)
        assert np.array_equal(numbers[example], values)
    assert np.array_equal(order_of(number), np.argsort(number, kind="stable"))


@pytest.mark.parametrize("most", [0, arrays.SORTED_BY_HALVES])
def test_an_order_of_many_numbers_is_stable(most, monkeypatch):
    """By SciPy or in two steps, of 16 bits each."""
    monkeypatch.setattr(arrays, "SORTED_BY_HALVES", most)
    number = np.random.default_rng(0).integers(0, 1 << 20, 3000).astype(np.int32) & 0xF000F
    assert np.array_equal(order_of(number), np.argsort(number, kind="stable"))


@given(matrices())
def test_columns_are_numbered_as_the_rows_of_their_matrix(matrix):
    """Columns given one by one need no matrix."""
    whole = np.nan_to_num(matrix).astype(np.int64)
    number, example = distinct_tuples(iter(whole.T), len(whole))
    if whole.shape[1]:
        assert np.array_equal(number, distinct_rows(whole)[0])
        assert np.array_equal(example, distinct_rows(whole)[1])
