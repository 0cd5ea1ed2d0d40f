"""Trials: audits of the same releases, or of releases of the same table, with changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from unmask.auditing.advice import UNKNOWN_ERROR, Standing
from unmask.auditing.findings import AuditReport
from unmask.auditing.policy import Verdict
from unmask.beliefs import Question
from unmask.changes.planned_changes import Changes
from unmask.commands.also_known import knowing
from unmask.commands.audits import Plan, attacked
from unmask.commands.prepared_audits import PreparedAudit
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.estimate import Estimate
from unmask.people_counts import people_among
from unmask.runtime.streams import stream
from unmask.wording import message

ROUNDS = 10
"""How often groups of exposed people are left out, and the rest is attacked again."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """An audit with changes: the releases it attacked, and its report."""

    prepared: PreparedAudit
    report: AuditReport

    @property
    def ran(self) -> frozenset[str]:
        """The attacks that ran and that the limits concern."""
        policy = self.report.policy
        found = set()
        for scene in self.report.scenes:
            place = scene.about.question is Question.PLACE
            concerned = policy.limits.max_risk is not None if place else scene.attacker.name == policy.location
            found |= {result.name for result in scene.results if result.ran and concerned}
        return frozenset(found)

    @property
    def exposed(self) -> float | None:
        """The people exposed under the limits; None without a limit on beliefs."""
        report, targets = self.report, self.prepared.targets
        if report.policy.limits.max_belief is None or report.exposed is None:
            return None
        return float(people_among(None if targets is None else targets.person_of, report.exposed))

    def standing(self, *, before: Trial | None = None, query_error: bool = True) -> Standing:
        """Return the result in a few numbers; with `before`, also which attacks do not run any more."""
        report = self.report
        return Standing(
            report.verdict,
            self.exposed,
            None if report.policy.limits.max_risk is None else report.largest_risk,
            sum(facts.n_people for facts in report.releases),
            sum(facts.suppressed for facts in report.releases),
            sum(facts.n_groups for facts in report.releases),
            self.query_error() if query_error else UNKNOWN_ERROR,
            () if before is None else tuple(sorted(before.ran - self.ran)),
            self._by_columns(),
        )

    def _by_columns(self) -> dict[str, float | None]:
        """Return the limits that published columns break; of several releases, the most people."""
        found: dict[str, float | None] = {}
        for facts in self.report.releases:
            for one in () if facts.columns is None else facts.columns.broken:
                known = found.get(one.limit)
                found[one.limit] = one.exposed if known is None else max(known, one.exposed or 0.0)
        return found

    def query_error(self) -> Estimate:
        """Return the median relative error of counting queries, as `compare` measures it; of several, the largest."""
        found = UNKNOWN_ERROR
        for case in self.prepared.cases():
            try:
                from unmask.utility.query_error import QueryError  # noqa: PLC0415 - only advice measures it

                value = QueryError().measure(case, stream(self.report.seed or 0, "utility", QueryError.name)).value
            except NotApplicableError as error:
                value = Estimate.undefined(str(error))
            if found.value is None or (value.value is not None and value.value > found.value):
                found = value
        return found


@dataclass(frozen=True, slots=True, eq=False)
class TrialSeries:
    """The releases of an audit, or the table and the sanitizer that publishes it, and what the attackers also know."""

    prepare: Callable[[Changes], PreparedAudit]
    also_known: tuple[str, ...] = ()

    def trial(self, changes: Changes, plan: Plan) -> Trial:
        """Attack the releases with changes.

        To leave exposed people out, groups with the largest shares of them are left out and the rest is attacked again,
        until no limit is broken or no exposed person is in a group.

        Fails
            With `InvalidInputError` for changes that are not possible, with `InfeasibleError` where nothing is left to
            publish.
        """
        prepared = self.prepare(changes)
        for column in self.also_known:
            prepared = knowing(prepared, column)
        report = attacked(prepared, plan)
        for _ in range(ROUNDS if changes.leave_out_exposed else 0):
            if report.exposed is None:
                msg = message(
                    "exposed people must be defined by a limit to be left out; got none. Write --max-belief X"
                )
                raise InvalidInputError(msg)
            if report.verdict is not Verdict.BROKEN or not report.exposed.any():
                break
            fewer = prepared.without_exposed(report.exposed, report.policy.limits.tolerated(report.targets.n))
            if fewer.n_groups == prepared.n_groups:
                break
            prepared, report = fewer, attacked(fewer, plan)
        return Trial(prepared, report)


def quiet(plan: Plan, seed: int | None) -> Plan:
    """Return the plan of a trial beside an audit: its seed, and only the attackers whom the limits concern."""
    return replace(plan, seed=seed, judged_only=True)
