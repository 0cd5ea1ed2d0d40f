"""The evidence of an audit for a regime as a document: the form `unmask-evidence/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from unmask.documents.audit import ReportJson

SCHEMA: Literal["unmask-evidence/1"] = "unmask-evidence/1"
"""The form of the document; a change that breaks readers counts up."""

NOT_LEGAL: Literal["This is not a legal finding."] = "This is not a legal finding."
"""The sentence that no document of evidence lacks."""


class RegimeJson(TypedDict):
    """A regulator's or standard's requirements."""

    name: str
    """Name, as `--for` takes it."""
    title: str
    """Title."""
    source: str
    """Law, guidance or standard that the requirements are taken from."""
    thresholds: str
    """Which numbers the regime sets, or that it sets none."""
    max_risk: float | None
    """Its threshold of the maximum re-identification risk; null where it sets none."""


class EvidencePartJson(TypedDict):
    """A kind of measurement that stands under a requirement."""

    kind: str
    """What is measured."""
    measured: bool
    """Whether it was measured; what was not attacked is not safe."""
    why: str
    """Why nothing was measured; empty where something was."""


class OpenPointJson(TypedDict):
    """What a regime asks and an audit cannot answer."""

    point: str
    """What people must answer."""
    answer: str | None
    """Answer of the policy; null where the point is left open."""


class CriterionJson(TypedDict):
    """A requirement of the regime."""

    key: str
    """Key, unique in the regime."""
    heading: str
    """Heading, in the regime's words."""
    source: str
    """Clause or chapter."""
    asks: str
    """What is asked, as a paraphrase."""
    state: str
    """What was measured, and how many points are left open, in words."""
    evidence: list[EvidencePartJson]
    """Measurements under the heading."""
    open: list[OpenPointJson]
    """Points that people answer."""


class PublishedIdentifierJson(TypedDict):
    """A published column by HIPAA Safe Harbor."""

    release: str
    """Name of the release."""
    column: str
    """Name of the column."""
    paragraph: str | None
    """Letter of the kind of identifier, A to R; null where none was recognized, which does not mean that it holds
    none."""
    remedy: str | None
    """What Safe Harbor asks; null where no kind was recognized."""


class RegimeEvidenceJson(TypedDict):
    """What an audit measured under the headings of a regime, and what is left open. It is not a legal finding."""

    schema: Literal["unmask-evidence/1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    statement: Literal["This is not a legal finding."]
    """What the document is not."""
    regime: RegimeJson
    """The regime."""
    criteria: list[CriterionJson]
    """Each requirement, with its state."""
    safe_harbor: list[PublishedIdentifierJson] | None
    """Published columns by HIPAA Safe Harbor; null where the regime does not ask for it."""
    software: dict[str, str]
    """Version of each program and library, by its name."""
    report: ReportJson
    """The whole report of the audit."""
