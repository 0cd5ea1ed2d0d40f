"""A hospital's extract, from its file to a release that passes: by the README's steps and a checked draft."""

from __future__ import annotations

import csv
import gzip
import re
from pathlib import Path

from tests.cli.conftest import Unmask

NOT_PUBLISHED = (
    "Entlassungsdatum", "Verweildauer", "Station", "Versicherung", '"Größe"', "Gewicht", "BMI", "Raucher", "Beruf",
    "Kosten",
)  # fmt: skip
"""Columns that the person who checks the draft leaves out."""


def test_from_file_to_a_release_within_the_limits(unmask: Unmask, folder: Path, data_folder: Path):
    """Birth and admission as years, diagnoses as blocks of ICD-10, people counted; exit code 0."""
    (folder / "klinik.csv").write_bytes(gzip.decompress((data_folder / "hospital" / "klinik.csv.gz").read_bytes()))
    assert unmask("inspect", "klinik.csv", "--out", "roles.toml").code == 0
    draft = Path("roles.toml").read_text(encoding="utf-8")
    for name in NOT_PUBLISHED:
        draft = re.sub(rf"^{name} .*$", f'{name} = {{ role = "drop" }}', draft, flags=re.MULTILINE)
    Path("roles.toml").write_text(draft.replace('"month", "quarter", "year"', '"year", "5-years"'), encoding="utf-8")
    settings = ("--set", "k=5", "--set", "distinct-l=3", "--set", "hierarchies=true")
    made = unmask(
        "sanitize", "klinik.csv", "mondrian", *settings, "--missing", "unbekannt", "--out", "r", "--keep", "k"
    )
    assert made.out.startswith("3,000 people (4,324 rows) published")
    with Path("r/rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert not {"Name", "Bemerkung", "Fallnummer", "Patientennummer"} & rows[0].keys()
    assert all(re.fullmatch(r"\d{4}(-\d{4})?|\*", row["Geburtsdatum"]) for row in rows)
    assert all(re.fullmatch(r"[A-Z]\d\d(-[A-Z]\d\d|\.-)|\?", row["Diagnose"]) for row in rows)
    limits = ("--max-belief", "0.5", "--excess", "0.1", "--tolerate", "2%", "--seed", "1")
    audited = unmask(
        "audit", "klinik.csv", "--release", "r", "--keep", "k", "--missing", "unbekannt", *limits,
        "--attack", "random-worlds", "--attack", "linkage",
    )  # fmt: skip
    assert (audited.code, "WITHIN THE LIMITS" in audited.out) == (0, True), audited.out
