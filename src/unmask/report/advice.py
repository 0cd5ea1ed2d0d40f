"""Advice in sentences: each change, its result before and after, and how it is repeated."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from unmask.auditing.advice import Advice, AdviceLine, Standing
from unmask.auditing.findings import AuditReport
from unmask.auditing.policy import Verdict
from unmask.report import words
from unmask.report.numbers import UNDEFINED, count, fraction, percent

_CHANGING = {"--withhold", "--coarser", "--leave-out-exposed"}
"""Options that change a release or its table."""


def change(line: AdviceLine) -> str:
    """Return the change of a line of advice: `k = 10, and withhold age, sex and race`."""
    changes = line.changes
    parts = [f"{name} = {text}" for name, text in changes.parameters]
    parts += [f"withhold {words.listed(changes.withhold)}"] if changes.withhold else []
    parts += [f"{name} to {line.details.get(name, f'{level} levels coarser')}" for name, level in changes.coarser]
    if changes.leave_out_exposed:
        parts.append("leave out the groups of exposed people")
    return (", and " if any(" and " in part for part in parts) else " and ").join(parts)


def result(before: Standing, after: Standing) -> str:
    """Return what a change brings: people exposed, the largest risk, query error and people left out, and the state.

    >>> before = Standing(Verdict.BROKEN, 412.0, None, 3000.0, 0.0, 300)
    >>> result(before, Standing(Verdict.WITHIN, 9.0, None, 2969.0, 31.0, 290))
    '412 exposed → 9; 31 left out; within the limits'
    """
    return "; ".join(_results(before, after))


def _results(before: Standing, after: Standing) -> Iterator[str]:
    if before.exposed is not None and after.exposed is not None:
        yield f"{count(before.exposed)} exposed → {count(after.exposed)}"
    if before.largest_risk is not None and after.largest_risk is not None:
        yield f"largest risk {fraction(before.largest_risk)} → {fraction(after.largest_risk)}"
    if before.query_error.value is not None and after.query_error.value is not None:
        yield f"median query error {percent(before.query_error.value)} → {percent(after.query_error.value)}"
    if after.suppressed > before.suppressed:
        yield f"{count(after.suppressed - before.suppressed)} left out"
    yield state(after)


def state(after: Standing) -> str:
    """Return whether the limits are kept after a change."""
    if after.no_longer and after.verdict is not Verdict.BROKEN:
        return f"not decided: {', '.join(words.attack(name).title for name in after.no_longer)} does not run any more"
    return {
        Verdict.WITHIN: "within the limits",
        Verdict.BROKEN: "a limit is still broken",
        Verdict.NOT_DECIDED: "not decided",
        Verdict.NO_LIMITS: "no limits given",
    }[after.verdict]


def sentence(advice: Advice, line: AdviceLine) -> str:
    """Return a line of advice: `postcode to 3 characters: 412 exposed → 9; median query error 2.1 % → 3.9 %`."""
    return f"{change(line)}: {result(advice.before, line.after)}"


def merits(advice: Advice) -> Iterator[str]:
    """Yield how the first line of advice was chosen, and what it costs."""
    first = advice.lines[0]
    if first.after.passes:
        tried = f"Of {count(advice.tried)} changes tried" if advice.tried > 1 else "Of the changes tried"
        yield (
            f"{tried}, it keeps the limits with the least query error that was found. The table has changes that keep "
            "the limits first, then by query error."
        )
    error = first.after.query_error.value
    if error is not None:
        yield f"Its cost: half of the counting queries err by more than {percent(error)}."


def options(line: AdviceLine) -> str:
    """Return the options that repeat a line, as they are typed."""
    return shlex.join(line.changes.options())


def command(report: AuditReport, line: AdviceLine) -> tuple[str, ...]:
    """Return the words of the command that repeats a line: the audit's, with the options of the line; else none."""
    words_of_audit, names = list(report.command), {name for name, _ in line.changes.parameters}
    if not words_of_audit:
        return ()
    kept: list[str] = []
    given = iter(words_of_audit)
    for word in given:
        value = next(given, "") if word in {"--set", "--withhold", "--coarser"} else None
        if value is None:
            kept += [] if word == "--leave-out-exposed" else [word]
        elif word == "--set" and value.partition("=")[0].replace("_", "-") not in names:
            kept += [word, value]
    return (*kept, *line.changes.options())


def repeats(report: AuditReport, *, named: bool = True) -> tuple[str, ...]:
    """Return how the first line of advice is repeated; `named`: with the command, which names files."""
    advice = report.advice
    if advice is None or not advice.lines:
        return ()
    found = command(report, advice.lines[0]) if named else ()
    how = "Each line was attacked again, on everybody. Its options, in place of the audit's own ones, repeat it"
    return (f"{how}: {shlex.join(found)}" if found else f"{how}.",)


def story(report: AuditReport) -> list[str]:
    """Return the advice of a report in sentences, the best line first; none where there is no advice."""
    advice = report.advice
    if advice is None:
        return []
    lines = [f"{sentence(advice, line)} ({options(line)})" for line in advice.lines]
    return [*lines, *(f"{note[:1].upper()}{note[1:]}." for note in advice.notes)]


def changed(report: AuditReport) -> str:
    """Return the result of an audit of a changed release in one line; empty where nothing was changed."""
    found = report.standing
    if found is None or not _CHANGING & set(report.command):
        return ""
    exposed = "" if found.exposed is None else f"{count(found.exposed)} exposed; "
    risk = "" if found.largest_risk is None else f"largest risk {fraction(found.largest_risk)}; "
    error = "" if found.query_error.value is None else f"median query error {percent(found.query_error.value)}; "
    return f"With the changes: {exposed}{risk}{error}{count(found.suppressed)} suppressed"


def exposed_text(value: float | None) -> str:
    """Return a number of people exposed; in words where it was not measured."""
    return UNDEFINED if value is None else count(value)
