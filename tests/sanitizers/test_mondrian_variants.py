"""Mondrian otherwise: the literal rule, the relaxed one, hierarchies that are followed, and regions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trees import JOBS, Slow, ages, boxes_around, drawing, drawn_trees, published_labels, with_trees, workers
from unmask.datasets.adult import adult
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.models.l_diversity import DistinctL, MaxShareL
from unmask.release import Publication
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.utility.information_loss import NCP
from unmask.utility.utility_measure import PublishedTable

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


def loss(made: Publication, table: Table) -> float | None:
    """Return how much wider the published cells are than the values."""
    return NCP().measure(PublishedTable.of(made.release, table, made.row_of), drawing()).value.value


# --- the literal rule


@pytest.mark.parametrize(
    ("numbers", "nearest", "literal"),
    [
        ([0, 0, 0, 0, 1, 5], [4, 2], [4, 2]),
        ([0, 5, 5, 5, 5, 5], [6], [6]),
        ([0, 0, 5, 5, 5, 5], [2, 4], [6]),
        ([0, 0, 1, 1, 1, 5], [2, 4], [6]),
    ],
)
def test_at_or_below_the_median_nothing_may_be_left_on_the_other_side(numbers, nearest, literal):
    """Of 0 0 5 5 5 5 the median is the maximum: the literal rule gives up where a cut below it would do."""
    table = ages(*numbers)
    assert Mondrian(k=2).sanitize(table, drawing()).release.size.tolist() == nearest
    assert Mondrian(k=2, cut="literal").sanitize(table, drawing()).release.size.tolist() == literal


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80), st.integers(1, 6))
def test_no_group_of_the_literal_rule_has_k_people_above_its_median_in_any_column(seed, n_rows, k):
    """Law: else it would have been cut there; and no group has fewer than k."""
    table, _ = drawn_trees(drawing(seed), max(n_rows, k))
    made = Mondrian(k=k, cut="literal").sanitize(table, drawing())
    assert made.release.size.min() >= k
    for group in range(made.release.n_groups):
        for attribute in table.schema.quasi:
            codes = np.sort(table[attribute.name][made.group_of == group])
            assert (codes > codes[(codes.size - 1) // 2]).sum() < k


@pytest.mark.slow
@pytest.mark.parametrize(("cut", "groups", "lost"), [("nearest", 2967, 0.0257), ("literal", 1010, 0.4515)])
def test_nine_of_ten_from_one_country_stop_the_literal_rule(cut, groups, lost):
    """Adult, k = 5: a third of the groups, and seventeen times the loss, for one word in the rule."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    made = Mondrian(cut=cut).sanitize(table, drawing())
    assert made.release.n_groups == groups
    assert loss(made, table) == pytest.approx(lost, abs=5e-5)


# --- the relaxed rule


def test_halves_are_equal_among_ties():
    """One of 20, four of 30, one of 40: no strict cut leaves two; relaxed, three and three, and who is drawn."""
    table = ages(20, 30, 30, 30, 30, 40)
    assert Mondrian(k=2).sanitize(table, drawing()).release.size.tolist() == [6]
    made = [Mondrian(k=2, cut="relaxed").sanitize(table, drawing(seed)) for seed in range(20)]
    assert {tuple(published_labels(one.release, "age")) for one in made} == {("20-30", "30-40")}
    assert {tuple(one.release.size.tolist()) for one in made} == {(3.0, 3.0)}
    assert len({tuple(one.group_of.tolist()) for one in made}) > 1
    assert boxes_around(made[0].release, table.visible("ill")).tolist() == [1, 2, 2, 2, 2, 1]


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80), st.integers(1, 6))
def test_relaxed_groups_have_fewer_than_twice_k_people_unless_these_are_alike(seed, n_rows, k):
    """Law: only people who cannot be distinguished are ever left together; and no person is alone."""
    table, _ = drawn_trees(drawing(seed), max(n_rows, k))
    made = Mondrian(k=k, cut="relaxed").sanitize(table, drawing(seed))
    assert made.release.size.min() >= k
    profile, _ = table.visible("ill").profiles()
    for group in np.flatnonzero(made.release.size >= 2 * k):
        assert np.unique(profile[made.group_of == group]).size == 1


@pytest.mark.slow
def test_in_relaxed_boxes_nearly_all_people_lie_more_than_once():
    """Adult, k = 5, four seeds: 95 % are in several boxes, ten on average; strict: every person in exactly one."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    people = table.visible("occupation")
    counts = [boxes_around(Mondrian(cut="relaxed").sanitize(table, drawing(s)).release, people) for s in range(4)]
    assert np.mean([(one > 1).mean() for one in counts]) == pytest.approx(0.95, abs=0.01)
    assert np.mean([one.mean() for one in counts]) == pytest.approx(10.3, abs=0.5)
    assert all(22 <= one.max() <= 32 for one in counts)
    assert (boxes_around(Mondrian().sanitize(table, drawing()).release, people) == 1).all()


# --- hierarchies


def test_a_column_is_cut_into_all_labels_below_the_one_that_a_group_has_in_common():
    """Three trades, two people each: three groups at once; two of the same job are published as that job."""
    table = workers("nurse", "doctor", "clerk", "clerk", "baker", "smith")
    release = Mondrian(k=2, hierarchies=True).sanitize(table, drawing()).release
    assert sorted(published_labels(release, "job")) == ["clerk", "health", "trade"]


def test_one_person_under_a_label_blocks_the_column():
    """A single judge would stand alone, so no person is distinguished by job; offices that are empty do not matter."""
    blocked = workers("nurse", "doctor", "judge", "baker", "smith")
    assert published_labels(Mondrian(k=2, hierarchies=True).sanitize(blocked, drawing()).release, "job") == ["*"]
    empty = workers("nurse", "doctor", "baker", "smith")
    assert sorted(published_labels(Mondrian(k=2, hierarchies=True).sanitize(empty, drawing()).release, "job")) == [
        "health", "trade",
    ]  # fmt: skip


def test_where_labels_block_the_next_column_is_tried():
    """By job no person can be distinguished, by age in the middle they can."""
    table = Table.of(
        {"job": ["nurse", "doctor", "judge", "baker"], "age": [20, 60, 21, 61], "ill": list("abab")},
        quasi=["job", "age"], sensitive=["ill"],
    )  # fmt: skip
    release = Mondrian(k=2, hierarchies=True).sanitize(with_trees(table, {"job": JOBS}), drawing()).release
    assert published_labels(release, "age") == ["20-21", "60-61"]


def test_all_sides_must_meet_a_model():
    """Two bakers with the same illness: three labels of two people each are not diverse, all six together are."""
    table = workers("nurse", "doctor", "clerk", "judge", "baker", "baker", ills="ababaa")
    assert Mondrian(k=2, hierarchies=True).sanitize(table, drawing()).release.n_groups == 3
    assert Mondrian(k=2, hierarchies=True, models=(DistinctL(2),)).sanitize(table, drawing()).release.n_groups == 1


def test_a_person_with_two_rows_is_one_person_under_a_label():
    """Both of the health rows are the same person's: k = 2 is not met."""
    table = workers("nurse", "doctor", "clerk", "judge")
    assert Mondrian(k=2, hierarchies=True).sanitize(table, drawing()).release.n_groups == 2
    twice = replace(table, person_of=np.array([1, 1, 2, 3], np.int32))
    assert Mondrian(k=2, hierarchies=True).sanitize(twice, drawing()).release.n_groups == 1


def test_a_missing_value_is_a_leaf_of_its_own():
    """Two of unknown job are a group of their own, as if that were a trade."""
    release = Mondrian(k=2, hierarchies=True).sanitize(workers("nurse", "doctor", None, None), drawing()).release
    assert sorted(published_labels(release, "job")) == ["?", "health"]


def test_labels_that_are_not_nested_cannot_be_followed():
    """Ages 40 to 49 are in [30, 45) and in [45, 60): neither could [40, 50) be below."""
    table = with_trees(ages(*range(20, 60)), {"age": Hierarchy.intervals(range(20, 60), (10, 15))})
    with pytest.raises(InvalidInputError, match="must be nested to be followed; got level 3, which splits"):
        Mondrian(k=2, hierarchies=True).sanitize(table, drawing())


def test_without_a_hierarchy_there_is_nothing_to_follow():
    """Plain cuts under that name would be a surprise."""
    with pytest.raises(InvalidInputError, match="must have a column to follow"):
        Mondrian(k=2, hierarchies=True).sanitize(ages(1, 2, 3, 4), drawing())


@settings(max_examples=150)
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 6), st.sampled_from([1.0, 1.3, 2.0]), st.booleans()
)
def test_the_groups_are_those_of_a_slow_and_obvious_program(seed, n_rows, k, least, repeated):
    """Random trees and columns in order, with a model, with people of several rows: the same rows together."""
    rng = drawing(seed)
    table, trees = drawn_trees(rng, n_rows)
    if repeated:
        table = replace(table, person_of=rng.integers(0, max(2, n_rows // 2), n_rows).astype(np.int32))
    slow = Slow(table, trees, k, least)
    if not slow.fits(list(range(n_rows))):
        return
    made = Mondrian(k=k, models=(MaxShareL(least),) if least > 1 else (), hierarchies=True).sanitize(table, drawing())
    found = {frozenset(np.flatnonzero(made.group_of == group).tolist()) for group in range(made.release.n_groups)}
    assert found == {frozenset(group) for group in slow.groups()}


def mondrian_trees(folder: Path) -> dict[str, Hierarchy]:
    """Read the trees of Adult that came with a well-known program; short lines repeat their leaf."""
    trees = {}
    for name in QUASI:
        file = folder / "adult" / "hierarchies-mondrian" / f"adult_{name.replace('-', '_')}.txt"
        if file.is_file():
            rows = [line.split(";") for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
            depth = max(map(len, rows))
            trees[name] = Hierarchy.from_rows([row[0]] * (depth - len(row)) + row for row in rows)
    return trees


@pytest.mark.slow
def test_adults_trees_make_coarser_groups_than_its_orders(data_folder):
    """Five columns have trees, age and education are cut in order: as many groups, and four times the loss."""
    table = with_trees(adult(quasi=QUASI, sensitive=("occupation",)), mondrian_trees(data_folder))
    made = Mondrian(hierarchies=True).sanitize(table, drawing())
    assert (made.release.n_groups, made.release.size.min()) == (2859, 5)
    assert loss(made, table) == pytest.approx(0.1165, abs=5e-5)
    assert set(published_labels(made.release, "native-country")) <= {"*", *table.schema["native-country"].values}
