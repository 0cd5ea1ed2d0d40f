"""Inputs of a command: each source is read once."""

from __future__ import annotations

import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unmask
from unmask.attacks.random_worlds import RandomWorlds
from unmask.beliefs import Beliefs
from unmask.commands.inputs import reader
from unmask.commands.inputs.command_inputs import Inputs
from unmask.commands.inputs.reader import Reader
from unmask.commands.notes import Notes
from unmask.view import View

TABLE = "who,age,zip,ill,job\nann,21,1301,flu,a\nbob,24,1301,none,b\ncid,35,1402,flu,a\ndee,38,1402,hiv,b\n"
CELLS = "age,zip,ill,job\n20-29,1301,flu,a\n20-29,1301,none,b\n30-39,1402,flu,a\n30-39,1402,hiv,b\n"
PEOPLE = "who,age,zip\nann,21,1301\ndee,38,1402\n"
OTHERS = "who,age,zip\nann,21,1301\nbob,24,1301\ncid,35,1402\ndee,38,1402\neve,27,1301\n"
ROLES: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": ["ill", "job"], "person_key": "who", "seed": 1}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table, a release of it, people to look for, and a population, as files of the working directory."""
    for name, text in {"table": TABLE, "cells": CELLS, "people": PEOPLE, "population": OTHERS}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    (tmp_path / "prior.csv").write_text("value,probability\nflu,1\nnone,1\nhiv,1\na,1\nb,1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often each file is read."""
    counted = Counter[str]()
    for name in ("read", "read_release"):
        original = getattr(reader, name)

        def counting(source: object, *args: Any, original: Any = original, **options: Any) -> Any:
            counted[str(source)] += 1
            return original(source, *args, **options)

        monkeypatch.setattr(reader, name, counting)
    return counted


@pytest.mark.usefixtures("folder")
def test_an_audit_reads_each_source_once(readings):
    """Two questions, two attackers and a population need no second look at a file."""
    files: dict[str, Any] = {"release": "cells.csv", "people": "people.csv", "population": "population.csv"}
    unmask.audit("table.csv", attack="random-worlds", max_belief=0.9, **files, **ROLES)
    assert readings == {"table.csv": 1, "cells.csv": 1, "people.csv": 1, "population.csv": 1}


@pytest.mark.usefixtures("folder")
def test_an_audit_of_a_sanitizer_reads_the_table_once(readings):
    """The release is made of the table that was read."""
    unmask.audit("table.csv", sanitizer="mondrian", set={"k": 2}, attack="random-worlds", people="people.csv", **ROLES)
    assert readings == {"table.csv": 1, "people.csv": 1}


@pytest.mark.usefixtures("folder")
def test_an_attack_reads_each_source_once_however_many_columns_are_inferred(readings):
    """Truth and prior of both sensitive columns come from one reading."""
    found = unmask.attack(
        "random-worlds", "cells.csv", people="people.csv", truth="table.csv", prior="prior.csv", **ROLES
    )
    assert [str(one.about) for one in found.beliefs] == ["ill", "job"]
    assert readings == {"cells.csv": 1, "people.csv": 1, "table.csv": 1, "prior.csv": 1}


@pytest.mark.usefixtures("folder")
def test_columns_without_a_declared_role_have_the_role_that_the_release_gives_them():
    """The table is coded by the roles of the release; a declared role goes before them."""
    release = unmask.sanitize("table.csv", "mondrian", set={"k": 2}, quasi=["age", "zip"], sensitive="ill").release
    inputs = Inputs.read(Reader.of(None, Notes(), sensitive="job"), [release], table="table.csv")
    assert inputs.table is not None
    assert [a.name for a in inputs.table.schema.quasi] == ["age", "zip"]
    assert [a.name for a in inputs.table.schema.sensitive] == ["ill", "job"]


@pytest.mark.usefixtures("folder")
def test_few_calls_lie_between_the_audit_command_and_the_attack(monkeypatch):
    """A call that only hands the same data on makes every reader of the code go one step further."""
    walks = []
    infer = RandomWorlds.infer

    def watched(self: RandomWorlds, view: View, rng: np.random.Generator) -> Beliefs:
        walks.append([(Path(frame.filename).stem, frame.name) for frame in traceback.extract_stack()])
        return infer(self, view, rng)

    monkeypatch.setattr(RandomWorlds, "infer", watched)
    unmask.audit("table.csv", release="cells.csv", attack="random-worlds", **ROLES)
    walk = walks[0][:-1]
    assert walk[walk.index(("auditing", "audit")) :] == [
        ("auditing", "audit"),
        ("trials", "trial"),
        ("audits", "attacked"),
        ("scenes", "report"),
        ("scenes", "_play"),
        ("scenes", "_attacked"),
    ]
