"""Budgets of differential privacy: the total over releases that may share people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from unmask.auditing.findings import AuditReport
from unmask.auditing.judging import beside
from unmask.auditing.limit_results import LimitResult, LimitState
from unmask.commands.inputs.limits import Demands
from unmask.commands.notes import Notes
from unmask.differential_privacy.budget import Budget, added
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.number_format import numeral
from unmask.wording import message

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
            msg = message("{name} must be a number of at least 0; got {limit}", name=name, limit=limit)
            raise InvalidInputError(msg)
    known = {name: part for name, part in parts.items() if part is not None}
    lacking = [name for name in parts if name not in known]
    spent = added(list(known.values()))
    names = " and ".join(f"{name} ({part.epsilon:g})" for name, part in known.items())
    if all(limit is None for limit in limits.values()):
        if known:
            rest = f"; no ε bounds {' and '.join(lacking)}" if lacking else ""
            notes.add(
                message(
                    "ε of {names} adds up to {epsilon}, δ to {delta} ({neighbors}){rest}",
                    names=names,
                    epsilon=numeral(spent.epsilon, "g"),
                    delta=numeral(spent.delta, "g"),
                    neighbors=spent.neighbors,
                    rest=rest,
                )
            )
        return report
    return report.with_limits(list(_results(demands, spent, names, lacking)))


def _results(demands: Demands, spent: Budget, names: str, lacking: Sequence[str]) -> Iterator[LimitResult]:
    """Yield whether a total budget is kept; without a bound on each release there is none on their total."""
    limits = (("epsilon", "ε", demands.max_epsilon, spent.epsilon), ("delta", "δ", demands.max_delta, spent.delta))
    given = [one for one in limits if one[2] is not None]
    if lacking:
        reason = f"no ε bounds {' and '.join(lacking)}, so none bounds the releases together"
        name, symbol, limit, _ = given[0]
        yield LimitResult(
            name, LimitState.BROKEN, reason, f"{symbol} of all releases adds up to at most {limit:g}", limit,
            Estimate.undefined(reason), releases=tuple(lacking),
            would_change=f"Kept if {' and '.join(lacking)} had a bound as well",
        )  # fmt: skip
        return
    for name, symbol, limit, found in given:
        more = limit is not None and found > limit * (1 + _SLACK)
        amount = beside(found, limit or 0.0, 6) if more else f"{found:g}"
        yield LimitResult(
            name, LimitState.BROKEN if more else LimitState.KEPT,
            f"{symbol} of {names} adds up to {amount}; the limit is {limit:g} ({spent.neighbors})",
            f"{symbol} of all releases adds up to at most {limit:g}", limit, Estimate.exact(found, 0),
            would_change=f"{'Kept' if more else 'Broken'} if releases spent {abs(found - (limit or 0.0)):g} "
            f"{'less' if more else 'more, and anything above'}",
        )  # fmt: skip
