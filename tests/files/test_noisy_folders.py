"""Noisy counts in a release folder: negative numbers, the noise, what is promised; and no rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from unmask.arrays import Ragged
from unmask.errors import InvalidInputError
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.masks.declared_cells import declared_cells, parse_cells
from unmask.masks.lines import Lines
from unmask.neighboring_relation import Relation
from unmask.release import Noise, Provenance, Release
from unmask.schema import Schema
from unmask.table import Table


def made() -> Release:
    """Return a release of two cells as a sanitizer makes it, its noise drawn by hand."""
    table = Table.of({"age": [21, 35], "ill": ["flu", "=cold"]}, quasi=["age"], sensitive=["ill"])
    age = declared_cells(table, "age", parse_cells("age=20,30,40"))
    ill = declared_cells(table, "ill", parse_cells("ill=flu,=cold,hiv"))
    counts = np.array([[3.0, -2.0, 0.0], [-1.0, 1.0, -4.0]])
    return Release(
        Schema((age.attribute, ill.attribute)),
        Lines((age.cells,), np.array([[0], [1]], np.int32), np.array([0, 1], np.int32), 2),
        counts.sum(axis=1),
        None,
        {},
        {"ill": Ragged.of(counts)},
        rows="none",
        provenance=Provenance("noisy-counts", {"neighbors": "replace"}, epsilon=0.5, delta=0.0),
        noise={"ill": Noise("discrete-laplace", 4.0)},
    )


def test_what_is_written_is_read_again(tmp_path: Path):
    """Counts below zero, cells, the noise and epsilon."""
    release = made()
    write_release(release, tmp_path / "out")
    read = read_release(tmp_path / "out").release
    assert read.same_content(release)
    assert release.noise == read.noise
    assert (0.5, 0.0, "none") == (read.provenance.epsilon, read.provenance.delta, read.rows)
    assert [[3.0, -2.0, 0.0], [-1.0, 1.0, -4.0]] == read.counts_of("ill").dense().tolist()


def test_the_folder_says_that_counts_are_noisy(tmp_path: Path):
    """In release.json in its format, and in words for readers."""
    write_release(made(), tmp_path / "out")
    about = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert {"ill": {"noise": {"family": "discrete-laplace", "scale": 4.0}}} == about["counts"]
    words = (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert "about 0 " in words, "their sum is -3"
    assert "some are below 0, few are exact" in words
    assert "0.5-differentially private" in words


def test_a_release_without_noise_shows_something_else():
    """The same numbers, exact: noise is content."""
    release = made()
    assert not release.same_content(
        Release(release.schema, release.masked, release.size, None, {}, release.counts, rows="none")
    )


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"age": {"noise": {"family": "laplace", "scale": 1}}}, "must be in a file of counts"),
        ({"ill": {"noise": {"family": "gaussian", "scale": 1}}}, "family"),
        ({"ill": {"noise": {"family": "laplace", "scale": 0}}}, "scale"),
    ],
)
def test_noise_that_cannot_be_is_refused(tmp_path: Path, counts, words):
    """Noise on cells, an unknown family, noise of scale zero."""
    write_release(made(), tmp_path / "out")
    file = tmp_path / "out" / "release.json"
    about = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(about | {"counts": counts}), encoding="utf-8")
    with pytest.raises(InvalidInputError, match=words):
        read_release(tmp_path / "out")


def test_the_folder_says_which_tables_epsilon_compares(tmp_path: Path):
    """Beside ε in release.json, and in words; one that is added or removed counts twice where one is replaced."""
    provenance = Provenance("noisy-counts", {}, epsilon=0.5, delta=0.0, neighbors=Relation.ADD_REMOVE_PERSON)
    write_release(replace(made(), provenance=provenance), tmp_path / "out")
    about = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert "add-remove-one-person" == about["made_by"]["neighbors"]
    assert Relation.ADD_REMOVE_PERSON is read_release(tmp_path / "out").release.provenance.neighbors
    words = (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert "it compares tables in which one person (all rows of theirs) is added or removed; where one person" in words
    assert "is replaced by another, epsilon is 1" in words


def test_a_noisy_zero_is_written_like_other_counts(tmp_path: Path):
    """As many lines as values and cells, whatever the noise."""
    write_release(made(), tmp_path / "out")
    assert 1 + 2 * 3 == len((tmp_path / "out" / "counts-ill.csv").read_text(encoding="utf-8").splitlines())
