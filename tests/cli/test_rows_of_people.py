"""The kind of rows: people as declared, synthetic rows, or an assumption noted beside figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Unmask

PEOPLE = "age,ill\n20,flu\n20,cold\n20,none\n40,flu\n40,cold\n40,none\n"
ASK = ("-q", "age", "-s", "ill")
POLICY = "[limits]\nmax_risk = 0.5\n"
IDENTITY = ("k", "max-risk", "average-risk", "uniqueness")


@pytest.fixture
def synthetic(folder: Path, unmask: Unmask) -> Path:
    """Return a release whose rows are declared to be made up, as a generator of rows would declare it."""
    (folder / "p.csv").write_text(PEOPLE)
    (folder / "policy.toml").write_text(POLICY)
    assert unmask("sanitize", "p.csv", "mondrian", "--set", "k=3", *ASK, "--out", "rel").code == 0
    about = json.loads((folder / "rel" / "release.json").read_text())
    (folder / "rel" / "release.json").write_text(json.dumps(about | {"rows": "synthetic"}))
    return folder


def test_identity_is_undefined_for_synthetic_rows(synthetic: Path, unmask: Unmask):
    """No row is a person's: neither a risk nor a promise, and no verdict on either."""
    ran = unmask("audit", "p.csv", "--release", "rel", "--policy", "policy.toml", "--seed", "1", "--json", "a.json")
    assert ran.code == 4
    assert "row named" not in ran.out
    assert "promised 1/3)" not in ran.out
    report = json.loads((synthetic / "a.json").read_text())
    (place,) = (one for one in report["attacks"] if one["about"]["question"] == "place" and one["name"] == "linkage")
    assert (place["ran"], place["measures"], place["promise"], place["baseline"]) == (False, [], [], [])
    assert "declared synthetic" in place["reason"]
    facts = report["releases"][0]
    assert (facts["rows_are"], facts["rows_declared"], facts["published_columns"]["by_all"]) == (
        "synthetic", True, None,
    )  # fmt: skip
    assert unmask("attack", "linkage", "--release", "rel", "--people", "p.csv").code == 2


def test_models_of_identity_are_undefined_for_synthetic_rows(synthetic: Path, unmask: Unmask):
    """Models of what is learned are measured all the same."""
    ran = unmask("measure", "rel", "--json", "-")
    measures = {one["model"]: one for one in json.loads(ran.out)["measures"]}
    assert [measures[name]["value"] for name in IDENTITY] == [None] * 4
    assert all("declared synthetic" in measures[name]["why"] for name in IDENTITY)
    assert measures["max-share-l"]["value"] == 3
    assert json.loads(ran.out)["population_risk"] is None
    assert unmask("measure", "rel", "--require", "k=3").code == 4
    assert unmask("measure", "rel", "--require", "max-share-l=3").code == 0
    (synthetic / "policy.toml").write_text('[limits]\nrequire = ["k=3"]\nmax_belief = 0.5\n')
    assert unmask("audit", "p.csv", "--release", "rel", "--policy", "policy.toml", "--seed", "1").code == 4


def test_what_nobody_declared_is_assumed(folder: Path, unmask: Unmask):
    """A table says nothing of its rows: figures of identity carry the assumption."""
    (folder / "p.csv").write_text(PEOPLE)
    (folder / "policy.toml").write_text(POLICY)
    (folder / "v.csv").write_text(PEOPLE.replace("20,", "20-39,").replace("40,", "40-59,"))
    ran = unmask("audit", "p.csv", "--release", "v.csv", *ASK, "--policy", "policy.toml", "--seed", "1",
                 "--html", "a.html", "--markdown", "a.md", "--json", "a.json")  # fmt: skip
    assert ran.code == 0
    assert "row named: worst 1/3 (promised 1/3), mean 33.3 %, 100 % at >= 1/11 (assumes that rows are people)" in (
        " ".join(ran.out.split())
    )
    assert "assumes that rows are people" in (folder / "a.html").read_text()
    assert "assumes that rows are people" in (folder / "a.md").read_text()
    assert json.loads((folder / "a.json").read_text())["releases"][0]["rows_declared"] is False
    assert "assumes that rows are people" in unmask("measure", "v.csv", *ASK).out
    assert unmask("sanitize", "p.csv", "mondrian", "--set", "k=3", *ASK, "--out", "rel").code == 0
    assert "assumes that rows are people" not in unmask("measure", "rel").out


def test_rows_that_are_nobodys_decide_nothing(folder: Path, unmask: Unmask):
    """Columns drawn one by one from a table: no more of its rows than by chance, so no person is identified."""
    rng = np.random.default_rng(1)
    n = 200
    people = [rng.integers(20, 60, n), rng.choice(list("mf"), n), rng.choice(list("abcd"), n)]
    drawn = [rng.permutation(column) for column in people]
    for name, columns in (("p", people), ("made-up", drawn)):
        lines = (",".join(map(str, row)) for row in zip(*columns, strict=True))
        (folder / f"{name}.csv").write_text("age,sex,ill\n" + "\n".join(lines) + "\n")
    (folder / "same.csv").write_text((folder / "p.csv").read_text())
    (folder / "policy.toml").write_text(POLICY)
    ask = ("-q", "age", "-q", "sex", "-s", "ill", "--policy", "policy.toml", "--seed", "1")
    ran = unmask("audit", "p.csv", "--release", "made-up.csv", *ask, "--json", "a.json")
    assert ran.code == 4
    assert "rows may not be of people" in " ".join(ran.out.split())
    assert (
        "published rows can be rows of the table" in json.loads((folder / "a.json").read_text())["releases"][0]["doubt"]
    )
    ran = unmask("audit", "p.csv", "--release", "same.csv", *ask)
    assert (ran.code, "the largest re-identification risk is 1" in " ".join(ran.out.split())) == (1, True)
