"""Linking weights: the expected number of a group's members that a person could be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from tests import oracle, stories
from tests.strategies import Seen, views
from unmask.links import Linking
from unmask.release import Release
from unmask.schema import Missing
from unmask.table import Table

UNIFORM = Linking("uniform")


def weights(release: Release, people: Table, how: Linking = stories.LINKING) -> np.ndarray:
    """Return each person's weights over groups, adding up to 1, (people, groups)."""
    profile, profiles = people.profiles()
    dense = np.concatenate([b.weight.dense() for b in release.masked.links(profiles, release.size, how)])
    return np.asarray(dense[profile])


def fits(release: Release, people: Table) -> np.ndarray:
    """Return how many members of each group each person could be, (people, groups)."""
    profile, profiles = people.profiles()
    blocks = list(release.masked.links(profiles, release.size, stories.LINKING))
    result = np.zeros((profiles.n_rows, release.n_groups))
    for block in blocks:
        result[block.profiles.start + block.weight.row, block.weight.column] = block.fits
    return np.asarray(result[profile])


def publish(ages: list[tuple[int, int, int]]) -> Release:
    """Publish groups of so many people in ranges of age: (low, high, people)."""
    rows = [low for low, _, n in ages for _ in range(n)]
    groups = [g for g, (_, _, n) in enumerate(ages) for _ in range(n)]
    table = Table.of({"age": rows, "ill": ["flu"] * len(rows)}, quasi=["age"], sensitive=["ill"])
    return stories.boxed(table, groups, {"age": [(low, high) for low, high, _ in ages]}).release


# --- the story: a wide cell hides many people, and tells little of each


def test_age_25_against_5_in_the_twenties_and_50_of_any_age():
    """[20, 30) with 5, [0, 100) with 50: .55 to 1 by published marginals, 1 to 1 by a uniform one, never 1 to 10."""
    release = publish([(20, 29, 5), (0, 99, 50)])
    narrow = int(release.size.argmin())
    pooled = weights(release, stories.people_of(age=[25]))[0]
    assert pooled[narrow] / pooled[1 - narrow] == pytest.approx(0.55)
    uniform = weights(release, stories.people_of(age=[25]), UNIFORM)[0]
    assert uniform[narrow] / uniform[1 - narrow] == pytest.approx(1)


def test_a_few_stars_hardly_matter():
    """Ten rows of `*` beside a group of 5 twins: weight 10 · 5/25 to 5, not 10 to 5, in spite of twice the people.

    25 of 35 people show an age; 5 of these are twenty.
    """
    table = Table.of(
        {"age": [20] * 5 + [40] * 20 + [None] * 10, "ill": ["flu"] * 35},
        quasi=["age"], sensitive=["ill"], missing=Missing.WILDCARD,
    )  # fmt: skip
    release = stories.exact(table, [0] * 5 + [1] * 20 + [2] * 10).release
    weight = weights(release, stories.people_of(age=[20]))[0]
    own, stars = int(release.size.argmin()), int((release.size == 10).argmax())
    assert weight[stars] / weight[own] == pytest.approx((10 / 1) / (5 / (5 / 25)))
    assert weight[own] == pytest.approx(25 / 35)


def test_on_strict_partitions_the_weight_is_all_in_one_group():
    """Disjoint boxes: anyone who fits one, fits no other."""
    release = publish([(20, 29, 5), (30, 39, 3)])
    assert weights(release, stories.people_of(age=[25, 39])).tolist() == [[1, 0], [0, 1]]
    assert fits(release, stories.people_of(age=[25, 39])).tolist() == [[5, 0], [0, 3]]


def test_exact_rows_weigh_as_often_as_they_occur():
    """Three of that age, two of them in the first group: 2/3 and 1/3; as many fit."""
    table = Table.of({"age": [30, 30, 40, 30], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    published = stories.exact(table, [0, 0, 1, 1])
    twins, other = published.group_of[0], published.group_of[2]
    weight = weights(published.release, stories.people_of(age=[30]))[0]
    assert (weight[twins], weight[other]) == pytest.approx((2 / 3, 1 / 3))
    rows = fits(published.release, stories.people_of(age=[30]))[0]
    assert (rows[twins], rows[other]) == (2, 1)


def test_what_is_not_known_of_a_person_favors_no_person():
    """Without an age she is one of eight: five eighths in the larger group, however rare its cell is."""
    release = publish([(20, 20, 5), (30, 39, 3)])
    nothing = stories.people_of(age=[1]).only([])
    assert weights(release, nothing)[0] == pytest.approx([5 / 8, 3 / 8])


def test_a_missing_age_as_a_value_fits_only_where_one_may_be_missing():
    """As a wildcard it fits everywhere, with the groups' sizes."""
    ages = [20, 20, None, 40]
    for policy, expected in ((Missing.OWN, [1, 0]), (Missing.WILDCARD, [0.75, 0.25])):
        table = Table.of({"age": ages, "ill": list("abab")}, quasi=["age"], sensitive=["ill"], missing=policy)
        published = stories.boxed(table, [0, 0, 0, 1])
        weight = weights(published.release, table.visible("ill").take(np.array([2])))[0]
        assert weight[published.group_of[[2, 3]]] == pytest.approx(expected)


def test_who_fits_nowhere_is_absent():
    """An empty row, said as such; and a value that the release does not even list fits nothing."""
    release = publish([(20, 29, 5)])
    profiles = stories.people_of(age=[99]).profiles()[1]
    (block,) = release.masked.links(profiles, release.size, stories.LINKING)
    assert block.absent.tolist() == [True]
    towns = Table.of({"town": ["Ulm", "Ulm"], "ill": list("ab")}, quasi=["town"], sensitive=["ill"])
    assert not weights(stories.exact(towns, [0, 0]).release, stories.people_of(town=["Atlantis"])).any()


def test_a_cell_that_admits_a_missing_age_is_not_near_to_all_people():
    """[40, 50] or missing, and [10, 12]: at 20 the second is nearer, whatever is missing in the first."""
    table = Table.of({"age": [40, 50, None, 10, 12], "ill": list("ababa")}, quasi=["age"], sensitive=["ill"])
    release = stories.boxed(table, [0, 0, 0, 1, 1]).release
    nearest = release.masked.nearest(stories.people_of(age=[20]), np.array([-1], np.int32)).dense()[0]
    sizes = release.size[nearest > 0]
    assert sizes.tolist() == [2]


# --- the law


@settings(max_examples=40)
@given(seen=views(1, located=False))
def test_weights_are_people_over_the_chance_to_show_the_cells(seen: Seen):
    """Against the oracle's fractions: boxes that overlap, exact rows, missing values, several attributes."""
    release = seen.view.releases[0]
    found = weights(release, seen.view.knowledge.people)
    published = oracle._read(release, "ill")
    for person in range(seen.table.n_rows):
        expected = np.zeros(release.n_groups)
        for line, chance in enumerate(oracle._chances(seen.view, 0, published, person, row_level=False)):
            expected[published.group_of[line]] += float(chance)
        assert found[person] == pytest.approx(expected / max(expected.sum(), 1e-300), abs=1e-12)
