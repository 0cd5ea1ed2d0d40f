"""An audit of ε as a document: the form `unmask-dp-audit/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from unmask.documents.estimates import EstimateJson

SCHEMA: Literal["unmask-dp-audit/1"] = "unmask-dp-audit/1"
"""The form of the document; a change that breaks readers counts up."""


class EpsilonBoundJson(TypedDict):
    """A lower bound on ε; 0 is no proof of privacy."""

    low: float
    """Least ε that the runs allow, at the level."""
    level: float
    """Probability at least that a true ε is not refuted."""
    event: str
    """Event that distinguishes the tables, chosen on other runs."""
    often: int
    """Runs in which it happened, on the table under which it is likelier."""
    rarely: int
    """Runs in which it happened on the other table."""
    judged: int
    """Runs on each table that were counted."""


class EpsilonAuditJson(TypedDict):
    """Audit of a claimed ε by `unmask dp-audit`: many releases of a table and of one without a person's record."""

    schema: Literal["unmask-dp-audit/1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    sanitizer: str
    """Sanitizer with its parameters."""
    verdict: Literal["refuted", "not refuted", "no claim"]
    """Whether the claimed ε is refuted; `not refuted` is no proof."""
    claimed: float | None
    """Claimed ε; null without a claim."""
    delta: float
    """Claimed δ."""
    neighbors: str
    """Neighboring relation that was played."""
    record: int
    """Line of the table whose person is in it or not, from 0."""
    runs: int
    """Releases of each of the two tables."""
    bound: EpsilonBoundJson
    """Lower bound on ε."""
    power: float | None
    """Probability that such an audit refutes the claim if noise has half the scale it needs; null without a claim."""
    gap: EstimateJson
    """How much more often an attacker guesses the record's value right because it is in the table."""
    most_gap: float | None
    """Largest gap that the claim allows; null without a claim."""
    notes: list[str]
    """Notes for the reader."""
