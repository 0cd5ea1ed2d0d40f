"""A release as a sample: the published people are alike where they show the same."""

from __future__ import annotations

import csv
import gzip
from dataclasses import replace

import numpy as np
import pytest

from tests import stories
from unmask.errors import InvalidInputError
from unmask.models.equivalence_classes import MissingAs
from unmask.population.assessment import population_risk
from unmask.sanitizers.suppression import LocalSuppression, RecordSuppression
from unmask.table import Table

RNG = np.random.default_rng(0)  # nothing is drawn
QI8 = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
NODE = (0, 3, 0, 2, 2, 1, 1, 0)
TOP_FREE = (0, 4, 1, 2, 3, 2, 0, 0)


def generalized(folder, node):
    """Return Adult with each column at its level of ARX's hierarchies."""
    text = gzip.decompress((folder / "arx" / "adult" / "adult.csv.gz").read_bytes()).decode()
    header, *rows = csv.reader(text.splitlines(), delimiter=";")
    columns = {}
    for name, level in zip(QI8, node, strict=True):
        path = folder / "arx" / "adult" / f"adult_hierarchy_{name}.csv"
        lines = (line.split(";") for line in path.read_text("utf-8").splitlines())
        label = {line[0]: line[level] for line in lines}
        columns[name] = [label[row[header.index(name)]] for row in rows]
    return Table.of(columns, quasi=QI8)


def test_a_group_of_two_and_one_of_three():
    """Whatever the boxes are: risks of a half and a third."""
    table = Table.of({"age": [20, 21, 30, 31, 32], "ill": list("aabab")}, quasi=["age"], sensitive=["ill"])
    found = population_risk(stories.boxed(table, [0, 0, 1, 1, 1]).release)
    assert found.risk == pytest.approx([1 / 2] * 2 + [1 / 3] * 3)
    assert found.notes == ()


def test_a_star_counts_as_it_is_read():
    """The widow's star is a value that no other row has, or matches all five."""
    status = Table.of({"status": ["single", "married", "married", "single", "widow"]}, quasi=["status"])
    release = LocalSuppression(k=2, policy="wildcard").sanitize(status, RNG).release
    own, wild = (population_risk(release, reading=reading) for reading in (MissingAs.OWN, MissingAs.WILDCARD))
    assert sorted(own.risk) == [0.5, 0.5, 0.5, 0.5, 1]
    assert sorted(wild.risk) == pytest.approx([1 / 5, 1 / 3, 1 / 3, 1 / 3, 1 / 3])


def test_suppressed_people_give_a_note():
    """They are in no average, which would only look better for them."""
    table = Table.of({"age": [20, 20, 30]}, quasi=["age"])
    found = population_risk(RecordSuppression(k=2).sanitize(table, RNG).release)
    assert found.n == 2
    assert found.notes == ("no figure counts suppressed people: 1",)


def test_arx_s_risks_of_its_two_best_generalizations(data_folder):
    """3.9.2, k = 5: 506 suppressed in one, none in the other; none is unique, so none is in the population."""
    release = RecordSuppression(k=5).sanitize(generalized(data_folder, NODE), RNG).release
    found = population_risk(release, population_size=317_238_626)
    assert (release.n_groups, release.n_suppressed, found.n) == (222, 506, 29_656)
    assert found.prosecutor.highest.value == 0.2
    assert found.prosecutor.lowest.value == 1 / 3218
    assert found.prosecutor.average.value == pytest.approx(0.0074858376045319665, rel=1e-12)
    assert found.prosecutor.at_highest.value == pytest.approx(0.0033719989209603455 * 29_656)
    assert found.prosecutor.above[1 / 5].value == 0
    whole = RecordSuppression(k=5).sanitize(generalized(data_folder, TOP_FREE), RNG).release
    risk = population_risk(whole, population_size=317_238_626)
    assert (whole.n_groups, whole.n_suppressed) == (26, 0)
    assert risk.marketer.value is not None
    assert risk.prosecutor.average.value == pytest.approx(8.620118029308402e-4, rel=1e-12)
    assert (risk.prosecutor.lowest.value, risk.prosecutor.at_highest.value) == (1 / 10_489, 5)
    for one in (found, risk):
        assert [estimate.value for estimate in one.uniqueness.estimates.values()] == [0, 0, 0]


def test_what_cannot_be_counted_is_refused():
    """Noisy sizes."""
    table = Table.of({"age": [20, 20, 30], "ill": list("aab")}, quasi=["age"], sensitive=["ill"])
    release = stories.boxed(table, [0, 0, 1]).release
    noisy = replace(release, size=release.size + 0.3)
    with pytest.raises(InvalidInputError, match="must be whole"):
        population_risk(noisy)


def test_a_table_of_the_population_is_held_against_what_a_release_shows():
    """Boxes 20-21 and 30: five and one of the population fit, as k-map counts them; one person is alone in both."""
    table = Table.of({"age": [20, 21, 30], "ill": list("aab")}, quasi=["age"], sensitive=["ill"])
    population = Table.of({"age": [20, 20, 20, 21, 21, 30, 40]}, quasi=["age"])
    found = population_risk(stories.boxed(table, [0, 0, 1]).release, population=population)
    assert sorted(found.risk) == pytest.approx([1 / 5, 1 / 5, 1])
    assert (found.population_size.value, found.uniqueness.also_there.value) == (7, 1)
    assert found.uniqueness.counted is None


def test_a_person_with_rows_in_several_groups_counts_once():
    """Four people in groups of 3 and 2: one is in both, and counts in the smaller, whoever it is."""
    table = Table.of({"age": [20, 21, 22, 30, 31], "ill": list("aabab")}, quasi=["age"], sensitive=["ill"])
    table = replace(table, person_of=np.array([0, 1, 2, 2, 3], np.int32))
    release = stories.boxed(table, [0, 0, 0, 1, 1]).release
    found = population_risk(release)
    assert (found.n, release.n_people) == (4, 4)
    assert found.keys.people.tolist() == [3, 2]
    assert found.prosecutor.highest.value == 1 / 2
    assert found.prosecutor.average.value == pytest.approx((2 * 1 / 2 + 2 * 1 / 3) / 4)
