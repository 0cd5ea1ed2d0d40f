"""A regime as data: what it asks, under its own headings, and which measurements stand under each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from unmask.wording import marked


class EvidenceKind(StrEnum):
    """What an audit measures or records, as a part of a document."""

    RELEASES = marked("releases")  # how each was made, its size and its groups
    COLUMNS = marked("published columns")
    SAFE_HARBOR = marked("HIPAA Safe Harbor, column by column")
    IDENTIFICATION = marked("identification")  # linkage: maximum, average, people by level
    THRESHOLD = marked("threshold")  # the maximum risk beside the regime's own threshold
    LINKABILITY = marked("linkability")  # beliefs from several releases together
    INFERENCE = marked("inference")  # beliefs from one release
    POPULATION = marked("population")
    INTRUDERS = marked("intruders")  # assumed knowledge, attacks, parameters
    NOT_RUN = marked("attacks that did not run")
    LIMITS = marked("limits")  # of the policy, and the verdict
    RECORD = marked("record")  # software, seed, hashes of inputs


Field = Literal["recipient", "purpose", "reviewer", "next_review"]
"""A field of a policy that answers an open point."""


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """What a regime asks and an audit cannot answer; a person fills it in."""

    text: str
    field: Field | None = None


@dataclass(frozen=True, slots=True)
class RegimeRequirement:
    """One thing that a regime asks."""

    key: str
    heading: str
    source: str  # the clause or chapter
    asks: str
    evidence: tuple[EvidenceKind, ...] = ()
    open: tuple[OpenPoint, ...] = ()


@dataclass(frozen=True, slots=True)
class Regime:
    """A regulator's or standard's requirements, with their source."""

    name: str
    title: str
    source: str
    thresholds: str  # which numbers it sets, or that it sets none
    requirements: tuple[RegimeRequirement, ...]
    max_risk: float | None = None  # its threshold of the maximum re-identification risk; None: it sets none

    @property
    def evidence(self) -> frozenset[EvidenceKind]:
        """All evidence that stands under its headings."""
        return frozenset(kind for one in self.requirements for kind in one.evidence)


RECIPIENT = OpenPoint(marked("Recipient, and the terms under which they get the data"), "recipient")
PURPOSE = OpenPoint(marked("Purpose of the publication, and why it needs these columns in this detail"), "purpose")
REVIEWER = OpenPoint(marked("Name, role and signature of the person who takes the decision"), "reviewer")
NEXT_REVIEW = OpenPoint(marked("Date of the next review, and what would bring it forward"), "next_review")
