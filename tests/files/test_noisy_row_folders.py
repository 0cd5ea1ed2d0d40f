"""Numbers with noise in a release folder: what is written, read again, and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests import stories
from unmask.differential_privacy.noise_claims import describe_noise
from unmask.errors import InvalidInputError
from unmask.files.content_hash import content_hash
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.masks.noisy_rows import NoisyRows
from unmask.neighboring_relation import Relation
from unmask.people_counts import Headcount
from unmask.release import Noise, Provenance, Release
from unmask.schema import Numeric
from unmask.table import Table

AGE = (Noise("discrete-laplace", 41.0), Numeric(17.0, 99.0, 1.0))
HEIGHT = (Noise("laplace", 0.1 + 0.2), Numeric(1.0, 2.0))


def made() -> Release:
    """Return three rows whose age and height have noise drawn by hand; of the last the age is missing."""
    table = Table.of(
        {"age": [20, 30, None], "height": [1.5, 1.75, 2.0], "sex": list("fmf"), "ill": ["flu", "=cold", "flu"]},
        quasi=["age", "height", "sex"],
        sensitive=["ill"],
    )
    numbers = {"age": [-88.0, 130.0, np.nan], "height": [-0.1234567890123, 1.0, 2.5e-7]}
    return stories.noised(table, {"age": AGE, "height": HEIGHT}, numbers).release


def edited(folder: Path, column: str, **keys: object) -> Path:
    """Write the release, and change what release.json says of a column; None takes a key away."""
    write_release(made(), folder / "out")
    file = folder / "out" / "release.json"
    about = json.loads(file.read_text(encoding="utf-8"))
    mine = next(one for one in about["columns"] if one["name"] == column)
    mine.update(keys)
    for key in [key for key, value in mine.items() if value is None]:
        del mine[key]
    file.write_text(json.dumps(about), encoding="utf-8")
    return folder / "out"


def claimed(folder: Path, epsilon: float, release: Release) -> Release:
    """Write the release with a claim that a stranger made, and read it."""
    folder.mkdir()
    write_release(release, folder / "out")
    file = folder / "out" / "release.json"
    about = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(about | {"made_by": {"epsilon": epsilon}}), encoding="utf-8")
    return read_release(folder / "out").release


def test_what_is_written_is_read_again(tmp_path: Path):
    """To the last digit: numbers below zero and beyond the range, a missing one, the noise of each column."""
    release = made()
    write_release(release, tmp_path / "out")
    read = read_release(tmp_path / "out").release
    assert read.same_content(release)
    assert content_hash(read) == content_hash(release)
    assert isinstance(read.masked, NoisyRows)
    assert {"age": AGE[0], "height": HEIGHT[0]} == read.masked.noise
    assert (AGE[1], HEIGHT[1]) == tuple(one.attribute.domain for one in read.masked.lines.cells[:2])


def test_the_folder_says_which_numbers_have_noise(tmp_path: Path):
    """In release.json in its format, and in words for readers, with what is not promised."""
    write_release(made(), tmp_path / "out")
    about = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert ["noisy", "noisy", "exact", "exact"] == [column["cells"] for column in about["columns"]]
    assert {"family": "discrete-laplace", "scale": 41.0} == about["columns"][0]["noise"]
    words = (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert "age has discrete-laplace noise of scale 41: epsilon 2 for this number alone" in words
    assert "without noise it shows sex, ill, whether age is missing" in words


def test_noise_is_content(tmp_path: Path):
    """The same numbers with noise of another scale are another release, and have another hash."""
    release = made()
    other = read_release(edited(tmp_path, "age", noise={"family": "discrete-laplace", "scale": 5.0})).release
    assert not other.same_content(release)
    assert content_hash(other) != content_hash(release)


def test_a_stranger_may_write_one_by_hand(tmp_path: Path):
    """No domain is declared: then no epsilon can be told, and numbers are read as they stand."""
    folder = tmp_path / "mine"
    folder.mkdir()
    columns = [
        {"name": "age", "role": "quasi-identifier", "cells": "noisy", "noise": {"family": "laplace", "scale": 10}},
        {"name": "ill", "role": "sensitive", "cells": "exact"},
    ]
    (folder / "release.json").write_text(json.dumps({"unmask_release": 1, "columns": columns}))
    (folder / "rows.csv").write_text("age,ill\n20.5,flu\n-3,cold\n31,flu\n")
    release = read_release(folder).release
    assert isinstance(release.masked, NoisyRows)
    assert [-3, 20.5, 31] == release.masked.lines.cells[0].low.tolist()


@pytest.mark.parametrize(
    ("column", "keys", "words"),
    [
        ("age", {"noise": None}, "tell its noise where cells are noisy"),
        ("age", {"cells": "exact"}, "with noisy cells where it has noise"),
        ("ill", {"cells": "noisy", "noise": {"family": "laplace", "scale": 1}}, "must be a quasi-identifier"),
        ("sex", {"cells": "noisy", "noise": {"family": "laplace", "scale": 1}}, "noise must be on numbers"),
        ("age", {"noise": {"family": "gaussian", "scale": 1}}, "family"),
        ("age", {"noise": {"family": "laplace", "scale": 0}}, "scale"),
        ("age", {"domain": {"type": "numeric", "low": 99, "high": 17}}, "a range whose low is at most its high"),
        ("age", {"domain": {"type": "numeric", "low": 17, "high": 99, "step": 0}}, "domain.step.* greater than 0"),
        ("sex", {"cells": "centroid"}, "centroids or have noise, not both"),
    ],
)
def test_noise_that_cannot_be_is_refused(tmp_path: Path, column, keys, words):
    """One line that names the column and says what to write."""
    with pytest.raises(InvalidInputError, match=words):
        read_release(edited(tmp_path, column, **keys))


def test_an_epsilon_that_cannot_be_is_not_believed(tmp_path: Path):
    """Rows with anything in clear have none; two numbers with noise give away what theirs add up to."""
    assert claimed(tmp_path / "a", 1.0, made()).provenance.epsilon is None
    table = Table.of({"age": [20, 30], "height": [1.5, 2.0]}, quasi=["age", "height"])
    alone = stories.noised(table, {"age": AGE, "height": HEIGHT}, {}).release
    assert 2 + 1 / (0.1 + 0.2) == pytest.approx(claimed(tmp_path / "b", 1.0, alone).provenance.epsilon)
    assert 6 == claimed(tmp_path / "c", 6.0, alone).provenance.epsilon


def test_an_epsilon_of_rows_is_none_of_people_with_several_or_of_who_is_left_out(tmp_path: Path):
    """Two rows disclose twice as much, and a person's absence is disclosed without noise."""
    table = Table.of({"age": [20, 30]}, quasi=["age"])
    alone = stories.noised(table, {"age": AGE}, {}).release
    assert 2 == claimed(tmp_path / "a", 2.0, alone).provenance.epsilon
    assert claimed(tmp_path / "b", 2.0, replace(alone, n_suppressed=1)).provenance.epsilon is None
    twice = replace(alone, headcount=Headcount(1.0, np.ones(2)))
    assert claimed(tmp_path / "c", 2.0, twice).provenance.epsilon is None
    assert "a person has several rows, and each of them discloses that again" in describe_noise(twice)


def test_rows_that_are_counted_in_clear_have_no_epsilon_of_one_more_row(tmp_path: Path):
    """How many rows there are is shown: what is claimed of an added row is taken back; of a replaced one it holds."""
    table = Table.of({"age": [20, 30]}, quasi=["age"])
    alone = stories.noised(table, {"age": AGE}, {}).release
    for relation, epsilon in ((Relation.REPLACE_ROW, 2.0), (Relation.ADD_REMOVE_ROW, None)):
        provenance = Provenance("laplace", {}, epsilon=2.0, delta=0.0, neighbors=relation)
        write_release(replace(alone, provenance=provenance), tmp_path / relation)
        read = read_release(tmp_path / relation)
        assert (epsilon, relation) == (read.release.provenance.epsilon, read.release.provenance.neighbors)
        assert bool(epsilon) is not any("cannot hold for this release" in note for note in read.notes)
    words = (tmp_path / "replace-one-row" / "README.txt").read_text(encoding="utf-8")
    assert "2-differentially private (delta 0): it compares tables in which one row is replaced by another" in words


def test_an_epsilon_without_its_neighbors_is_said_to_lack_them():
    """One row is assumed to be replaced, and the note asks to check."""
    table = Table.of({"age": [20, 30]}, quasi=["age"])
    alone = stories.noised(table, {"age": AGE}, {}).release
    lines = describe_noise(replace(alone, provenance=Provenance(epsilon=2.0)))
    assert "the neighboring relation is not declared, so it is taken to be: one row is replaced" in lines[-1]
