"""The section on composition: people exposed by one release, and only by several together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unmask.auditing.findings import Scene
from unmask.estimate import Estimate
from unmask.report import figures, words
from unmask.report.blocks import Chart, ReportTable, Row, SectionPart, TableCell, cell
from unmask.report.numbers import fraction, measured, of_all
from unmask.report.outline import QuestionScenes, taken, titled
from unmask.wording import marked, text

_ALREADY, _NEW = marked("already by one release alone"), marked("only by composition")


def composed(question: QuestionScenes, seen: Sequence[tuple[Scene, str, str]], anchor: str) -> SectionPart:
    """Return the people exposed by several releases, split into homogeneity and composition."""
    rows: list[dict[str, Any]] = []
    lines = []
    for scene, _, short in seen:
        for result, name in titled(scene):
            head = f"{name}, {short}" if len(seen) > 1 else name
            for one in result.measures:
                if one.metric != "exposed-already" or one.estimate.value is None:
                    continue
                new = result.get("exposed-new", one.threshold)
                step = fraction(one.threshold or 0.0)
                counts = ((_ALREADY, one.estimate.value, 0), (_NEW, new.value, 1))
                rows += [
                    {"attack": name, "intruder": short, "step": step, "kind": text(kind), "people": value, "rank": rank}
                    for kind, value, rank in counts
                    if value is not None
                ]
                found = (one.estimate, new, result.get("exposed", one.threshold))
                level = TableCell(text("1 (certain)") if step == "1" else step)
                lines.append(Row(TableCell(head), (level, *(cell(estimate, "people") for estimate in found))))
                head = ""  # once for its rows
    if not rows:
        return SectionPart((text("Which people a single release exposes already could not be told apart."),))
    steps = list(dict.fromkeys(row["step"] for row in rows))
    unit = question.scenes[0].unit
    subject = words.capitalized(text(unit))
    titles = (text("Attack"), text("At least"), text("Already by one"), text("New"), text("All who are believed"))
    note = text(
        "Higher is worse in every column. Already and new need not add up to all: some whom one release exposes are "
        "believed less firmly when releases are held together."
    )
    table = ReportTable(
        text("{people} exposed already by one release, and new by composition", people=subject), titles, tuple(lines),
        texts=1, note=note,
    )  # fmt: skip
    figure = Chart(
        figures.svg(
            figures.composition(rows, steps, unit), f"{anchor}-composition",
            text(
                "Bar chart: {people} whose {attribute} one release exposes, and whom only several expose together.",
                people=text(unit), attribute=question.about.name,
            ),
        ),
        text(
            "{people} exposed, by how firmly a value is believed. Higher is worse. Who is certain by one release alone "
            "is in a group whose members all share a value: homogeneity, which composition neither causes nor cures.",
            people=subject,
        ),
        ((figures.SKY, "bar", text(_ALREADY)), (figures.BLUE, "bar", text(_NEW))),
        table,
        place="below",
    )  # fmt: skip
    return SectionPart(tuple(_before(seen)), figures=(figure,))


def _before(seen: Sequence[tuple[Scene, str, str]]) -> list[str]:
    """Return the sizes of candidate sets, before and after."""
    for scene, _, _ in seen:
        for result, name in titled(scene):
            before = taken(result.measures, "effective-anonymity-before")
            after = taken(result.measures, "effective-anonymity")
            if before is not None and after is not None and before.value is not None and after.value is not None:
                left = text(
                    "The best single release leaves {before} of {all} values possible for a person, on average; "
                    "together they leave {after}, by {attack}. Lower is worse.",
                    before=measured(before, "number"), all=scene.n_values, after=measured(after, "number"), attack=name,
                )  # fmt: skip
                return [left, *_vulnerable(taken(result.measures, "vulnerable"))]
    return []


def _vulnerable(found: Estimate | None) -> list[str]:
    """Return the number of people whose candidate set shrinks only by several releases."""
    if found is None or found.value is None:
        return []
    return [
        text(
            "Of {people} they rule out a value together that no release alone does: the paper's vulnerable population. "
            "Who is certain by one release already is not among them.",
            people=of_all(found.value, found.n),
        )
    ]
