"""Ready hierarchies that a draft proposes: by the values, where the name or a distinct form supports them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import unmask

DIAGNOSES = ["A00.1", "C34.9", "E11.90", "J45.0", "I10.0", "M54.5"]
CITIES = ["04103", "10115", "20095", "80331", "01067"]


def proposed(column: str, values: list[Any]) -> str | None:
    """Return the proposed hierarchy of a column beside another one."""
    rows = values * (40 // len(values))
    (one,) = [c for c in unmask.inspect({column: rows}).inspection.columns if c.name == column]
    return one.hierarchy


@pytest.mark.parametrize(
    ("column", "values", "preset"),
    [
        ("ICD-10", ["A00", "C34", "E11", "J45"], "icd10"),
        ("Hauptdiagnose", DIAGNOSES, "icd10"),
        ("x", DIAGNOSES, "icd10"),
        ("x", ["A10BA02", "C09AA05", "N02BE01", "J01CA04", "B01AC06"], "atc"),
        ("nuts3", ["DE212", "DE300", "FR101"], "nuts"),
        ("isco", [2511, 2512, 7223, 5120], "isco08"),
        ("NACE code", ["62.01", "86.10", "01.11"], "nace"),
        ("x", ["2345-7", "718-7", "4548-4", "2160-0", "2951-2"], "loinc"),
        ("native_country", ["DE", "FR", "US"], "country"),
        ("x", ["Germany", "France", "Kenya", "Japan", "Brazil"], "country"),
        ("PLZ", CITIES, "postcode-de"),
        ("zip", CITIES, "postcode-us"),
        ("code_postal", ["75001", "13001", "69001"], "postcode-fr"),
        ("x", ["SW1A 1AA", "M1 1AE", "B33 8TH", "CR2 6XH", "EC1A 1BB"], "postcode-uk"),
        ("postcode", ["1011 AB", "2595 CD", "3011 EF", "1234 GH", "5611 JK"], "postcode-nl"),
        ("Alter", [23, 45, 67, 94], "age"),
    ],
)
def test_a_preset_is_proposed_where_name_or_form_support_it(column: str, values: list[Any], preset: str):
    """Codes in the notation of their publisher."""
    assert proposed(column, values) == f"preset:{preset}"


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("x", CITIES),  # of many countries
        ("postcode", CITIES),
        ("PLZ", ["1010", "6020", "8010", "4020"]),  # Austria or Switzerland
        ("x", [2511, 2512, 7223, 5120]),
        ("x", ["DE", "FR", "US"]),  # two letters
        ("state", ["CA", "DE", "AL", "NY", "TX"]),
        ("x", ["E11", "B12", "K2", "C34", "D10"]),
        ("room", ["A10", "B12", "C34", "D10", "E11"]),
        ("x", [23, 45, 67, 94]),
        ("age", [23.5, 45.25, 67.0, 94.5]),
        ("Diagnose", ["E11.9", "flu", "cough", "I10"]),
        ("date", ["2020-01-02", "2020-02-03"]),
        ("sex", ["m", "f"]),
        ("iban", ["DE89370400440532013000", "DE02120300000000202051"]),
    ],
)
def test_no_preset_is_proposed_for_other_columns(column: str, values: list[Any]):
    """Numbers of four or five digits, letters and rooms are no codes by themselves."""
    assert proposed(column, values) is None


def test_one_of_twenty_values_may_be_unknown():
    """95 % of distinct values, not fewer."""
    known = [f"E{n}.9" for n in range(10, 29)]
    assert proposed("icd", [*known, "none"]) == "preset:icd10"
    assert proposed("icd", [*known[1:], "none"]) is None


def test_the_draft_of_a_hospital_names_its_diagnoses_and_postcodes(data_folder: Path, tmp_path: Path):
    """With the levels as a comment; the draft is read by other commands."""
    unmask.inspect(data_folder / "hospital" / "klinik.csv.gz", missing=["unbekannt"]).write(tmp_path / "roles.toml")
    text = (tmp_path / "roles.toml").read_text()
    assert 'role = "sensitive", hierarchy = "preset:icd10", level = "block" }' in text
    assert 'role = "quasi-identifier", hierarchy = "preset:postcode-de" }' in text
    assert "category, block, chapter" in text
