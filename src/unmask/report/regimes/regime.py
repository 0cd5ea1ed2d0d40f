"""A regime as data: what it asks, under its own headings, and which measurements stand under each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class EvidenceKind(StrEnum):
    """What an audit measures or records, as a part of a document."""

    RELEASES = "releases"  # how each was made, its size and its groups
    COLUMNS = "published columns"
    SAFE_HARBOR = "HIPAA Safe Harbor, column by column"
    IDENTIFICATION = "identification"  # linkage: maximum, average, people by level
    THRESHOLD = "threshold"  # the maximum risk beside the regime's own threshold
    LINKABILITY = "linkability"  # beliefs from several releases together
    INFERENCE = "inference"  # beliefs from one release
    POPULATION = "population"
    INTRUDERS = "intruders"  # assumed knowledge, attacks, parameters
    NOT_RUN = "attacks that did not run"
    LIMITS = "limits"  # of the policy, and the verdict
    RECORD = "record"  # software, seed, hashes of inputs


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


RECIPIENT = OpenPoint("Recipient, and the terms under which they get the data", "recipient")
PURPOSE = OpenPoint("Purpose of the publication, and why it needs these columns in this detail", "purpose")
REVIEWER = OpenPoint("Name, role and signature of the person who takes the decision", "reviewer")
NEXT_REVIEW = OpenPoint("Date of the next review, and what would bring it forward", "next_review")
