"""Limits of an audit as lines of text, each with its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from unmask import catalog
from unmask.auditing.findings import AuditReport
from unmask.auditing.limit_results import LimitResult, LimitState, worst_first
from unmask.models.release_assessment import is_of_identity
from unmask.wording import text

Broken = frozenset[tuple[str, str, tuple[str, ...]]]
"""The attacks that break a limit: attack, attribute, releases."""


def broken(report: AuditReport) -> Broken:
    """Return the attacks that break a limit, which no form of report leaves out."""
    return frozenset(
        (one.attack, one.about, one.releases) for one in report.limits if one.attack and one.state is LimitState.BROKEN
    )


def lines(report: AuditReport) -> Iterator[str]:
    """Yield a line for each limit and each attack that it concerns, the worst first: state, reason, what changes it."""
    for one in worst_first(report.limits):
        line = f"{text(one.state)}: {text(one.reason)}"
        yield f"{line}. {text(one.would_change)}" if one.would_change else line


def counted(limits: Sequence[LimitResult]) -> str:
    """Return how many limits are in which state.

    >>> counted([LimitResult("k", LimitState.KEPT, ""), LimitResult("max-risk", LimitState.BROKEN, "")])
    '1 broken, 1 kept'
    """
    number = Counter(one.state for one in limits)
    order = (LimitState.BROKEN, LimitState.NOT_DECIDED, LimitState.KEPT)
    return ", ".join(f"{number[state]} {text(state)}" for state in order if number[state])


def concerns_singling_out(report: AuditReport) -> bool:
    """Whether a limit concerns the recognition of a person's row: the largest risk, or a privacy model."""
    models = catalog.entries("models")
    asked = {one.limit for one in report.limits}
    of_identity = {name for name in asked if name in models and is_of_identity(models[name].examples[0])}
    return report.policy.limits.max_risk is not None or bool(of_identity)
