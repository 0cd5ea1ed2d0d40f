"""Permutation: everything as it is, but sensitive values shuffled among k neighbors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests import stories
from tests.rates import proportion_within
from tests.strategies import row_numbers
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.random_worlds import RandomWorlds
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.files.folder_reading import read_folder
from unmask.files.release_folder import write_release
from unmask.release import Publication
from unmask.sanitizers.permutation import Permutation
from unmask.table import Table


def salaries(**more: Any) -> Table:
    """Return the six people of the slides: dates of birth as their order, and what they earn."""
    columns: dict[str, Any] = {"born": [1, 4, 2, 1, 4, 2], "zip": [*["53715"] * 2, *["53703"] * 2, *["53706"] * 2]}
    earned = {"salary": [50_000, 55_000, 60_000, 65_000, 70_000, 75_000]}
    return Table.of({**columns, **earned, **more}, quasi=list(columns), sensitive=["salary"], insensitive=list(more))


def publish(table: Table, seed: int = 0, **settings: Any) -> Publication:
    """Publish with a fresh generator."""
    return Permutation(**settings).sanitize(table, np.random.default_rng(seed))


def test_each_person_can_be_found_and_what_they_earn_is_one_of_two_salaries():
    """Pairs of one zip code: rows are exact, and each group has its own two salaries."""
    table = salaries()
    published = publish(table, k=2, order=("zip",))
    release = published.release
    assert release.masked.is_exact
    assert release.permuted == {"salary"}
    assert sorted(map(sorted, release.counts_of("salary").dense().tolist())) == [[0, 0, 0, 0, 1, 1]] * 3
    for group in range(3):
        members = published.group_of == group
        assert sorted(release.columns["salary"][row_numbers(published)[members]]) == sorted(table["salary"][members])
    assert (release.provenance.sanitizer, release.provenance.order) == ("permutation", ("zip",))
    assert dict(release.provenance.parameters) == {"k": 2, "ties": "random", "order": "zip"}


def test_each_value_is_as_likely_on_each_row_of_its_group():
    """The own salary stands on the own row in half of all releases; 1 false alarm in 1,000."""
    own = 0
    for seed in range(600):
        published = publish(salaries(), seed, k=2, order=("zip",))
        own += int(published.release.columns["salary"][row_numbers(published)[0]] == 0)
    proportion_within(own, 600, 1 / 2, 1e-3)


@pytest.mark.parametrize("attack", [RandomWorlds(), DeFinetti()])
def test_an_attack_takes_the_value_as_its_groups_and_not_as_its_rows(attack):
    """Two releases that differ in the shuffling alone: anyone who knows each person's row believes the same."""
    table = salaries()
    believed = []
    for seed in (1, 2, 5):
        published = publish(table, seed, k=3)
        view = stories.view_of(published.release, table.visible(None), "salary", [published.group_of])
        believed.append(attack.infer(view, np.random.default_rng(0)).of(0))
    assert believed[0] == believed[1] == believed[2]
    assert len({publish(table, seed, k=3).release.columns["salary"].tobytes() for seed in (1, 2, 5)}) > 1


def test_a_folder_says_that_values_are_shuffled_and_is_read_as_such(tmp_path):
    """Not as rows that each are a group of their own, which values beside exact rows would make them."""
    release = publish(salaries(bed=[1, 2, 3, 4, 5, 6]), k=3).release
    write_release(release, tmp_path / "r")
    read = read_folder(tmp_path / "r", "r", rename={}, also={}).release
    assert read.same_content(release)
    assert read.permuted == {"salary"}
    assert '"cells": "permuted"' in (tmp_path / "r" / "release.json").read_text()
    assert "salary: shuffled inside each group" in (tmp_path / "r" / "README.txt").read_text()


def test_what_is_permuted_must_be_sensitive_and_needs_groups(tmp_path):
    """A folder written by hand that leaves out the groups, or shuffles what every person can see."""
    write_release(publish(salaries(), k=3).release, tmp_path / "r")
    path = tmp_path / "r" / "release.json"
    text = path.read_text()
    path.write_text(text.replace('"cells": "exact"', '"cells": "permuted"', 1))
    with pytest.raises(InvalidInputError, match=r"column 'born' of release\.json must be sensitive to be permuted"):
        read_folder(tmp_path / "r", "r", rename={}, also={})
    path.write_text(text.replace('  "group_column": "group",\n', ""))
    rows = (tmp_path / "r" / "rows.csv").read_text().splitlines()
    (tmp_path / "r" / "rows.csv").write_text("".join(line.partition(",")[2] + "\n" for line in rows))
    with pytest.raises(InvalidInputError, match="must have a group column, since values are permuted"):
        read_folder(tmp_path / "r", "r", rename={}, also={})


def test_the_last_group_takes_who_is_left_over():
    """Six people by four: one group of six."""
    assert publish(salaries(), k=4).release.size.tolist() == [6]
    assert publish(salaries(), k=6).release.n_groups == 1


def test_several_sensitive_columns_are_shuffled_apart():
    """Or who knows one of them would know the other: both own values on the own row in a quarter of all releases."""
    table = Table.of({"age": [1, 2], "ill": ["flu", "hiv"], "pay": [10, 20]}, quasi=["age"], sensitive=["ill", "pay"])
    own = 0
    for seed in range(600):
        columns = publish(table, seed, k=2).release.columns
        own += int(columns["ill"][0] == columns["pay"][0] == 0)
    proportion_within(own, 600, 1 / 4, 1e-3)


def test_who_cannot_be_grouped_is_refused():
    """Fewer people than k; several rows of one person; nothing sensitive; a column that is not there."""
    table = salaries()
    with pytest.raises(InfeasibleError, match="k must be at most the number of rows, 6; got 7"):
        publish(table, k=7)
    with pytest.raises(InvalidInputError, match="one row for each person"):
        publish(replace(table, person_of=np.array([0, 0, 1, 2, 3, 4], np.int32)), k=2)
    with pytest.raises(InvalidInputError, match=r"at least one sensitive attribute; got none. Name one with -s"):
        publish(table.only(["born"]), k=2)
    with pytest.raises(InvalidInputError, match="column of order must be one of born, zip"):
        publish(table, k=2, order=("salary",))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k": 1}, "k must be a whole number of at least 2; got 1"),
        ({"k": 2.5}, r"k must be a whole number; got 2\.5"),
        ({"ties": "file"}, "ties must be one of random, stable"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, words):
    """A group of one is not shuffled."""
    with pytest.raises(InvalidInputError, match=words):
        Permutation(**settings)
