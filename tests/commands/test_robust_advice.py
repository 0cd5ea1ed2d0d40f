"""Advice for all kinds of audits: identity, people with several rows, several releases; faults lose no audit."""

from __future__ import annotations

from typing import Any

import pytest

import unmask
from tests.commands.advised import ROLES, people
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.commands import advising

ASKED: dict[str, Any] = {"max_belief": 0.5, "excess": 0.05, "seed": 1, "attack": "random-worlds", "advice": 2, **ROLES}


def test_a_limit_on_identity_is_met_by_larger_groups():
    """Of at most 0.09, groups of 12 or more are safe: k is raised as far as that takes."""
    found = unmask.audit(
        people(1, 120), sanitizer="mondrian", set={"k": 5}, policy=Policy(Limits(max_risk=0.09)), seed=1, **ROLES
    )
    assert found.report.advice is not None
    line = found.report.advice.passing[0]
    assert line.changes.options()[:1] == ("--set",)
    assert line.after.exposed is None
    assert (line.after.largest_risk or 1) <= 1 / 11 + 1e-9
    assert "largest risk 1/5 →" in str(found)


def test_people_with_several_rows_are_counted_once():
    """A release of two rows for each person: people are exposed and left out, not rows."""
    table = {**people(1, 120), "id": [f"p{i // 2}" for i in range(120)]}
    made = unmask.sanitize(table, "mondrian", set={"k": 3}, person_key="id", **ROLES)
    advice = unmask.audit(table, release=[made], person_key="id", **ASKED).report.advice
    assert advice is not None
    assert (advice.before.exposed or 0) <= 60
    assert all((line.after.exposed or 0) < (advice.before.exposed or 0) for line in advice.lines)


def test_a_change_concerns_every_release_with_the_column():
    """Two releases of the same people: a column is withheld in both."""
    table = people(1, 120)
    releases = [unmask.sanitize(table, name, set={"k": 3}, **ROLES).release for name in ("mondrian", "k-member")]
    found = unmask.audit(table, release=releases, **ASKED | {"attack": ["random-worlds", "intersection"]})
    assert found.report.advice is not None
    assert found.report.advice.lines
    less = unmask.audit(table, release=releases, withhold="zip", **ASKED | {"advice": 0})
    assert all("zip" not in one.release.schema for one in less.releases)


def test_a_fault_of_the_search_keeps_the_audit(monkeypatch: pytest.MonkeyPatch):
    """The result of the audit is there, with a note in place of advice, and without the message of the fault."""

    def broken(*_: object) -> None:
        msg = "hiv"
        raise ZeroDivisionError(msg)

    monkeypatch.setattr(advising, "search", broken)
    found = unmask.audit(people(1, 60), sanitizer="mondrian", set={"k": 3}, **ASKED)
    assert found.verdict is Verdict.BROKEN
    assert found.report.advice is not None
    assert "fault of unmask" in found.report.advice.notes[0]
    assert "hiv" not in found.to_json()
