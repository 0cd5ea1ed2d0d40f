"""No cell of a written file is a spreadsheet formula."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Unmask
from unmask.csv_writing import field, harmless, line, read_rows, unharmed

EVIL = (
    "=HYPERLINK(A1)",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1+1)",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    "\t=1",
    "\n=1",
    "'=1",
)
STARTS = tuple("=+-@\t\r\n＝＋－＠")


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would execute a cell."""
    if not text.startswith(STARTS):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return not text.isascii() or text != text.strip()


@pytest.fixture
def table(folder: Path) -> Path:
    """Write people whose keys, columns and values are all formulas, so that some of them are exposed."""
    lines = [line(["=who", "-age", "@town", "+ill"])]
    for i in range(44):
        evil = EVIL[i % len(EVIL)]
        lines.append(line([f"{evil}{i}", 20 + i % 4, EVIL[i // 11], EVIL[i % 3 if i < 22 else 5]]))
    (folder / "people.csv").write_text("".join(lines).replace("'", ""), newline="")
    return folder / "people.csv"


def test_no_file_holds_a_formula(unmask: Unmask, table: Path):
    """Releases, kept hierarchies, beliefs, people at risk of three commands: every cell of every file."""
    roles = ("-q", "-age", "-q", "@town", "-s", "+ill")
    key = ("--person-key", "=who")
    made = [
        ("sanitize", table, "mondrian", "--set", "k=4", *roles, *key, "--out", "boxes"),
        ("sanitize", table, "anatomy", "--set", "l=2", *roles, "--out", "buckets"),
        ("audit", table, "--sanitizer", "mondrian", "--set", "k=4", *roles, *key, "--max-belief", "0.1", "--seed", "1",
         "--people-at-risk", "audit.csv"),
        ("measure", table, *roles[:4], *key, "--people-at-risk", "measure.csv", "--population", table),
        ("risk", table, *roles[:4], *key, "--people-at-risk", "risk.csv"),
        ("attack", "random-worlds", "--release", "boxes", "--people", table, *key, "--out", "beliefs.csv"),
        ("hierarchy", "@town", table, "--mask", "--out", "town.csv"),
    ]  # fmt: skip
    for command in made:
        ran = unmask(*command)
        assert ran.code in {0, 1, 4}, (command, ran.err)
    files = [path for path in Path().rglob("*.csv") if path.name != table.name]
    assert {"rows.csv", "audit.csv", "measure.csv", "risk.csv", "beliefs.csv", "town.csv"} <= {f.name for f in files}
    cells = 0
    for path in files:
        delimiter = ";" if path.name == "town.csv" else ","
        with path.open(newline="", encoding="utf-8") as file:
            for row in read_rows(file, delimiter=delimiter):
                cells += len(row)
                assert not [cell for cell in row if is_formula(cell)], path
    assert cells > 200


@given(st.text(alphabet=st.sampled_from("'=+-@＝＋－＠\t\r\n\",;a1 "), max_size=8))
def test_text_survives_the_apostrophe(text: str):
    """What is written harmlessly is read as it was, through quotes, delimiters and line ends."""
    assert not is_formula(harmless(text))
    assert text == unharmed(harmless(text))
    for delimiter in ",;":
        (cell,) = next(read_rows([field(harmless(text), delimiter) or '""'], delimiter=delimiter))
        assert unharmed(cell) == text
