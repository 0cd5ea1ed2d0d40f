"""Evidence for a regime: the numbers of the audit under its headings, and what is open stays open."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date

import jsonschema  # type: ignore[import-untyped]
import pytest

from tests import reports
from unmask.auditing.findings import InputHash
from unmask.auditing.policy import Policy, Verdict
from unmask.documents.published_schemas import read_schema
from unmask.documents.regime_evidence import NOT_LEGAL
from unmask.errors import InvalidInputError
from unmask.inspection.safe_harbor import KINDS, SafeHarbor
from unmask.report import to_html, together, words
from unmask.report.document import page_of
from unmask.report.headline import headline
from unmask.report.regimes import REGIMES, regime_named
from unmask.report.regimes.evidence_document import OPEN, RegimeEvidence
from unmask.report.regimes.published_identifiers import PublishedColumn
from unmask.report.regimes.regime import EvidenceKind

pytestmark = pytest.mark.usefixtures("no_advice")

REPORTS = {
    "demo": lambda: together([reports.anatomy(), reports.hospitals()]),
    "nothing ran": reports.nothing_ran,
    "undefined": reports.undefined,
    "hostile": reports.hostile,
}
SCHEMA = read_schema("unmask-evidence/1")
COLUMNS = (
    PublishedColumn("adult", "zip", SafeHarbor("B", "three digits")), PublishedColumn("adult", "job", None),
)  # fmt: skip


def text_of(page: str) -> str:
    """Return the text of a page, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)).replace("\u00a0", " ")


def states(evidence: RegimeEvidence) -> dict[str, str]:
    """Return the state of each requirement by its key."""
    return {one.requirement.key: one.state for one in evidence.answers}


EACH = [
    pytest.param(
        name, make, id=f"{report}-{name}", marks=[pytest.mark.sweep] if report == "demo" and name != "ico" else []
    )
    for report, make in REPORTS.items()
    for name in REGIMES
]
"""The report of the demo is long: one regime stands for all."""


@pytest.mark.parametrize(("name", "make"), EACH)
def test_every_regime_makes_a_document_of_every_report(name, make):
    """Each heading is there, with its source; the record has its published form, and holds the whole report."""
    evidence = RegimeEvidence(make(), REGIMES[name], COLUMNS)
    page, record = text_of(page_of(evidence.document)), json.loads(evidence.to_json())
    assert NOT_LEGAL in page
    assert all(one.heading.split(":")[0] in page for one in REGIMES[name].requirements)
    jsonschema.Draft202012Validator(SCHEMA).validate(record)
    assert [one["key"] for one in record["criteria"]] == [one.key for one in REGIMES[name].requirements]
    assert record["software"]["unmask"] == record["version"]


@pytest.mark.parametrize("make", [reports.anatomy, reports.nothing_ran], ids=["verdict", "nothing ran"])
def test_the_finding_stands_first(make):
    """The verdict and the sentences of the audit's page, before what is left open; each count says what is counted."""
    report = make()
    document = RegimeEvidence(report, REGIMES["ico"]).document
    first, second = document.sections[:2]
    assert (first.anchor, second.anchor) == ("found", "requirements")
    assert words.VERDICTS[report.verdict][0] in first.title
    assert first.parts[0].text[:-1] == headline(report)
    is_counted = any(result.ran for scene in report.scenes for result in scene.results)
    assert is_counted == ("Singling out: people whose row is named with a chance" in text_of(page_of(document)))


def test_the_schema_refuses_what_it_does_not_know():
    """A key that is not described, and a statement that claims more."""
    checker = jsonschema.Draft202012Validator(SCHEMA)
    whole = json.loads(RegimeEvidence(reports.anatomy(), REGIMES["ico"]).to_json())
    assert checker.is_valid(whole)
    assert not checker.is_valid(whole | {"verdict": "lawful"})
    assert not checker.is_valid(whole | {"statement": "This is a legal finding."})


def test_no_threshold_is_invented():
    """EMA alone sets a maximum risk; no text quotes a number or a guideline that could not be confirmed."""
    assert {name: one.max_risk for name, one in REGIMES.items() if one.max_risk is not None} == {"ema": 0.09}
    for one in REGIMES.values():
        text = repr(one)
        assert "EDPB" not in text
        assert "0.04" not in text
        assert ("0.09" in text) == (one.name == "ema")
    for name in ("ico", "wp29", "nist"):
        assert re.search(r"sets? no numerical threshold", REGIMES[name].thresholds)
    assert "sets no number" in REGIMES["hipaa"].thresholds


def test_the_regulators_three_risks_are_headings():
    """WP29 and the ICO name them in their own words."""
    for name, inference in (("wp29", "Inference"), ("ico", "Inferences")):
        headings = [one.heading for one in REGIMES[name].requirements[:3]]
        assert headings == ["Singling out", "Linkability", inference]


def test_the_numbers_are_those_of_the_report():
    """The same share, interval and count as on the page of the audit."""
    report = together([reports.anatomy(), reports.hospitals()])
    ours, page = text_of(page_of(RegimeEvidence(report, REGIMES["wp29"]).document)), text_of(to_html(report))
    for number in ("58.5 %", "±0.2", "25.8 %", "9,773", "7,515"):
        assert number in ours
        assert number in page


def test_not_attacked_is_not_measured():
    """Where no attack ran, the state says so for each question; nothing counts as answered."""
    evidence = RegimeEvidence(reports.nothing_ran(), REGIMES["wp29"])
    found = states(evidence)
    for key, kind in (("singling-out", EvidenceKind.IDENTIFICATION), ("inference", EvidenceKind.INFERENCE)):
        assert f"not measured: {kind}" in found[key]
    assert "Not attacked is not safe" in text_of(page_of(evidence.document)) or "not safe" in page_of(evidence.document)


def test_one_release_leaves_linkability_unmeasured_and_several_measure_it():
    """The reason names the way out."""
    alone = RegimeEvidence(reports.anatomy(), REGIMES["wp29"])
    assert "not measured: linkability" in states(alone)["linkability"]
    assert "unmask ledger check" in page_of(alone.document)
    both = RegimeEvidence(reports.hospitals(), REGIMES["wp29"])
    assert "not measured: linkability" not in states(both)["linkability"]


def test_limits_are_measured_only_where_there_are_some():
    """Without a policy there is nothing to keep."""
    assert "not measured: limits" in states(RegimeEvidence(reports.anatomy(), REGIMES["nist"]))["performance"]
    judged = reports.anatomy(reports.POLICY, Verdict.BROKEN, ("because of this",))
    evidence = RegimeEvidence(judged, REGIMES["nist"])
    assert "not measured" not in states(evidence)["performance"]
    assert "A limit is broken" in text_of(page_of(evidence.document))


def test_the_threshold_of_ema_means_groups_of_eleven():
    """1/11 is within 0.09, as regulators use it; 1/10 is above; where nothing was attacked nothing is decided."""

    def document(risk: float) -> str:
        """Return the document about a release with this maximum risk."""
        which = reports.places("trial", risk, risk / 2, [9, 8, 7, 6, 5, 4, 3, 2, 1], 100, 0.5)
        report = replace(
            reports.anatomy(), scenes=(which,), releases=(reports.facts("trial", 9, 100.0, 11, "mondrian"),)
        )
        return text_of(page_of(RegimeEvidence(report, REGIMES["ema"]).document))

    assert " kept " in document(1 / 11)
    assert " exceeded " in document(1 / 10)
    nothing = text_of(page_of(RegimeEvidence(reports.nothing_ran(), REGIMES["ema"]).document))
    assert " kept " not in nothing


def test_what_people_must_answer_is_marked():
    """Each open point stands in the document and in the record, without an answer."""
    evidence = RegimeEvidence(reports.anatomy(), REGIMES["hipaa"], COLUMNS)
    page, record = text_of(page_of(evidence.document)), json.loads(evidence.to_json())
    points = [point for one in record["criteria"] for point in one["open"]]
    assert points
    assert all(point["answer"] is None for point in points)
    assert page.count(f" {OPEN} ") >= len(points)


def test_a_policy_answers_what_it_says():
    """Recipient, purpose, reviewer and next review are no longer open; all else is."""
    plain = RegimeEvidence(reports.anatomy(), REGIMES["ico"])
    policy = Policy(
        recipient="licensed researchers", purpose="a study", reviewer="A. Officer", next_review=date(2027, 11, 1)
    )
    evidence = RegimeEvidence(replace(reports.anatomy(), policy=policy), REGIMES["ico"])
    given = {answer for one in evidence.answers for _, answer in one.open if answer}
    assert given == {"licensed researchers", "a study", "A. Officer", "2027-11-01"}
    assert sum(one.left_open for one in evidence.answers) == sum(one.left_open for one in plain.answers) - 4
    assert "licensed researchers" in text_of(page_of(evidence.document))


def test_counts_stand_before_the_details():
    """Each of the three risks begins with people, beside the control."""
    page = text_of(page_of(RegimeEvidence(reports.hospitals(), REGIMES["wp29"]).document))
    for kind in ("Linkability: people", "Inference: people"):
        assert kind in page
    assert "Without their own group" in page


def test_all_18_kinds_stand_there_column_by_column():
    """A column that is not recognized is not called safe."""
    evidence = RegimeEvidence(reports.anatomy(), REGIMES["hipaa"], COLUMNS)
    page = text_of(page_of(evidence.document))
    assert all(f"({letter})" in page for letter in KINDS)
    assert len(KINDS) == 18
    assert "none recognized" in page
    assert "does not certify Safe Harbor" in page
    assert json.loads(evidence.to_json())["safe_harbor"][1]["paragraph"] is None


def test_the_record_lists_inputs_under_their_key():
    """Without a key the record says how to get them."""
    plain = RegimeEvidence(reports.anatomy(), REGIMES["nist"])
    assert "not measured: record" in states(plain)["evidence-file"]
    assert "--key FILE" in page_of(plain.document)
    hashed = replace(reports.anatomy(), inputs=(InputHash("table", "people.csv", 12, "ab" * 32),), hash_key="cd" * 8)
    keyed = RegimeEvidence(hashed, REGIMES["nist"])
    assert states(keyed)["evidence-file"] == "measured"
    assert "ab" * 32 in page_of(keyed.document)


def test_markup_in_names_is_text():
    """Columns and releases are named by others."""
    page = page_of(RegimeEvidence(reports.hostile(), REGIMES["ico"]).document)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_an_unknown_regime_is_one_line():
    """With the known names and a suggestion."""
    with pytest.raises(
        InvalidInputError, match=r"^regime must be one of ico, wp29, .*; got 'hippa'\. Did you mean 'hipaa'\?$"
    ):
        regime_named("hippa")
