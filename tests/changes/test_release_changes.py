"""Changed releases: everybody still fits their cells and keeps their value, and the folder reads back the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import stories
from tests.strategies import publications, row_numbers, tables
from unmask.arrays import Int64
from unmask.auditing.evidence import evidence_of
from unmask.auditing.findings import ReleaseFacts
from unmask.changes.release_changes import ChangedRelease, coarsen, coarser_level, leave_out, withhold
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.files.folder_reading import read_folder
from unmask.files.release_folder import release_table, write_release
from unmask.masks.centroids import publish_centroids
from unmask.partition import Partition
from unmask.release import Publication, Release
from unmask.table import Table


def patients() -> tuple[Table, Publication]:
    """Return eight patients in four groups, told apart by age and by sex."""
    table = Table.of(
        {
            "age": [21, 24, 26, 29, 33, 38, 52, 57],
            "sex": [*"ffmmffmm"],
            "ill": ["flu", "hiv", "flu", "flu", "cold", "hiv", "cold", "flu"],
        },
        quasi=["age", "sex"],
        sensitive=["ill"],
    )
    return table, stories.boxed(table, [0, 0, 1, 1, 2, 2, 3, 3])


def cells_of(release: Release, column: str) -> list[str]:
    """Return the published cell of each row."""
    return [str(cell) for cell in release_table(release).column(column).to_pylist()]


def unfit(table: Table, release: Release, row_of: Int64) -> int:
    """Return how many cells of published people do not contain their value."""
    lines, there = release.masked.lines, row_of >= 0
    line = lines.line_of(release.group_of_row)[row_of[there]]
    wrong = 0
    for name in (a.name for a in lines.attributes):
        cells = lines.cells[lines.column(name)]
        place = cells.coordinates(table.take(there)[name])
        wrong += int((~cells.fit(lines.cell_of(name)[line], place)[: place.size]).sum()) if place.size else 0
    return wrong


def read_back(release: Release) -> Release:
    """Write a release to a folder, and read it."""
    with TemporaryDirectory() as folder:
        write_release(release, Path(folder) / "release")
        return read_folder(Path(folder) / "release", release.name, rename={}, also={}).release


# --- the story


def test_without_age_the_groups_of_each_sex_become_one():
    """Two groups of women and two of men cannot be distinguished without their ages."""
    _, published = patients()
    changed = withhold(published.release, "age")
    assert changed.release.masked.lines.attributes[0].name == "sex"
    assert changed.release.size.tolist() == [4, 4]
    assert sorted(cells_of(changed.release, "sex")) == [*"ffffmmmm"]


def test_ages_are_rounded_outwards_to_round_ranges():
    """Of 21 to 57, ranges of 5 years are the finest of which there are at most 16; then come 10 and 20 years."""
    _, published = patients()
    assert sorted({*cells_of(coarsen(published.release, "age").release, "age")}) == ["20-24", "25-29", "30-39", "50-59"]
    assert sorted({*cells_of(coarsen(published.release, "age", 2).release, "age")}) == ["20-29", "30-39", "50-59"]
    assert coarser_level(published.release, "age", 9) is None


def test_a_group_that_is_left_out_counts_as_suppressed():
    """Its people have no row and no group any more."""
    _, published = patients()
    changed = leave_out(published.release, np.array([True, False, False, False]))
    assert changed.release.n_suppressed == 2
    assert changed.release.n_rows == 6
    assert (changed.groups(published.group_of) < 0).tolist() == [True, True] + [False] * 6


@pytest.mark.parametrize(("column", "words"), [("ill", "only sensitive"), ("aeg", "age")])
def test_the_last_sensitive_column_stays(column: str, words: str):
    """Nothing would be left to attack; a misspelt name is corrected."""
    with pytest.raises(InvalidInputError, match=words):
        withhold(patients()[1].release, column)


def test_somebody_must_be_left():
    """A release without groups is none."""
    with pytest.raises(InfeasibleError, match="must stay"):
        leave_out(patients()[1].release, np.ones(4, bool))


def test_centroids_and_words_have_no_coarser_cells():
    """The message names the way out."""
    table, published = patients()
    typical = publish_centroids(table, Partition(np.zeros(8, np.int32), 1), published.release.provenance)
    with pytest.raises(InvalidInputError, match="centroids"):
        coarsen(typical.release, "age")
    with pytest.raises(InvalidInputError, match="Withhold it"):
        coarsen(published.release, "sex")


# --- any release


@st.composite
def changes(draw: st.DrawFn) -> tuple[Table, Publication, ChangedRelease]:
    """Draw a table, a release of it, and a change."""
    table = draw(tables(2, 10, missing=False, blanks=False))
    published = draw(publications(table))
    release, kind = published.release, draw(st.sampled_from(["withhold", "coarsen", "leave out"]))
    if kind == "leave out":
        gone = draw(st.lists(st.booleans(), min_size=release.n_groups, max_size=release.n_groups))
        gone[draw(st.integers(0, len(gone) - 1))] = False
        return table, published, leave_out(release, np.array(gone))
    column = draw(st.sampled_from([a.name for a in release.schema.quasi]))
    if kind == "coarsen" and not release.permuted and coarser_level(release, column) is not None:
        return table, published, coarsen(release, column)
    return table, published, withhold(release, column) if len(release.schema.quasi) > 1 else leave_out(
        release, np.zeros(release.n_groups, bool)
    )  # fmt: skip


@given(case=changes())
def test_everybody_fits_their_cells_and_keeps_their_value(case: tuple[Table, Publication, ChangedRelease]):
    """Nobody is lost, moved, or given the value of another."""
    table, published, changed = case
    row_of = changed.rows(row_numbers(published))
    assert sorted(changed.row_of[changed.row_of >= 0].tolist()) == list(range(changed.release.n_rows))
    assert unfit(table, changed.release, row_of) == 0
    there = changed.row_of >= 0
    for name, codes in changed.release.columns.items():
        assert np.array_equal(codes[changed.row_of[there]], published.release.columns[name][there])
    group = changed.groups(published.group_of)
    assert np.array_equal(group[row_of >= 0], changed.release.group_of_row[row_of[row_of >= 0]])
    assert changed.release.size.sum() + changed.release.n_suppressed == published.release.size.sum()


@given(case=changes())
def test_a_changed_release_is_read_back_the_same(case: tuple[Table, Publication, ChangedRelease]):
    """A changed release can be written to a folder like any other."""
    _, _, changed = case
    if changed.release.columns:
        assert read_back(changed.release).n_rows == changed.release.n_rows
        assert cells_equal(read_back(changed.release), changed.release)


def cells_equal(one: Release, other: Release) -> bool:
    """Return whether two releases have equal rows."""
    return bool(release_table(one).equals(release_table(other)))


# --- people with several rows


def visits(person: list[int], group: list[int]) -> tuple[Table, Publication]:
    """Return rows of people in groups."""
    rows: dict[str, list[Any]] = {
        "age": [20 + one for one in group],
        "ill": ["flu", "cold"] * (len(group) // 2) + ["flu"] * (len(group) % 2),
    }
    table = replace(Table.of(rows, quasi=["age"], sensitive=["ill"]), person_of=np.array(person, np.int32))
    return table, stories.boxed(table, group)


def test_a_person_with_another_row_is_not_left_out():
    """Of persons 0 and 1 in the group left out, person 0 has a row in another: one person is suppressed, two rows."""
    table, published = visits([0, 1, 0, 2], [0, 0, 1, 1])
    evidence = evidence_of(published, "release")
    gone = np.arange(2) == published.group_of[0]
    release = leave_out(published.release, gone, evidence.person_of_row(table.person_of)).release
    assert (release.n_people, release.n_suppressed, release.n_suppressed_rows) == (2, 1, 2)


@given(st.data())
def test_people_without_a_row_are_those_suppressed(data: st.DataObject):
    """Law: published and suppressed people are all people, and the former those with a row, whatever is left out."""
    n = data.draw(st.integers(2, 9))
    person, group = (data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)) for _ in range(2))
    table, published = visits(person, np.unique(group, return_inverse=True)[1].tolist())
    number = published.release.n_groups
    gone = np.array(data.draw(st.lists(st.booleans(), min_size=number, max_size=number)))
    gone[data.draw(st.integers(0, number - 1))] = False
    evidence = evidence_of(published, "release")
    changed = leave_out(published.release, gone, evidence.person_of_row(table.person_of))
    still = np.unique(np.array(person)[changed.rows(row_numbers(published)) >= 0]).size
    assert (changed.release.n_people, changed.release.n_suppressed) == (still, np.unique(person).size - still)
    facts = ReleaseFacts.of(changed.release)
    assert (facts.n_people, facts.suppressed) == (changed.release.n_people, changed.release.n_suppressed)
