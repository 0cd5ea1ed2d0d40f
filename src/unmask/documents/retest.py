"""A retest as a document: the form `unmask-retest/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from unmask.auditing.limit_results import LimitState
from unmask.auditing.policy import Verdict
from unmask.documents.audit import ReportJson
from unmask.unit import Unit

SCHEMA: Literal["unmask-retest/1"] = "unmask-retest/1"
"""The form of the document; a change that breaks readers counts up."""


class EarlierJson(TypedDict):
    """The earlier report."""

    name: str
    """Name of its file, without its folder."""
    version: str
    """Version of unmask that made it."""
    verdict: Verdict
    """Its verdict."""
    exposed: int | None
    """Its number of people exposed; null where no limit says who is."""


class PeopleChangeJson(TypedDict):
    """Exposed people, in number; higher is worse."""

    unit: Unit
    """What is counted: people, or rows."""
    exposed_before: int | None
    """People whom the earlier release exposes when it is attacked again, now; null where it was not."""
    exposed_after: int | None
    """People exposed now; null where no limit says who is."""
    newly_exposed: int | None
    """Of the people attacked both times, those exposed only now; null where people were not compared one by one."""
    no_longer_exposed: int | None
    """Those exposed only by the earlier release."""
    still_exposed: int | None
    """Those exposed both times."""
    added: int
    """People attacked for the first time."""
    gone: int
    """People who are no longer attacked."""
    exposed_added: int | None
    """Of the people attacked for the first time, those exposed; null where people were not compared one by one."""
    exposed_gone: int | None
    """Of the people who are no longer attacked, those exposed before; null likewise."""
    why_not_compared: str
    """Why people were not compared one by one; empty where they were."""


class JudgedLimitJson(TypedDict):
    """A limit in one report."""

    state: LimitState
    """Whether it is kept."""
    value: float | None
    """The measured number; null where nothing was measured."""


class LimitChangeJson(TypedDict):
    """A limit by one attack, in both reports."""

    limit: str
    """Name of the limit."""
    attack: str | None
    """Name of the attack; null where none is meant."""
    about: str | None
    """Sensitive attribute; null where the limit is about a person's row."""
    before: JudgedLimitJson | None
    """In the earlier report; null where it was not judged."""
    after: JudgedLimitJson | None
    """Now; null where it is not judged."""
    differs: bool
    """Whether the state or the number changed."""


class ChangeReasonJson(TypedDict):
    """One thing that changed between the two audits."""

    cause: Literal["version", "attacks", "limits", "release", "people"]
    """Kind of the change."""
    text: str
    """The change in words."""


class RetestJson(TypedDict):
    """An audit repeated by `unmask retest`: what changed since an earlier report, for how many people, and why.

    It has no record, no person key, and no people exposed by name.
    """

    schema: Literal["unmask-retest/1"]
    """Form of the document."""
    earlier: EarlierJson
    """The earlier report."""
    people: PeopleChangeJson
    """Exposed people, in number."""
    limits: list[LimitChangeJson]
    """Each limit by each attack that it concerns; of several releases the worst."""
    reasons: list[ChangeReasonJson]
    """What changed between the two audits."""
    audit: ReportJson
    """The report of the audit now, which a later retest can start from."""
