"""Hashes of input files: they tell contents apart, and say nothing to a reader without the key."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import unmask
from unmask.files.input_hashes import hash_inputs

KEY, OTHER = b"k" * 32, b"o" * 32


def codes(source: object, key: bytes = KEY) -> dict[str, str]:
    """Return the hash of each file of a source, by its name."""
    return {one.name: one.code for one in hash_inputs({"table": [source]}, key)}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write a table."""
    path = tmp_path / "people.csv"
    path.write_text("age,job,diagnosis\n" + "30,smith,flu\n31,smith,gout\n" * 4, encoding="utf-8")
    return path


def test_a_hash_depends_on_content_and_key_alone(table: Path, tmp_path: Path):
    """A copy has the same one; another content or key another; it is not the plain hash that anybody can compute."""
    copy = tmp_path / "folder"
    copy.mkdir()
    (copy / "people.csv").write_bytes(table.read_bytes())
    first = codes(table)
    assert first == codes(copy / "people.csv") == codes(str(table))
    assert first != codes(table, OTHER)
    assert hashlib.sha256(table.read_bytes()).hexdigest() not in first.values()
    table.write_text(table.read_text(encoding="utf-8") + "32,clerk,flu\n", encoding="utf-8")
    assert first != codes(table)


def test_each_file_of_a_folder_and_of_a_pair_has_its_own(table: Path, tmp_path: Path):
    """The names are those inside the folder; a pair is two files."""
    folder = tmp_path / "release"
    folder.mkdir()
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text(name, encoding="utf-8")
    assert set(codes(folder)) == {"release/a.csv", "release/b.csv"}
    assert set(codes(f"{folder / 'a.csv'},{table}")) == {"a.csv", "people.csv"}


@pytest.mark.parametrize("source", [None, "-", {"age": [1]}, "sqlite:///people.db#people"])
def test_what_is_no_file_has_none(source: object):
    """A data frame, a database, standard input: nothing is hashed, and nothing fails."""
    assert codes(source) == {}


def test_an_audit_records_its_files_under_the_key(table: Path, tmp_path: Path):
    """Table, roles and policy; without a key there is nothing, since a plain hash of a small table can be guessed."""
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "policy.toml").write_text("[limits]\nmax_belief = 0.9\n", encoding="utf-8")
    settings: dict[str, Any] = {
        "sanitizer": "mondrian",
        "set": {"k": 2},
        "quasi": ["age", "job"],
        "sensitive": "diagnosis",
        "seed": 1,
    }
    plain = json.loads(unmask.audit(table, **settings, attack="random-worlds").to_json())
    assert "inputs" not in plain
    found = unmask.audit(
        table, **settings, attack="random-worlds", key=tmp_path / "key", policy=tmp_path / "policy.toml"
    )
    listed = json.loads(found.to_json())["inputs"]
    assert [(one["use"], one["name"]) for one in listed["files"]] == [
        ("table", "people.csv"), ("policy", "policy.toml"),
    ]  # fmt: skip
    assert listed["files"][0]["hmac_sha256"] == codes(table)["people.csv"]
    assert KEY.decode() not in found.to_json()


def test_a_check_against_a_ledger_records_its_files(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The release, the ledger and the true table, under the key by which people are hashed."""
    monkeypatch.chdir(tmp_path)
    Path("key").write_bytes(KEY)
    text = table.read_text(encoding="utf-8").splitlines()
    lines = [f"p{i},{line}" for i, line in enumerate(text[1:])]
    table.write_text("\n".join([f"who,{text[0]}", *lines]) + "\n", encoding="utf-8")
    roles: dict[str, Any] = {"quasi": ["age", "job"], "sensitive": "diagnosis"}
    unmask.sanitize(table, "mondrian", set={"k": 2}, identifier="who", **roles).write("release")
    unmask.ledger.add("release")
    found = unmask.ledger.check(
        "release", truth=table, person_key="who", key="key", max_belief=0.9, attack="random-worlds", seed=1, **roles
    )
    listed = json.loads(found.to_json())["inputs"]
    assert {"table", "release", "ledger"} == {one["use"] for one in listed["files"]}
