"""k-member groups: who joins whom; the same again by a slow scan; and what groups show of trees and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests import adult_by_trees
from tests.trees import ages, boxes_around, drawing, drawn_trees, published_labels, with_trees, workers
from unmask import catalog
from unmask.arrays import Int32
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.models.l_diversity import DistinctL
from unmask.models.privacy_model import PrivacyModel
from unmask.people_counts import people_in
from unmask.sanitizers import _k_member
from unmask.sanitizers._k_member import ColumnAxis
from unmask.sanitizers.k_member import KMember
from unmask.schema import Numeric, Schema
from unmask.table import Table

AGES = Hierarchy.intervals(range(120), (5, 10, 20, 50, 100))
GRADES = Hierarchy.from_rows([str(n), "1-2" if n < 3 else "3-9", "1-9"] for n in range(1, 10))


def line(*numbers: float) -> list[ColumnAxis]:
    """Return people on a line, as wide as they are apart."""
    at, place = np.unique(np.array(numbers, np.float64), return_inverse=True)
    return [ColumnAxis(place.astype(np.int32), at, float(np.ptp(at)) or 1.0)]


def groups_of(group_of: Int32) -> list[list[int]]:
    """Return the rows of each group."""
    return [np.flatnonzero(group_of == group).tolist() for group in range(int(group_of.max()) + 1)]


@dataclass(frozen=True)
class Slow:
    """The clustering as it is defined: every loss anew, from the values of the rows."""

    table: Table
    trees: Mapping[str, Hierarchy]
    k: int

    def taken_up(self, rows: list[int]) -> float:
        """Return what some rows take up of each column, added up."""
        total = 0.0
        for attribute in self.table.schema:
            column = self.table[attribute.name]
            if attribute.name in self.trees:
                total += self.height(attribute.name, [attribute.values[column[row]] for row in rows])
            else:
                total += float((column[rows].max() - column[rows].min()) / (np.ptp(column) or 1.0))
        return total

    def height(self, name: str, values: list[str]) -> float:
        """Return how high the lowest label that some values share stands, as a part of the height of the tree."""
        tree = self.trees[name]
        at = [tree.leaves.index(value) for value in values]
        labels: list[NDArray[Any]] = [np.arange(len(tree.leaves)), *tree.label_of, np.zeros(len(tree.leaves), int)]
        lowest = next(level for level, label in enumerate(labels) if len(set(label[at].tolist())) == 1)
        root = next(level for level, label in enumerate(labels) if np.unique(label).size == 1)
        return lowest / root if root else 0.0

    def groups(self) -> list[list[int]]:
        """Return the groups."""
        first = {self.look(row): row for row in reversed(range(self.table.n_rows))}
        left = sorted(range(self.table.n_rows), key=lambda row: (first[self.look(row)], row))
        last, found = left[0], []
        while len(left) >= self.k:
            last = max(left, key=lambda row: self.taken_up([last, row]))
            left.remove(last)
            group = [last]
            while len(group) < self.k:
                last = min(left, key=lambda row: self.taken_up([*group, row]))
                left.remove(last)
                group.append(last)
            found.append(group)
        for row in left:
            grows = [(len(g) + 1) * self.taken_up([*g, row]) - len(g) * self.taken_up(g) for g in found]
            found[grows.index(min(grows))].append(row)
        return [sorted(group) for group in found]

    def look(self, row: int) -> tuple[float, ...]:
        """Return the values of a row."""
        return tuple(float(self.table[a.name][row]) for a in self.table.schema)


def grouped(table: Table, k: int) -> list[list[int]]:
    """Return the groups of a table, whose rows stand in the order that decides ties."""
    group_of, _ = KMember()._grouped([column.axis for column in KMember()._columns(table)], k)
    return groups_of(group_of)


# --- the story


def test_who_is_farthest_begins_and_the_narrowest_joins():
    """Of 20 the farthest is 52, whom 50 joins; of 50 it is 20, whom 21 joins; 31 and 30 are left."""
    group_of, n_groups = _k_member.partition(line(20, 30, 21, 50, 31, 52), 2)
    assert 3 == n_groups
    assert [[3, 5], [0, 2], [1, 4]] == groups_of(group_of)


def test_the_rest_joins_the_group_that_loses_least():
    """Of 0 the farthest is 9, whom 8 joins, then 0, whom 1 joins; 7 widens 8 to 9 by one ninth, 0 to 1 by six."""
    group_of, _ = _k_member.partition(line(0, 1, 7, 8, 9), 2)
    assert [[2, 3, 4], [0, 1]] == groups_of(group_of)


def test_a_group_that_a_person_joined_loses_more_by_the_next():
    """8, 11, 12 and 1, 2, 3; then 4 joins the latter. With 6 it would lose 5 · 5 − 4 · 3, the former 4 · 6 − 3 · 4."""
    group_of, _ = _k_member.partition(line(1, 2, 4, 11, 3, 6, 12, 8), 3)
    assert [[3, 5, 6, 7], [0, 1, 2, 4]] == groups_of(group_of)


def test_who_lies_inside_a_group_joins_before_who_is_nearer():
    """The group of (0, 0, 0), (1, 0, 0), (0, 1, 0) holds (1, 1, 0); to the first, (0, 0, 1.9) is nearer."""
    far = (9, 9, 1.9)
    people = [far, (0, 0, 1.9), (1, 1, 0), (0, 1, 0), (1, 0, 0), (0, 0, 0), far, far]
    axes = [replace(line(*column)[0], width=10.0) for column in zip(*people, strict=True)]
    assert [[2, 3, 4, 5], [0, 1, 6, 7]] == groups_of(_k_member.partition(axes, 4)[0])


def test_a_tree_of_jobs_is_grouped_along_its_branches_and_published_by_their_labels():
    """Two jobs of one branch are half as far apart as of two."""
    table = workers("nurse", "clerk", "baker", "doctor", "judge", "smith")
    made = KMember(k=2).sanitize(table, drawing())
    assert ["trade", "office", "health"] == published_labels(made.release, "job")
    assert made.group_of[0] == made.group_of[3]
    assert {"k": 2} == made.release.provenance.parameters


@pytest.mark.parametrize(
    ("numbers", "cell"),
    [
        ([37, 37], "37"),
        ([37, 39], "[35, 40)"),
        ([38, 45], "[0, 50)"),  # 30 to 39 ends before, 40 to 59 begins behind: intervals of 20 and 50 are not nested
        ([45, 55], "[40, 60)"),
        ([48, 60], "[0, 100)"),
        ([90, 110], "*"),
    ],
)
def test_intervals_that_are_not_nested_are_published_by_the_smallest_that_holds_all(numbers, cell):
    """Intervals of 5, 10, 20, 50 and 100 years."""
    table = with_trees(ages(*numbers), {"age": AGES})
    assert [cell] == published_labels(KMember(k=2).sanitize(table, drawing()).release, "age")


def test_a_number_may_go_by_its_tree():
    """Grades 2, 3 and 9, twice 3: by number 2 goes with a 3, along the tree 1-2 | 3-9 it does not."""
    table = with_trees(Table.of({"grade": [1, 2, 3, 9]}, quasi=["grade"]), {"grade": GRADES})
    by_tree = KMember(k=2, taxonomies=("grade",)).sanitize(table, drawing()).release
    assert ["1-2", "3-9"] == published_labels(by_tree, "grade")
    table = with_trees(Table.of({"grade": [1, 3, 4, 9]}, quasi=["grade"]), {"grade": GRADES})
    along = {tuple(KMember(k=2, taxonomies=("grade",)).sanitize(table, drawing(seed)).group_of) for seed in range(20)}
    plain = {tuple(KMember(k=2).sanitize(table, drawing(seed)).group_of) for seed in range(20)}
    assert plain != along


def test_numbers_of_a_column_may_be_kept_from_being_published():
    """Two people of 37: with `finest` it is their interval of five years."""
    table = with_trees(ages(37, 37), {"age": AGES})
    made = KMember(k=2, finest={"age": 1}).sanitize(table, drawing()).release
    assert ["[35, 40)"] == published_labels(made, "age")
    assert {"k": 2, "finest": "age@1"} == made.provenance.parameters


# --- the edges


def test_between_k_and_2k_people_are_one_group_and_fewer_are_infeasible():
    """Two, three, five and six people, k = 3."""
    table = ages(1, 2, 3, 5, 8, 13)
    with pytest.raises(InfeasibleError, match="at most the number of rows, 2; got 3"):
        KMember(k=3).sanitize(table.take(np.arange(2)), drawing())
    sizes = [KMember(k=3).sanitize(table.take(np.arange(n)), drawing()).release.n_groups for n in (3, 5, 6)]
    assert [1, 1, 2] == sizes


def test_groups_of_one_show_all_people_as_they_are():
    """K = 1; who is alike is one group, since no person could tell them apart."""
    release = KMember(k=1).sanitize(ages(3, 1, 1, 2), drawing()).release
    assert ["1", "2", "3"] == published_labels(release, "age")
    assert [2, 1, 1] == release.size.tolist()


def test_without_a_tree_values_are_alike_or_everything():
    """Two of a, and one of b who joins c: `*`."""
    made = KMember(k=2).sanitize(workers("nurse", "nurse", "clerk", "baker"), drawing())
    assert ["nurse", "*"] == published_labels(made.release, "job")
    plain = Table.of({"town": list("aabc")}, quasi=["town"])
    assert {"a", "*"} == set(published_labels(KMember(k=2).sanitize(plain, drawing()).release, "town"))


def test_values_in_a_declared_order_are_ranges():
    """Low and middle, high and higher: as numbers are."""
    order = ["low", "middle", "high", "top"]
    table = Table.of({"size": ["top", "low", "high", "middle"]}, quasi=["size"], orders={"size": order})
    made = KMember(k=2).sanitize(table, drawing())
    assert made.group_of[0] == made.group_of[2]
    assert made.group_of[1] == made.group_of[3]


def test_people_who_lack_a_value_are_grouped_together():
    """Missing lies farther off than any number: the two without an age find each other."""
    made = KMember(k=2).sanitize(ages(30, None, 31, None, 60, 61), drawing())
    assert made.group_of[1] == made.group_of[3]
    assert 3 == made.release.n_groups
    mixed = KMember(k=2).sanitize(with_trees(ages(30, None), {"age": AGES}), drawing()).release
    assert ["*"] == published_labels(mixed, "age")


@pytest.mark.parametrize(
    "far", [[-np.inf, np.inf, 1.0, 2.0, 3.0, 4.0, 5.0], [1e308, -1e308, 0.0, 5.0, None, None], [np.inf] * 4 + [1.0]]
)
def test_numbers_without_end_are_grouped_as_any(far):
    """Their differences are no numbers, and no person may be lost or counted twice for that."""
    for seed in range(5):
        made = KMember(2).sanitize(Table.of({"a": far}, quasi=["a"]), np.random.default_rng(seed))
        assert (made.group_of >= 0).all()
        assert np.bincount(made.group_of).tolist() == made.release.size.tolist()
        assert made.release.size.min() >= 2


def test_a_constant_column_decides_nothing():
    """The other column decides alone."""
    table = Table.of({"same": [7] * 4, "x": [1, 9, 2, 8]}, quasi=["same", "x"])
    group = KMember(k=2).sanitize(table, drawing()).group_of
    assert group[0] == group[2] != group[1] == group[3]


def test_the_declared_range_is_what_a_range_is_a_part_of():
    """Ages of 20 to 22 differ by nearly nothing of 0 to 100, and by all that there is where nothing is declared."""
    table = ages(20, 22)
    attributes = tuple(replace(a, domain=Numeric(0.0, 100.0)) if a.name == "age" else a for a in table.schema)
    assert 2 == KMember()._columns(table)[0].axis.width
    assert 100 == KMember()._columns(replace(table, schema=Schema(attributes)))[0].axis.width


def test_a_group_without_diversity_joins_its_neighbor():
    """Two people of 20 share a secret: with 30 and 31 they are safe, and 50, 51 stay as they are."""
    table = Table.of(
        {"age": [20, 20, 30, 31, 50, 51], "ill": ["flu", "flu", "cold", "hiv", "flu", "hiv"]},
        quasi=["age"],
        sensitive=["ill"],
    )
    release = KMember(k=2, models=(DistinctL(2),)).sanitize(table, drawing()).release
    assert ["20-31", "50-51"] == published_labels(release, "age")


def test_a_person_with_two_rows_counts_once():
    """Two rows of one person are no group of two people: it joins the next."""
    person_of = np.array([0, 0, 1, 2, 3, 4], np.int32)
    made = KMember(k=2).sanitize(replace(ages(1, 1, 5, 6, 9, 9), person_of=person_of), drawing())
    for group in range(made.release.n_groups):
        assert people_in(person_of[made.group_of == group], 2) >= 2


def test_a_table_in_blocks_has_no_group_across_them():
    """Eight numbers in two blocks of four: no person of the lower half is with a person of the upper."""
    made = KMember(k=3, whole=4, block=4).sanitize(ages(1, 2, 3, 4, 5, 6, 7, 8), drawing())
    assert [4, 4] == made.release.size.tolist()
    assert {"k": 3, "whole": 4, "block": 4} == made.release.provenance.parameters


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"k": 0}, "k must be a whole number of at least 1; got 0"),
        ({"block": 2.5}, "block must be a whole number"),
        ({"finest": "age"}, "finest must name each column once, with a level"),
        ({"finest": "age@1; age@2"}, "each column once"),
        ({"k-map": 3}, "must look at the table alone"),
    ],
)
def test_settings_that_make_no_sense_are_refused(bad, message):
    """In words, at once."""
    with pytest.raises(InvalidInputError, match=message):
        catalog.build("sanitizers", "k-member", bad)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (KMember(k=1, taxonomies=("agee",)), "Did you mean 'age'"),
        (KMember(k=1, taxonomies=("sex",)), "'sex' must have a hierarchy to be one of taxonomies"),
        (KMember(k=1, taxonomies=("age",)), "'age' must be nested to be followed"),
        (KMember(k=1, finest={"age": 7}), "'age' must be one of 0 to 6; got 7"),
        (KMember(k=1, finest={"size": 1}), "'size' must be left out where it has no hierarchy"),
    ],
)
def test_columns_that_cannot_be_grouped_or_published_so_are_named(bad, message):
    """Misspelt, without a hierarchy, with one that is not nested, or without such a level."""
    table = Table.of({"age": [20, 30], "sex": ["f", "m"], "size": [1, 2]}, quasi=["age", "sex", "size"])
    with pytest.raises(InvalidInputError, match=message):
        bad.sanitize(with_trees(table, {"age": AGES}), drawing())


def test_a_table_without_quasi_identifiers_is_refused():
    """There is nothing to group by."""
    table = Table.of({"ill": ["a", "b"]}, sensitive=["ill"])
    with pytest.raises(InvalidInputError, match="at least one quasi-identifier"):
        KMember(k=1).sanitize(table, drawing())


# --- laws


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), k=st.integers(1, 7))
@settings(max_examples=50)
def test_groups_equal_those_of_a_slow_scan(seed, n, k):
    """Law: row by row, with ties everywhere, along random trees and numbers."""
    table, trees = drawn_trees(drawing(seed), max(n, k))
    known = table.visible(None)
    assert Slow(known, trees, k).groups() == grouped(known, k)


def test_groups_of_a_sample_of_adult_equal_those_of_a_slow_scan(data_folder: Path):
    """80 people, eight columns, six of them trees."""
    table = adult_by_trees.drawn(data_folder, 80, seed=0).visible(None)
    trees = {a.name: a.hierarchy for a in table.schema if a.hierarchy is not None and not a.is_numeric}
    attributes = tuple(replace(a, domain=Numeric(step=1.0)) if a.is_numeric else a for a in table.schema)
    table = replace(table, schema=Schema(attributes))
    for k in (2, 10):
        assert Slow(table, trees, k).groups() == grouped(table, k)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), k=st.integers(1, 5))
def test_each_person_lies_in_the_cell_of_their_group(seed, n, k):
    """Law: whatever the trees; a group has k people at least, and a person one box at least."""
    table, _ = drawn_trees(drawing(seed), max(n, k))
    made = KMember(k=k).sanitize(table, drawing(seed))
    assert made.release.size.min() >= k
    assert (boxes_around(made.release, table.visible(None)) >= 1).all()


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 40))
def test_with_a_model_every_group_is_safe(seed, n):
    """Two values in each group, or it is said that the whole table has one."""
    table, _ = drawn_trees(drawing(seed), n)
    models: tuple[PrivacyModel, ...] = (DistinctL(2),)
    if np.unique(table["ill"]).size < 2:
        with pytest.raises(InfeasibleError, match="distinct-l must be at most 1, as for column 'ill'"):
            KMember(k=2, models=models).sanitize(table, drawing(seed))
        return
    release = KMember(k=2, models=models).sanitize(table, drawing(seed)).release
    assert ((release.counts_of("ill").dense() > 0).sum(axis=1) >= 2).all()


# --- figures


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "width", "whole", "whole_by_number"),
    [(2, 14.0, 0.015, 0.087), (10, 49.0, 0.12, 0.42), (50, 87.0, 0.38, 0.83)],
)
def test_what_groups_of_adult_show(k, width, whole, whole_by_number, data_folder: Path):
    """20,000 of the complete rows, eight columns: the width of published ages, and the share of hidden schooling.

    The years of schooling go by number, and by their tree; what an independent program showed, within 4 points.
    """
    table = adult_by_trees.drawn(data_folder, 20_000, seed=0)
    finest = {"age": 1, "education-num": 1}
    by_number = KMember(k=k, finest=finest).sanitize(table, drawing(1)).release
    by_tree = KMember(k=k, finest=finest, taxonomies=("education-num",)).sanitize(table, drawing(1)).release
    assert width == pytest.approx(adult_by_trees.width(by_number, "age"), abs=1.5)
    assert whole_by_number == pytest.approx(adult_by_trees.share_of(by_number, "education-num", "1-16"), abs=0.04)
    assert whole == pytest.approx(adult_by_trees.share_of(by_tree, "education-num", "1-16"), abs=0.04)
