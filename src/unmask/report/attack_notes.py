"""Notes on how beliefs were obtained: the outcome of an attack, and its remarks, as text."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.auditing.findings import AttackResult
from unmask.outcome import Outcome
from unmask.wording import marked, message, text


def notes_of(result: AttackResult) -> dict[str, float | str]:
    """Return the notes of a result by their names, without those that are zero; in English, until they are shown."""
    return {
        name: value
        for name, value in (*_converged(result.outcome), *result.notes.items(), *_others(result.outcome))
        if value not in {0, ""}
    }


def _converged(outcome: Outcome) -> Iterator[tuple[str, float | str]]:
    if outcome.convergence is not None:
        yield marked("iterations of a chain"), outcome.convergence.iterations
        yield marked("largest R-hat"), round(outcome.convergence.r_hat, 4)


def _others(outcome: Outcome) -> Iterator[tuple[str, float | str]]:
    yield marked("not the first model"), outcome.fallback
    yield marked("miners"), ", ".join(outcome.miners)
    yield marked("miners left out"), failures(outcome)
    yield marked("unknown rows"), outcome.unknown_rows
    yield marked("best miners"), ", ".join(outcome.best_miners)
    yield marked("people not settled"), outcome.unsettled
    yield marked("contradictions"), outcome.contradictions
    for release, people in outcome.ambiguous.items():
        yield message("fits several cells in {release}", release=release), people
    for release, original in outcome.repeated.items():
        yield (
            message("{release} given again", release=release),
            message("it shows the same as {original} and counts once", original=original),
        )


def failures(outcome: Outcome) -> str:
    """Name the miners that did not answer, and why."""
    return "; ".join(f"{name}: {text(why)}" for name, why in outcome.failed_miners.items())
