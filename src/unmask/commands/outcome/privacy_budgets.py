"""Budgets of differential privacy: the total over releases that may share people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from unmask.auditing.findings import AuditReport
from unmask.auditing.judging import beside
from unmask.auditing.policy import Verdict, worst_of
from unmask.commands.inputs.limits import Demands
from unmask.commands.notes import Notes
from unmask.differential_privacy.budget import Budget, added
from unmask.errors import InvalidInputError

_SLACK = 1e-12
"""Relative: sums of decimal fractions are off in their last digit."""


def with_budget(report: AuditReport, parts: Mapping[str, Budget | None], demands: Demands, notes: Notes) -> AuditReport:
    """Return a report whose verdict also covers the total ε and δ of some releases.

    Fails
        With `InvalidInputError` for an impossible budget.
    """
    limits = {"ε": demands.max_epsilon, "δ": demands.max_delta}
    for name, limit in zip(("max-epsilon", "max-delta"), limits.values(), strict=True):
        if limit is not None and not (0 <= limit < math.inf):
            msg = f"{name} must be a number of at least 0; got {limit}"
            raise InvalidInputError(msg)
    known = {name: part for name, part in parts.items() if part is not None}
    lacking = [name for name in parts if name not in known]
    spent = added(list(known.values()))
    names = " and ".join(f"{name} ({part.epsilon:g})" for name, part in known.items())
    if all(limit is None for limit in limits.values()):
        if known:
            rest = f"; no ε bounds {' and '.join(lacking)}" if lacking else ""
            notes.add(f"ε of {names} adds up to {spent.epsilon:g}, δ to {spent.delta:g} ({spent.neighbors}){rest}")
        return report
    broken: list[str] = []
    kept: list[str] = []
    if lacking:
        broken.append(f"no ε bounds {' and '.join(lacking)}, so none bounds the releases together")
    for (symbol, limit), found in zip(limits.items(), (spent.epsilon, spent.delta), strict=True):
        if limit is not None and not lacking:
            more = found > limit * (1 + _SLACK)
            amount = beside(found, limit, 6) if more else f"{found:g}"
            text = f"{symbol} of {names} adds up to {amount}; the limit is {limit:g} ({spent.neighbors})"
            (broken if more else kept).append(text)
    others = [(report.verdict, report.why), (Verdict.WITHIN, tuple(kept))]
    verdict, why = worst_of([(Verdict.BROKEN, tuple(broken)), *others] if broken else others)
    return replace(report, verdict=verdict, why=why)
