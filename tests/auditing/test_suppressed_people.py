"""Suppressed people are those without a published row: read from a release of `*`, by its person key or by rows."""

from __future__ import annotations

from pathlib import Path

import pytest

import unmask

ROWS = "who,age,sex,ill\na,30,f,flu\na,40,f,flu\nb,30,f,cold\nc,50,m,flu\n"
STARS = "who,age,sex,ill\na,30,f,flu\na,*,*,flu\nb,30,f,cold\nc,*,*,flu\n"


@pytest.mark.parametrize(
    ("stars", "expected"),
    [
        (STARS, "3 people (4 rows) attacked (2 shown in 1 group, 1 (2 rows) suppressed)"),
        (STARS.replace("who", "visit").replace("a,", "x,").replace("b,", "y,").replace("c,", "z,"),
         "3 people (4 rows) attacked (2 rows shown in 1 group, 2 rows suppressed)"),
    ],
)  # fmt: skip
def test_a_person_with_a_published_row_is_not_suppressed(tmp_path: Path, stars: str, expected: str):
    """Of a, one row of two is `*`, and of c the only one: c is suppressed; without persons, two rows are."""
    table, release = tmp_path / "rows.csv", tmp_path / "release.csv"
    table.write_text(ROWS)
    release.write_text(stars)
    found = unmask.audit(
        table, release=release, quasi=["age", "sex"], sensitive="ill", person_key="who", attack="random-worlds", seed=1
    )
    assert expected in " ".join(str(found).split())
