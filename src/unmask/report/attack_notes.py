"""Notes on how beliefs were obtained: the outcome of an attack, and its remarks, as text."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.auditing.findings import AttackResult
from unmask.outcome import Outcome


def notes_of(result: AttackResult) -> dict[str, float | str]:
    """Return the notes of a result by their names, without those that are zero."""
    return {
        name: value
        for name, value in (*_converged(result.outcome), *result.notes.items(), *_others(result.outcome))
        if value not in {0, ""}
    }


def _converged(outcome: Outcome) -> Iterator[tuple[str, float | str]]:
    if outcome.convergence is not None:
        yield "iterations of a chain", outcome.convergence.iterations
        yield "largest R-hat", round(outcome.convergence.r_hat, 4)


def _others(outcome: Outcome) -> Iterator[tuple[str, float | str]]:
    yield "miners", ", ".join(outcome.miners)
    yield "miners left out", failures(outcome)
    yield "unknown rows", outcome.unknown_rows
    yield "best miners", ", ".join(outcome.best_miners)
    yield "people not settled", outcome.unsettled
    yield "contradictions", outcome.contradictions
    for release, people in outcome.ambiguous.items():
        yield f"fits several cells in {release}", people
    for release, original in outcome.repeated.items():
        yield f"{release} given again", f"it shows the same as {original} and counts once"


def failures(outcome: Outcome) -> str:
    """Name the miners that did not answer, and why."""
    return "; ".join(f"{name}: {why}" for name, why in outcome.failed_miners.items())
