"""The evidence of an audit under a regime's headings: what was measured, and what is left open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
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
from unmask.report.json import report_document
from unmask.report.regimes.evidence import EvidencePart, Material
from unmask.report.regimes.published_identifiers import PublishedColumn
from unmask.report.regimes.record import software
from unmask.report.regimes.regime import EvidenceKind, OpenPoint, Regime, RegimeRequirement

OPEN = "left open"
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
    def state(self) -> str:
        """The state in a few words."""
        measured = len(self.evidence) - len(self.missing)
        parts = ["measured"] if measured and not self.missing else ["measured in part"] if measured else []
        parts += [f"not measured: {kind}" for kind, _ in self.missing]
        if self.left_open:
            parts.append(f"{self.left_open} point{'s'[: self.left_open != 1]} left open")
        return "; ".join(parts) or "answered"


@dataclass(frozen=True, eq=False)
class RegimeEvidence:
    """The evidence for a regime: a document, and a record for machines."""

    report: AuditReport
    regime: Regime
    columns: Sequence[PublishedColumn] | None = None  # by Safe Harbor; None: not checked
    notes: tuple[str, ...] = ()  # of the run

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """The answer to each requirement."""
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
        program = f"What a program cannot answer is marked “{OPEN}”: people answer it."
        context = (
            f"{NOT_LEGAL} Measurements stand under the headings of the regime. {program}",
            self.regime.thresholds,
            f"Source: {self.regime.source}",
        )
        return Document(
            "Evidence for a regime", f"{names}: evidence for {self.regime.title}", context,
            (self._overview(), *(_section(one) for one in self.answers)),
            tuple(glossary.TERMS.items()), f"{NOT_LEGAL} What attacks found does not bound what others might find.",
            self.report.seed,
        )  # fmt: skip

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

    def _overview(self) -> Section:
        rows = tuple(
            Row(TableCell(one.requirement.heading), texts((one.requirement.source, one.state))) for one in self.answers
        )
        table = ReportTable("Requirements", ("Requirement", "Source", "State"), rows, texts=2)
        return Section("requirements", "What is answered, and what is left open", parts=(SectionPart(tables=(table,)),))


def _answered(point: OpenPoint, policy: Policy) -> str:
    """Return the answer of a policy to an open point; empty without one."""
    return "" if point.field is None else str(getattr(policy, point.field, None) or "")


def _section(answer: Answer) -> Section:
    one = answer.requirement
    inner = [section for _, found in answer.evidence for section in found.sections]
    if answer.open:
        rows = tuple(
            Row(TableCell(point.text), (TableCell(given) if given else TableCell(OPEN, state="open"),), "attack")
            for point, given in answer.open
        )
        table = ReportTable("To be answered by people", ("Point", "Answer"), rows, texts=1)
        inner.append(Section(f"{one.key}-open", "Left open", parts=(SectionPart(tables=(table,)),)))
    parts = (SectionPart((f"Asked ({one.source}): {one.asks}", f"State: {answer.state}.", *_reasons(answer))),)
    return Section(one.key, one.heading, parts=parts, inner=tuple(inner))


def _reasons(answer: Answer) -> Iterator[str]:
    for kind, why in answer.missing:
        yield f"Not measured: {kind}, since {why}."


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
