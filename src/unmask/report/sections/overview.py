"""The overview: one line for each question and attacker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unmask.auditing.findings import Scene
from unmask.report import figures
from unmask.report.blocks import Chart, Mark, ReportTable, Row, Section, SectionPart, TableCell, cell
from unmask.report.numbers import fraction, percent
from unmask.report.outline import Chapter, promised, strongest, titled
from unmask.report.sections.beliefs import intruders
from unmask.unit import common
from unmask.wording import text


def section(chapters: Sequence[Chapter]) -> Section | None:
    """Return bound, prior, control and attacks side by side; None without questions."""
    seen = [
        (scene, short, chapter.place(question))
        for chapter in chapters
        for question in chapter.inference + chapter.linkability
        for scene, _, short in intruders(question)
    ]
    if not any(titled(scene) for scene, _, _ in seen):
        return None
    meaning = text(
        "How often an intruder's best guess of the sensitive value is right. An attack is a leak only in so far as it "
        "passes what could be guessed without the release, and what the control finds."
    )
    return Section("glance", text("At a glance"), parts=(SectionPart((meaning,), figures=(_figure(seen),)),))


def _figure(seen: Sequence[tuple[Scene, str, str]]) -> Chart:
    attacks = list(dict.fromkeys(name for scene, _, _ in seen for _, name in titled(scene)))
    rows: list[dict[str, Any]] = []
    limits: list[dict[str, Any]] = []
    several = len({scene.about for scene, _, _ in seen}) > 1
    for scene, short, where in seen:
        line = f"{scene.about.name}, {where}, {short}" if several else f"{where}, {short}"
        best = strongest(scene)
        shares = [(figures.GUESS, scene.baseline.get("accuracy").value)]
        if best is not None and best.control:
            shares.append((figures.CONTROL, best.get("accuracy", control=True).value))
        shares += [(name, result.get("accuracy").value) for result, name in titled(scene)]
        rows += [{"where": line, "what": what, "share": round(share, 6)} for what, share in shares if share is not None]
        limit, _ = promised(scene, "max-belief")
        if limit is not None and not limit.vacuous:
            limits.append({"where": line, "share": round(limit.limit, 6)})
    legend: list[tuple[str, Mark, str]] = [
        (figures.BLACK, "ring", text(figures.GUESS)),
        (figures.ORANGE, "diamond", text("{control} (strongest attack)", control=text(figures.CONTROL))),
    ]
    legend += [(*figures.attack_look(i), name) for i, name in enumerate(attacks)]
    if limits:
        legend.insert(0, (figures.GRAY, "upright", text("promised at most")))
    unit = common([scene.unit for scene, _, _ in seen])
    label = text(
        "Dot plot: the share of {people} for whom the best guess is right, by question and intruder.", people=text(unit)
    )
    return Chart(
        figures.svg(figures.overview(rows, limits, attacks, unit), "glance-plot", label) if rows else "",
        text("Share of {people} for whom the best guess is right. Higher is worse.", people=text(unit)),
        tuple(legend),
        _table(seen),
        place="below",
    )


def _table(seen: Sequence[tuple[Scene, str, str]]) -> ReportTable:
    rows = []
    for scene, short, where in seen:
        best = strongest(scene)
        limit, _ = promised(scene, "max-belief")
        head = TableCell(f"{scene.about.name}, {where}", short)
        left = (
            TableCell(text("no guarantee") if limit is None or limit.vacuous else f"≤ {fraction(limit.limit)}"),
            cell(scene.baseline.get("accuracy"), "share"),
        )
        if best is None:
            rows.append(Row(head, (TableCell(text("none ran")), *left, *(TableCell("–") for _ in range(4)))))
            continue
        title = next(name for result, name in titled(scene) if result is best)
        rows.append(
            Row(
                head,
                (
                    TableCell(title), *left,
                    cell(best.get("accuracy", control=True), "share") if best.control else TableCell(text("none")),
                    cell(best.get("accuracy"), "share"),
                    cell(best.get("exposed", scene.firm), "people"),
                    cell(best.get("exposed-rightly", scene.firm), "people"),
                ),
            )
        )  # fmt: skip
    firm = percent(seen[0][0].firm, short=True)
    columns = (
        text("Question and intruder"), text("Strongest attack"), text("Promised"), text("Without the release"),
        text("Control"), text("Best guess right"), text("≥ {share} sure of", share=firm), text("and rightly"),
    )  # fmt: skip
    return ReportTable(
        text("The strongest attack on each question"), columns, tuple(rows), texts=1,
        note=text("Higher is worse in every column. Strongest: firmly sure of most; then, right most often."),
    )  # fmt: skip
