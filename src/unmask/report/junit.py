"""The report as JUnit XML: a pipeline shows each attack as a test, and the verdict as one more."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from unmask.auditing.findings import AttackResult, AuditReport, Scene
from unmask.auditing.policy import Exposure, Verdict, verdict
from unmask.report import words
from unmask.report.numbers import count
from unmask.visible_text import visible_lines
from unmask.wording import SOURCE_LANGUAGE, language


@language(SOURCE_LANGUAGE)
def to_junit(report: AuditReport, *, title: str = "unmask audit") -> str:
    """Write one test case for the verdict, and one for each attack, in English: failed, in error, skipped, or passed.

    A limit that is broken is a failure, evidence that is missing an error, an attack that does not apply is skipped.
    No times, no host: the same report gives the same bytes.
    """
    cases = [_verdict(report)]
    cases += [_case(report, scene, result) for scene in report.scenes for result in scene.results]
    numbers = {
        "tests": len(cases),
        "failures": sum(case.find("failure") is not None for case in cases),
        "errors": sum(case.find("error") is not None for case in cases),
        "skipped": sum(case.find("skipped") is not None for case in cases),
    }
    written = {key: str(value) for key, value in numbers.items()}
    root = ET.Element("testsuites", {"name": visible_lines(title), **written})
    suite = ET.SubElement(root, "testsuite", {"name": visible_lines(title), **written})
    suite.extend(cases)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _verdict(report: AuditReport) -> ET.Element:
    case = ET.Element("testcase", {"classname": "unmask", "name": "verdict"})
    _judge(case, report.verdict, "\n".join(report.why))
    return case


def _case(report: AuditReport, scene: Scene, result: AttackResult) -> ET.Element:
    titles = dict(zip(map(id, scene.results), words.labels(scene.results), strict=True))
    where = f"unmask.{'+'.join(scene.releases)}.{scene.about}"
    case = ET.Element(
        "testcase",
        {
            "classname": visible_lines(where),
            "name": visible_lines(f"{titles[id(result)]}, {words.who(scene.attacker)}"),
        },
    )
    if result.defect:
        ET.SubElement(case, "error", {"message": visible_lines(f"broke off by {result.reason}")})
    elif not result.ran and result.converged:
        ET.SubElement(case, "skipped", {"message": visible_lines(f"not run, which is not safe: {result.reason}")})
    elif not result.ran:
        ET.SubElement(case, "error", {"message": visible_lines(f"did not converge: {result.reason}")})
    elif result.gate is not None and scene.attacker.name == report.policy.location:
        found = (
            "not defined: " + result.gate.why if result.gate.value is None else f"{count(result.gate.value)} exposed"
        )
        missed = f", {count(result.unreadable)} could not be compared with the release" if result.unreadable else ""
        text = f"{found} of {scene.unit.counted(result.gate.n)}{missed}"
        _judge(case, verdict([Exposure(result.gate, result.unreadable)], report.policy.limits), text)
    return case


def _judge(case: ET.Element, found: Verdict, text: str) -> None:
    kind = {Verdict.BROKEN: "failure", Verdict.NOT_DECIDED: "error"}.get(found)
    if kind is not None:
        ET.SubElement(case, kind, {"message": str(found)}).text = visible_lines(text)
    elif text:
        ET.SubElement(case, "system-out").text = visible_lines(text)
