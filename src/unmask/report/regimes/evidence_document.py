"""The evidence of an audit under a regime's headings: what was measured, and what is left open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata

from unmask.auditing.findings import AuditReport
from unmask.auditing.policy import Policy
from unmask.documents.document_text import document_text
from unmask.documents.regime_evidence import (
    NOT_LEGAL,
    SCHEMA,
    CriterionJson,
    PublishedIdentifierJson,
    RegimeEvidenceJson,
)
from unmask.report import glossary, words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.document import Document
from unmask.report.headline import headline
from unmask.report.json import report_document
from unmask.report.regimes.evidence import EvidencePart, Material
from unmask.report.regimes.published_identifiers import PublishedColumn
from unmask.report.regimes.record import software
from unmask.report.regimes.regime import EvidenceKind, OpenPoint, Regime, RegimeRequirement
from unmask.wording import Message, counted, joined, marked, message, text

OPEN = marked("left open")
"""The text in place of an answer that a person must give."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a document to one requirement."""

    requirement: RegimeRequirement
    evidence: tuple[tuple[EvidenceKind, EvidencePart], ...]
    open: tuple[tuple[OpenPoint, str], ...]  # each with the answer of the policy; empty: left open

    @property
    def missing(self) -> tuple[tuple[EvidenceKind, str], ...]:
        """The evidence that was not measured, with the reasons."""
        return tuple((kind, found.why_not) for kind, found in self.evidence if found.why_not)

    @property
    def left_open(self) -> int:
        """The number of points without an answer."""
        return sum(not answer for _, answer in self.open)

    @property
    def state(self) -> Message:
        """The state in a few words."""
        parts = []
        if len(self.evidence) > len(self.missing):
            parts.append(message("measured in part") if self.missing else message("measured"))
        parts += [message("not measured: {evidence}", evidence=message(kind)) for kind, _ in self.missing]
        if n := self.left_open:
            parts.append(counted("{n} point left open", "{n} points left open", n, n=n))
        return joined(parts) if parts else message("answered")


@dataclass(frozen=True, eq=False)
class RegimeEvidence:
    """The evidence for a regime: a document, and a record for machines."""

    report: AuditReport
    regime: Regime
    columns: Sequence[PublishedColumn] | None = None  # by Safe Harbor; None: not checked
    notes: tuple[str, ...] = ()  # of the run

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answer to each requirement, its evidence in the reader's language."""
        material = Material(self.report, self.columns, self.regime.max_risk, self.notes)
        return tuple(
            Answer(
                one,
                tuple((kind, material.measured(kind, f"{one.key}-{kind.name.lower()}")) for kind in one.evidence),
                tuple((point, _answered(point, self.report.policy)) for point in one.open),
            )
            for one in self.regime.requirements
        )

    @property
    def document(self) -> Document:
        """The document."""
        names = words.listed([facts.name for facts in self.report.releases])
        not_legal, answers = text("This is not a legal finding."), self.answers
        headings = text("Measurements stand under the headings of the regime.")
        program = text("What a program cannot answer is marked “{open}”: people answer it.", open=text(OPEN))
        closing = text("What attacks found does not bound what others might find.")
        context = (
            f"{not_legal} {headings} {program}",
            text(self.regime.thresholds),
            text("Source: {source}", source=text(self.regime.source)),
        )
        return Document(
            text("Evidence for a regime"),
            text("{releases}: evidence for {regime}", releases=names, regime=text(self.regime.title)),
            context,
            (_found(self.report), _overview(answers), *map(_section, answers)),
            glossary.entries(),
            f"{not_legal} {closing}",
            self.report.seed,
        )

    def to_json(self) -> str:
        """Return the record for machines: criteria, thresholds, software, hashes of inputs, and the whole report."""
        document: RegimeEvidenceJson = {
            "schema": SCHEMA,
            "version": metadata.version("unmask"),
            "statement": NOT_LEGAL,
            "regime": {
                "name": self.regime.name,
                "title": self.regime.title,
                "source": self.regime.source,
                "thresholds": self.regime.thresholds,
                "max_risk": self.regime.max_risk,
            },
            "criteria": [_criterion(one) for one in self.answers],
            "safe_harbor": None if self.columns is None else [_harbor(one) for one in self.columns],
            "software": software(),
            "report": report_document(self.report, context=self.notes),
        }
        return document_text(document)


def _found(report: AuditReport) -> Section:
    """Return the verdict by the limits of the audit, and its sentences."""
    name, _ = words.VERDICTS[report.verdict]
    whose = text("The limits are those of this audit; the regime's own, where it has any, is named above.")
    sentences = SectionPart((*headline(report), whose))
    return Section("found", text("What was found: {verdict}", verdict=text(name)), parts=(sentences,))


def _overview(answers: Sequence[Answer]) -> Section:
    rows = tuple(
        Row(TableCell(text(one.requirement.heading)), texts((text(one.requirement.source), text(one.state))))
        for one in answers
    )
    head = (text("Requirement"), text("Source"), text("State"))
    table = ReportTable(text("Requirements"), head, rows, texts=2)
    title = text("What is answered, and what is left open")
    return Section("requirements", title, parts=(SectionPart(tables=(table,)),))


def _answered(point: OpenPoint, policy: Policy) -> str:
    """Return the answer of a policy to an open point; empty without one."""
    return "" if point.field is None else str(getattr(policy, point.field, None) or "")


def _section(answer: Answer) -> Section:
    one = answer.requirement
    inner = [section for _, found in answer.evidence for section in found.sections]
    if answer.open:
        rows = tuple(
            Row(
                TableCell(text(point.text)),
                (TableCell(given) if given else TableCell(text(OPEN), state="open"),),
                "attack",
            )
            for point, given in answer.open
        )
        head = (text("Point"), text("Answer"))
        table = ReportTable(text("To be answered by people"), head, rows, texts=1)
        inner.append(Section(f"{one.key}-open", text("Left open"), parts=(SectionPart(tables=(table,)),)))
    sentences = (
        text("Asked ({source}): {asks}", source=text(one.source), asks=text(one.asks)),
        text("State: {state}.", state=answer.state),
        *_reasons(answer),
    )
    return Section(one.key, text(one.heading), parts=(SectionPart(sentences),), inner=tuple(inner))


def _reasons(answer: Answer) -> Iterator[str]:
    for kind, why in answer.missing:
        yield text("Not measured: {evidence}, since {reason}.", evidence=text(kind), reason=text(why))


def _criterion(answer: Answer) -> CriterionJson:
    one = answer.requirement
    return {
        "key": one.key,
        "heading": one.heading,
        "source": one.source,
        "asks": one.asks,
        "state": answer.state,
        "evidence": [
            {"kind": str(kind), "measured": not found.why_not, "why": found.why_not} for kind, found in answer.evidence
        ],
        "open": [{"point": point.text, "answer": given or None} for point, given in answer.open],
    }


def _harbor(one: PublishedColumn) -> PublishedIdentifierJson:
    found = one.harbor
    return {
        "release": one.release,
        "column": one.name,
        "paragraph": None if found is None else found.letter,
        "remedy": None if found is None else found.remedy,
    }
