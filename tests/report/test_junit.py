"""The report as JUnit XML: what a pipeline counts."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from tests import reports
from unmask.auditing.policy import Verdict
from unmask.report import to_junit


def suite(text: str) -> ET.Element:
    """Read the only suite."""
    found = ET.fromstring(text).find("testsuite")  # noqa: S314 - our own text
    assert found is not None
    return found


def test_a_broken_limit_is_a_failed_test():
    """The attack that broke it fails, and the verdict with it; what does not apply is skipped, with the reason."""
    found = suite(to_junit(reports.anatomy(reports.POLICY, Verdict.BROKEN, ("because",))))
    failed = [case.get("name") for case in found if case.find("failure") is not None]
    assert failed == ["verdict", "deFinetti, an intruder who knows which row is theirs"]
    skipped = [case.find("skipped").get("message") for case in found if case.find("skipped") is not None]  # type: ignore[union-attr]
    assert "not run, which is not safe: needs at least 2 releases; this view has 1" in skipped
    assert (found.get("failures"), found.get("errors"), found.get("skipped")) == ("2", "0", "3")
    assert found.get("tests") == str(len(found))


def test_missing_evidence_is_an_error_not_a_pass():
    """Chains that disagree say nothing; a green line would."""
    found = suite(to_junit(reports.nothing_ran()))
    wrong = [case.get("name") for case in found if case.find("error") is not None]
    assert wrong == ["verdict", "deFinetti, an intruder who knows only their quasi-identifiers"]


def test_without_limits_everything_that_ran_passes():
    """An audit that only looks does not fail a build."""
    found = suite(to_junit(reports.hospitals()))
    assert (found.get("failures"), found.get("errors")) == ("0", "0")


def test_what_xml_cannot_hold_is_written_as_text():
    """A control character in a column's name would make the file unreadable."""
    text = to_junit(reports.hostile({"column": "job\x00\x1b\uffff<&"}))
    names = [case.get("classname") or "" for case in suite(text)]
    assert any(name.endswith(r"job\x00\x1b\uffff<&") for name in names)
