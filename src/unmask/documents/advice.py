"""Advice after an audit as a part of its document."""

from __future__ import annotations

from typing_extensions import TypedDict

from unmask.auditing.policy import Verdict
from unmask.documents.estimates import EstimateJson


class StandingJson(TypedDict):
    """The result of an audit in a few numbers."""

    verdict: Verdict
    """Verdict under the policy."""
    exposed: float | None
    """People exposed by some attack under the limits; null without a limit on beliefs."""
    largest_risk: float | None
    """Largest probability that a person is matched correctly; null without a limit on it."""
    people: float
    """People published."""
    suppressed: float
    """People suppressed."""
    groups: int
    """Groups of all releases."""
    median_query_error: EstimateJson
    """Median relative error of counting queries; a withheld column answers like a suppressed one. Higher is worse."""
    no_longer: list[str]
    """Attacks that ran before the change, and do not run after it: then nothing is decided."""
    by_columns: dict[str, float | None]
    """Limits broken for an attacker who knows all published columns, each with the people exposed; null of a privacy
    model."""


class AdviceLineJson(TypedDict):
    """One change, or several together, and the result of an audit with them."""

    change: str
    """The change in words."""
    options: list[str]
    """Options that repeat it, in place of the audit's own ones."""
    command: list[str]
    """Words of the command that repeats it; empty where the command of the audit is not known."""
    after: StandingJson
    """Result with the change, of all people and all attacks."""
    passes: bool
    """Whether all limits are kept with it."""


class ColumnShareJson(TypedDict):
    """The people exposed without one column, and with it one level coarser."""

    column: str
    """Name of the column."""
    without: float | None
    """People exposed without it; null where it cannot be withheld, or an attack does not run then."""
    coarser: float | None
    """People exposed with it one level coarser; null where it has no such level, or an attack does not run then."""
    form: str
    """Coarser form of the column."""
    query_error: float | None
    """Median relative error of counting queries without the column; higher is worse; null where it was not measured."""


class ColumnSharesJson(TypedDict):
    """How much of the exposure is each column's, by attacks on all people."""

    attacks: list[str]
    """Names of the attacks: those that expose people, of a large table one of them."""
    quick: bool
    """Whether the attacks ran in their quick forms, in which they may expose another number of people."""
    exposed: float
    """People that they expose with all columns."""
    columns: list[ColumnShareJson]
    """Columns, those that matter most first."""


class AdviceJson(TypedDict):
    """Advice after an audit with a broken limit: changes in order of merit, each measured again."""

    before: StandingJson
    """Result of the audit itself."""
    lines: list[AdviceLineJson]
    """Changes that leave fewer people exposed, the best first."""
    columns: ColumnSharesJson | None
    """How much of the exposure is each column's; null where it was not measured."""
    tried: int
    """Changes that were tried by one attack."""
    notes: list[str]
    """Why there is no advice, or none that keeps the limits."""
