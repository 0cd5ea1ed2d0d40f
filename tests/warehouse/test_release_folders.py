"""Release folders in DuckDB: counted and attacked where they lie, as in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

import unmask
from tests.warehouse.audited import attack_differences, documents
from tests.warehouse.compared import differences, in_engine, in_memory
from tests.warehouse.tables import adult_sample
from unmask import catalog
from unmask.errors import InvalidInputError

ROLES: dict[str, Any] = {"quasi": ["age", "sex", "workclass"], "sensitive": ["occupation"]}
SETTINGS: dict[str, dict[str, str]] = {
    "laplace": {"attributes": "age=0,100,1"},
    "noisy-counts": {"cells": "age=0,50,100"},
    "full-domain": {"suppression": "0.05"},
}
APART = {"anatomy", "greedy-grouping", "laplace", "microaggregation", "noisy-counts", "permutation"}
"""Sanitizers whose releases are no rows of exact or generalized cells."""


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV file of the census."""
    path = tmp_path_factory.mktemp("people") / "people.csv"
    pa.csv.write_csv(adult_sample(400).drop_columns("income"), path)
    return path


def folder(people: Path, sanitizer: str, place: Path, **options: Any) -> str:
    """Write the release of a sanitizer; return its folder."""
    if sanitizer == "noisy-counts":
        table = pa.csv.read_csv(people)
        names = ("sex", "workclass", "occupation")
        options["order"] = {name: sorted(set(table[name].to_pylist())) for name in names}
    made = unmask.sanitize(people, sanitizer, **ROLES, seed=1, set=SETTINGS.get(sanitizer, {}), **options)
    made.write(place / sanitizer)
    return str(place / sanitizer)


@pytest.mark.parametrize("sanitizer", sorted(set(catalog.entries("sanitizers")) - APART))
def test_the_census_of_each_sanitizer_is_measured_and_attacked_as_in_memory(people, sanitizer, tmp_path):
    """Roles, cells, suppressed people and claimed models come from release.json."""
    release = folder(people, sanitizer, tmp_path)
    options = {"require": ["k=2", "t=0.9"]}
    ours, theirs = in_engine(release, "duckdb", **options), in_memory(release, **options)
    assert list(differences(ours, theirs)) == []
    found = documents(str(people), [release], "duckdb", attack=["random-worlds", "linkage"], max_belief=0.6)
    assert list(attack_differences(*found)) == []
    assert found[0]["verdict"] == found[1]["verdict"]
    facts = [one["releases"][0] for one in found]
    for key in ("name", "groups", "suppressed", "sanitizer", "parameters"):
        assert facts[0].get(key) == facts[1].get(key)


@pytest.mark.parametrize("sanitizer", sorted(APART))
def test_other_forms_are_refused_in_one_line(people, sanitizer, tmp_path):
    """Counts apart from rows, noise, centroids and shuffled values need the rows."""
    release = folder(people, sanitizer, tmp_path)
    with pytest.raises(InvalidInputError, match="to be counted in an engine"):
        unmask.measure(release, engine="duckdb")
    with pytest.raises(InvalidInputError, match="Leave out --engine"):
        unmask.audit(people, release=release, engine="duckdb")


@pytest.mark.parametrize("policy", ["own", "wildcard"])
def test_missing_values_count_as_release_json_declares(policy, tmp_path):
    """The mark and the policy of a folder hold, not those of options."""
    sex = ["f", "f", "NA", "m", "m", "NA"] * 4
    people = pa.table({"age": [21, 22, 23, 51, 52, 53] * 4, "sex": sex, "ill": ["flu", "cold", "hiv"] * 8})
    pa.csv.write_csv(people, path := tmp_path / "people.csv")
    roles: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["ill"], "missing_policy": policy}
    unmask.sanitize(path, "mondrian", **roles, seed=1, set={"k": "4"}).write(release := tmp_path / "release")
    assert list(differences(in_engine(str(release), "duckdb"), in_memory(release))) == []
    found = documents(str(path), [str(release)], "duckdb", attack=["random-worlds", "linkage"])
    assert list(attack_differences(*found)) == []


def test_cells_that_look_like_formulas_are_read_as_in_memory(tmp_path):
    """An apostrophe that protects a spreadsheet is no part of a value; one of the value's own is."""
    odd = ["=1+1", "'=1+1", "@x", "'y", "-z", '"q", r', "a;b", " ", "plain"]
    people = pa.table({"=age": [20, 30] * 9, "code": odd * 2, "ill": ["-flu", "'cold", "=hiv"] * 6})
    pa.csv.write_csv(people, path := tmp_path / "people.csv")
    roles: dict[str, Any] = {"quasi": ["=age", "code"], "sensitive": ["ill"]}
    unmask.sanitize(path, "record-suppression", **roles, seed=1, set={"k": "1"}).write(release := tmp_path / "release")
    assert list(differences(in_engine(str(release), "duckdb"), in_memory(release))) == []
    found = documents(str(path), [str(release)], "duckdb", attack=["random-worlds", "linkage"])
    assert list(attack_differences(*found)) == []


def test_different_marks_of_missing_values_are_refused(tmp_path):
    """One column's mark may be a value of another."""
    people = pa.table({"age": [21, 22] * 4, "sex": ["f", "?", "m", "?"] * 2, "ill": ["flu", "cold"] * 4})
    pa.csv.write_csv(people, path := tmp_path / "people.csv")
    roles: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["ill"], "missing": ["NA"]}
    unmask.sanitize(path, "record-suppression", **roles, set={"k": "1"}).write(release := tmp_path / "release")
    with pytest.raises(InvalidInputError, match="different marks"):
        unmask.measure(release, engine="duckdb")


def test_a_database_server_reads_no_folder(people, tmp_path):
    """One line, which says what PostgreSQL takes."""
    release = folder(people, "mondrian", tmp_path)
    with pytest.raises(InvalidInputError, match="must come with postgresql://"):
        unmask.measure(release, engine="postgresql")
