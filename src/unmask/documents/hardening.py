"""The search for a release that passes, as a document: the form `unmask-harden/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from unmask.auditing.policy import Verdict
from unmask.documents.audit import PolicyJson, ReportJson
from unmask.documents.estimates import EstimateJson

SCHEMA: Literal["unmask-harden/1"] = "unmask-harden/1"
"""The form of the document; a change that breaks readers counts up."""


class ExposedJson(TypedDict):
    """The people exposed by one attack of one attacker, or by any of its attacks together."""

    attacker: str
    """What the attacker knows about the place of a person: `attributes` or `row`."""
    attack: str | None
    """Name of the attack; null for all of them together, where they expose more people than one alone."""
    people: float | None
    """Number of people exposed by the policy; higher is worse; null where it is not known."""
    n: float
    """Number of people attacked."""
    reason: str
    """Why `people` is null; empty where it is a number."""


class RepairsJson(TypedDict):
    """What a local repair changed."""

    rounds: int
    """Rounds of attack and repair."""
    merged: int
    """Exposed groups that were merged with a near one."""
    left_out: float
    """People of exposed groups who were left out."""


class CandidateJson(TypedDict):
    """A candidate, published from a sample or the whole table, and attacked."""

    candidate: str
    """The candidate in words."""
    sanitizer: str
    """Name of the sanitizer."""
    settings: dict[str, str]
    """Parameters of the sanitizer, as on the command line."""
    coarser: dict[str, int]
    """Columns that were coarser before it, and by how many levels."""
    withheld: list[str]
    """Columns that were withheld."""
    rows: int
    """Rows of the table that was published: a sample, or all."""
    people: float | None
    """People behind these rows; null where only rows are known, which are counted in their place then."""
    verdict: Verdict
    """Verdict under the policy for both attackers, after the repair."""
    exposed: list[ExposedJson]
    """People exposed, by attacker and attack."""
    query_error: EstimateJson
    """Median relative error of random counting queries; higher is worse."""
    ncp: EstimateJson
    """Mean width of a cell as a part of its column's range; higher is worse."""
    groups: int
    """Number of groups."""
    left_out: float
    """Share of people without a published row, whether suppressed, excluded for a missing value, or left out by a
    repair; higher is worse."""
    largest_risk: float | None
    """Largest risk of re-identification; higher is worse; null without a limit on it, or where it was not measured."""
    repairs: RepairsJson
    """What the repair changed."""
    infeasible: str
    """Why the table could not be published so; empty where it was."""


class HardeningJson(TypedDict):
    """Search by `unmask harden`: candidates, the frontier of risk against utility, and the audit of the release."""

    schema: Literal["unmask-harden/1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    context: list[str]
    """Notes for the reader."""
    verdict: Verdict
    """Verdict on the release that is written; `limit broken` where nothing that passes was found."""
    recommendation: str
    """What to publish, in sentences."""
    attacks: str
    """Attacks that ran on the release that is written, and those that did not apply; empty where none is written."""
    policy: PolicyJson
    """Limits; they are judged for both attackers, whatever its location."""
    suppression: float
    """Largest share of people who may be left out."""
    minutes: float
    """Budget of the search."""
    is_complete: bool
    """Whether the budget sufficed for all candidates."""
    proposed: int
    """Number of candidates."""
    tried: int
    """Number of candidates that were tried, on samples or on the whole table."""
    starred: list[str]
    """Columns that are `*` in every row of the release that is written."""
    redrawn: int
    """Releases that failed when they were drawn anew, and are not written."""
    chosen: CandidateJson | None
    """The release that is written, as it was drawn anew: its numbers may differ from those of its candidate in `final`.
    Null where none passes."""
    frontier: list[str]
    """Candidates on the whole table that no other beats in both exposed people and error, the safest first."""
    final: list[CandidateJson]
    """Candidates on the whole table."""
    sampled: list[CandidateJson]
    """Candidates on samples; not repaired."""
    audit: ReportJson | None
    """Audit of the release that is written, by both attackers; null where none passes."""
