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
from unmask.errors import InvalidInputError, enumerated
from unmask.estimate import Estimate
from unmask.number_format import numeral
from unmask.wording import Message, joined, message

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
    names = enumerated(
        message("{name} ({epsilon})", name=name, epsilon=numeral(part.epsilon, "g")) for name, part in known.items()
    )
    if all(limit is None for limit in limits.values()):
        if known:
            notes.add(_total(spent, names, lacking))
        return report
    return report.with_limits(list(_results(demands, spent, names, lacking)))


def _total(spent: Budget, names: str, lacking: Sequence[str]) -> Message:
    found = message(
        "ε of {names} adds up to {epsilon}, δ to {delta} ({neighbors})",
        names=names,
        epsilon=numeral(spent.epsilon, "g"),
        delta=numeral(spent.delta, "g"),
        neighbors=spent.neighbors,
    )
    if not lacking:
        return found
    return joined([found, message("no ε bounds {releases}", releases=enumerated(lacking))])


def _results(demands: Demands, spent: Budget, names: str, lacking: Sequence[str]) -> Iterator[LimitResult]:
    """Yield whether a total budget is kept; without a bound on each release there is none on their total."""
    limits = (("epsilon", "ε", demands.max_epsilon, spent.epsilon), ("delta", "δ", demands.max_delta, spent.delta))
    given = [(name, symbol, limit, value) for name, symbol, limit, value in limits if limit is not None]
    if lacking:
        without = enumerated(lacking)
        reason = message("no ε bounds {releases}, so none bounds the releases together", releases=without)
        name, symbol, limit, _ = given[0]
        yield LimitResult(
            name, LimitState.BROKEN, reason, _requirement(symbol, limit), limit, Estimate.undefined(reason),
            releases=tuple(lacking), would_change=message("Kept if {releases} had a bound as well", releases=without),
        )  # fmt: skip
        return
    for name, symbol, limit, found in given:
        more = found > limit * (1 + _SLACK)
        reason = message(
            "{symbol} of {names} adds up to {amount}; the limit is {limit} ({neighbors})",
            symbol=symbol,
            names=names,
            amount=beside(found, limit, 6) if more else numeral(found, "g"),
            limit=numeral(limit, "g"),
            neighbors=spent.neighbors,
        )
        room = numeral(abs(found - limit), "g")
        if more:
            change = message("Kept if releases spent {amount} less", amount=room)
        else:
            change = message("Broken if releases spent {amount} more, and anything above", amount=room)
        yield LimitResult(
            name, LimitState.BROKEN if more else LimitState.KEPT, reason, _requirement(symbol, limit), limit,
            Estimate.exact(found, 0), would_change=change,
        )  # fmt: skip


def _requirement(symbol: str, limit: float) -> Message:
    return message("{symbol} of all releases adds up to at most {limit}", symbol=symbol, limit=numeral(limit, "g"))
