"""Merged groups: a release whose cells contain the values of all members, with the place of each former row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unmask.changes.merged_groups import can_merge, merge
from unmask.errors import InvalidInputError
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.files.roles import Roles
from unmask.release import Publication
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table


def people(n: int = 60, seed: int = 0) -> Table:
    """Return people of random ages, towns and diseases."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[Any]] = {
        "age": [float(x) for x in rng.integers(20, 60, n)],
        "town": [("Ulm", "Bonn", "Kiel", "Hof")[i] for i in rng.integers(0, 4, n)],
        "ill": [("flu", "cold", "gout")[i] for i in rng.integers(0, 3, n)],
    }
    return Table.of(columns, quasi=["age", "town"], sensitive=["ill"])


def halved(made: Publication, seed: int = 1) -> np.ndarray:
    """Return a random assignment of the groups to half as many."""
    n = made.release.n_groups
    rng = np.random.default_rng(seed)
    number = np.concatenate([np.arange(n // 2), rng.integers(0, n // 2, n - n // 2)])
    return rng.permutation(number).astype(np.int32)


@pytest.mark.parametrize("seed", range(3))
def test_cells_of_a_merged_group_contain_each_member(seed):
    """Every person still fits the cells of the own group, and nobody is lost."""
    table = people(seed=seed)
    made = Mondrian(3).sanitize(table, np.random.default_rng(0))
    change = merge(made.release, halved(made, seed))
    assert made.row_of is not None
    row, group = change.rows(made.row_of), change.groups(made.group_of)
    lines = change.release.masked.lines
    np.testing.assert_array_equal(change.release.group_of_row[row], group)
    for i, cells in enumerate(lines.cells):
        place = cells.coordinates(table[cells.attribute.name])
        assert cells.fit(lines.cell[group, i], place).all()
    assert change.release.size.sum() == table.n_rows
    values = change.release.columns["ill"][row]
    np.testing.assert_array_equal(values, table["ill"])


def test_groups_that_are_not_merged_stay():
    """Each group as a group of its own gives the same release, without a declared method."""
    made = Mondrian(3).sanitize(people(), np.random.default_rng(0))
    change = merge(made.release, np.arange(made.release.n_groups, dtype=np.int32))
    assert change.release.same_content(made.release)
    assert change.release.provenance.sanitizer is None


def test_lists_of_values_are_added_where_cells_are_exact():
    """Groups of Anatomy merge by their lists; no cell changes."""
    made = Anatomy(2).sanitize(people(), np.random.default_rng(0))
    union = halved(made)
    change = merge(made.release, union)
    before, after = made.release.counts_of("ill").dense(), change.release.counts_of("ill").dense()
    expected = np.stack([before[union == g].sum(axis=0) for g in range(union.max() + 1)])
    number = np.array([change.group_of[np.flatnonzero(union == g)[0]] for g in range(union.max() + 1)])
    np.testing.assert_array_equal(after[number], expected)
    assert change.release.masked.is_exact


def test_a_merged_release_is_read_back_as_it_was_written(tmp_path: Path):
    """Listed values that are no run, and ranges, survive the folder."""
    made = Mondrian(3).sanitize(people(), np.random.default_rng(0))
    change = merge(made.release, halved(made))
    write_release(change.release, tmp_path / "release")
    assert read_release(tmp_path / "release", Roles(), name="release").release.same_content(change.release)


def test_centroids_cannot_be_merged():
    """A centroid contains no members, so the union of two has no meaning."""
    made = Microaggregation(3).sanitize(people(), np.random.default_rng(0))
    assert not can_merge(made.release)
    with pytest.raises(InvalidInputError, match="must publish cells"):
        merge(made.release, halved(made))
