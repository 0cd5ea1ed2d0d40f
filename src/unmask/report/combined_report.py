"""Several audits combined into one report."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import AuditReport
from unmask.auditing.policy import worst_of
from unmask.errors import InvalidInputError
from unmask.unit import common
from unmask.wording import message


def together(reports: Sequence[AuditReport]) -> AuditReport:
    """Return one report of several audits under the same policy: the worst verdict, all releases, all scenes.

    The reasons of the audit with the worst verdict come first, without limits that others kept.

    Fails
        With `InvalidInputError` where policies differ, or two audits have releases of the same name.
    """
    if not reports:
        msg = message("a report must be about at least one audit; got none")
        raise InvalidInputError(msg)
    names = [facts.name for report in reports for facts in report.releases]
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        msg = message(
            "releases of audits told together must have distinct names; got {twice} twice. Rename one",
            twice=repr(twice),
        )
        raise InvalidInputError(msg)
    first, most = reports[0], max(reports, key=lambda report: report.n_targets)
    if any(report.policy != first.policy for report in reports):
        msg = message("audits told together must have the same policy; got several. Report them one by one")
        raise InvalidInputError(msg)
    verdict, why = worst_of((report.verdict, report.why) for report in reports)
    return AuditReport(
        tuple(facts for report in reports for facts in report.releases),
        tuple(scene for report in reports for scene in report.scenes),
        first.policy,
        verdict,
        why,
        first.seed if all(report.seed == first.seed for report in reports) else None,
        most.n_targets,
        n_people=most.n_people,
        unit=common(report.unit for report in reports),
        exposed_groups=tuple(one for report in reports for one in report.exposed_groups),
        limits=tuple(one for report in reports for one in report.limits),
        quick=any(report.quick for report in reports),
    )
