"""The section on singling out, by linkage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unmask.auditing.findings import AttackResult, ReleaseFacts, Scene
from unmask.report import figures, words
from unmask.report.blocks import Chart, ReportTable, Row, Section, SectionPart, TableCell, cell
from unmask.report.numbers import count, fraction, percent
from unmask.report.outline import promised, ran, titled
from unmask.risk_levels import AT_RISK, LEVELS
from unmask.unit import common

STEPS = tuple(LEVELS)


def section(scenes: Sequence[Scene], anchor: str, facts: Mapping[str, ReleaseFacts]) -> Section:
    """Return the section on the re-identification risk: maximum, average, and numbers of people by level."""
    found = [(scene, result, name if len(ran(scene)) > 1 else "") for scene in scenes for result, name in titled(scene)]
    if not found:
        untried = SectionPart((f"Not tried. {words.NOT_SAFE}", *_assumptions(scenes, facts)))
        return Section(anchor, "Which row is whose?", "Singling out", (untried,))
    attacker = scenes[0].attacker
    text = (
        f"Can an intruder tell which published row is a person's? Assumed: the intruder {attacker.assumes}, and looks "
        "for the row that fits best. A group hides a person only among the rows that fit."
    )
    why = dict.fromkeys(result.why_no_control for _, result, _ in found if not result.control and result.why_no_control)
    more = tuple(f"No control: {reason}." for reason in why)
    parts = (
        SectionPart((text, *_assumptions(scenes, facts)), tables=(_risks(found),)),
        SectionPart((words.NO_THRESHOLD, *more), figures=(_ladder(found, anchor),)),
    )
    return Section(anchor, "Which row is whose?", "Singling out", parts)


def _assumptions(scenes: Sequence[Scene], facts: Mapping[str, ReleaseFacts]) -> Iterator[str]:
    """Yield the assumptions about the rows of each release, and doubts about them."""
    for name in dict.fromkeys(scene.about.name for scene in scenes):
        if name in facts and facts[name].assumption:
            yield f"Nothing is declared of the rows of {name}: what stands here {facts[name].assumption}."
        if name in facts and facts[name].doubt:
            yield f"{name}: {facts[name].doubt}."


def _risks(found: Sequence[tuple[Scene, AttackResult, str]]) -> ReportTable:
    rows = []
    for scene, result, name in found:
        best, _ = promised(scene, "max-risk")
        limit = TableCell("nothing") if best is None or best.vacuous else TableCell(
            f"≤ {fraction(best.limit)}", hint=best.assumes
        )  # fmt: skip
        most, mean = result.get("max-risk"), result.get("average-risk")
        cells = (
            limit, cell(most, "chance"), TableCell(_group(most.value)),
            cell(mean, "chance"), TableCell(_group(mean.value)),
            cell(result.get("accuracy"), "share"),
        )  # fmt: skip
        rows.append(Row(TableCell(scene.about.name, name), cells, "attack"))
    head = (
        "Release", "Promised", "Easiest to find", "as a group of", "On average", "as a group of", "Right group named",
    )  # fmt: skip
    return ReportTable(
        "Chance that a person's row is named rightly", head, tuple(rows),
        note="Higher is worse; of groups, smaller is worse. Maximum and average are over the "
        f"{common(scene.unit for scene, _, _ in found)} attacked, in this release (not in a population)."
        f"{_ceiling(found)}",
    )  # fmt: skip


def _ceiling(found: Sequence[tuple[Scene, AttackResult, str]]) -> str:
    """Return the upper bound on correct matches to groups, where it is below 1."""
    most = {scene.about.name: result.get("found-at-most").value for scene, result, _ in found}
    sentences = [
        f"{percent(value) if len(most) == 1 else f'{percent(value)} in {name}'}"
        for name, value in most.items()
        if value is not None and value < 1
    ]
    if not sentences:
        return ""
    return (
        f" People who look alike stand in several groups: no way of looking could name the right one for more than "
        f"{words.listed(sentences)} of them."
    )


def _group(chance: float | None) -> str:
    return "–" if not chance else f"{1 / chance:,.0f}" if chance < 0.1 else f"{1 / chance:.1f}".removesuffix(".0")


def _ladder(found: Sequence[tuple[Scene, AttackResult, str]], anchor: str) -> Chart:
    rows: list[dict[str, Any]] = []
    lines = []
    for name, step in LEVELS.items():
        cells = []
        for scene, result, attack in found:
            risk = result.get("at-risk", step)
            cells.append(cell(risk, "people"))
            if result.control:
                cells.append(cell(result.get("at-risk", step, control=True), "people"))
            if risk.value is not None and risk.n:
                rows.append(
                    {"attack": attack or result.name, "intruder": scene.about.name, "step": name,
                     "share": round(risk.value / risk.n, 6)}
                )  # fmt: skip
        lines.append(Row(TableCell(name if step < 1 else "1 (certain)"), tuple(cells)))
    rows.sort(key=lambda row: [scene.about.name for scene, _, _ in found].index(row["intruder"]))
    head = ["Chance of at least"]
    for scene, result, attack in found:
        head += [
            f"{scene.about.name} {attack}".strip(),
            *(["row named though absent (control)"] if result.control else []),
        ]
    n = max((result.get("at-risk", AT_RISK).n for _, result, _ in found), default=0)
    note = "Higher is worse."
    if any(result.control for _, result, _ in found):
        note += (
            " Row named though absent: how many would be matched as firmly if their row had not been published, always "
            "falsely. A match means little where this is as high."
        )
    unit = common([scene.unit for scene, _, _ in found])
    title = f"{str(unit).capitalize()} named rightly with at least this chance, of {count(n)}"
    table = ReportTable(title, tuple(head), tuple(lines), note=note)
    label = f"Bar chart: the share of {unit} named rightly with at least a given chance, by release."
    caption = f"Share of {unit} named rightly with at least this chance. Higher is worse."
    drawn = figures.svg(figures.singled_out(rows, STEPS, unit), f"{anchor}-ladder", label) if rows else ""
    return Chart(drawn, caption, table=table, place="beside" if len(found) == 1 else "below")
