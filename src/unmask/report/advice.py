"""Advice in sentences: each change, its result before and after, and how it is repeated."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from unmask.auditing.advice import Advice, AdviceLine, Standing
from unmask.auditing.findings import AuditReport
from unmask.auditing.policy import Verdict
from unmask.report import words
from unmask.report.numbers import UNDEFINED, count, fraction, percent
from unmask.wording import plural, text

_CHANGING = {"--withhold", "--coarser", "--leave-out-exposed"}
"""Options that change a release or its table."""


def change(line: AdviceLine) -> str:
    """Return the change of a line of advice: `k = 10, and withhold age, sex and race`."""
    changes = line.changes
    parts = [f"{name} = {text}" for name, text in changes.parameters]
    parts += [text("withhold {columns}", columns=words.listed(changes.withhold))] if changes.withhold else []
    parts += [text("{column} to {form}", column=name, form=_form(line, name, level)) for name, level in changes.coarser]
    if changes.leave_out_exposed:
        parts.append(text("leave out the groups of exposed people"))
    if any(text(" and ") in part for part in parts):
        return text(", and ").join(parts)
    return text(" and ").join(parts)


def _form(line: AdviceLine, column: str, levels: int) -> str:
    """Return the form of a column that is published coarser."""
    known = line.details.get(column)
    return text("{n} levels coarser", n=levels) if known is None else text(known)


def result(before: Standing, after: Standing) -> str:
    """Return what a change brings: people exposed, the largest risk, query error and people left out, and the state.

    Where published columns break a limit, it also says what becomes of it, in place of a number that stays as it is.

    >>> before = Standing(Verdict.BROKEN, 412.0, None, 3000.0, 0.0, 300)
    >>> result(before, Standing(Verdict.WITHIN, 9.0, None, 2969.0, 31.0, 290))
    '412 exposed → 9; 31 left out; within the limits'
    >>> before = Standing(Verdict.BROKEN, 16.0, None, 3000.0, 0.0, 300, by_columns={"max-belief": 40.0})
    >>> result(before, Standing(Verdict.WITHIN, 16.0, None, 3000.0, 0.0, 300))
    'by all published columns: 40 exposed → limit kept; within the limits'
    """
    return "; ".join(_results(before, after))


def _results(before: Standing, after: Standing) -> Iterator[str]:
    yield from _by_columns(before, after)
    if (
        before.exposed is not None
        and after.exposed is not None
        and not (before.by_columns and before.exposed == after.exposed)
    ):
        yield text("{before} exposed → {after}", before=count(before.exposed), after=count(after.exposed))
    if before.largest_risk is not None and after.largest_risk is not None:
        yield text(
            "largest risk {before} → {after}",
            before=fraction(before.largest_risk),
            after=fraction(after.largest_risk),
        )
    if before.query_error.value is not None and after.query_error.value is not None:
        yield text(
            "median query error {before} → {after}",
            before=percent(before.query_error.value),
            after=percent(after.query_error.value),
        )
    if after.suppressed > before.suppressed:
        yield text("{n} left out", n=count(after.suppressed - before.suppressed))
    yield state(after)


def _by_columns(before: Standing, after: Standing) -> Iterator[str]:
    """Yield what becomes of the limits that an attacker breaks who knows all published columns.

    >>> before = Standing(Verdict.BROKEN, 0.0, None, 9.0, 0.0, 3, by_columns={"k": None, "t": None, "max-belief": 4.0})
    >>> list(_by_columns(before, Standing(Verdict.BROKEN, 0.0, None, 9.0, 0.0, 3, by_columns={"t": None})))
    ['by all published columns: 4 exposed → limit kept, k broken → kept, t still broken']
    """
    results: list[str] = []
    exposed = before.by_columns.get("max-belief")
    if exposed is not None:
        results.append(text("{before} exposed → {after}", before=count(exposed), after=columns_text(after)))
    models = [limit for limit, people in before.by_columns.items() if people is None]
    kept = [limit for limit in models if limit not in after.by_columns]
    broken = [limit for limit in models if limit in after.by_columns]
    results += [text("{limits} broken → kept", limits=words.listed(kept))] if kept else []
    results += [text("{limits} still broken", limits=words.listed(broken))] if broken else []
    if results:
        yield text("by all published columns: {results}", results=", ".join(results))


def columns_text(found: Standing) -> str:
    """Return the people exposed to an attacker who knows all published columns, where that breaks the limit."""
    exposed = found.by_columns.get("max-belief")
    return text("limit kept") if exposed is None else count(exposed)


def state(after: Standing) -> str:
    """Return whether the limits are kept after a change."""
    if after.no_longer and after.verdict is not Verdict.BROKEN:
        return text(
            "not decided: {attacks} does not run any more",
            attacks=", ".join(words.attack(name).title for name in after.no_longer),
        )
    return {
        Verdict.WITHIN: text("within the limits"),
        Verdict.BROKEN: text("a limit is still broken"),
        Verdict.NOT_DECIDED: text("not decided"),
        Verdict.NO_LIMITS: text("no limits given"),
    }[after.verdict]


def sentence(advice: Advice, line: AdviceLine) -> str:
    """Return a line of advice: `postcode to 3 characters: 412 exposed → 9; median query error 2.1 % → 3.9 %`."""
    return f"{change(line)}: {result(advice.before, line.after)}"


def merits(advice: Advice) -> Iterator[str]:
    """Yield how the first line of advice was chosen, and what it costs."""
    first = advice.lines[0]
    if first.after.passes and advice.tried > 1:
        n = len(advice.passing)
        yield plural(
            "{tried} changes were tried alone, and the most effective ones joined, not in every combination; {n} of "
            "those below keeps the limits.",
            "{tried} changes were tried alone, and the most effective ones joined, not in every combination; {n} of "
            "those below keep the limits, first the one with the least query error.",
            n, tried=count(advice.tried), n=n,
        )  # fmt: skip
    error, now = first.after.query_error.value, advice.before.query_error.value
    if error is not None and now is not None:
        yield text(
            "Its cost: half of the counting queries err by more than {error}; as it is, by more than {now}.",
            error=percent(error), now=percent(now),
        )  # fmt: skip
    elif error is not None:
        yield text("Its cost: half of the counting queries err by more than {error}.", error=percent(error))


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
    how = text("Each line was attacked again, on everybody. Its options, added to the line of the audit, repeat it")
    return (f"{how}: {shlex.join(found)}" if found else f"{how}.",)


def story(report: AuditReport) -> list[str]:
    """Return the advice of a report in sentences, the best line first; none where there is no advice."""
    advice = report.advice
    if advice is None:
        return []
    lines = [f"{sentence(advice, line)} ({options(line)})" for line in advice.lines]
    return [*lines, *(f"{words.capitalized(text(note))}." for note in advice.notes)]


def changed(report: AuditReport) -> str:
    """Return the result of an audit of a changed release in one line; empty where nothing was changed."""
    found = report.standing
    if found is None or not _CHANGING & set(report.command):
        return ""
    parts = [] if found.exposed is None else [text("{n} exposed", n=count(found.exposed))]
    if found.largest_risk is not None:
        parts.append(text("largest risk {risk}", risk=fraction(found.largest_risk)))
    if found.query_error.value is not None:
        parts.append(text("median query error {error}", error=percent(found.query_error.value)))
    parts.append(text("{n} suppressed", n=count(found.suppressed)))
    return text("With the changes: {results}", results="; ".join(parts))


def exposed_text(value: float | None) -> str:
    """Return a number of people exposed; in words where it was not measured."""
    return text(UNDEFINED) if value is None else count(value)
