"""Attacks that broke a limit on a release without its changes, and do not run on it with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from unmask.auditing.findings import AuditReport
from unmask.auditing.limit_results import LimitResult, LimitState
from unmask.auditing.policy import Verdict
from unmask.changes.planned_changes import Changes
from unmask.commands.audits import Plan
from unmask.commands.trials import Trial, TrialSeries, quiet
from unmask.errors import DatabaseError, UnmaskError
from unmask.runtime import work
from unmask.wording import message


def without_lost_attacks(made: Trial, changes: Changes, series: TrialSeries, plan: Plan) -> Trial:
    """Return an audit with changes, whose limits stay open where an attack that broke them does not run any more.

    Only where limits are kept are the attacks that did not run tried on the releases without the changes.
    """
    lost = {one.name for one in plan.attacks} - made.ran
    if not changes or not lost or made.report.verdict is not Verdict.WITHIN:
        return made
    try:
        with work.step(message("attacking the release without changes")):
            before = series.trial(Changes(), quiet(plan, made.report.seed).only(lost)).report
    except DatabaseError:
        raise
    except UnmaskError:  # without the changes nothing can be published
        return made
    return replace(made, report=made.report.with_limits(list(_undecided(before, made.report))))


def _undecided(before: AuditReport, after: AuditReport) -> Iterator[LimitResult]:
    for one in before.limits:
        if one.state is not LimitState.BROKEN or not one.attack:
            continue
        scenes = [scene for scene in after.scenes if scene.about.name == one.about]
        results = (result for scene in scenes for result in scene.results if result.name == one.attack)
        why = next(
            (result.reason for result in results if not result.ran and result.reason), message("it does not apply")
        )
        reason = message(
            "{attack} broke the limit without the changes, and did not run with them: {why}", attack=one.attack, why=why
        )
        yield replace(
            one, state=LimitState.NOT_DECIDED, reason=reason, measured=None,
            would_change=message("An attack that runs decides: change less, so that it applies"),
        )  # fmt: skip
