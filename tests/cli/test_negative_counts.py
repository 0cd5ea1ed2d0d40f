"""Counts with noise whose sum is negative: no text speaks of fewer people than none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Unmask

COLUMNS = ("-q", "age", "-s", "ill")
NEGATIVE = re.compile(r"-\d[\d,.]* (?:rows|row|people|person|nobody)")


@pytest.fixture
def negative(unmask: Unmask, folder: Path) -> Path:
    """Return the folder of a release whose counts are all negative."""
    (folder / "t.csv").write_text("age,ill\n30,flu\n35,cold\n50,flu\n")
    cells = ("--set", "cells=age=20,40,60;ill=flu,cold", "--set", "epsilon=1")
    ran = unmask("sanitize", "t.csv", "noisy-counts", *COLUMNS, *cells, "--out", "r")
    assert ran.code == 0, ran.err
    for name, count in (("counts-ill.csv", "-7"), ("table.csv", "-14")):
        file = folder / "r" / name
        file.write_text(re.sub(r"(?<=,)-?\d+(?=\r?$)", count, file.read_text(), flags=re.MULTILINE))
    return folder / "r"


@pytest.mark.parametrize(
    "command",
    [
        ("measure", "r"),
        ("audit", "t.csv", "--release", "r", *COLUMNS, "--html", "page.html", "--markdown", "page.md"),
        ("attack", "noisy-counts", "--release", "r", "--people", "t.csv"),
        ("ledger", "add", "r", "--ledger", "l.json"),
    ],
    ids=lambda command: command[0],
)
@pytest.mark.usefixtures("negative")
def test_no_text_counts_negative_people(unmask: Unmask, command):
    """`-46 rows published in 2 groups`, it said."""
    ran = unmask(*command)
    assert ran.code in {0, 1, 4}, ran.err
    pages = [file.read_text() for file in Path().glob("page.*")]
    for text in (ran.out, ran.err, *pages):
        assert NEGATIVE.search(text) is None, NEGATIVE.search(text)


@pytest.mark.usefixtures("negative")
def test_the_counts_themselves_stay_what_they_are(unmask: Unmask):
    """Programs read the noisy number, negative or not: noise that is cut off at zero is biased."""
    ran = unmask("measure", "r", "--json", "-")
    assert json.loads(ran.out)["rows"] < 0
