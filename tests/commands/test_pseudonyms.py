"""Keyed pseudonyms of person numbers: published by `sanitize`, read back, and attacked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unmask
from unmask.errors import InvalidInputError
from unmask.files.person_hashes import hashed
from unmask.files.pseudonyms import DIGITS, Pseudonyms
from unmask.files.raw import CellFormat, coded
from unmask.schema import Role

KEY, OTHER = "5" * 64, "6" * 64

VISITS: dict[str, list[Any]] = {
    "patient": ["A-17", "A-17", "B-2", "B-2", "C-3", "C-3", "D-4", "D-4", "E-5", "E-5", None, None],
    "age": [30, 30, 31, 31, 40, 40, 41, 41, 50, 50, 51, 51],
    "day": [1, 90, 2, 200, 3, 91, 92, 201, 4, 202, 93, 203],
    "ill": ["flu", "HIV", "flu", "gout", "cold", "flu", "gout", "cold", "HIV", "flu", "flu", "cold"],
}

ROLES: dict[str, Any] = {"quasi": ["age", "day"], "sensitive": ["ill"]}


def of(people: list[str | None], key: bytes = KEY.encode(), seed: int = 0) -> list[str]:
    """Return the pseudonym of each row."""
    column = coded(
        "patient", pa.chunked_array([pa.array(people, pa.string())]), CellFormat(frozenset(), ".", dates=False)
    )
    made = Pseudonyms.of("patient", column, key, np.random.default_rng(seed))
    return [made.labels[code] for code in made.person_of]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Write a key."""
    (tmp_path / "secret.key").write_text(KEY)
    return tmp_path / "secret.key"


def published(key: Path, name: str = "mondrian", **settings: object) -> unmask.Sanitized:
    """Publish the visits with pseudonyms."""
    return unmask.sanitize(VISITS, name, set={"k": 2, "pseudonym": "patient", **settings}, key=key, **ROLES)


def test_a_pseudonym_is_the_hmac_of_the_number_under_the_key():
    """Computed by another implementation; the same in every release, another under another key."""
    expected = "34aba8d4009c5c18d1e7"
    first, again, spaced, other = of(["A-17", "A-17", " A-17 ", "B-2"])
    assert first == again == spaced != other
    assert of(["A-17"], seed=1) == [first]
    assert of(["A-17"], OTHER.encode()) != [first]
    assert all(len(one) == DIGITS and set(one) <= set("0123456789abcdef") for one in (first, other))
    assert first == expected


def test_pseudonyms_differ_from_the_hashes_of_a_ledger():
    """Else whoever reads the ledger's folder could tell who is in a release."""
    column = coded("patient", pa.chunked_array([["A-17"]]), CellFormat(frozenset(), ".", dates=False))
    ledger = hashed(column, KEY.encode()).astype("<u8").tobytes().hex()
    assert ledger[:8] != of(["A-17"])[0][:8]


def test_each_row_without_a_number_has_a_pseudonym_of_its_own():
    """Two such rows may be of two people; drawn anew, they are not linked with another release."""
    one, two = of([None, None])
    assert one != two
    assert not {one, two} & set(of([None, None], seed=1))


def test_two_people_with_one_pseudonym_are_refused(monkeypatch: pytest.MonkeyPatch):
    """With two digits some of 300 people must share one."""
    monkeypatch.setattr("unmask.files.pseudonyms.DIGITS", 2)
    with pytest.raises(InvalidInputError, match="must differ between people; two are equal under this key"):
        of([str(n) for n in range(300)])


@pytest.mark.parametrize("name", ["mondrian", "full-domain"])
def test_rows_of_one_person_have_one_pseudonym_and_people_are_counted(key: Path, name: str):
    """Of ten rows of five people, and two of nobody known; the numbers themselves are nowhere."""
    made = published(key, name)
    row_of = np.asarray(made.publication.row_of)
    labels = [made.release.schema["patient"].values[code] for code in made.release.columns["patient"]]
    shown = {row: labels[at] for row, at in enumerate(row_of) if at >= 0}
    own = of([str(p) for p in VISITS["patient"]])
    assert all(shown[row] == own[row] for row in shown if row < 10)
    assert made.release.schema["patient"].role is Role.PERSON_KEY
    assert made.release.unit == "people"
    assert any("2 rows without a patient: each has a pseudonym of its own" in note for note in made.notes)


def test_a_release_is_read_back_and_says_what_it_does_not_protect(key: Path, tmp_path: Path):
    """The column is neither a quasi-identifier nor insensitive; no file has the key or a number of a person."""
    made = published(key)
    made.write(tmp_path / "release", keep=tmp_path / "keep.json")
    about = json.loads((tmp_path / "release" / "release.json").read_text())
    column = next(one for one in about["columns"] if one["name"] == "patient")
    assert (column["role"], column["cells"]) == ("person-key", "pseudonym")
    readme = (tmp_path / "release" / "README.txt").read_text()
    assert "a group that hides one row does not hide several" in readme
    for file in [*(tmp_path / "release").iterdir(), tmp_path / "keep.json"]:
        text = file.read_text()
        assert KEY not in text
        assert "A-17" not in text
    read = unmask.measure(tmp_path / "release", require=["k=2"])
    assert read.exit_code == 0


def test_an_audit_finds_people_by_their_visits(key: Path, tmp_path: Path):
    """Each visit has a group of at least two people; both visits of a person often fit one pseudonym."""
    rng = np.random.default_rng(0)
    visits = {
        "patient": [f"P{n // 3}" for n in range(90)],
        "day": rng.integers(1, 366, 90).tolist(),
        "ward": rng.choice(["a", "b", "c"], 90).tolist(),
        "ill": rng.choice(["flu", "cold", "gout", "HIV"], 90).tolist(),
    }
    roles: dict[str, Any] = {"quasi": ["day", "ward"], "sensitive": ["ill"]}
    made = unmask.sanitize(visits, "mondrian", set={"k": 4, "pseudonym": "patient"}, key=key, seed=1, **roles)
    made.write(tmp_path / "release", keep=tmp_path / "keep.json")
    found = unmask.audit(visits, release=tmp_path / "release", keep=tmp_path / "keep.json", seed=1)
    place = next(scene for scene in found.report.scenes if str(scene.about).startswith("@row"))
    risk = {one.name: one.get("max-risk").value or 0.0 for one in place.results if one.ran}
    assert risk["linkage"] <= 1 / 4
    assert risk["trajectory-linkage"] == 1.0
    assert [one.limit for one in place.promises] == [1 / 4]
    ill = next(scene for scene in found.report.scenes if str(scene.about) == "ill")
    right = {one.name: one.get("accuracy").value or 0.0 for one in ill.results if one.ran}
    assert right["trajectory-linkage"] > right["random-worlds"] + 0.2


def test_an_audit_publishes_with_pseudonyms_itself():
    """Under a key from the audit's seed: the release is not the one to publish, so no key is asked for."""
    found = unmask.audit(
        VISITS,
        sanitizer="mondrian",
        set={"k": 2, "pseudonym": "patient"},
        seed=1,
        attack=["trajectory-linkage"],
        **ROLES,
    )
    assert any(one.ran for scene in found.report.scenes for one in scene.results)


def test_without_pseudonyms_an_audit_does_not_mention_the_attack():
    """Unless it is asked for by name."""

    def names(**more: Any) -> set[str]:
        found = unmask.audit(VISITS, sanitizer="mondrian", set={"k": 2}, seed=1, person_key="patient", **ROLES, **more)
        return {one.name for scene in found.report.scenes for one in scene.results}

    assert "trajectory-linkage" not in names()
    assert "trajectory-linkage" in names(attack=["trajectory-linkage"])


def test_the_person_key_of_a_release_of_another_tool_links_its_rows():
    """A published column declared as the person key is a pseudonym."""
    rows = {"visit": ["1-9", "1-9", "20-29", "20-29"], "person": ["x", "y", "x", "z"], "ill": ["a", "b", "c", "d"]}
    visits = {"visit": [2, 25], "person": ["Ann", "Ann"]}
    found = unmask.attack(
        "trajectory-linkage", rows, people=visits, person_key="person", quasi=["visit"], sensitive=["ill"], seed=1
    )
    about = {str(one.about): one for one in found.beliefs}
    assert about["ill"].of(1) == {"c": 1.0}
    assert len(about) == 2


@pytest.mark.parametrize(
    ("settings", "options", "why"),
    [
        ({"pseudonym": "patient"}, {}, "must have a secret key"),
        ({}, {"key": True}, "--key must come with a step"),
        ({"pseudonym": "age"}, {"key": True}, "must hold person numbers; 'age' is declared quasi-identifier"),
        ({"pseudonym": "patient"}, {"key": True, "person_key": "ill2"}, "'patient' beside 'ill2'"),
        ({"pseudonim": "patient"}, {"key": True}, "--key must come with a step"),
        ({"pseudonim": "patient"}, {}, "Did you mean 'pseudonym'"),
        ({"pseudonym": "patien"}, {"key": True}, "Did you mean 'patient'"),
    ],
)
def test_what_is_no_pseudonym_is_refused(key: Path, settings, options, why):
    """In one line, before anything is published."""
    data = {**VISITS, "ill2": VISITS["ill"]}
    options = {name: key if value is True else value for name, value in options.items()}
    with pytest.raises(InvalidInputError, match=why):
        unmask.sanitize(data, "mondrian", set={"k": 2, **settings}, **options, **ROLES)


def test_a_release_without_rows_has_no_place_for_pseudonyms(key: Path):
    """Counts by group link nobody's rows."""
    data = {"patient": ["a", "b", "c"], "sex": ["f", "m", "f"], "ill": ["x", "y", "x"]}
    with pytest.raises(InvalidInputError, match="must stand on published rows of people; noisy-counts publishes none"):
        unmask.sanitize(
            data, "noisy-counts",
            set={"epsilon": 1, "cells": "ill=x,y; sex=f,m", "rows-per-person": 1, "pseudonym": "patient"},
            key=key, quasi=["sex"], sensitive=["ill"],
        )  # fmt: skip


def test_population_risk_counts_a_person_once(key: Path):
    """Seven people in twelve rows: those with a pseudonym have two, the last two rows are two people's."""
    found = unmask.measure(published(key))
    assert found.people is not None
    assert (found.people.risk.n, found.facts.n_people) == (7, 7)
