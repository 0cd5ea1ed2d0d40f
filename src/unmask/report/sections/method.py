"""The section on methods: releases, attackers, parameters, and attacks that did not run."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import AuditReport, ReleaseFacts
from unmask.beliefs import Question
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.numbers import count
from unmask.report.outline import Chapter, not_run
from unmask.unit import Unit, common


def releases(report: AuditReport) -> Section:
    """Describe the releases."""
    rows = tuple(Row(TableCell(facts.name, _made(facts)), _facts(facts), "attack") for facts in report.releases)
    unit = common([facts.unit for facts in report.releases])
    head = (
        "Release", str(unit).capitalize(), "Suppressed", "Groups", "Smallest group", "Average, over groups",
        f"Average, over {unit}",
    )  # fmt: skip
    note = (
        f"Of group sizes, smaller is worse. The average over {unit} is the size of the group that a {unit.one} is in: "
        "large groups count more often."
    )
    return Section(
        "releases", "What was released", parts=(SectionPart(tables=(ReportTable("Releases", head, rows, note=note),)),)
    )


def _made(facts: ReleaseFacts) -> str:
    if facts.sanitizer is None:
        return "how it was made is not told"
    return f"{facts.sanitizer}, {words.settings(facts.parameters)}" if facts.parameters else facts.sanitizer


def _counted(facts: ReleaseFacts) -> str:
    rows = facts.n_rows
    return facts.size_text if rows in {None, facts.n_people} else f"{facts.size_text} ({Unit.ROWS.counted(rows or 0)})"


def _facts(facts: ReleaseFacts) -> tuple[TableCell, ...]:
    sizes = [f"{size:,.1f}".removesuffix(".0") for size in (facts.smallest, facts.average, facts.average_of_people)]
    if not facts.n_groups:
        sizes = ["none"] * 3
    return texts((_counted(facts), count(facts.suppressed), count(facts.n_groups), *sizes))


def assumptions(report: AuditReport) -> Section:
    """Return the assumptions about attackers, and the parameters of attacks."""
    attackers = {scene.attacker.name: scene.attacker for scene in report.scenes}
    known = ReportTable(
        "Intruders", ("Intruder", "Assumed"),
        tuple(Row(TableCell(words.who_short(one)), texts((one.assumes,))) for one in attackers.values()), texts=1,
    )  # fmt: skip
    done: dict[tuple[str, str], Row] = {}
    for scene in report.scenes:
        for result in (scene.baseline, *scene.results):
            key = (result.name, words.settings(result.settings))
            entry = words.attack(result.name)
            done.setdefault(key, Row(TableCell(entry.title), texts((entry.meaning, key[1] or "none"))))
    tried = ReportTable("Attacks", ("Attack", "What it does", "Settings"), tuple(done.values()), texts=2)
    text = (
        "Each number of this report holds for an intruder who knows and does what is said here. Whether one is "
        "likely enough to matter is for the reader to judge; no law sets a threshold. Every intruder knows the "
        "algorithm and the settings that a release tells of itself: what is safe only as long as they are secret is "
        "not safe."
    )
    return Section("assumptions", "Who attacks, and how", parts=(SectionPart((text,), tables=(known, tried)),))


def untried(chapters: Sequence[Chapter]) -> Section:
    """Return the section on attacks that did not run, by reason."""
    rows = []
    for chapter in chapters:
        where = words.listed([facts.name for facts in chapter.releases])
        for one in not_run(chapter):
            reason = one.reason if one.converged else f"did not converge: {one.reason}"
            rows.append(Row(TableCell(words.attack(one.name).title), texts((where, reason)), "attack"))
    each: dict[tuple[str, str], list[str]] = {}
    for chapter in chapters:
        for scene in chapter.scenes:
            for result in scene.results:
                if not result.ran:
                    row = scene.about.question is Question.PLACE
                    what = f"{'the row' if row else scene.about} in {words.listed(scene.releases)}"
                    each.setdefault((words.attack(result.name).title, result.reason), []).append(what)
    parts = [SectionPart((words.NOT_SAFE,) if rows else ("Every attack that was asked for ran on some question.",))]
    if rows:
        parts.append(
            SectionPart(
                tables=(ReportTable("Attacks that ran on no question", ("Attack", "On", "Why"), tuple(rows), texts=2),)
            )
        )
    if each:
        lines = tuple(
            Row(TableCell(name), texts((reason, "; ".join(dict.fromkeys(where)))))
            for (name, reason), where in each.items()
        )
        table = ReportTable("Attacks that did not run, question by question", ("Attack", "Why", "On"), lines, texts=2)
        parts.append(SectionPart(tables=(table,), folded="Question by question"))
    return Section("untried", "What was not run, and why", parts=tuple(parts))
