"""A real extract's mess, read as people would read it: `tests/hospital.py`."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from tests.hospital import COLUMNS, PATIENTS, write_hospital
from unmask.files.attributes import read_hierarchy
from unmask.files.missing_hints import missing_hints
from unmask.files.raw import Kind, Raw
from unmask.files.reading import read
from unmask.files.roles import Roles

VISITS = 4324


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    """Return the files of the extract."""
    return write_hospital(tmp_path_factory.mktemp("hospital"))


def test_every_column_is_what_it_means(hospital):
    """Keys keep their zeros, decimal commas are numbers, days are dates; what is mixed is text and marked."""
    raw = read(hospital.visits)
    assert tuple(raw.columns) == COLUMNS
    assert raw.n_rows == VISITS
    assert raw.decimal == ","
    kinds = {kind: {name for name, column in raw.columns.items() if column.kind is kind} for kind in Kind}
    assert kinds[Kind.INTEGER] == {"Fallnummer", "Verweildauer"}
    assert kinds[Kind.NUMBER] == {"Größe", "BMI", "Kosten"}
    assert kinds[Kind.DATE] == {"Geburtsdatum", "Aufnahmedatum", "Entlassungsdatum"}
    assert raw["Gewicht"].mixed
    assert raw["Patientennummer"].labels[0] == "000001"
    assert raw["Patientennummer"].n == PATIENTS
    assert all(len(place) == 5 for place in raw["PLZ"].labels)


def test_a_word_among_numbers_is_hinted_at_and_the_hint_works(hospital):
    """`unbekannt` is a value until the option that the hint names says otherwise; then weights are numbers."""
    roles = Roles.of(quasi=["Gewicht", "Raucher"], sensitive=["Diagnose"])
    raw = read(hospital.visits)
    (hint,) = missing_hints(raw, roles)
    cells = {
        name: int((raw[name].codes == raw[name].labels.index("unbekannt")).sum()) for name in ("Gewicht", "Raucher")
    }
    assert hint == (
        f"may mean a missing value, and counts as a value: 'unbekannt' in Gewicht ({cells['Gewicht']:,} cells), "
        f"'unbekannt' in Raucher ({cells['Raucher']:,} cells); --missing unbekannt makes it missing"
    )
    raw = read(hospital.visits, missing=["unbekannt"])
    assert raw["Gewicht"].kind is Kind.NUMBER
    assert not list(missing_hints(raw, roles))


def test_the_extract_is_the_same_in_both_encodings(hospital):
    """Windows-1252 lacks one letter of one name; everything else is equal."""
    raw, other = read(hospital.visits), read(hospital.visits_cp1252)
    for name in set(COLUMNS) - {"Name"}:
        assert raw[name].labels == other[name].labels
        np.testing.assert_array_equal(raw[name].codes, other[name].codes)


def test_the_hierarchy_covers_the_diagnoses(hospital):
    """150 codes in 12 chapters."""
    hierarchy = read_hierarchy(hospital.hierarchy)
    hierarchy.require("Diagnose", read(hospital.visits)["Diagnose"].labels)
    assert [len(hierarchy.leaves), len(hierarchy.labels[1])] == [150, 12]


def test_it_is_the_extract_that_is_not_bundled(hospital, data_folder):
    """The generator and the file that lies beside the other data agree byte by byte."""
    assert gzip.decompress((data_folder / "hospital" / "klinik.csv.gz").read_bytes()) == hospital.visits.read_bytes()


@pytest.mark.parametrize(
    "mark", ["nan", "NaN", "N/A", "n/a", "None", "NONE", ".", "<NA>", "null", "Null", "-nan", "k.A.", "unknown", "-"]
)
def test_marks_of_other_programs_are_hinted_at(mark):
    """In any case, in columns of numbers and of words, with what has to be typed."""
    raw = Raw.of({"age": ["20", mark, "30", mark], "ill": ["flu", "cold", mark, "?"], "note": [mark] * 4})
    (hint,) = missing_hints(raw, Roles.of(quasi=["age"], sensitive=["ill"]))
    assert hint.startswith("may mean a missing value")
    assert f"{mark!r} in age (2 cells), {mark!r} in ill (1 cell);" in hint
    assert "--missing '?' --missing " in hint
    assert "note" not in hint


def test_what_is_declared_is_no_missing_value():
    """`none` is a diagnosis if it is declared so."""
    raw = Raw.of({"ill": ["flu", "none"], "level": ["none", "some"], "x": [1.0, float("nan")]})
    assert len(list(missing_hints(raw, Roles.of(sensitive=["ill", "level"])))) == 1
    declared = Roles.of(sensitive=["ill"], quasi=["level"], harmless=["ill=none"], order=["level=none,some"])
    assert not list(missing_hints(raw, declared))
    assert "in ill (1 cell), 'none' in level" in next(missing_hints(raw, Roles()))
