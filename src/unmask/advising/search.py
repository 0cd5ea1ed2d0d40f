"""The search for advice: every change is tried by one attack, the best are measured, and joined where none suffices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from unmask.auditing.advice import Advice, AdviceLine, HarmOrder, Standing
from unmask.changes.planned_changes import Changes

MOST_LEFT_OUT = 0.05
"""The share of people who may be left out by a change that keeps the limits, before others are joined."""

NEVER_LEFT_OUT = 0.2
"""A change that leaves out a larger share of the people is no advice."""

_ALL = 1e9


@dataclass(frozen=True, slots=True)
class Effort:
    """How many changes are measured: it depends on the size of the table, never on the clock."""

    lines: int  # changes measured one by one
    joined: int  # changes that are joined one after another where none suffices

    @classmethod
    def of(cls, rows: float, lines: int | None = None, *, little: bool = False) -> Effort:
        """Return the effort for a number of rows: 4 lines up to 50,000, 3 up to 200,000, else 2.

        In a quick audit, and where an attack draws at random, which takes long, `little`: 2 lines, and none are joined.
        """
        least = next((n for most, n in ((50_000, 4), (200_000, 3)) if rows <= most and not little), 2)
        return cls(least if lines is None else lines, 0 if little else 2 if rows <= 50_000 else 1)


class Trials(Protocol):
    """Audits with changes; None where a change is not possible."""

    def screened(self, changes: Changes) -> Standing | None:
        """Attack all people by one attack; without the error of queries."""
        ...

    def measured(self, changes: Changes) -> AdviceLine | None:
        """Attack all people by every attack of the audit."""
        ...


@dataclass(frozen=True, slots=True)
class Screened:
    """A change and its result by one attack."""

    changes: Changes
    after: Standing


def search(before: Standing, choices: Sequence[Sequence[Changes]], trials: Trials, effort: Effort) -> Advice:
    """Return measured changes, in order of merit.

    `choices` are the changes of each column or parameter, mild ones first. Of each, the mildest that keeps the limits
    by one attack is measured, else the most effective one; of these the best, and stronger ones where they fail. The
    best that fail are joined with leaving out the people who are still exposed. Where nothing keeps the limits, or only
    by leaving many people out, the best is joined with others, one after another, as long as fewer are exposed.
    """
    screened = screen(choices, trials)
    best = sorted(filter(None, map(chosen, screened)), key=lambda one: one.after.harm)[: effort.lines]
    lines = list(filter(None, (trials.measured(one.changes) for one in best)))
    lines += _stronger(lines, choices, trials, effort.joined)
    lines += _conceded(lines, choices, trials, min(effort.joined, 1))
    if lines and not any(_is_acceptable(line.after, before) for line in lines):
        lines += _joined(lines, choices, before, trials, effort.joined)
    most = before.suppressed + NEVER_LEFT_OUT * before.people
    useful = [line for line in lines if line.after.harm < before.harm and line.after.suppressed <= most]
    useful = without_repetitions(useful)
    useful.sort(key=lambda line: merit(line, before))
    return Advice(before, tuple(useful), tried=sum(map(len, screened)))


def screen(choices: Sequence[Sequence[Changes]], trials: Trials) -> list[list[Screened]]:
    """Return the results of all possible changes by one attack."""
    found = []
    for changes in choices:
        standings = ((one, trials.screened(one)) for one in changes)
        found.append([Screened(one, after) for one, after in standings if after is not None])
    return found


def chosen(variants: Sequence[Screened]) -> Screened | None:
    """Return the mildest change that keeps the limits, else the most effective one."""
    passing = next((one for one in variants if one.after.passes), None)
    return passing or min(variants, key=lambda one: one.after.harm, default=None)


def without_repetitions(lines: Sequence[AdviceLine]) -> list[AdviceLine]:
    """Return each change once, and none that changes more than another one for the same result."""
    once = list({line.changes: line for line in lines}.values())
    return [
        line
        for line in once
        if not any(one.after == line.after and one.changes.subjects < line.changes.subjects for one in once)
    ]


def merit(line: AdviceLine, before: Standing) -> tuple[int, float, HarmOrder, float]:
    """Return the sort key of a line.

    Changes that keep the limits come first, by the error of queries; those that leave out many people for it after
    them; then all others, by the people exposed.
    """
    error = line.after.query_error.value
    cost = _ALL if error is None else error
    if line.after.passes:
        return int(not _is_acceptable(line.after, before)), cost, (0, 0.0, 0.0, 0.0), line.after.suppressed
    return 2, 0.0, line.after.harm, cost


def _is_acceptable(after: Standing, before: Standing) -> bool:
    """Whether a change keeps the limits without leaving out more than `MOST_LEFT_OUT` of the people."""
    return after.passes and after.suppressed - before.suppressed <= MOST_LEFT_OUT * before.people


def _stronger(
    lines: Sequence[AdviceLine], choices: Sequence[Sequence[Changes]], trials: Trials, most: int
) -> list[AdviceLine]:
    """Return stronger variants of the best change that keeps the limits by one attack only."""
    failing = sorted((line for line in lines if not line.after.passes), key=lambda line: line.after.harm)
    found: list[AdviceLine] = []
    for changes in choices:
        if not failing or failing[0].changes not in changes:
            continue
        best = failing[0]
        for one in changes[changes.index(best.changes) + 1 :][:most]:
            line = trials.measured(one)
            if line is None or line.after.harm >= best.after.harm:
                break
            found.append(line)
            best = line
            if line.after.passes:
                break
    return found


def _conceded(
    lines: Sequence[AdviceLine], choices: Sequence[Sequence[Changes]], trials: Trials, most: int
) -> list[AdviceLine]:
    """Return the best changes that do not suffice, joined with leaving out the people who are still exposed."""
    people = [one for changes in choices for one in changes if one.leave_out_exposed]
    failing = sorted((line for line in lines if not line.after.passes), key=lambda line: line.after.harm)
    worth = [line for line in failing if not line.changes.leave_out_exposed and not line.after.no_longer]
    joined = [line.changes.joined(one) for line in worth[:most] for one in people]
    return list(filter(None, map(trials.measured, joined)))


def _joined(
    lines: Sequence[AdviceLine], choices: Sequence[Sequence[Changes]], before: Standing, trials: Trials, most: int
) -> list[AdviceLine]:
    """Return the best line joined with further changes, one after another.

    At each step the change that is best by one attack, and leaving out the people who are still exposed, are measured.
    """
    kept = [line for line in lines if not line.changes.leave_out_exposed]
    best = min(kept or lines, key=lambda line: line.after.harm)
    found: list[AdviceLine] = []
    for _ in range(most):
        others = [[best.changes.joined(one) for one in changes if not one.subjects & best.changes.subjects]
                  for changes in choices]  # fmt: skip
        ranked = sorted(filter(None, map(chosen, screen(others, trials))), key=lambda one: one.after.harm)
        line = next((trials.measured(one.changes) for one in ranked if not one.changes.leave_out_exposed), None)
        if line is None or line.after.harm >= best.after.harm:
            break
        more = [] if line.after.passes else _conceded([line], choices, trials, 1)
        found += [line, *more]
        best = line
        if any(_is_acceptable(one.after, before) for one in (line, *more)):
            break
    return found
