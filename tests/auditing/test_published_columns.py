"""Classes of rows that are equal in all published columns, and releases with more columns known."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unmask.auditing.known_columns import published_cells, refined_publication
from unmask.auditing.published_columns import alone_in, classes
from unmask.models.k_anonymity import KAnonymity
from unmask.models.l_diversity import MaxShareL
from unmask.models.release_assessment import measure_release
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table

ROWS = st.lists(st.tuples(*(st.integers(0, 3) for _ in range(4))), min_size=1, max_size=25)


@given(ROWS)
def test_classes_are_counted(rows: list[tuple[int, ...]]):
    """As by hand: rows without an equal one, and the smallest class; one more column never makes fewer unique."""
    columns = {name: np.array(column, np.int32) for name, column in zip("abc", zip(*rows, strict=True), strict=False)}
    size = Counter(row[:3] for row in rows)
    found = classes(columns, len(rows))
    assert (found.n, found.unique) == (len(rows), sum(n == 1 for n in size.values()))
    assert (found.smallest, found.max_risk) == (min(size.values()), 1 / min(size.values()))
    more = columns | {"d": np.array([row[3] for row in rows], np.int32)}
    assert classes(more, len(rows)).unique >= found.unique


@given(ROWS, st.lists(st.integers(1, 3), min_size=30, max_size=30))
def test_rows_given_once_with_their_number_are_classes_alike(rows: list[tuple[int, ...]], numbers: list[int]):
    """A row that stands for three is three rows."""
    columns = {name: np.array(column, np.int32) for name, column in zip("abcd", zip(*rows, strict=True), strict=True)}
    times = np.array(numbers[: len(rows)])
    each = {name: np.repeat(column, times) for name, column in columns.items()}
    assert classes(columns, len(rows), times=times) == classes(each, int(times.sum()))


@given(ROWS)
def test_people_are_counted_where_they_are_known(rows: list[tuple[int, ...]]):
    """A person is unique with a row that no other person has, however often it occurs."""
    person = np.array([row[3] for row in rows], np.int32)
    found = classes({"a": np.array([row[0] for row in rows], np.int32)}, len(rows), person)
    owners = {value: {row[3] for row in rows if row[0] == value} for value in range(4)}
    alone = {next(iter(who)) for who in owners.values() if len(who) == 1}
    assert (found.n, found.unique) == (len(set(person.tolist())), len(alone))
    assert alone_in(np.array([row[0] for row in rows], np.int32), person) == len(alone)


def test_a_missing_value_singles_nobody_out():
    """One empty cell among twos."""
    assert alone_in(np.array([0, 0, -1, 1, 1], np.int32)) == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2), st.sampled_from("abc")), min_size=4, max_size=20))
def test_a_refined_release_is_measured_as_its_rows_show(rows: list[tuple[int, int, str]]):
    """Its k is the smallest class by cell and column, and its largest share that of the worst class."""
    columns: dict[str, list[object]] = {
        "age": [r[0] for r in rows],
        "ward": [f"w{r[1]}" for r in rows],
        "ill": [r[2] for r in rows],
    }
    table = Table.of(columns, quasi=["age"], sensitive=["ill"], insensitive=["ward"])
    release = Mondrian(2).sanitize(table, np.random.default_rng(0)).release
    ward = (release.schema["ward"].values, release.columns["ward"])
    found = refined_publication(release, {"ward": ward}).release
    rows_with_ward = list(zip(published_cells(release)["age"].tolist(), ward[1].tolist(), strict=True))
    size = Counter(rows_with_ward)
    assert measure_release(found, KAnonymity(2)).value == min(size.values())
    share = Counter(zip(rows_with_ward, release.columns["ill"].tolist(), strict=True))
    worst = max(n / size[key] for (key, _), n in share.items())
    assert np.isclose(measure_release(found, MaxShareL(1)).value, 1 / worst)


def test_values_of_whole_groups_stay_with_their_groups():
    """Anatomy tells which values a group has: a ward beside each row divides the rows, not the list of values."""
    columns: dict[str, list[object]] = {
        "age": [20, 20, 30, 30],
        "ward": ["a", "b", "a", "b"],
        "ill": ["flu", "cold", "flu", "cold"],
    }
    table = Table.of(columns, quasi=["age"], sensitive=["ill"], insensitive=["ward"])
    release = Anatomy(2).sanitize(table, np.random.default_rng(0)).release
    known = {"ward": (release.schema["ward"].values, release.columns["ward"])}
    found = refined_publication(release, known).release
    assert found.n_groups == release.n_groups == 2
    assert measure_release(found, MaxShareL(1)).value == 2
    assert measure_release(found, KAnonymity(2)).value == 1
