"""Microaggregation: small dense groups, safe ones, and how often an intruder finds a person's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import tables
from unmask.arrays import Float64, distinct_rows
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.shared.location import linked
from unmask.datasets.adult import adult
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.links import Linking
from unmask.masks.centroids import Centroids
from unmask.models.average_risk import AverageRisk
from unmask.models.l_diversity import DistinctL
from unmask.models.t_closeness import TCloseness
from unmask.people_counts import people_in
from unmask.release import Publication, Release
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.schema import Numeric, Schema
from unmask.table import Table
from unmask.utility.squared_error import SquaredError
from unmask.utility.utility_measure import PublishedTable

KV7 = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


def publish(sanitizer: Microaggregation, table: Table, seed: int = 0) -> Publication:
    """Sanitize with a fresh generator."""
    return sanitizer.sanitize(table, np.random.default_rng(seed))


def means(release: Release, name: str) -> Float64:
    """Return what each group shows, (groups,)."""
    assert isinstance(release.masked, Centroids)
    return release.masked.lines.exact_table()[name].astype(np.float64)


def coded_adult() -> Table:
    """Return Adult's people with every quasi-identifier a number: its place in the column's order."""
    table = adult(quasi=KV7, sensitive=["occupation"])
    attributes = tuple(replace(a, domain=Numeric(step=1.0)) if a.name in KV7 else a for a in table.schema)
    columns = {name: column.astype(np.float64) if name in KV7 else column for name, column in table.columns.items()}
    return Table(Schema(attributes), columns, table.n_rows)


# --- the story


def test_seven_people_in_three_groups_are_published_with_their_means():
    """0 and 1, 2 and 10 and 11, 12 and 20: three centroids, and what is sensitive stays with its row."""
    table = Table.of({"x": [0, 1, 2, 10, 11, 12, 20], "ill": list("abcdefg")}, quasi=["x"], sensitive=["ill"])
    published = publish(Microaggregation(k=2), table)
    assert [0.5, 23 / 3, 16.0] == means(published.release, "x").tolist()
    assert [0, 0, 1, 1, 1, 2, 2] == published.group_of.tolist()
    assert {"k": 2} == published.release.provenance.parameters


def test_listed_values_count_as_alike_or_not_or_as_numbers():
    """Without an order b is as near to a as z; in alphabetical order it is nearer. Four people, k = 2."""
    table = Table.of({"zip": list("abyz")}, quasi=["zip"])
    numbers = publish(Microaggregation(k=2, categories="codes"), table)
    assert [0, 0, 1, 1] == numbers.group_of.tolist()
    drawn = {tuple(publish(Microaggregation(k=2), table, seed).group_of.tolist()) for seed in range(40)}
    assert len({groups[1] == groups[0] for groups in drawn}) == 2


def test_a_group_without_diversity_joins_its_neighbor():
    """Two people of 20 share a secret: with 30 and 31 they are safe, and 50, 51 stay as they are."""
    table = Table.of(
        {"age": [20, 20, 30, 31, 50, 51], "ill": ["flu", "flu", "cold", "hiv", "flu", "hiv"]},
        quasi=["age"],
        sensitive=["ill"],
    )
    release = publish(Microaggregation(k=2, models=(DistinctL(2),)), table).release
    assert [25.25, 50.5] == means(release, "age").tolist()


# --- the edges


def test_fewer_than_k_people_are_infeasible_and_k_people_one_group():
    """Two, three, five and six people, k = 3."""
    table = Table.of({"x": [1, 2, 3, 5, 8, 13]}, quasi=["x"])
    with pytest.raises(InfeasibleError, match="at most the number of rows, 2; got 3"):
        publish(Microaggregation(k=3), table.take(np.arange(2)))
    assert [1, 1, 2] == [publish(Microaggregation(k=3), table.take(np.arange(n))).release.n_groups for n in (3, 5, 6)]


def test_groups_of_one_show_all_people_as_they_are():
    """K = 1: means are people's own values, and people who are alike share a centroid."""
    table = Table.of({"x": [3, 1, 1, 2]}, quasi=["x"])
    release = publish(Microaggregation(k=1), table).release
    assert [1.0, 2.0, 3.0] == means(release, "x").tolist()
    assert [2, 1, 1] == release.size.tolist()


def test_a_constant_column_decides_nothing():
    """The other column decides alone."""
    table = Table.of({"same": [7] * 4, "x": [1, 9, 2, 8]}, quasi=["same", "x"])
    assert [0, 1, 0, 1] == publish(Microaggregation(k=2), table).group_of.tolist()


def test_people_who_lack_a_value_are_grouped_together():
    """Missing is one more value, unlike all others: the two without an age find each other."""
    table = Table.of({"age": [30, None, 31, None, 60, 61]}, quasi=["age"])
    group = publish(Microaggregation(k=2), table).group_of
    assert group[1] == group[3]
    assert 3 == np.unique(group).size


def test_a_person_with_two_rows_counts_once():
    """Two rows of one person are no group of two people: it joins the next."""
    table = Table.of({"x": [1, 1, 5, 6, 9, 9]}, quasi=["x"])
    person_of = np.array([0, 0, 1, 2, 3, 4], np.int32)
    table = replace(table, person_of=person_of)
    published = publish(Microaggregation(k=2), table)
    for group in range(published.release.n_groups):
        assert people_in(person_of[published.group_of == group], 2) >= 2
    assert published.release.people.min() >= 2


def test_an_average_over_the_release_is_met_by_merging():
    """An average risk of at most 1/4 by groups of two that become larger."""
    table = Table.of({"x": list(range(12))}, quasi=["x"])
    release = publish(Microaggregation(k=2, models=(AverageRisk(0.25),)), table).release
    assert release.n_groups / 12 <= 0.25


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"k": 0}, "k must be a whole number of at least 1; got 0"),
        ({"k": 2.5}, r"k must be a whole number; got 2\.5"),
        ({"categories": "one-hot"}, "categories must be one of frequencies, codes"),
        ({"block": 0}, "block must be a whole number of at least 1"),
        ({"whole": -1}, "whole must be a whole number of at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(bad, words):
    """In words, at once."""
    with pytest.raises(InvalidInputError, match=words):
        Microaggregation(**bad)


# --- laws


@given(table=tables(min_rows=4), seed=st.integers(0, 9), k=st.integers(2, 4))
def test_every_centroid_is_made_by_its_own_members(table, seed, k):
    """Recomputed from the people that went in: the mean of known ages, or that most are not known."""
    published = publish(Microaggregation(k=k), table, seed)
    published_means = means(published.release, "age")
    for group in range(published.release.n_groups):
        ages = table["age"][published.group_of == group]
        known = ages[~np.isnan(ages)]
        expected = known.mean() if known.size >= ages.size - known.size else np.nan
        assert expected == pytest.approx(published_means[group], nan_ok=True)


@given(table=tables(min_rows=6, missing=False), seed=st.integers(0, 9))
def test_with_models_every_group_is_safe(table, seed):
    """Both distinct l-diversity and t-closeness, or it is said that the whole table is not."""
    try:
        release = publish(Microaggregation(k=2, models=(DistinctL(2), TCloseness(0.5))), table, seed).release
    except InfeasibleError:
        assert np.unique(table["ill"]).size < 2
        return
    counts = release.counts_of("ill").dense()
    overall = counts.sum(axis=0) / counts.sum()
    assert ((counts > 0).sum(axis=1) >= 2).all()
    assert (np.abs(counts / counts.sum(axis=1, keepdims=True) - overall).sum(axis=1) / 2 <= 0.5 + 1e-9).all()


# --- figures


def test_blocks_lose_little_and_leave_no_person_in_a_small_group():
    """Adult, cut into two blocks: at most a fifth more error than as a whole."""
    table = adult(quasi=KV7, sensitive=["occupation"])
    lost = []
    for whole in (30_162, 20_000):
        published = publish(Microaggregation(k=10, whole=whole), table)
        assert published.release.size.min() >= 10
        case = PublishedTable.of(published.release, table, published.row_of)
        lost.append(SquaredError().measure(case, np.random.default_rng(0)).value.value)
    assert lost[0] is not None
    assert lost[1] is not None
    assert lost[1] < 1.2 * lost[0]


@pytest.mark.parametrize(("k", "found", "ceiling"), [(5, 0.57, 0.66), (10, 0.62, 0.76), (25, 0.69, 0.87)])
def test_how_often_the_nearest_centroid_is_that_of_ones_own_group(k, found, ceiling):
    """17,581 of Adult's people, columns as codes, groups distinguished: within two points of what was measured before.

    People who are alike stand in different groups, so no way of looking finds more than the ceiling.
    """
    table = coded_adult()
    table = table.take(np.random.default_rng(k).permutation(table.n_rows)[:17_581])
    published = publish(Microaggregation(k=k, tell_groups=True), table)
    profile, profiles = table.visible(None).profiles()
    weight, _ = linked(published.release, profiles, Linking(bandwidth=0))
    assert found == pytest.approx(weight.at(profile, published.group_of).mean(), abs=0.02)
    pair, example = distinct_rows(np.stack([profile, published.group_of], axis=1))
    most = np.zeros(profiles.n_rows)
    np.maximum.at(most, profile[example], np.bincount(pair))
    assert ceiling == pytest.approx(most.sum() / table.n_rows, abs=0.01)


def test_an_intersection_of_two_releases_runs_on_centroids():
    """Two hospitals of 300 people each that share 100, by attributes only: every person gets a belief."""
    table = adult(quasi=("age", "education", "sex"), sensitive=["occupation"]).take(np.arange(500))
    from tests import stories  # noqa: PLC0415

    releases = [publish(Microaggregation(k=5), table.take(np.arange(a, a + 300))).release for a in (0, 200)]
    view = stories.view_of(releases, table.take(np.arange(200, 300)).visible("occupation"), "occupation")
    beliefs = Intersection().infer(view, np.random.default_rng(0))
    assert (beliefs.row_of >= 0).all()
    assert beliefs.rows.sums() == pytest.approx(np.ones(beliefs.rows.n_rows))
