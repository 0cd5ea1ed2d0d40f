"""Options that declare how a column is published and read, instead of roles.toml."""

from __future__ import annotations

from pathlib import Path

import unmask as package
from tests.cli.conftest import Unmask

STAYS = "age,icd\n" + "".join(f"{20 + i % 8},{('A00', 'A01', 'B20', 'E11')[i % 4]}\n" for i in range(24))


def test_a_level_on_the_command_line_is_that_of_the_roles(unmask: Unmask):
    """A diagnosis as its block of ICD-10, by name and by number; in Python by the same word."""
    Path("stays.csv").write_text(STAYS)
    given = ("-q", "age", "-s", "icd", "--hierarchy", "icd=preset:icd10")
    for level in ("block", "2"):
        ran = unmask(
            "sanitize", "stays.csv", "mondrian", "--set", "k=4", *given, "--level", f"icd={level}", "--out", level
        )
        assert ran.code == 0, ran.err
    rows = [Path(level, "rows.csv").read_text() for level in ("block", "2")]
    assert rows[0] == rows[1]
    assert "A00-A09" in rows[0]
    made = package.sanitize(
        "stays.csv", "mondrian", set={"k": 4}, quasi="age", sensitive="icd",
        hierarchy="icd=preset:icd10", level={"icd": "block"},
    )  # fmt: skip
    assert set(made.to_frame()["icd"].to_pylist()) == {"A00-A09", "B20-B24", "E10-E14"}
    ran = unmask("sanitize", "stays.csv", "mondrian", "--set", "k=4", *given, "--level", "icd=chaptre", "--out", "x")
    assert ran.code == 2
    assert "chapter" in ran.error


def test_a_reading_on_the_command_line_is_that_of_the_roles(unmask: Unmask):
    """`20-30` beside `30-40`: whether 30 fits both is declared."""
    Path("release.csv").write_text("age,ill\n" + "20-30,a\n20-30,b\n30-40,a\n30-40,c\n")
    Path("people.csv").write_text("age\n30\n25\n35\n")
    common = ("attack", "random-worlds", "--release", "release.csv", "--people", "people.csv", "-q", "age", "-s", "ill")
    both = unmask(*common, "--seed", "1", "--cells", "age=bands", "--out", "both.csv")
    upper = unmask(*common, "--seed", "1", "--cells", "age=half-open", "--out", "upper.csv")
    assert (both.code, upper.code) == (0, 0)
    of_thirty = [
        [line for line in Path(file).read_text().splitlines() if line.startswith("0,")]
        for file in ("both.csv", "upper.csv")
    ]
    assert [len(lines) for lines in of_thirty] == [3, 2]
    ran = unmask(*common, "--cells", "age=band")
    assert ran.code == 2
    assert "Did you mean 'bands'?" in ran.error
