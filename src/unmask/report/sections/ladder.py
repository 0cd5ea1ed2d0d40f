"""The section on how sure an intruder would be: people by how firmly a value, and a row, is believed theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unmask.auditing.findings import AttackResult, AuditReport
from unmask.beliefs import Question
from unmask.estimate import Estimate
from unmask.models.privacy_model import risk_meant
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell
from unmask.report.exposure import judged, share_of, surest
from unmask.report.numbers import fraction, percent
from unmask.report.outline import ran
from unmask.risk_levels import LEVELS, SMALLEST_GROUPS
from unmask.wording import marked, text

BELIEFS = (LEVELS["1/2"], LEVELS["0.8"], LEVELS["0.9"], LEVELS["1"], *SMALLEST_GROUPS.values())
"""The beliefs at which people are counted, below that of the policy."""

CHANCES = (LEVELS["1"], *SMALLEST_GROUPS.values())
"""The chances of being named at which people are counted."""

_TITLE = marked("How sure an intruder would be, in people")


def section(report: AuditReport) -> Section:
    """Return the number of people at or above each step: of a value that is believed, and of a row that is named."""
    tables = [*_of_values(report), *_of_rows(report)]
    if not tables:
        nothing = f"{text('Not attacked.')} {text(words.NOT_SAFE)}"
        return Section("ladder", text(_TITLE), parts=(SectionPart((nothing,)),))
    parts = (SectionPart(tuple(_steps(report)), tables=tuple(tables)), SectionPart((" ".join(_notes(report)),)))
    return Section("ladder", text(_TITLE), parts=parts)


def _of_values(report: AuditReport) -> Iterator[ReportTable]:
    """Yield how firmly the attack believes values that is sure of most people, the level of the policy first."""
    found = surest(judged(report, report.scenes), report.policy.limits.max_belief)
    if found is None:
        return
    scene, result = found
    caption = text(
        "A harmful value of {attribute} believed from {releases}, by {attack}",
        attribute=scene.about.name, releases=words.quoted(scene.releases), attack=words.attack(result.name).title,
    )  # fmt: skip
    limit = report.policy.limits.max_belief
    steps = sorted(BELIEFS, reverse=True)
    levels = dict.fromkeys(steps if limit is None else (limit, *steps))
    rows = []
    for level in levels:
        row = _row(_sure(level, is_limit=level == limit), result, ("exposed", "exposed-rightly"), level)
        rows += [row] if level == limit or not _is_whole(result, "exposed", level) else []
    head = (text("At least so sure"), text("People"), text("Rightly"), *_control(result))
    yield ReportTable(caption, head, tuple(rows))


def _of_rows(report: AuditReport) -> Iterator[ReportTable]:
    """Yield how surely linkage names the rows of people; without their own group it names a row that is not theirs."""
    places = [scene for scene in report.scenes if scene.about.question is Question.PLACE]
    named = [(scene, result) for scene in places for result in ran(scene)]
    if not named:
        return
    scene, result = max(named, key=lambda pair: share_of(pair[1].get("average-risk")))
    caption = text(
        "A row of {release} taken for theirs, by {attack}",
        release=words.quoted([scene.about.name]), attack=words.attack(result.name).title,
    )  # fmt: skip
    rows = [
        _row(text("1 of 1 (alone)") if level >= 1 else fraction(level), result, ("at-risk",), level)
        for level in CHANCES
        if level >= 1 or not _is_whole(result, "at-risk", level)
    ]
    control = [text("{control}, as another row", control=one) for one in _control(result)]
    head = (text("A chance of at least"), text("People"), *control)
    yield ReportTable(caption, head, tuple(rows))


def _row(title: str, result: AttackResult, metrics: Sequence[str], level: float) -> Row:
    cells = [cell(result.get(metric, level), "people") for metric in metrics]
    cells += [cell(result.get(metrics[0], level, control=True), "people")] if result.control else []
    return Row(TableCell(title), tuple(cells))


def _control(result: AttackResult) -> list[str]:
    return [words.capitalized(words.control_title(result.control_of))] if result.control else []


def _sure(level: float, *, is_limit: bool) -> str:
    share = text("certain") if level >= 1 else percent(level, short=True)
    return text("{share}, the level of this policy", share=share) if is_limit else share


def _is_whole(result: AttackResult, metric: str, level: float) -> bool:
    """Whether all people are at a level, with and without the release: such a line tells nothing."""
    found = [result.get(metric, level), *([result.get(metric, level, control=True)] if result.control else [])]
    return all(_is_all(one) for one in found)


def _is_all(one: Estimate) -> bool:
    return one.value is not None and one.value >= one.n


def _notes(report: AuditReport) -> Iterator[str]:
    yield text("Higher is worse. Lines that would have everybody, with and without the release, are left out.")
    yield text("Rightly: the true value is among those believed so firmly. All shares are of everybody.")
    if report.policy.limits.excess is not None:
        yield text("Not everybody so sure of is exposed: without their own group an intruder may be as sure.")
    yield text(
        "A chance is that of naming the row rightly; without their own group linkage can only take another row for "
        "theirs. All steps are in the appendix."
    )


def _steps(report: AuditReport) -> Iterator[str]:
    """Yield where the steps come from, and what the policy's own limit says of them."""
    yield text(words.NO_THRESHOLD)
    limit = report.policy.limits.max_risk
    if limit is not None:
        yield text(
            "The limit of this policy is broken by a chance above {limit}, not by one of {limit} itself.",
            limit=fraction(risk_meant(limit)),
        )
