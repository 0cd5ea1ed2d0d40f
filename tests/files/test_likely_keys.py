"""Columns that look like keys of people are pointed out; columns that only look busy are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unmask
from unmask.commands.measuring import measure
from unmask.commands.risking import disclosure_risk
from unmask.files.likely_keys import unit_notes
from unmask.files.raw import Raw
from unmask.files.reading import read
from unmask.files.roles import Roles

DUPLICATED: dict[str, list[Any]] = {
    "pid": ["1", "1", "1", "2", "2", "2"],
    "age": [20, 20, 20, 30, 30, 30],
    "sex": ["m", "m", "m", "f", "f", "f"],
    "ill": ["flu", "flu", "flu", "cold", "cold", "none"],
}
KEY = (
    "column 'pid' looks like a person key: 2 values in 6 rows; rows of one value agree on age, sex. If it is one, "
    "write --person-key pid; without it rows are counted, not people"
)
REPEATED = "3 rows repeat another row exactly: each counts as a separate person, unless a person key is declared"


def notes_of(raw: Raw, **options: str) -> list[str]:
    """Return what is pointed out of a table."""
    return list(unit_notes(raw, Roles().with_options(**options)))


def visits(n: int, *, of: int, name: str = "k") -> Raw:
    """Draw visits of people who keep age, sex and postcode, and come with another illness each time."""
    rng = np.random.default_rng(n)
    who = np.sort(rng.integers(0, of, n))
    own = {"age": rng.integers(20, 90, of), "sex": rng.integers(0, 2, of), "zip": rng.integers(0, 60, of)}
    columns = {key: values[who].tolist() for key, values in own.items()}
    return Raw.of({name: [f"x{p}" for p in who], **columns, "ill": rng.integers(0, 40, n).tolist()})


def test_a_key_and_copies_are_pointed_out_with_the_way_out():
    """Six rows of two people, three of them copies."""
    raw = Raw.of(DUPLICATED)
    assert notes_of(raw) == [KEY, REPEATED]
    assert notes_of(raw, person_key="pid") == ["3 rows repeat another row exactly"]


def test_every_command_points_it_out_before_anything_is_promised():
    """Sanitize, audit, measure and risk."""
    given_: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": "ill"}
    assert {KEY, REPEATED} <= set(unmask.sanitize(DUPLICATED, "mondrian", set={"k": 3}, **given_).notes)
    audited = unmask.audit(DUPLICATED, sanitizer="mondrian", set={"k": 3}, seed=1, **given_)
    assert {KEY, REPEATED} <= set(audited.notes)
    assert {KEY, REPEATED} <= set(measure(DUPLICATED, **given_).notes)
    assert {KEY, REPEATED} <= set(disclosure_risk(DUPLICATED, **given_).notes)


@pytest.mark.parametrize("name", ["k", "Patientennummer", "person_id", "matricule", "PatientID", "Kunden-Nr."])
def test_a_key_is_known_by_what_it_determines_whatever_it_is_called(name: str):
    """Ages, sexes and postcodes of 150 people."""
    assert any(f"column {name!r} looks like a person key" in text for text in notes_of(visits(400, of=150, name=name)))


def test_a_household_is_no_person():
    """The way out is another option."""
    (text, *_) = notes_of(visits(400, of=150, name="household_id"))
    assert "looks like a household key" in text
    assert "write --household household_id" in text


def test_a_postcode_that_determines_town_and_state_is_no_person():
    """One thing that is the same, however many columns tell it."""
    rng = np.random.default_rng(0)
    code = rng.integers(0, 200, 2_000)
    raw = Raw.of({
        "zip": code.tolist(), "town": (code // 4).tolist(), "county": (code // 12).tolist(),
        "state": (code // 40).tolist(), "age": rng.integers(18, 90, 2_000).tolist(),
        "sex": rng.integers(0, 2, 2_000).tolist(),
    })  # fmt: skip
    assert not any("looks like" in text for text in notes_of(raw))


def test_a_key_that_names_each_row_once_is_no_reason_to_say_anything():
    """Rows then count as people."""
    assert notes_of(Raw.of({"id": list(range(40)), "age": [20 + i % 7 for i in range(40)]})) == []


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(5, 300))
def test_columns_drawn_independently_are_never_taken_for_keys(seed: int, n: int):
    """Law: nothing is determined by chance."""
    rng = np.random.default_rng(seed)
    names = ("a", "b", "c", "d", "e", "f")
    raw = Raw.of({name: rng.integers(0, rng.integers(2, n + 1), n).tolist() for name in names})
    assert not any("looks like" in text for text in notes_of(raw))


def test_the_hospital_extract_is_of_patients(data_folder: Path):
    """3,000 patients in 4,324 visits, of which 12 are there twice."""
    raw = read(data_folder / "hospital" / "klinik.csv.gz")
    key, repeated = notes_of(raw)
    assert key.startswith("column 'Patientennummer' looks like a person key: 3,000 values in 4,324 rows; ")
    assert repeated.startswith("12 rows repeat another row exactly")


@pytest.mark.parametrize("name", ["arx/adult/adult", "nist-acs-excerpts/ma2018", "calibration/diabetes_6000"])
def test_tables_of_one_row_a_person_have_no_key(data_folder: Path, name: str):
    """Nothing to point out but copies."""
    raw = read(data_folder / f"{name}.csv.gz")
    assert not any("looks like" in text for text in notes_of(raw))
