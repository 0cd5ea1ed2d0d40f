"""The outcome of `unmask.retest`: the audit now, beside the earlier one, and why they differ."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from unmask.auditing.limit_results import LimitState
from unmask.auditing.policy import Verdict
from unmask.commands.outcome.audit_result import Audited
from unmask.commands.outcome.exposed_people import ExposedPeople
from unmask.commands.report_changes import Cause, LimitChange, Reason
from unmask.commands.results import DocumentReport
from unmask.documents import retest
from unmask.documents.document_text import document_text
from unmask.documents.retest import JudgedLimitJson, LimitChangeJson, RetestJson
from unmask.number_format import numeral
from unmask.visible_text import joined
from unmask.wording import counted, message, plural, text

if TYPE_CHECKING:
    from unmask.report.document import Document

_MOST = 6  # reasons of one cause on the screen


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Retested(DocumentReport):
    """The audit now, beside an earlier report: verdicts, limits, people in number, and the reasons.

    The data frame has a line for each limit by each attack. `.audit` is the new audit.
    """

    earlier: str  # name of the earlier report
    earlier_version: str
    earlier_verdict: Verdict
    reported: int | None  # exposed people in the earlier report
    people: ExposedPeople
    limits: tuple[LimitChange, ...]
    reasons: tuple[Reason, ...]
    audit: Audited

    @property
    def verdict(self) -> Verdict:
        """The verdict of the audit now."""
        return self.audit.verdict

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the audit now."""
        return self.audit.notes

    @property
    def exit_code(self) -> int:
        """The exit code of the audit now."""
        return self.audit.exit_code

    def __str__(self) -> str:
        return joined(self._text())

    def to_json(self) -> str:
        """Return the changes as a JSON document, with the report of the audit now; `unmask retest` reads it again."""
        people = self.people
        document: RetestJson = {
            "schema": retest.SCHEMA,
            "earlier": {
                "name": self.earlier,
                "version": self.earlier_version,
                "verdict": self.earlier_verdict,
                "exposed": self.reported,
            },
            "people": {
                "unit": people.unit,
                "exposed_before": people.before,
                "exposed_after": people.after,
                "newly_exposed": people.newly,
                "no_longer_exposed": people.no_longer,
                "still_exposed": people.still,
                "added": people.added,
                "gone": people.gone,
                "exposed_added": people.exposed_added,
                "exposed_gone": people.exposed_gone,
                "why_not_compared": people.why,
            },
            "limits": [_limit(one) for one in self.limits],
            "reasons": [{"cause": one.cause.value, "text": one.text} for one in self.reasons],
            "audit": json.loads(self.audit.to_json()),
        }
        return document_text(document)

    def to_html(self) -> str:
        """Return the page of the audit now; its title says that it is a retest, and the lines below what changed."""
        from unmask.report import to_html  # noqa: PLC0415 - drawing charts is heavy, and often not wanted

        return to_html(self.audit.report, title=self._title, lead=tuple(self._changes()), context=self.notes)

    def to_junit(self) -> str:
        """Return the verdict and the attacks of the audit now as JUnit XML."""
        return self.audit.to_junit()

    def to_markdown(self) -> str:
        """Return the report of the audit now as a short page of Markdown; what changed stands at its end."""
        from unmask.report import to_markdown  # noqa: PLC0415 - as above

        return to_markdown(self.audit.report, context=(*self._changes(), *self.notes))

    def _document(self) -> Document:
        from unmask.report.audit_document import audit_document  # noqa: PLC0415 - as above

        return audit_document(self.audit.report, self.notes, title=self._title, lead=tuple(self._changes()))

    @property
    def _title(self) -> str:
        names = ", ".join(facts.name for facts in self.audit.report.releases)
        return text(
            "{releases} tested again: {verdict}, was {before}",
            releases=names, verdict=text(self.verdict), before=text(self.earlier_verdict),
        )  # fmt: skip

    def _text(self) -> Iterator[str]:
        yield from self._changes()
        for one in self.limits:
            if one.differs:
                yield f"  {text(str(one))}"
        listed: Counter[Cause] = Counter()
        for reason in self.reasons:
            listed[reason.cause] += 1
            if listed[reason.cause] <= _MOST:
                yield f"  {text(reason.cause.words)}: {text(reason.text)}"
        for cause, n in listed.items():
            if n > _MOST:
                yield f"  {text('{cause}: and {n} more; --json has all', cause=cause.words, n=n - _MOST)}"
        if not self.reasons and not any(one.differs for one in self.limits):
            yield f"  {text('nothing else changed')}"

    def _changes(self) -> Iterator[str]:
        verdict, people = text(self.verdict).upper(), self.people
        if self.verdict is self.earlier_verdict:
            yield text("{verdict}, as in {report}.", verdict=verdict, report=self.earlier)
        else:
            was = text(self.earlier_verdict)
            yield text("{verdict}, was {before} in {report}.", verdict=verdict, before=was, report=self.earlier)
        exposed = {"unit": text(people.unit), "reported": _number(self.reported), "now": _number(people.after)}
        if people.before is None:
            yield text("{unit} exposed: {reported} in the report, {now} now", **exposed)
        else:
            yield text(
                "{unit} exposed: {reported} in the report, {again} by the earlier release attacked again, {now} now",
                again=_number(people.before), **exposed,
            )  # fmt: skip
        if people.why:
            yield text("not compared one by one: {reason}", reason=people.why)
        else:
            yield text(
                "newly exposed {newly}, no longer exposed {no_longer}, still exposed {still}",
                newly=_number(people.newly), no_longer=_number(people.no_longer), still=_number(people.still),
            )  # fmt: skip
        if people.added or people.gone:
            yield plural(
                "{people} is attacked for the first time, {exposed} exposed; {gone} no longer, {were} exposed before",
                "{people} are attacked for the first time, {exposed} exposed; {gone} no longer, {were} exposed before",
                people.added, people=people.unit.counted(people.added), gone=numeral(people.gone),
                exposed=_number(people.exposed_added), were=_number(people.exposed_gone),
            )  # fmt: skip

    def _table(self) -> pa.Table:
        lines = [
            {
                "limit": one.limit, "attack": one.attack, "about": one.about,
                "state_before": one.before and one.before[0], "value_before": one.before and one.before[1],
                "state_after": one.after and one.after[0], "value_after": one.after and one.after[1],
                "differs": one.differs,
            }
            for one in self.limits
        ]  # fmt: skip
        return pa.Table.from_pylist(lines, schema=_COLUMNS)

    def _facts(self) -> str:
        changed = sum(one.differs for one in self.limits)
        return counted(
            "{verdict}, was {before}, exit code {code}; {n} limit differs",
            "{verdict}, was {before}, exit code {code}; {n} limits differ",
            changed,
            verdict=message(self.verdict), before=message(self.earlier_verdict), code=self.exit_code, n=changed,
        )  # fmt: skip


_COLUMNS = pa.schema(
    {
        **dict.fromkeys(("limit", "attack", "about", "state_before"), pa.string()),
        "value_before": pa.float64(),
        "state_after": pa.string(),
        "value_after": pa.float64(),
        "differs": pa.bool_(),
    }
)


def _limit(one: LimitChange) -> LimitChangeJson:
    return {
        "limit": one.limit,
        "attack": one.attack,
        "about": one.about,
        "before": _state(one.before),
        "after": _state(one.after),
        "differs": one.differs,
    }


def _state(one: tuple[LimitState, float | None] | None) -> JudgedLimitJson | None:
    return None if one is None else {"state": one[0], "value": one[1]}


def _number(value: int | None) -> str:
    return text("not known") if value is None else text(numeral(value))
