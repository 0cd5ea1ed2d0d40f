"""The report of an audit as a document: verdict, results in words, and the sections of the page."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import AuditReport
from unmask.report import glossary, limit_lines, words
from unmask.report.blocks import Section, SectionPart
from unmask.report.document import Document
from unmask.report.html import measures_taken, page_sections
from unmask.report.summary_sentences import story


def audit_document(report: AuditReport, context: Sequence[str] = ()) -> Document:
    """Return the report of an audit; `context` are sentences of the caller below the title."""
    names = [facts.name for facts in report.releases]
    name, meaning = words.VERDICTS[report.verdict]
    verdict = SectionPart((f"{name}. {meaning}", *limit_lines.lines(report), *words.limits(report)))
    results = SectionPart(tuple(" ".join(sentences) for sentences in story(report)))
    return Document(
        "Disclosure audit",
        f"What {words.listed(names)} {'gives' if len(names) == 1 else 'give'} away",
        tuple(context),
        (
            Section("verdict", "Verdict", parts=(verdict,)),
            Section("summary", "In short", parts=(results,)),
            *page_sections(report),
        ),
        (*glossary.TERMS.items(), *measures_taken(report)),
        "No record of a person is shown here. What attacks found does not bound what others might find.",
        report.seed,
    )
