"""The same report from every format: labels, missing values and dates included."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd
import pyreadstat

from tests.cli.conftest import Unmask
from tests.workbooks import write_workbook

AUDIT = ("--sanitizer", "mondrian", "--set", "k=4", "--attack", "linkage", "--seed", "1", "-q", "age", "-q", "born",
         "-s", "ill", "--json", "report.json")  # fmt: skip

ILLS: dict[int | float, str] = {1: "flu", 2: "cold", 3: "gout"}


def test_an_audit_is_byte_for_byte_that_of_the_csv_file(unmask: Unmask, folder: Path):
    """A missing value that SPSS declares is an empty cell of CSV; notes on the form of a file are in no report."""
    rows = [(20.0 + i % 9, dt.date(1980, 1, 1 + i % 5), 1.0 + i % 3) for i in range(40)] + [(99.0, None, 2.0)]
    frame = pd.DataFrame(rows, columns=["age", "born", "ill"])
    cells = [[None if age == 99 else age, born, ILLS[int(ill)]] for age, born, ill in rows]
    lines = [f"{'' if age == 99 else int(age)},{born or ''},{ILLS[int(ill)]}" for age, born, ill in rows]
    (folder / "people.csv").write_text("\n".join(["age,born,ill", *lines]) + "\n")
    reports = [audited(unmask)]
    pyreadstat.write_sav(frame, "people.csv", variable_value_labels={"ill": ILLS}, missing_ranges={"age": [99]})
    reports.append(audited(unmask))
    write_workbook(Path("people.csv"), [["age", "born", "ill"], *cells])
    reports.append(audited(unmask, "--sheet", "People"))
    option = b'  "--sheet",\n  "People",\n'  # of the command that repeats the audit
    assert option in reports[2]
    assert [report.replace(option, b"") for report in reports[1:]] == reports[:1] * 2


def audited(unmask: Unmask, *options: str) -> bytes:
    """Return the report of an audit as JSON."""
    ran = unmask("audit", "people.csv", *AUDIT, *options)
    assert ran.code == 0, ran.err
    report = Path("report.json").read_bytes()
    Path("report.json").unlink()
    return report
