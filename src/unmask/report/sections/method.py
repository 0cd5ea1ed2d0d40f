"""The section on methods: releases, attackers, parameters, and attacks that did not run."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import AuditReport, ReleaseFacts
from unmask.beliefs import Question
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.numbers import count, one_decimal
from unmask.report.outline import Chapter, not_run
from unmask.unit import Unit, common
from unmask.wording import text


def releases(report: AuditReport) -> Section:
    """Describe the releases."""
    rows = tuple(Row(TableCell(facts.name, _made(facts)), _facts(facts), "attack") for facts in report.releases)
    unit = common([facts.unit for facts in report.releases])
    head = (
        text("Release"), words.capitalized(text(unit)), text("Suppressed"), text("Groups"), text("Smallest group"),
        text("Average, over groups"), text("Average, over {people}", people=text(unit)),
    )  # fmt: skip
    note = text(
        "Of group sizes, smaller is worse. The average over {people} is the size of the group that a {person} is in: "
        "large groups count more often.",
        people=text(unit), person=text(unit.one),
    )  # fmt: skip
    table = ReportTable(text("Releases"), head, rows, note=note)
    return Section("releases", text("What was released"), parts=(SectionPart(tables=(table,)),))


def _made(facts: ReleaseFacts) -> str:
    if facts.sanitizer is None:
        return text("how it was made is not told")
    return f"{facts.sanitizer}, {words.settings(facts.parameters)}" if facts.parameters else facts.sanitizer


def _counted(facts: ReleaseFacts) -> str:
    rows = facts.n_rows
    size = text(facts.size_text)
    return size if rows in {None, facts.n_people} else f"{size} ({text(Unit.ROWS.counted(rows or 0))})"


def _facts(facts: ReleaseFacts) -> tuple[TableCell, ...]:
    sizes = [one_decimal(size) for size in (facts.smallest, facts.average, facts.average_of_people)]
    if not facts.n_groups:
        sizes = [text("none")] * 3
    return texts((_counted(facts), count(facts.suppressed), count(facts.n_groups), *sizes))


def assumptions(report: AuditReport) -> Section:
    """Return the assumptions about attackers, and the parameters of attacks."""
    attackers = {scene.attacker.name: scene.attacker for scene in report.scenes}
    known = ReportTable(
        text("Intruders"), (text("Intruder"), text("Assumed")),
        tuple(Row(TableCell(words.who_short(one)), texts((text(one.assumes),))) for one in attackers.values()), texts=1,
    )  # fmt: skip
    done: dict[tuple[str, str], Row] = {}
    for scene in report.scenes:
        for result in (scene.baseline, *scene.results):
            key = (result.name, words.settings(result.settings))
            entry = words.attack(result.name)
            done.setdefault(key, Row(TableCell(entry.title), texts((entry.meaning, key[1] or text("none")))))
    head = (text("Attack"), text("What it does"), text("Settings"))
    tried = ReportTable(text("Attacks"), head, tuple(done.values()), texts=2)
    meaning = text(
        "Each number of this report holds for an intruder who knows and does what is said here. Whether one is "
        "likely enough to matter is for the reader to judge; no law sets a threshold. Every intruder knows the "
        "algorithm and the settings that a release tells of itself: what is safe only as long as they are secret is "
        "not safe."
    )
    return Section("assumptions", text("Who attacks, and how"), parts=(SectionPart((meaning,), tables=(known, tried)),))


def untried(chapters: Sequence[Chapter]) -> Section:
    """Return the section on attacks that did not run, by reason."""
    rows = []
    for chapter in chapters:
        where = words.listed([facts.name for facts in chapter.releases])
        for one in not_run(chapter):
            reason = text(one.reason)
            if not one.converged:
                reason = text("did not converge: {reason}", reason=reason)
            rows.append(Row(TableCell(words.attack(one.name).title), texts((where, reason)), "attack"))
    each: dict[tuple[str, str], list[str]] = {}
    for chapter in chapters:
        for scene in chapter.scenes:
            for result in scene.results:
                if not result.ran:
                    row = scene.about.question is Question.PLACE
                    what = text(
                        "{question} in {releases}",
                        question=text("the row") if row else scene.about, releases=words.listed(scene.releases),
                    )  # fmt: skip
                    each.setdefault((words.attack(result.name).title, text(result.reason)), []).append(what)
    opening = text(words.NOT_SAFE) if rows else text("Every attack that was asked for ran on some question.")
    parts = [SectionPart((opening,))]
    if rows:
        head = (text("Attack"), text("On"), text("Why"))
        table = ReportTable(text("Attacks that ran on no question"), head, tuple(rows), texts=2)
        parts.append(SectionPart(tables=(table,)))
    if each:
        lines = tuple(
            Row(TableCell(name), texts((reason, "; ".join(dict.fromkeys(where)))))
            for (name, reason), where in each.items()
        )
        head = (text("Attack"), text("Why"), text("On"))
        table = ReportTable(text("Attacks that did not run, question by question"), head, lines, texts=2)
        parts.append(SectionPart(tables=(table,), folded=text("Question by question")))
    return Section("untried", text("What was not run, and why"), parts=tuple(parts))
