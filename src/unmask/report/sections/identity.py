"""The section on singling out, by linkage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unmask.auditing.findings import AttackResult, ReleaseFacts, Scene
from unmask.report import figures, words
from unmask.report.blocks import Chart, ReportTable, Row, Section, SectionPart, TableCell, cell
from unmask.report.numbers import count, fraction, one_decimal, percent
from unmask.report.outline import promised, ran, titled
from unmask.risk_levels import AT_RISK, LEVELS
from unmask.unit import common
from unmask.wording import marked, text

TITLE = marked("Which row is whose?")


def section(scenes: Sequence[Scene], anchor: str, facts: Mapping[str, ReleaseFacts]) -> Section:
    """Return the section on the re-identification risk: maximum, average, and numbers of people by level."""
    found = [(scene, result, name if len(ran(scene)) > 1 else "") for scene in scenes for result, name in titled(scene)]
    if not found:
        untried = SectionPart((f"{text('Not tried.')} {text(words.NOT_SAFE)}", *_assumptions(scenes, facts)))
        return Section(anchor, text(TITLE), text("Singling out"), (untried,))
    asked = text(
        "Can an intruder tell which published row is a person's? Assumed: the intruder {knows}, and looks for the row "
        "that fits best. A group hides a person only among the rows that fit.",
        knows=text(scenes[0].attacker.assumes),
    )
    why = dict.fromkeys(result.why_no_control for _, result, _ in found if not result.control and result.why_no_control)
    more = tuple(text("No control: {reason}.", reason=text(reason)) for reason in why)
    parts = (
        SectionPart((asked, *_assumptions(scenes, facts)), tables=(_risks(found),)),
        SectionPart((text(words.NO_THRESHOLD), *more), figures=(_ladder(found, anchor),)),
    )
    return Section(anchor, text(TITLE), text("Singling out"), parts)


def _assumptions(scenes: Sequence[Scene], facts: Mapping[str, ReleaseFacts]) -> Iterator[str]:
    """Yield the assumptions about the rows of each release, and doubts about them."""
    for name in dict.fromkeys(scene.about.name for scene in scenes):
        if name in facts and facts[name].assumption:
            yield text(
                "Nothing is declared of the rows of {release}: what stands here {assumes}.",
                release=name, assumes=text(facts[name].assumption),
            )  # fmt: skip
        if name in facts and facts[name].doubt:
            yield f"{name}: {text(facts[name].doubt)}."


def _risks(found: Sequence[tuple[Scene, AttackResult, str]]) -> ReportTable:
    rows = []
    for scene, result, name in found:
        best, _ = promised(scene, "max-risk")
        limit = TableCell(text("no guarantee")) if best is None or best.vacuous else TableCell(
            f"≤ {fraction(best.limit)}", hint=text(best.assumes)
        )  # fmt: skip
        most, mean = result.get("max-risk"), result.get("average-risk")
        cells = (
            limit, cell(most, "chance"), TableCell(_group(most.value)),
            cell(mean, "chance"), TableCell(_group(mean.value)),
            cell(result.get("accuracy"), "share"),
        )  # fmt: skip
        rows.append(Row(TableCell(scene.about.name, name), cells, "attack"))
    head = (
        text("Release"), text("Promised"), text("Easiest to find"), text("as a group of"), text("On average"),
        text("as a group of"), text("Right group named"),
    )  # fmt: skip
    note = text(
        "Higher is worse; of groups, smaller is worse. Maximum and average are over the {people} attacked, in this "
        "release (not in a population).",
        people=text(common(scene.unit for scene, _, _ in found)),
    )
    notes = " ".join(filter(None, (note, _ceiling(found))))
    return ReportTable(text("Chance that a person's row is named rightly"), head, tuple(rows), note=notes)


def _ceiling(found: Sequence[tuple[Scene, AttackResult, str]]) -> str:
    """Return the upper bound on correct matches to groups, where it is below 1."""
    most = {scene.about.name: result.get("found-at-most").value for scene, result, _ in found}
    sentences = [
        percent(value) if len(most) == 1 else text("{share} in {release}", share=percent(value), release=name)
        for name, value in most.items()
        if value is not None and value < 1
    ]
    if not sentences:
        return ""
    return text(
        "People who look alike stand in several groups: no way of looking could name the right one for more than "
        "{shares} of them.",
        shares=words.listed(sentences),
    )


def _group(chance: float | None) -> str:
    return "–" if not chance else count(round(1 / chance)) if chance < 0.1 else one_decimal(1 / chance)


def _ladder(found: Sequence[tuple[Scene, AttackResult, str]], anchor: str) -> Chart:
    rows: list[dict[str, Any]] = []
    lines = []
    for step in LEVELS.values():
        cells = []
        for scene, result, attack in found:
            risk = result.get("at-risk", step)
            cells.append(cell(risk, "people"))
            if result.control:
                cells.append(cell(result.get("at-risk", step, control=True), "people"))
            if risk.value is not None and risk.n:
                rows.append(
                    {"attack": attack or words.attack(result.name).title, "intruder": scene.about.name,
                     "step": fraction(step), "share": round(risk.value / risk.n, 6)}
                )  # fmt: skip
        lines.append(Row(TableCell(fraction(step) if step < 1 else text("1 (certain)")), tuple(cells)))
    rows.sort(key=lambda row: [scene.about.name for scene, _, _ in found].index(row["intruder"]))
    head = [text("Chance of at least")]
    for scene, result, attack in found:
        head += [
            f"{scene.about.name} {attack}".strip(),
            *([text("row named though absent (control)")] if result.control else []),
        ]
    n = max((result.get("at-risk", AT_RISK).n for _, result, _ in found), default=0)
    note = text("Higher is worse.")
    if any(result.control for _, result, _ in found):
        control = text(
            "Row named though absent: how many would be matched as firmly if their row had not been published, always "
            "falsely. A match means little where this is as high."
        )
        note = f"{note} {control}"
    unit = common([scene.unit for scene, _, _ in found])
    people = text(unit)
    title = text(
        "{people} named rightly with at least this chance, of {n}", people=words.capitalized(people), n=count(n)
    )
    table = ReportTable(title, tuple(head), tuple(lines), note=note)
    label = text(
        "Bar chart: the share of {people} named rightly with at least a given chance, by release.", people=people
    )
    caption = text("Share of {people} named rightly with at least this chance. Higher is worse.", people=people)
    drawn = (
        figures.svg(figures.singled_out(rows, list(map(fraction, LEVELS.values())), unit), f"{anchor}-ladder", label)
        if rows
        else ""
    )
    return Chart(drawn, caption, table=table, place="beside" if len(found) == 1 else "below")
