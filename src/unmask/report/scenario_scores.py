"""Sentences about the scenario scores of fused predictions."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.auditing.findings import AttackResult
from unmask.report.numbers import UNDEFINED, half_width, percent
from unmask.report.outline import taken


def sentences(result: AttackResult) -> Iterator[str]:
    """Yield the scores of predictions, beside the truth, the best miner and the prior; nothing without a scenario."""
    if taken(result.measures, "utility") is None:
        return
    got, ideal, best, guess = (_number(result, name) for name in ("", "-ideal", "-best", "-guess"))
    who = ", ".join(result.outcome.best_miners)
    who = who if len(who) <= 40 else f"{who[:37]}..."
    yield f"by the scenario U = {got} of {ideal} for the truth, sigma_ideal {_ratio(result, 'sigma-ideal')}"
    yield f"best miner {best} ({who}), sigma_best {_ratio(result, 'sigma-best')}"
    yield f"guessing {guess}, sigma_guess {_ratio(result, 'sigma-guess')}"
    share, size, row_size = (result.get(name).value or 0 for name in ("named-share", "named-size", "shown-size"))
    yield f"named of {percent(share)} of the people, {size:.1f} of the {row_size:.1f} values shown on average"


def _number(result: AttackResult, of: str) -> str:
    value = result.get(f"utility{of}").value
    return UNDEFINED if value is None else f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.1f}"


def _ratio(result: AttackResult, name: str) -> str:
    found = result.get(name)
    return (
        f"{UNDEFINED}: {found.why}"
        if found.value is None
        else f"{100 * found.value:.1f} % {half_width(found, 'share')}".rstrip()
    )
