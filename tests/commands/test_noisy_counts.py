"""Noisy counts from the table to the audit: notes of commands, and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

import unmask
from tests.commands import sixty
from unmask.commands.measuring import measure
from unmask.errors import InvalidInputError, NotApplicableError

CELLS = "age=0,30,60,100; sex=f,m; ill=cold,flu,gout"


@pytest.fixture(name="people")
def _people(tmp_path: Path) -> Path:
    return sixty.written(tmp_path)


def published(people: Path, name: str, cells: str = CELLS) -> Path:
    """Publish noisy counts of the people in a folder beside them."""
    made = unmask.sanitize(
        people, "noisy-counts", set={"epsilon": 2, "cells": cells}, quasi=["age", "sex"], sensitive=["ill"]
    )
    made.write(people.parent / name)
    return people.parent / name


def ran(found: unmask.AuditReport) -> set[str]:
    """Return which attacks ran in any scene."""
    return {result.name for scene in found.scenes for result in scene.results if result.ran}


def test_an_audit_reads_counts_by_their_likelihood_and_looks_for_nobodys_row(people: Path):
    """One release and two: attacks that need true counts refuse; the control leaves the own cell out."""
    releases = [published(people, "one"), published(people, "two")]
    for n in (1, 2):
        report = unmask.audit(people, release=releases[:n], quasi=["age", "sex"], sensitive=["ill"], seed=1).report
        assert {"noisy-counts"} == ran(report)
        assert {"ill"} == {scene.about.name for scene in report.scenes}
        result = next(r for r in report.scenes[-1].results if r.ran)
        assert result.get("accuracy").value is not None
        assert result.get("accuracy", control=True).value is not None
        assert not [p for scene in report.scenes for p in scene.promises if p.metric == "max-belief"]


def test_no_privacy_model_is_measured_on_noise(people: Path):
    """How many people are in a group is not known, and the reason stands beside each model."""
    measured = measure(published(people, "one"))
    k = next(line for line in measured.lines if line.name == "k")
    assert (None, "groups must be counted without noise to be measured") == (k.measured, k.why)
    with pytest.raises(InvalidInputError, match="What it promises is epsilon 2"):
        measure(people.parent / "one", require=["k=3"])


def test_who_is_counted_nowhere_is_told_to_the_publisher_alone(people: Path):
    """No gout is declared here: a note counts these values, and no file of the release does."""
    made = unmask.sanitize(
        people,
        "noisy-counts",
        set={"cells": "age=0,99; sex=f,m; ill=cold,flu"},
        quasi=["age", "sex"],
        sensitive=["ill"],
    )
    gone = int((made.publication.group_of < 0).sum())
    assert gone
    assert any(f"{gone} of 60 rows are counted nowhere" in note for note in made.notes)
    assert 0 == made.release.n_suppressed


def test_nothing_is_kept_back_where_no_row_is_published(people: Path, tmp_path: Path):
    """Said before the release is written."""
    made = unmask.sanitize(people, "noisy-counts", set={"cells": CELLS}, quasi=["age", "sex"], sensitive=["ill"])
    with pytest.raises(InvalidInputError, match="must publish rows"):
        made.write(tmp_path / "out", keep=tmp_path / "keep.json")
    assert not (tmp_path / "out").exists()


def test_an_attack_must_be_told_whom_to_look_for(people: Path):
    """There are no published rows to take as targets."""
    with pytest.raises(InvalidInputError, match="without rows must have targets"):
        unmask.attack("noisy-counts", published(people, "one"))


def test_linkage_needs_rows(people: Path):
    """Linkage needs rows; counts have none."""
    with pytest.raises(NotApplicableError, match="needs published rows"):
        unmask.attack("linkage", published(people, "one"), people=people, quasi=["age", "sex"])
