"""The section on posteriors of an attribute: from one release (inference) or several (linkability)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unmask.auditing.findings import AttackResult, ReleaseFacts, Scene
from unmask.catalog import REFERENCE
from unmask.estimate import Estimate
from unmask.number_format import numeral
from unmask.report import figures, words
from unmask.report.attack_notes import notes_of
from unmask.report.blocks import Chart, Mark, Panel, ReportTable, Row, Section, SectionPart, TableCell, cell, texts
from unmask.report.glossary import METRICS, metric
from unmask.report.numbers import count, fraction, people, percent
from unmask.report.outline import QuestionScenes, alike, promised, ran, taken, titled
from unmask.report.sections.composition import composed
from unmask.risk_levels import LEVELS
from unmask.wording import text


def section(question: QuestionScenes, anchor: str, facts: Mapping[str, ReleaseFacts], *, whole: bool = True) -> Section:
    """Return the section of one question: attackers side by side; where `whole`, by level and with all measures."""
    together = len(question.releases) > 1
    seen = intruders(question)
    label = text("Linkability") if together else text("Inference")
    places = {"attribute": question.about.name, "releases": words.listed(question.releases)}
    title = (
        text("{attribute}, from {releases} held together", **places)
        if together
        else text("{attribute}, from {releases}", **places)
    )
    if not any(ran(scene) for scene, _, _ in seen):
        nothing = f"{text('No attack could be run on this question.')} {text(words.NOT_SAFE)}"
        return Section(anchor, title, label, (SectionPart((nothing,)),))
    parts = [SectionPart(tuple(_opening(question, facts)), panels=tuple(_panel(*one) for one in seen))]
    if not whole:
        return Section(anchor, title, label, tuple(parts))
    if together:
        parts.append(composed(question, seen, anchor))
    parts += [
        SectionPart(
            figures=tuple(_ladder(seen, anchor)), tables=tuple(_steps(scene, short) for scene, _, short in seen)
        )
    ]
    every = tuple(_measures(scene, short) for scene, _, short in seen)
    folded = text("Every measure, and whether beliefs may be taken at their word")
    parts.append(SectionPart(figures=tuple(_reliability(seen, anchor)), tables=every, folded=folded))
    return Section(anchor, title, label, tuple(parts))


def intruders(question: QuestionScenes) -> list[tuple[Scene, str, str]]:
    """Return the scenes to show, with title and short name; one for all attackers where results are equal."""
    first = question.scenes[0]
    if len(question.scenes) > 1 and all(alike(first, scene) for scene in question.scenes):
        title = text("Whether the row is known or not: both intruders find the same")
        return [(question.scenes[-1], title, text("row known or not"))]
    return [(scene, words.case(scene.attacker), words.who_short(scene.attacker)) for scene in question.scenes]


def _opening(question: QuestionScenes, facts: Mapping[str, ReleaseFacts]) -> Iterator[str]:
    name = question.about.name
    if len(question.releases) == 1:
        yield text(
            "What can an intruder conclude about a person's {attribute} from {release} alone?",
            attribute=name, release=question.releases[0],
        )  # fmt: skip
        return
    sizes = [
        text(
            "{release} shows {people} in {groups} groups of {size} on average",
            release=one, people=facts[one].people_text, groups=count(facts[one].n_groups),
            size=numeral(facts[one].average, ".1f"),
        )
        for one in question.releases
        if one in facts
    ]  # fmt: skip
    yield text(
        "What can an intruder conclude about a person's {attribute} from several releases that the person is in?",
        attribute=name,
    )
    yield text(
        "{sizes}. {targets} were attacked in all of them.",
        sizes=words.listed(sizes),
        targets=str(question.scenes[0].targets),
    )


def _panel(scene: Scene, title: str, short: str) -> Panel:
    rows = list(_promised(scene))
    rows.append(Row(TableCell(text("Without the release")), _main(scene.baseline, scene.firm, control=False)))
    notes = []
    for result, name in titled(scene):
        rows.append(Row(TableCell(name), _main(result, scene.firm, control=False), "attack"))
        if result.control:
            rows.append(
                Row(
                    TableCell(words.control_title(result.control_of)),
                    _main(result, scene.firm, control=True),
                    "minor",
                )
            )
        else:
            why = text(result.why_no_control) or text("none was taken")
            notes.append(text("{attack}: no control, since {reason}.", attack=name, reason=why))
        if result.gate is not None and result.gate.value is not None:
            exposed = people(result.gate.value, scene.unit)
            notes.append(text("{attack}: {people} exposed, by the limits of this audit.", attack=name, people=exposed))
        if found := notes_of(result):
            notes.append(f"{name}: {'; '.join(_note(*one) for one in found.items())}.")
    n = max((result.get("exposed", scene.firm).n for result in ran(scene)), default=0)
    missing = scene.targets.n - n
    if missing > 0:
        attacked = text(
            "{people} attacked, {n} could not be attacked, which is not safe. Higher is worse in every column.",
            people=people(n, scene.unit), n=count(missing),
        )  # fmt: skip
    else:
        attacked = text("{people} attacked. Higher is worse in every column.", people=people(n, scene.unit))
    notes.insert(0, attacked)
    head = (
        "",
        text("Best guess right"),
        text("≥ {share} sure of", share=percent(scene.firm, short=True)),
        text("and rightly"),
    )
    table = ReportTable(f"{scene.about.name}: {short}", head, tuple(rows))
    return Panel(
        title, text("Assumed: an intruder who {knows}.", knows=text(scene.attacker.assumes)), table, tuple(notes)
    )


def _promised(scene: Scene) -> Iterator[Row]:
    best, by = promised(scene, "max-belief")
    if best is not None:
        limit = TableCell(
            text("no guarantee") if best.vacuous else f"≤ {fraction(best.limit)}", hint=text(best.assumes)
        )
        yield Row(TableCell(text("Promised"), text("by {guarantees}", guarantees=by)), (limit, *texts(("", ""))))


def _main(result: AttackResult, firm: float, *, control: bool) -> tuple[TableCell, ...]:
    names = (("accuracy", None), ("exposed", firm), ("exposed-rightly", firm))
    return tuple(cell(result.get(name, step, control=control), metric(name).kind) for name, step in names)


def _note(key: str, value: float | str) -> str:
    if isinstance(value, str):
        return f"{text(key)}: {text(value)}"
    return f"{text(key)}: {count(value) if float(value).is_integer() else text(numeral(value, '.4g'))}"


def _ladder(seen: Sequence[tuple[Scene, str, str]], anchor: str) -> Iterator[Chart]:
    rows: list[dict[str, Any]] = []
    for scene, _, short in seen:
        for result, name in titled(scene):
            rows += [{"attack": name, "intruder": short, **row} for row in _counted(scene, result)]
    if not rows:
        return
    kinds = [kind for kind in figures.COLORS if any(row["kind"] == kind for row in rows)]
    legend: tuple[tuple[str, Mark, str], ...] = tuple(
        (figures.COLORS[kind], "line" if kind in {figures.CONTROL, figures.GUESS} else "bar", text(kind))
        for kind in kinds
    )
    about, unit = seen[0][0].about.name, seen[0][0].unit
    label = text(
        "Bar chart: the share of {people} whose {attribute} is believed with at least a given probability, by attack.",
        people=text(unit), attribute=about,
    )  # fmt: skip
    yield Chart(
        figures.svg(figures.ladder(rows, list(map(fraction, LEVELS.values())), unit), f"{anchor}-ladder", label),
        text(
            "Share of {people} of whom an intruder would be at least this sure of some {attribute}. Higher is worse. "
            "At low steps several values may be believed at once; rightly says that the true one is among them.",
            people=text(unit), attribute=about,
        ),
        legend,
    )  # fmt: skip


def _counted(scene: Scene, result: AttackResult) -> Iterator[dict[str, Any]]:
    for step in LEVELS.values():
        sure, right = result.get("exposed", step), result.get("exposed-rightly", step)
        if sure.value is None or not sure.n:
            continue
        counts = [(figures.UNJUDGED, sure.value / sure.n)]
        if right.value is not None:
            both = right.value / sure.n
            counts = [(figures.RIGHT, both), (figures.BELIEVED, sure.value / sure.n - both)]
        others = {
            figures.CONTROL: result.get("exposed", step, control=True),
            figures.GUESS: scene.baseline.get("exposed", step),
        }
        counts += [(kind, one.value / one.n) for kind, one in others.items() if one.value is not None and one.n]
        for rank, (kind, share) in enumerate(counts):
            yield {"step": fraction(step), "kind": kind, "share": round(share, 6), "rank": rank}


def _steps(scene: Scene, short: str) -> ReportTable:
    """Count people at each step of the ladder."""
    results = titled(scene)
    spans, head = [("", 1)], [text("At least"), text("Without the release")]
    for result, name in results:
        head += [text("Believed"), text("and rightly")]
        head += [words.capitalized(words.control_title(result.control_of))] if result.control else []
        spans.append((name, 2 + bool(result.control)))
    rows = []
    for step in LEVELS.values():
        found: list[Estimate] = [scene.baseline.get("exposed", step)]
        for result, _ in results:
            found += [result.get("exposed", step), result.get("exposed-rightly", step)]
            found += [result.get("exposed", step, control=True)] if result.control else []
        rows.append(
            Row(
                TableCell(fraction(step) if step < 1 else text("1 (certain)")),
                tuple(cell(one, "people") for one in found),
            )
        )
    caption = text(
        "{people} believed, by how firmly: {intruder}", people=words.capitalized(text(scene.unit)), intruder=short
    )
    return ReportTable(caption, tuple(head), tuple(rows), tuple(spans), note=text("Higher is worse in every column."))


def _measures(scene: Scene, short: str) -> ReportTable:
    """Return the table of all measures without a level."""
    results = titled(scene)
    spans, head = [("", 2)], [text("Measure"), text("Promised"), text("Without the release")]
    for result, name in results:
        head += [text("Attack")]
        head += [words.capitalized(words.control_title(result.control_of))] if result.control else []
        spans.append((name, 1 + bool(result.control)))
    taken_here = {one.metric: one for result, _ in results for one in result.measures if one.threshold is None}
    rows = []
    for name in [*(name for name in METRICS if name in taken_here), *sorted(set(taken_here) - set(METRICS))]:
        found = [taken(scene.baseline.measures, name)]
        for result, _ in results:
            found += [taken(result.measures, name)] + ([taken(result.control, name)] if result.control else [])
        cells = (TableCell("–") if one is None else cell(one, metric(name).kind) for one in found)
        direction = words.direction(higher_is_worse=taken_here[name].higher_is_worse)
        rows.append(Row(TableCell(metric(name).title, direction), (_limit(scene, name), *cells)))
    rows += _gain(results)
    others = sorted({p.metric for p in scene.promises} - set(taken_here) - {"max-belief"})
    promises = [
        text(
            "{guarantees} promises {measure} ≤ {limit}",
            guarantees=by,
            measure=metric(m).title,
            limit=numeral(one.limit, ".4g"),
        )
        for m in others
        for one, by in [promised(scene, m)]
        if one and not one.vacuous
    ]
    note = text("What each measure means is told under Words. Numbers without ± are exact: nothing was drawn.")
    if promises:
        note = f"{note} {text('Promised, but not measured: {promises}.', promises='; '.join(promises))}"
    return ReportTable(
        text("Every measure: {intruder}", intruder=short), tuple(head), tuple(rows), tuple(spans), note=note
    )


def _limit(scene: Scene, name: str) -> TableCell:
    """Return the guaranteed bound on a measure: a belief of at most 1/l bounds the accuracy as well."""
    best, by = promised(scene, "max-belief" if name == "accuracy" else name)
    if best is None or best.vacuous:
        return TableCell("–" if best is None else text("no guarantee"))
    return TableCell(f"≤ {fraction(best.limit)}", by, hint=text(best.assumes))


def _gain(results: Sequence[tuple[AttackResult, str]]) -> Iterator[Row]:
    """Compare with random worlds: that a group lists its values is not the merit of a cleverer attack."""
    reference = REFERENCE["exact"]
    plain = next((result.get("accuracy").value for result, _ in results if result.name == reference), None)
    if plain is None or len(results) < 2:
        return
    cells = [TableCell("–"), TableCell("–")]
    for result, _ in results:
        right = result.get("accuracy").value
        unlike = right is not None and result.name != reference
        cells.append(
            cell(Estimate.exact(right - plain, 0), "points") if unlike and right is not None else TableCell("–")
        )
        cells += [TableCell("–")] if result.control else []
    yield Row(TableCell(text("more right than random worlds"), words.direction(higher_is_worse=True)), tuple(cells))


def _reliability(seen: Sequence[tuple[Scene, str, str]], anchor: str) -> Iterator[Chart]:
    rows: list[dict[str, Any]] = []
    lines = []
    for scene, _, short in seen:
        for result, name in titled(scene):
            for believed, right, n in result.curve:
                point = {"believed": round(believed, 6), "right": round(right, 6), "people": n}
                rows.append({"attack": name, "intruder": short, **point})
                cells = (short, *(f"{text(numeral(100 * share, '.1f'))} %" for share in (believed, right)), count(n))
                lines.append(Row(TableCell(name), texts(cells)))
    if not rows:
        return
    label = text(
        "Scatter plot: how often the likeliest answer is right, by how firmly it is believed, for each attack."
    )
    head = (text("Attack"), text("Intruder"), text("Believed"), text("Right"), text("People"))
    yield Chart(
        figures.svg(figures.reliability(rows), f"{anchor}-curve", label),
        text(
            "Reliability: how often the likeliest answer is right, against how firmly it is believed; the size of a "
            "point says of how many people. On the dashed line beliefs may be taken at their word; above it the "
            "intruder is more often right than they think."
        ),
        table=ReportTable(text("Reliability"), head, tuple(lines), texts=1),
    )
