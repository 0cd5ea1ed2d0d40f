"""What a release shows, as a hash: the same whatever its files look like, another one for anything that differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stories import hospitals
from tests.strategies import publications, tables
from unmask.catalog import build
from unmask.datasets.adult import adult
from unmask.files.content_hash import content_hash
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.files.roles import Roles
from unmask.release import Provenance, Release
from unmask.runtime.streams import stream

ROWS = "age,sex,ill\n20-29,f,flu\n20-29,m,cold\n30-39,*,flu\n20-29,f,cold\n30-39,*,cold\n"
ROLES = Roles().with_options(quasi=["age", "sex"], sensitive=["ill"])


@pytest.fixture
def written(tmp_path):
    """Return a function that reads a text as a release."""

    def read(text: str) -> Release:
        (tmp_path / "r.csv").write_text(text)
        return read_release(tmp_path / "r.csv", ROLES).release

    return read


def test_the_form_of_a_file_does_not_count(written):
    """Lines in another order, other separators, quotes, Windows' ends of lines: it shows the same."""
    expected = content_hash(written(ROWS))
    head, *lines = ROWS.splitlines()
    assert expected == content_hash(written("\n".join([head, *reversed(lines)]) + "\n"))
    assert expected == content_hash(written(ROWS.replace(",", ";")))
    assert expected == content_hash(written(ROWS.replace("flu", '"flu"').replace("\n", "\r\n")))


@pytest.mark.parametrize(
    ("old", "new"),
    [("20-29,f,flu", "20-29,f,cold"), ("30-39,*,flu", "30-39,m,flu"), ("30-39", "30-38"), ("flu", "influenza"),
     ("20-29,m,cold\n", ""), ("20-29,f,flu\n", "20-29,f,flu\n20-29,f,flu\n")],
)  # fmt: skip
def test_what_anybody_can_see_counts(written, old, new):
    """A value, a cell, a row more or less."""
    assert content_hash(written(ROWS)) != content_hash(written(ROWS.replace(old, new)))


def test_how_it_was_made_and_its_name_do_not_count():
    """Equal content has an equal hash, whatever else is stored with it."""
    first, second = hospitals()
    described = replace(first, name="x", provenance=Provenance("mondrian", {"k": 3}, epsilon=1.0))
    assert content_hash(first) == content_hash(described)
    assert content_hash(first) != content_hash(second)


def test_who_was_left_out_counts():
    """One more suppressed person is published as a number."""
    first, _ = hospitals()
    assert content_hash(first) != content_hash(replace(first, n_suppressed=first.n_suppressed + 1))


@given(data=st.data())
@settings(max_examples=40)
def test_equal_hashes_mean_the_same_content(data):
    """Two small releases of one table have one hash if `same_content` says that they show the same, and only then."""
    table = data.draw(tables())
    first, second = (data.draw(publications(table)).release for _ in range(2))
    assert content_hash(first) == content_hash(first)
    assert (content_hash(first) == content_hash(second)) == first.same_content(second)


@pytest.mark.parametrize(
    ("name", "settings_"),
    [("mondrian", {"k": "5"}), ("anatomy", {"l": "2"}), ("microaggregation", {"k": "5"})],
)
def test_a_folder_read_back_has_the_hash_of_what_was_published(tmp_path: Path, name, settings_):
    """Else every release would count as changed the day after."""
    table = adult(quasi=["age", "education-num", "sex"], sensitive=["occupation"]).take(np.arange(2_000))
    made = build("sanitizers", name, settings_).sanitize(table, stream(1, name)).release
    write_release(made, tmp_path / "r")
    write_release(read_release(tmp_path / "r").release, tmp_path / "again")
    assert content_hash(read_release(tmp_path / "r").release) == content_hash(read_release(tmp_path / "again").release)


def test_a_copy_of_a_table_as_a_folder_has_its_hash(tmp_path, written):
    """So a release is known again, whether it comes as it was handed out or as the ledger keeps it."""
    write_release(written(ROWS), tmp_path / "copy")
    assert content_hash(written(ROWS)) == content_hash(read_release(tmp_path / "copy").release)
