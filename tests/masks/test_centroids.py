"""Centroids: what is shown of a group, and whom an intruder takes for its members."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import stories
from tests.strategies import tables
from unmask.arrays import Int32
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.location import linked
from unmask.errors import InvalidInputError
from unmask.links import Linking
from unmask.masks.centroids import Centroids, publish_centroids
from unmask.partition import Partition
from unmask.release import Provenance, Publication, Release
from unmask.schema import Missing, Ordered, Schema
from unmask.table import Table


def centered(table: Table, group_of: list[int], *, tell_groups: bool = False) -> Publication:
    """Publish groups by their centroids."""
    partition = Partition(np.array(group_of, np.int32), max(group_of) + 1)
    return publish_centroids(table, partition, Provenance("by-hand"), tell_groups=tell_groups)


def published(release: Release, name: str) -> list[float | str | None]:
    """Return the value that each group shows."""
    assert isinstance(release.masked, Centroids)
    table = release.masked.lines.exact_table()
    attribute, column = table.schema[name], table[name].tolist()
    if attribute.is_numeric:
        return [None if np.isnan(x) else x for x in column]
    return [None if code < 0 else attribute.values[code] for code in column]


def weights(release: Release, people: Table, how: Linking = Linking()) -> list[list[float]]:
    """Return how likely each distinct person is in each group."""
    rows: list[list[float]] = linked(release, people, how)[0].dense().tolist()
    return rows


# --- the story


def test_people_of_a_group_are_shared_among_its_centroids():
    """One group of two has centroids at 0 and 100, one of a single person at 0: at 0 both have one person."""
    table = Table.of({"age": [0.0, 0.0, 100.0]}, quasi=["age"])
    masked = centered(table, [0, 1, 2], tell_groups=True).release.masked
    together = masked.regrouped(np.arange(3), np.array([0, 1, 0], np.int32), 2)
    how = Linking(bandwidth=0.0)
    block = next(iter(together.links(stories.people_of(age=[0.0]), np.array([2.0, 1.0]), how)))
    assert block.weight.dense()[0] == pytest.approx([0.5, 0.5])


def test_the_lower_of_two_medians_is_published():
    """Of low, mid, mid and high it is mid; of low and high it is low."""
    table = Table.of({"level": ["low", "high", "low", "mid", "mid", "high"]}, quasi=["level"])
    order = Ordered(("low", "mid", "high"))
    codes = np.array([order.values.index(v) for v in ("low", "high", "low", "mid", "mid", "high")], np.int32)
    schema = Schema((replace(table.schema["level"], domain=order),))
    table = Table(schema, {"level": codes}, 6)
    assert sorted(str(one) for one in published(centered(table, [0, 0, 1, 1, 1, 1]).release, "level")) == ["low", "mid"]


def test_a_group_shows_its_mean_its_median_and_its_mode():
    """Ages 20, 21, 25; schools low, middle, high; two of three are f."""
    table = Table.of(
        {"age": [20, 21, 25], "school": ["high", "low", "middle"], "sex": ["f", "m", "f"]},
        quasi=["age", "school", "sex"],
        orders={"school": ["low", "middle", "high"]},
    )
    release = centered(table, [0, 0, 0]).release
    assert [22.0] == published(release, "age")
    assert ["middle"] == published(release, "school")
    assert ["f"] == published(release, "sex")
    assert isinstance(release.schema["school"].domain, Ordered)
    assert not release.masked.is_exact
    with pytest.raises(InvalidInputError, match="centroids of groups"):
        release.masked.exact_table()


def test_a_person_is_looked_for_at_the_nearest_centroids():
    """Centroids 20, 30, 40 lie 10 apart: age 24 is 4, 6 and 16 away, so e^0, e^-(6-4)/5 and e^-(16-4)/5."""
    table = Table.of({"age": [19, 21, 29, 31, 39, 41]}, quasi=["age"])
    release = centered(table, [0, 0, 1, 1, 2, 2]).release
    person = Table.of({"age": [24]}, quasi=["age"])
    near = [1.0, exp(-0.4), exp(-2.4)]
    assert [pytest.approx([x / sum(near) for x in near])] == weights(release, person, Linking(bandwidth=0.5))
    assert [pytest.approx([1 / (1 + near[1]), near[1] / (1 + near[1]), 0])] == weights(
        release, person, Linking(bandwidth=0.5, nearest=2)
    )
    assert [[1.0, 0.0, 0.0]] == weights(release, person, Linking(bandwidth=0))


def test_numbers_count_in_standard_deviations_and_unlike_values_one():
    """Mean ages 20 and 40 have spread 10: age 33 is 1.3 from the first group, and 0.7 + another sex from the second."""
    table = Table.of({"age": [20, 20, 40, 40], "sex": list("ffmm")}, quasi=["age", "sex"])
    release = centered(table, [0, 0, 1, 1]).release
    person = Table.of({"age": [33], "sex": ["f"]}, quasi=["age", "sex"])
    first, second, spacing = 1.3, (0.7**2 + 1) ** 0.5, (2**2 + 1) ** 0.5
    nearer = exp(-abs(first - second) / (0.5 * spacing))
    expected = [nearer, 1.0] if second < first else [1.0, nearer]
    assert [pytest.approx([x / sum(expected) for x in expected])] == weights(release, person, Linking(bandwidth=0.5))


def test_a_group_of_more_people_is_likelier():
    """Equally far from both: one group has four people, the other two."""
    table = Table.of({"age": [20, 20, 30, 30, 30, 30]}, quasi=["age"])
    release = centered(table, [0, 0, 1, 1, 1, 1]).release
    assert [pytest.approx([1 / 3, 2 / 3])] == weights(release, Table.of({"age": [25]}, quasi=["age"]))


# --- the edges


def test_groups_with_equal_centroids_are_one_unless_numbered():
    """20 and 22, 21 and 21: two means of 21."""
    table = Table.of({"age": [20, 22, 21, 21], "ill": list("abcd")}, quasi=["age"], sensitive=["ill"])
    assert [4] == centered(table, [0, 0, 1, 1]).release.size.tolist()
    assert [2, 2] == centered(table, [0, 0, 1, 1], tell_groups=True).release.size.tolist()


def test_values_that_most_members_lack_are_published_as_missing():
    """Two of three ages are missing in the first group, one of three in the second; of sexes missing is one value."""
    table = Table.of(
        {"age": [20, None, None, 30, 32, None], "sex": ["f", None, None, "m", None, "f"]}, quasi=["age", "sex"]
    )
    release = centered(table, [0, 0, 0, 1, 1, 1]).release
    assert {(None, None), (31.0, "f")} == set(zip(published(release, "age"), published(release, "sex"), strict=True))


@pytest.mark.parametrize("policy", [Missing.OWN, Missing.WILDCARD])
def test_a_missing_value_is_unlike_all_others_or_not_compared(policy):
    """A person without an age belongs to the group without ages; as a wildcard to any group, in proportion."""
    table = Table.of({"age": [20, 21, 40, 41, None, None]}, quasi=["age"], missing=policy)
    release = centered(table, [0, 0, 1, 1, 2, 2]).release
    person = table.take(np.array([4]))
    row = weights(release, person, Linking(bandwidth=0))[0]
    group = published(release, "age").index(None)
    assert row == ([1 / 3] * 3 if policy is Missing.WILDCARD else [float(g == group) for g in range(3)])


def test_a_person_without_known_values_fits_any_group():
    """An intruder who knows no column: fifteen centroids, all as near, though ten are looked at."""
    table = Table.of({"age": list(range(30))}, quasi=["age"])
    release = centered(table, [i // 2 for i in range(30)]).release
    unknown_person = Table.of({"zip": ["x"]}, quasi=["zip"])
    assert [pytest.approx([1 / 15] * 15)] == weights(release, unknown_person)


def test_an_unpublished_value_differs_from_all():
    """A country that no centroid shows tells nothing: both groups stay equally likely."""
    table = Table.of({"country": list("aabb")}, quasi=["country"])
    release = centered(table, [0, 0, 1, 1]).release
    assert [pytest.approx([0.5, 0.5])] == weights(release, Table.of({"country": ["z"]}, quasi=["country"]))


def test_an_empty_release_links_no_people():
    """All groups left out."""
    table = Table.of({"age": [20, 21]}, quasi=["age"])
    release = centered(table, [0, 0]).release.without(np.array([True]))
    assert [[]] == weights(release, table.take(np.array([0])))


def test_without_the_own_group_the_next_nearest_is_looked_at():
    """The control: age 21 without the group at 20.5; two groups are then equally near to 30.5."""
    table = Table.of({"age": [20, 21, 30, 31, 30, 31, 50, 52]}, quasi=["age"])
    release = centered(table, [0, 0, 1, 1, 2, 2, 3, 3], tell_groups=True).release
    people = Table.of({"age": [21, 30.5]}, quasi=["age"])
    found = release.masked.nearest(people, np.array([0, -1], np.int32)).dense().tolist()
    assert [[0, 0.5, 0.5, 0]] * 2 == found


# --- laws


@given(table=tables(min_rows=2), data=st.data())
def test_the_order_of_rows_leaves_no_trace(table, data):
    """Means are added up by size, so that even the last digit is the same."""
    group_of = data.draw(st.lists(st.integers(0, 2), min_size=table.n_rows, max_size=table.n_rows))
    number: Int32 = np.unique(group_of, return_inverse=True)[1].astype(np.int32)
    order = np.array(data.draw(st.permutations(range(table.n_rows))))
    one, two = centered(table, number.tolist()), centered(table.take(order), number[order].tolist())
    assert one.release.same_content(two.release)
    assert np.array_equal(one.group_of[order], two.group_of)


@given(table=tables(min_rows=2), data=st.data())
def test_links_are_distributions_and_random_worlds_runs_on_them(table, data):
    """Every person has some group: no centroid excludes a person."""
    group_of = data.draw(st.lists(st.integers(0, 2), min_size=table.n_rows, max_size=table.n_rows))
    release = centered(table, np.unique(group_of, return_inverse=True)[1].tolist()).release
    _, profiles = table.visible("ill").profiles()
    weight, fits = linked(release, profiles, Linking())
    assert weight.sums() == pytest.approx(np.ones(profiles.n_rows))
    assert (fits > 0).all()
    view = stories.view_of(release, table.visible("ill"), "ill")
    beliefs = RandomWorlds().infer(view, np.random.default_rng(0))
    assert beliefs.rows.sums() == pytest.approx(np.ones(beliefs.rows.n_rows))


def test_means_of_decimals_have_as_many_places_as_the_data():
    """Heights in centimeters with one place, shares with two; the mean of whole numbers keeps its fraction."""
    columns: dict[str, list[float]] = {"height": [170.1, 170.2, 180.4], "share": [0.1, 0.25, 0.1], "age": [20, 21, 21]}
    release = centered(Table.of(columns, quasi=list(columns)), [0, 0, 0]).release
    assert [173.6] == published(release, "height")
    assert [0.15] == published(release, "share")
    assert [62 / 3] == published(release, "age")


@given(st.lists(st.decimals(-(10**6), 10**6, places=2), min_size=1, max_size=9))
def test_law_a_mean_is_written_like_the_data(values):
    """At most two places, and off by half of the last one."""
    numbers = [float(value) for value in values]
    release = centered(Table.of({"x": numbers}, quasi=["x"]), [0] * len(numbers)).release
    (mean,) = published(release, "x")
    assert isinstance(mean, float)
    assert mean == pytest.approx(np.mean(numbers), abs=0.005 + 1e-9)
    if not all(number.is_integer() for number in numbers):
        assert len(repr(mean).partition(".")[2]) <= 2
