"""The report of an audit as a document: verdict, three sentences, and the sections of the page."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import AuditReport
from unmask.report import glossary, words
from unmask.report.blocks import Section, SectionPart
from unmask.report.document import Document
from unmask.report.headline import headline
from unmask.report.html import attacks_tried, measures_taken, page_sections, what_is_given_away
from unmask.wording import text


def audit_document(report: AuditReport, context: Sequence[str] = ()) -> Document:
    """Return the report of an audit; `context` are notes for the appendix."""
    names = [facts.name for facts in report.releases]
    verdict = SectionPart((f"{text(words.VERDICTS[report.verdict][0])}.", *headline(report)))
    return Document(
        text("Disclosure audit: a measurement, not a legal finding"),
        what_is_given_away(names),
        words.circumstances(report.policy),
        (Section("verdict", text("Verdict"), parts=(verdict,)), *page_sections(report, context)),
        (*glossary.entries(), *attacks_tried(report), *measures_taken(report)),
        text("No record of a person is shown here. What attacks found does not bound what others might find."),
        report.seed,
    )
