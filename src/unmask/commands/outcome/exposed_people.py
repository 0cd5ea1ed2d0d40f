"""The exposed people of two audits, compared person by person and reported in number."""

from __future__ import annotations

from dataclasses import dataclass

from unmask.commands.outcome.audit_result import Audited
from unmask.unit import Unit
from unmask.wording import message

NO_LIMIT = message("no limit says who is exposed: give max_belief in the policy, or --max-belief to the audit")


@dataclass(frozen=True, slots=True)
class ExposedPeople:
    """The number of people exposed before, after, in both; or the reason why they cannot be compared."""

    unit: Unit
    before: int | None  # exposed by the earlier release or version; None: unknown
    after: int | None
    newly: int | None = None
    no_longer: int | None = None
    still: int | None = None
    added: int = 0  # people attacked now, who were not before
    gone: int = 0
    exposed_added: int | None = None  # of those added, exposed now
    exposed_gone: int | None = None  # of those gone, exposed before
    why: str = ""  # why people were not compared one by one


def compared(before: Audited, after: Audited, *, same_people: bool) -> ExposedPeople:
    """Return how many people are newly, no longer and still exposed, and how many who were attacked once only.

    People are matched by person key, else by line of the one list that both attack (`same_people`).
    """
    totals = ExposedPeople(after.report.unit, before.n_exposed, after.n_exposed)
    why = _why_not(before, after, same_people=same_people)
    if why:
        return ExposedPeople(totals.unit, totals.before, totals.after, why=why)
    ours, theirs = set(before.at_risk()), set(after.at_risk())
    known, attacked = before.names, after.names
    both = known & attacked
    return ExposedPeople(
        totals.unit, totals.before, totals.after,
        newly=len((theirs - ours) & both), no_longer=len((ours - theirs) & both), still=len(ours & theirs),
        added=len(attacked - known), gone=len(known - attacked),
        exposed_added=len(theirs - known), exposed_gone=len(ours - attacked),
    )  # fmt: skip


def _why_not(before: Audited, after: Audited, *, same_people: bool) -> str:
    if before.n_exposed is None or after.n_exposed is None:
        return NO_LIMIT
    if "row" in {before.named_by, after.named_by}:
        return message(
            "published rows were attacked: which row of one release is which of the other is not known. Give a table"
        )
    if before.named_by == after.named_by == "key":
        return ""
    if not same_people:
        return message("people of two tables can be matched by a person key only: give --person-key to the audit")
    return ""
