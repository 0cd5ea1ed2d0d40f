"""`--rows`: what rows of a release are, where it does not declare it; measures of people ask for it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import unmask
from unmask.auditing.leaks import Leak
from unmask.cli import run
from unmask.errors import InvalidInputError

ROLES: dict[str, Any] = {"quasi": ["age", "sex", "zip"], "sensitive": ["ill"]}
IDENTITY = {"k", "max-risk", "average-risk", "uniqueness"}


def drawn(seed: int, n: int = 300) -> dict[str, list[Any]]:
    """Return rows of independent columns."""
    rng = random.Random(seed)  # noqa: S311 - a test
    return {
        "age": [rng.randint(20, 80) for _ in range(n)],
        "sex": rng.choices("mf", k=n),
        "zip": [rng.randint(100, 120) for _ in range(n)],
        "ill": rng.choices(["flu", "cold", "gout"], k=n),
    }


def audited(release: Any, **options: Any) -> Any:
    """Return the document of an audit of 300 people."""
    return json.loads(unmask.audit(drawn(1), release=release, seed=1, **ROLES, **options).to_json())


def of_rows(document: Any) -> list[Any]:
    """Return the attacks on rows that ran."""
    return [one for one in document["attacks"] if one["name"] == "linkage" and one["ran"]]


def test_synthetic_rows_have_no_identity():
    """Each measure that is defined only for rows of people is undefined, in `audit`, `measure` and the population."""
    found = unmask.measure(drawn(2), rows="synthetic", **ROLES)
    document = json.loads(found.to_json())
    values = {one["model"]: one.get("value") for one in document["measures"]}
    assert document["rows_are"] == "synthetic"
    assert document["rows_declared"] is True
    assert {values[name] for name in IDENTITY} == {None}
    assert values["distinct-l"] == 1
    assert document["population_risk"] is None
    assert "found by" not in str(found)
    with pytest.raises(InvalidInputError, match="population risk must be about people; rows are declared synthetic"):
        unmask.measure(drawn(2), rows="synthetic", sampled=0.1, **ROLES)
    audit = audited(drawn(2), rows="synthetic", max_belief=0.9)
    assert not of_rows(audit)
    assert of_rows(audited(drawn(2), rows="people", max_belief=0.9))


def test_rows_that_may_be_nobodys_are_pointed_out():
    """Independent rows without a declaration; not rows of the table."""
    words = "--rows people or --rows synthetic says what they are"
    assert any(words in note for note in unmask.audit(drawn(1), release=drawn(2), seed=1, **ROLES).notes)
    assert not any(words in note for note in unmask.audit(drawn(1), release=drawn(1), seed=1, **ROLES).notes)
    told = unmask.audit(drawn(1), release=drawn(2), rows="people", seed=1, **ROLES)
    assert not any(words in note for note in told.notes)


def kinds(document: Any) -> set[str]:
    """Return the leaks of an audit."""
    return {one["kind"] for one in document["releases"][0]["leak_checks"]["findings"]}


def test_copies_of_people_are_no_synthetic_rows():
    """All rows shuffled, or a fifth of them among independent ones, are found; independent rows are not."""
    people, others = drawn(1), drawn(2)
    order = random.Random(3).sample(range(300), 300)  # noqa: S311 - a test
    shuffled = {name: [column[i] for i in order] for name, column in people.items()}
    some = {name: [*column[:60], *others[name][60:]] for name, column in people.items()}
    for release in (shuffled, some):
        assert Leak.COPIED_ROWS in kinds(audited(release, rows="synthetic"))
        assert Leak.COPIED_ROWS not in kinds(audited(release, rows="people"))
    assert Leak.COPIED_ROWS not in kinds(audited(others, rows="synthetic"))


def test_a_declaration_is_not_overruled(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """One line, and nothing is written; the same declaration is no error."""
    made = unmask.sanitize(drawn(1), "mondrian", set={"k": 5}, seed=1, **ROLES)
    made.write(tmp_path / "release")
    folder = str(tmp_path / "release")
    assert run(["measure", folder, "--rows", "synthetic", "--json", str(tmp_path / "found.json")]) == 2
    line = capsys.readouterr().err
    assert "rows must be what release 'release' declares, people; got synthetic. Leave --rows out, or correct" in line
    assert not (tmp_path / "found.json").exists()
    assert run(["measure", folder, "--rows", "people", "--quiet"]) == 0
    with pytest.raises(InvalidInputError, match="rows must be people or synthetic; got 'none'"):
        unmask.measure(drawn(2), rows="none", **ROLES)
