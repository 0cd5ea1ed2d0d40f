"""Sentences about the scenario scores of fused predictions."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.auditing.findings import AttackResult
from unmask.number_format import numeral
from unmask.report.numbers import UNDEFINED, half_width, percent
from unmask.report.outline import taken
from unmask.wording import text


def sentences(result: AttackResult) -> Iterator[str]:
    """Yield the scores of predictions, beside the truth, the best miner and the prior; nothing without a scenario."""
    if taken(result.measures, "utility") is None:
        return
    got, ideal, best, guess = (_number(result, name) for name in ("", "-ideal", "-best", "-guess"))
    who = ", ".join(result.outcome.best_miners)
    who = who if len(who) <= 40 else f"{who[:37]}..."
    yield text(
        "by the scenario U = {got} of {ideal} for the truth, sigma_ideal {ratio}",
        got=got,
        ideal=ideal,
        ratio=_ratio(result, "sigma-ideal"),
    )
    yield text("best miner {best} ({who}), sigma_best {ratio}", best=best, who=who, ratio=_ratio(result, "sigma-best"))
    yield text("guessing {guess}, sigma_guess {ratio}", guess=guess, ratio=_ratio(result, "sigma-guess"))
    share, size, row_size = (result.get(name).value or 0 for name in ("named-share", "named-size", "shown-size"))
    yield text(
        "named of {share} of the people, {size} of the {row_size} values shown on average",
        share=percent(share),
        size=numeral(size, ".1f"),
        row_size=numeral(row_size, ".1f"),
    )


def _number(result: AttackResult, of: str) -> str:
    value = result.get(f"utility{of}").value
    return text(UNDEFINED) if value is None else text(numeral(value, ",.0f" if abs(value) >= 100 else ",.1f"))


def _ratio(result: AttackResult, name: str) -> str:
    found = result.get(name)
    return (
        f"{text(UNDEFINED)}: {text(found.why)}"
        if found.value is None
        else f"{text(numeral(100 * found.value, '.1f'))} % {half_width(found, 'share')}".rstrip()
    )
