"""Messy files: encodings, delimiters, decimal marks, as on a first attempt."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Unmask

COLUMNS = "Patient-Nr;Alter;Geschlecht;Postleitzahl;Einkommen (€);Aufnahme am;Diagnose"
ROLES = (
    "-q",
    "Alter",
    "-q",
    "Geschlecht",
    "-q",
    "Postleitzahl",
    "-q",
    "Einkommen (€)",
    "-q",
    "Aufnahme am",
    "-s",
    "Diagnose",
)
MONDRIAN = ("--sanitizer", "mondrian", "--set", "k=5", *ROLES, "--seed", "1")
CHEAP = ("--attack", "random-worlds", "--attack", "linkage")


def clinic(n: int = 120) -> str:
    """Return a table as a German spreadsheet writes it: semicolons, decimal commas, quotes, dotted dates, a `?`."""
    ills = ("Grippe", "Rücken", '"Müdigkeit; Schwäche"', "HIV")
    lines = [
        f"P{i:04};{'?' if i % 40 == 7 else 18 + i % 60};{('männlich', 'weiblich')[i % 2]};0{4103 + i % 11};"
        f"{900 + 37 * i % 4000},{i % 100:02};{1 + i % 28:02}.{1 + i % 12:02}.202{i % 2 + 1};{ills[(i * i + i) % 7 % 4]}"
        for i in range(n)
    ]
    return "\r\n".join([COLUMNS, *lines]) + "\r\n"


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("cp1252", "read as Windows-1252, since it is not UTF-8"),
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "read as UTF-16"),
    ],
)
def test_a_spreadsheet_of_any_encoding_gives_the_same_numbers(unmask: Unmask, folder: Path, encoding, expected):
    """What was detected is printed; the numbers do not depend on it."""
    (folder / "clinic.csv").write_bytes(clinic().encode(encoding))
    ran = unmask("audit", "clinic.csv", *MONDRIAN, "--attack", "random-worlds")
    assert ran.code == 0
    notes = ran.err.splitlines()
    if expected is not None:
        assert notes[0].startswith(expected)
    assert "columns separated by semicolon" in notes
    assert "decimal comma in Einkommen (€); --decimal . would make it text" in notes
    assert "cells that count as missing: 3 ?; --missing changes that" in notes
    assert "in alphabetical order: Geschlecht, Postleitzahl; --order changes that" in notes
    assert "dates, counted in days: Aufnahme am" in notes
    (folder / "again.csv").write_bytes(clinic().encode())
    assert unmask("audit", "again.csv", *MONDRIAN, "--attack", "random-worlds").out == ran.out


def test_the_release_can_be_read_by_anybody(unmask: Unmask, folder: Path):
    """UTF-8, commas, leading zeros kept, no mojibake; the file read back gives the numbers of the run that made it."""
    (folder / "clinic.csv").write_bytes(clinic().encode("cp1252"))
    unmask("sanitize", "clinic.csv", "mondrian", "--set", "k=5", *ROLES, "--out", "rel", "--keep", "keep.json")
    rows = (folder / "rel" / "rows.csv").read_text(encoding="utf-8")
    assert rows.splitlines()[0] == "Alter,Geschlecht,Postleitzahl,Einkommen (€),Aufnahme am,Diagnose"
    assert "männlich" in rows
    assert "Müdigkeit; Schwäche" in rows
    assert "04103" in rows
    assert "P0001" not in rows

    def numbers(*options: object) -> list[object]:
        document = json.loads(unmask("audit", "clinic.csv", *options, "--seed", "1", *CHEAP, "--json", "-").out)
        kinds = {"exact", "sample"}
        return [
            [m["metric"], m["threshold"], m["value"]]
            for one in document["attacks"]
            if one["location"] == "attributes"
            for m in one["measures"]
            if m["source"] in kinds
        ]

    here = numbers(*MONDRIAN[:-2])
    assert numbers("--release", "rel", "--keep", "keep.json") == here
    assert numbers("--release", "rel") == here
    assert numbers("--release", "rel", "--encoding", "cp1252", "--delimiter", ";") == here  # these are about the table
    shutil.copy("rel/rows.csv", "handed-over.csv")  # a single generalized table, as others publish it
    assert numbers("--release", "handed-over.csv", *ROLES) == here


def test_a_thousand_or_a_decimal_is_asked(unmask: Unmask, folder: Path):
    """`1,234` may be either: guessing would change a quasi-identifier by a factor of a thousand."""
    lines = [f"1,{234 + i};{'ab'[i % 2]}" for i in range(8)]
    (folder / "t.csv").write_text("income;ill\n" + "\n".join(lines) + "\n")
    audit = ("audit", "t.csv", "--sanitizer", "mondrian", "--set", "k=2", "-q", "income", "-s", "ill", "--seed", "1")
    ran = unmask(*audit)
    assert (ran.code, "Give --decimal , or --decimal ." in ran.error) == (2, True)
    assert unmask(*audit, "--decimal", ",").code == 0


def test_german_credit_as_it_is_distributed(unmask: Unmask, data_folder: Path):
    """No header, blanks between columns: said, with the way out; with a header and commas it is audited."""
    source = data_folder / "german-credit" / "german.data"
    ran = unmask("audit", source, "--sanitizer", "mondrian", "-q", "age", "-s", "purpose", "--delimiter", " ")
    assert (ran.code, "must name the columns" in ran.error) == (2, True)
    names = [f"column{i}" for i in range(21)]
    for i, name in ((8, "sex"), (12, "age"), (14, "housing"), (16, "job"), (20, "risk")):
        names[i] = name
    lines = [line.split() for line in source.read_text().splitlines()]
    Path("german.csv").write_text("\n".join(",".join(line) for line in [names, *lines]) + "\n")
    audit = ("audit", "german.csv", "-q", "age", "-q", "sex", "-q", "job", "-q", "housing", "-s", "risk", "--seed", "1")
    ran = unmask(*audit, "--sanitizer", "mondrian", "--set", "k=5", "--max-belief", "0.9")
    assert ran.code == 1
    assert "1,000 rows attacked" in ran.out


@pytest.mark.slow
def test_diabetes_with_a_patient_in_several_rows(unmask: Unmask, data_folder: Path):
    """A packed file, 71,518 patients in 101,766 rows, 717 diagnoses: people are counted, not rows."""
    source = data_folder / "diabetes-130us" / "diabetic_data.csv.gz"
    quasi = [
        part for name in ("race", "gender", "age", "admission_type_id", "time_in_hospital") for part in ("-q", name)
    ]
    options = (*quasi, "-s", "diag_1", "--person-key", "patient_nbr", "--seed", "1", "--max-belief", "0.5")
    ran = unmask("audit", source, "--sanitizer", "mondrian", "--set", "k=11", *options)
    assert ran.code == 1
    assert "of 71,518" in " ".join(ran.out.split())


def test_json_is_utf_8_whatever_the_terminal_speaks(folder: Path):
    """A pipeline reads the bytes, not the terminal."""
    (folder / "t.csv").write_text(
        "alter,größe\n" + "".join(f"{20 + i},{'ab'[i % 2]}\n" for i in range(8)), encoding="utf-8"
    )
    audit = ["audit", "t.csv", "--sanitizer", "mondrian", "--set", "k=2", "-q", "alter", "-s", "größe", "--json", "-"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "unmask", *audit]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)  # noqa: S603 - our own
    assert json.loads(ran.stdout.decode("utf-8"))["attacks"][-1]["about"]["name"] == "größe"
