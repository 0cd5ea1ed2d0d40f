"""The report of an audit as a document: verdict, three sentences, and the sections of the page."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import AuditReport
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.document import Document
from unmask.report.headline import headline
from unmask.report.html import explained_sections, what_is_given_away
from unmask.report.reader_questions import reader_questions
from unmask.wording import text


def audit_document(
    report: AuditReport, context: Sequence[str] = (), *, title: str = "", lead: Sequence[str] = ()
) -> Document:
    """Return the report of an audit; `lead` are sentences below the title, `context` notes for the appendix."""
    names = [facts.name for facts in report.releases]
    verdict = SectionPart((f"{text(words.VERDICTS[report.verdict][0])}.", *headline(report)))
    sections, _ = explained_sections(report, context)
    return Document(
        text("Disclosure audit: a measurement, not a legal finding"),
        title or what_is_given_away(names),
        (*lead, *words.circumstances(report.policy)),
        (Section("verdict", text("Verdict"), parts=(verdict,)), _asked(sections), *sections),
        (),
        text("No record of a person is shown here. What attacks found does not bound what others might find."),
        report.seed,
    )


def _asked(sections: Sequence[Section]) -> Section:
    """Return the questions of the reader, with the numbers of the sections that answer them."""
    title, places = text("Questions, and where they are answered"), reader_questions(sections)
    rows = tuple(Row(TableCell(one.question), texts((one.number or text("Verdict"),)), "minor") for one in places)
    table = ReportTable(title, (text("Question"), text("Section")), rows, texts=1)
    return Section("asked", title, parts=(SectionPart(tables=(table,)),))
