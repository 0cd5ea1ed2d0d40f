"""`unmask.compare` on files: releases made here and by others, with and without the original."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unmask
from unmask.commands.hierarchies import hierarchy
from unmask.errors import InvalidInputError
from unmask.utility.information_loss import InformationLoss
from unmask.utility.precision import Precision
from unmask.utility.release_comparison import ATTRIBUTES, ROW
from unmask.utility.utility_measure import PublishedTable

QUASI, SECRET = ["age", "sex"], ["ill"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Write a table of 200 people, two releases of it, the kept file of one, and a table of other origin."""
    where: Path = tmp_path_factory.mktemp("compared")
    rng = np.random.default_rng(1)
    age, sex, ill = rng.integers(20, 60, 200), rng.choice(["f", "m"], 200), rng.choice(["cold", "flu", "none"], 200)
    rows = [f"{a},{s},{i}" for a, s, i in zip(age, sex, ill, strict=True)]
    (where / "people.csv").write_text("\n".join(["age,sex,ill", *rows]) + "\n")
    others = [f"{a // 10 * 10}-{a // 10 * 10 + 9},{s},{i}" for a, s, i in zip(age, sex, ill, strict=True)]
    (where / "decades.csv").write_text("\n".join(["age,sex,ill", *sorted(others)]) + "\n")
    for name, k in (("fine", 5), ("rough", 50)):
        made = unmask.sanitize(where / "people.csv", "mondrian", set={"k": k}, quasi=QUASI, sensitive=SECRET, seed=1)
        made.write(where / name, keep=where / f"{name}.json")
    return where


def test_releases_of_several_makers_are_compared(folder):
    """Two folders and a table: all of the same people."""
    names = ["fine", "rough", "decades.csv"]
    found = unmask.compare(
        [folder / name for name in names], folder / "people.csv", seed=3, queries=50, quasi=QUASI, sensitive=SECRET
    )
    fine, rough, decades = found.report.releases
    assert [one.facts.name for one in found.report.releases] == ["fine", "rough", "decades"]
    assert (fine.get("k").value or 0) >= 5
    assert (rough.get("information-loss").value or 0) > (fine.get("information-loss").value or 1)
    assert (decades.get("information-loss").value or 0) == pytest.approx(9 / 39 / 2)
    for one in found.report.releases:
        assert one.get(ROW, "ill").value == pytest.approx(one.get(ATTRIBUTES, "ill").value)
        assert one.get("query-error").n > 0
    assert "query-error" in found.to_frame()["measure"].to_pylist()


def test_what_was_kept_back_says_the_same_as_values_do(folder):
    """Mondrian's groups are disjoint, so both give the same numbers; another release's file is refused."""
    given: dict[str, Any] = {
        "quasi": QUASI,
        "sensitive": SECRET,
        "seed": 3,
        "queries": 30,
        "measures": ["ncp", "non-uniform-entropy"],
    }
    kept = unmask.compare(folder / "fine", folder / "people.csv", keep={"fine": folder / "fine.json"}, **given)
    found = unmask.compare(folder / "fine", folder / "people.csv", **given)
    assert kept.report.releases[0].numbers == found.report.releases[0].numbers
    with pytest.raises(InvalidInputError, match="Did you mean 'fine'"):
        unmask.compare(folder / "fine", folder / "people.csv", keep={"finer": folder / "fine.json"}, **given)


def test_without_the_original_sizes_and_cells_remain(folder):
    """And a note says what is missing."""
    found = unmask.compare([folder / "fine", folder / "rough"], seed=1)
    assert found.report.against == "nothing"
    assert any("no original table" in note for note in found.notes)
    assert found.report.releases[0].get("classification").value is not None


def test_people_of_no_release_test_the_learners(folder):
    """A second table, read by the same roles."""
    found = unmask.compare(
        folder / "fine", held_out=folder / "people.csv", seed=1, measures=["learning"], quasi=QUASI, sensitive=SECRET
    )
    assert found.report.against == "held out"
    assert found.report.releases[0].get("learning", "trees").n == 200


def test_measures_are_named_as_in_the_catalog(folder):
    """A slip is met with what was probably meant."""
    with pytest.raises(InvalidInputError, match="Did you mean 'ncp'"):
        unmask.compare(folder / "fine", measures=["npc"], seed=1)


def test_a_page_shows_itself_in_a_notebook(folder):
    """The same page as in a file."""
    found = unmask.compare([folder / "fine", folder / "rough"], seed=1, measures=["information-loss"])
    assert "<h1>2 releases compared</h1>" in found.to_html()


def test_a_hierarchy_that_is_given_is_used_where_a_release_tells_none(folder):
    """A folder does not publish which values were seen below a hierarchy; precision is that of what was published."""
    hierarchy("age", folder / "people.csv", intervals=[10, 20, 40]).write(folder / "age.csv")
    given: dict[str, Any] = {"quasi": QUASI, "sensitive": SECRET, "hierarchy": [f"age={folder / 'age.csv'}"], "seed": 1}
    made = unmask.sanitize(folder / "people.csv", "full-domain", set={"k": 5}, **given)
    made.write(folder / "levels")
    for original in (folder / "people.csv", None):
        found = unmask.compare(folder / "levels", original, measures=["precision", "information-loss"], **given)
        numbers = {one.name: one.estimate.value for one in found.report.releases[0].numbers}
        here = PublishedTable.of(made.release, made.table)
        for measure in (Precision(), InformationLoss()):
            assert numbers[measure.name] == measure.measure(here, np.random.default_rng(0)).value.value
        assert 0 < (numbers["precision"] or 0) < 1


def test_a_preset_that_only_the_roles_name_is_used_as_its_file_would_be(tmp_path):
    """Without the original: sets of codes of a folder without a hierarchy, by a preset and by the same file."""
    codes = ("A00", "A01", "B20", "B21")
    rows = '"{A00, A01}",a\n"{A00, A01}",b\n"{B20, B21}",a\n"{B20, B21}",b\n'
    columns = [{"name": "icd", "role": "quasi-identifier"}, {"name": "ill", "role": "sensitive", "cells": "exact"}]
    (tmp_path / "rel").mkdir()
    (tmp_path / "rel" / "release.json").write_text(json.dumps({"unmask_release": 1, "columns": columns}))
    (tmp_path / "rel" / "rows.csv").write_text(f"icd,ill\n{rows}")
    hierarchy("icd", {"icd": codes}, preset="icd10").write(tmp_path / "icd.csv")

    def precision(*given: str) -> float | None:
        found = unmask.compare([tmp_path / "rel"], hierarchy=list(given))
        return next(one.estimate.value for one in found.report.releases[0].numbers if one.name == "precision")

    assert precision() is None
    assert precision("icd=preset:icd10") == precision(f"icd={tmp_path / 'icd.csv'}") is not None
