"""Reports of a comparison of releases: a table of text, a page with one chart, JSON."""
# Over 300 lines: text, page and JSON share the table of measures.

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from unmask import catalog
from unmask.documents.comparison import SCHEMA, ComparedMeasureJson, ComparisonJson
from unmask.documents.document_text import document_text
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.report.blocks import Chart, Mark, ReportTable, Row, Section, SectionPart, TableCell
from unmask.report.json import described, estimated
from unmask.report.numbers import UNDEFINED, bare, count, half_width, percent
from unmask.unit import common
from unmask.utility.release_comparison import ATTRIBUTES, GUESS, ROW, ComparedRelease, Comparison, ReleaseMeasure
from unmask.visible_text import joined
from unmask.wording import marked, plural, text

WIDTH = 80
_LABEL, _COLUMN = 32, 12  # of the text table; a letter or two of each column are blank

Write = Literal["share", "chance", "number", "people"]


@dataclass(frozen=True, slots=True)
class MeasureText:
    """The title of a measure, the format of its numbers, and its meaning."""

    title: str
    write: Write
    meaning: str


MEASURES: Mapping[str, MeasureText] = {
    "k": MeasureText(marked("smallest group (k)"), "people", marked("How many people look the same, at the least.")),
    "max-share-l": MeasureText(
        marked("max-share l"), "number", marked("One over the largest share that a sensitive value has in a group.")
    ),
    "max-risk": MeasureText(
        marked("highest risk to be found"), "chance", marked("Of a person who is known to be in the release.")
    ),
    "average-risk": MeasureText(marked("average risk to be found"), "share", marked("The same, averaged over people.")),
    GUESS: MeasureText(
        marked("guessed without the release"), "share", marked("How often the most frequent value is right.")
    ),
    ROW: MeasureText(
        marked("guessed, group known"), "share", marked("How often the most frequent value of the own group is right.")
    ),
    ATTRIBUTES: MeasureText(
        marked("guessed by attributes"),
        "share",
        marked("The same by somebody who knows a person's quasi-identifiers only."),
    ),
    "ncp": MeasureText(
        marked("width of ranges (NCP)"),
        "share",
        marked("The width of a cell as a part of its column's range, on average."),
    ),
    "information-loss": MeasureText(
        marked("information lost"), "share", marked("The values that a cell may stand for, of all, on average.")
    ),
    "squared-error": MeasureText(
        marked("squared error"), "share", marked("How far values are from the true ones, as a part of their spread.")
    ),
    "precision": MeasureText(
        marked("precision"), "share", marked("How far cells stayed below the top of their hierarchy.")
    ),
    "non-uniform-entropy": MeasureText(
        marked("entropy lost"), "share", marked("Bits missing to know the value behind a cell, of all bits.")
    ),
    "discernibility": MeasureText(
        marked("discernibility"), "number", marked("Everybody costs as many as look alike, who is left out all.")
    ),
    "average-group-size": MeasureText(
        marked("average group"), "number", marked("People per group; people left out are one group.")
    ),
    "classification": MeasureText(
        marked("not like most of the group"), "share", marked("People whose value is not their group's top one.")
    ),
    "kl-marginals": MeasureText(
        marked("columns' divergence"), "number", marked("Kullback-Leibler, in nats, of a column told by the release.")
    ),
    "kl-pairs": MeasureText(marked("pairs' divergence"), "number", marked("The same for two columns together.")),
    "query-error": MeasureText(
        marked("median error of counts"),
        "share",
        marked("How wrong a random count is, when it is told by the release."),
    ),
    "learning": MeasureText(
        marked("learned"), "share", marked("How often a model trained on the release predicts the value of new people.")
    ),
}
"""By name; any other measure is introduced by the first line of its own documentation."""


def measure_text(name: str) -> MeasureText:
    """Return the words for a measure, in the reader's language."""
    if name in MEASURES:
        known = MEASURES[name]
        return MeasureText(text(known.title), known.write, text(known.meaning))
    try:
        meaning = catalog.named("utility", name).summary
    except InvalidInputError:
        meaning = ""
    return MeasureText(name.replace("-", " "), "number", meaning)


def summary(report: Comparison, *, context: Sequence[str] = ()) -> str:
    """Write the comparison as text of 80 columns: a row for each measure, a column for each release."""
    lines = []
    fit = (WIDTH - _LABEL) // _COLUMN
    for first in range(0, len(report.releases), fit):
        lines += [*_block(report.releases[first : first + fit]), ""]
    lines += [_line for sentence in (*_guide(report), *map(text, context)) for _line in textwrap.wrap(sentence, WIDTH)]
    return joined(lines)


def to_html(report: Comparison, *, title: str = "", context: Sequence[str] = ()) -> str:
    """Write the comparison as a self-contained page with the risk-utility map."""
    from unmask.report.html import css, environment  # noqa: PLC0415 - only pages need templates

    n = len(report.releases)
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            kind=text("Comparison of releases"),
            title=title or plural("{n} release compared", "{n} releases compared", n, n=n),
            context=list(map(text, context)),
            version=metadata.version("unmask"),
            css=css(),
            sections=list(_sections(report)),
            glossary=[(_titled(one), _meant(one)) for one in _rows(report.releases)],
            seed=report.seed,
            closing=text("What is guessed here is what a plain intruder gets; other attacks may get more."),
        )
    )


def to_json(report: Comparison, *, title: str = "", context: Sequence[str] = ()) -> str:
    """Return all measures as one JSON document; undefined ones are null, with the reason."""
    document: ComparisonJson = {
        "schema": SCHEMA,
        "version": metadata.version("unmask"),
        "title": title,
        "context": list(context),
        "seed": report.seed,
        "against": report.against,
        "releases": [
            {**described(one.facts), "risk": _documented(one, "risk"), "utility": _documented(one, "utility")}
            for one in report.releases
        ],
    }
    return document_text(document)


def _documented(release: ComparedRelease, kind: str) -> list[ComparedMeasureJson]:
    return [
        {
            "measure": one.name,
            "detail": one.detail,
            **estimated(one.estimate),
            "higher_is_better": one.higher_is_better,
            "parts": {name: estimated(part) for name, part in one.parts.items()},
        }
        for one in release.numbers
        if one.kind == kind
    ]


def _rows(releases: Sequence[ComparedRelease]) -> list[ReleaseMeasure]:
    """Return each measure that some release has, risk first, in the order of the list above."""
    order = list(MEASURES)
    every = {one.key: one for release in releases for one in release.numbers}
    place = {key: i for i, key in enumerate(every)}
    return sorted(
        every.values(),
        key=lambda one: (
            one.kind != "risk", order.index(one.name) if one.name in order else len(order), place[one.key]
        ),
    )  # fmt: skip


def _titled(one: ReleaseMeasure) -> str:
    words = measure_text(one.name).title
    if not one.detail:
        return words
    if one.kind == "risk":
        return text("{attribute} {measure}", attribute=one.detail, measure=words)
    return text("{measure}, {detail}", measure=words, detail=one.detail)


def _meant(one: ReleaseMeasure) -> str:
    meaning = measure_text(one.name).meaning
    if one.kind == "risk":
        return (
            text("{meaning} Higher is safer.", meaning=meaning)
            if one.higher_is_better
            else text("{meaning} Higher is less safe.", meaning=meaning)
        )
    return (
        text("{meaning} Higher is better.", meaning=meaning)
        if one.higher_is_better
        else text("{meaning} Higher is worse.", meaning=meaning)
    )


def _written(estimate: Estimate, write: Write) -> str:
    if estimate.value is None:
        return text(UNDEFINED)
    if math.isinf(estimate.value):
        return text("infinite")
    return count(estimate.value) if write == "people" else bare(estimate.value, write)


def _block(releases: Sequence[ComparedRelease]) -> Iterator[str]:
    yield " " * _LABEL + "".join(f"{_short(one.facts.name, _COLUMN - 1):>{_COLUMN}}" for one in releases)
    for label, values in (
        (text(common(one.facts.unit for one in releases)), [text(one.facts.size_text) for one in releases]),
        (text("left out"), [count(one.facts.suppressed) for one in releases]),
        (text("groups"), [count(one.facts.n_groups) for one in releases]),
    ):
        yield f"{label:<{_LABEL}}" + "".join(f"{value:>{_COLUMN}}" for value in values)
    kind = ""
    for one in _rows(releases):
        if one.kind != kind:
            yield ""
            yield text("What it gives away") if one.kind == "risk" else text("What it is good for")
            kind = one.kind
        sign = "+" if one.higher_is_better else "−"
        values = [_short_written(release.get(*one.key), measure_text(one.name).write) for release in releases]
        yield f"{sign} {_short(_titled(one), _LABEL - 3):<{_LABEL - 2}}" + "".join(f"{v:>{_COLUMN}}" for v in values)


def _short_written(estimate: Estimate, write: Write) -> str:
    if estimate.value is None:
        return text("unknown")
    return _written(estimate, "share" if write == "chance" else write)


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _guide(report: Comparison) -> Iterator[str]:
    yield text("+ higher is better, − lower is better; for what is given away, better means safer.")
    whys: dict[str, None] = {}
    for release in report.releases:
        for one in release.numbers:
            if one.estimate.value is None:
                whys[f"{_titled(one)}: {text(one.estimate.why)}"] = None
    if whys:
        yield text("Unknown: {reasons}.", reasons="; ".join(whys))


def _sections(report: Comparison) -> Iterator[Section]:
    rows, axes = _map(report)
    if len(rows) > 0:
        yield Section("map", text("What is kept, and what it costs"), parts=(_drawn(rows, axes, report),))
    yield Section("risk", text("What each release gives away"), parts=(SectionPart(tables=(_table(report, "risk"),)),))
    yield Section(
        "utility",
        text("What each release is still good for"),
        parts=(SectionPart(tables=(_table(report, "utility"),)),),
    )
    yield Section("releases", text("The releases"), parts=(SectionPart(tables=(_facts(report),)),))


@dataclass(frozen=True, slots=True)
class _MapAxes:
    """The axes of the risk-utility map."""

    name: str
    detail: str
    risk: str
    guess: float | None


def _map(report: Comparison) -> tuple[list[dict[str, float | str]], _MapAxes]:
    """Choose the risk that all releases have, and place them."""
    details = [one.detail for one in report.releases[0].numbers if one.name == ROW]
    choices = [
        _MapAxes(ROW, detail, text("{attribute} guessed rightly, group known", attribute=detail), None)
        for detail in details
    ]
    choices += [
        _MapAxes(ATTRIBUTES, detail, text("{attribute} guessed rightly by attributes", attribute=detail), None)
        for detail in details
    ]
    choices.append(_MapAxes("average-risk", "", text("average risk to be found"), None))
    axes = next(
        (one for one in choices if all(r.get(one.name, one.detail).value is not None for r in report.releases)),
        choices[-1],
    )
    guess = report.releases[0].get(GUESS, axes.detail).value if axes.detail else None
    rows: list[dict[str, float | str]] = []
    for release in report.releases:
        lost, risk = release.get("information-loss").value, release.get(axes.name, axes.detail).value
        if lost is not None and risk is not None:
            rows.append({"release": release.facts.name, "kept": 1 - lost, "risk": risk})
    return rows, _MapAxes(axes.name, axes.detail, axes.risk, guess)


def _drawn(rows: list[dict[str, float | str]], axes: _MapAxes, report: Comparison) -> SectionPart:
    from unmask.report import figures  # noqa: PLC0415 - charts take a second to load

    chart = figures.risk_utility(rows, guess=axes.guess, x=text("information kept"), y=axes.risk)
    looks = [figures.attack_look(i) for i in range(len(rows))]
    legend: list[tuple[str, Mark, str]] = [
        (color, mark, str(row["release"])) for (color, mark), row in zip(looks, rows, strict=True)
    ]
    if axes.guess is not None:
        legend.append((figures.BLACK, "line", text("guessed without any release")))
    missing = len(report.releases) - len(rows)
    caption = text(
        "Each release by how much of the information in its quasi-identifiers it keeps, and by "
        "what it gives away. Below and to the right is better. This is one risk of several: the "
        "table below has the others."
    )
    if missing:
        unplaced = plural("{n} release could not be placed.", "{n} releases could not be placed.", missing, n=missing)
        caption = f"{caption} {unplaced}"
    table = ReportTable(
        text("The numbers of the map"),
        ("", text("information kept"), axes.risk),
        tuple(
            Row(
                TableCell(str(row["release"])),
                (TableCell(percent(float(row["kept"]))), TableCell(percent(float(row["risk"])))),
            )
            for row in rows
        ),
    )
    label = text("Map of releases by information kept and by what they give away")
    return SectionPart(figures=(Chart(figures.svg(chart, "map", label), caption, tuple(legend), table),))


def _table(report: Comparison, kind: str) -> ReportTable:
    rows = []
    for one in _rows(report.releases):
        if one.kind != kind:
            continue
        better = text("higher is better") if one.higher_is_better else text("lower is better")
        if kind == "risk":
            better = text("higher is safer") if one.higher_is_better else text("lower is safer")
        cells = [_cell(release.get(*one.key), measure_text(one.name).write) for release in report.releases]
        rows.append(Row(TableCell(_titled(one), better), tuple(cells)))
    names = tuple(release.facts.name for release in report.releases)
    caption = text("Risk") if kind == "risk" else text("Utility")
    return ReportTable(caption, ("", *names), tuple(rows))


def _cell(estimate: Estimate, write: Write) -> TableCell:
    half = "" if write == "people" else half_width(estimate, write)
    return TableCell(_written(estimate, write), half, hint=text(estimate.why))


def _facts(report: Comparison) -> ReportTable:
    rows = []
    for release in report.releases:
        facts = release.facts
        made = "" if facts.sanitizer is None else f"{facts.sanitizer} " + ", ".join(
            f"{key} = {value}" for key, value in facts.parameters.items()
        )  # fmt: skip
        numbers = (text(facts.size_text), count(facts.suppressed), count(facts.n_groups), count(facts.smallest))
        rows.append(
            Row(
                TableCell(facts.name),
                (TableCell(made.strip() or text("not told")), *(TableCell(number) for number in numbers)),
            )
        )
    unit = text(common(one.facts.unit for one in report.releases))
    head = ("", text("made by"), unit, text("left out"), text("groups"), text("smallest group"))
    return ReportTable(text("Releases"), head, tuple(rows), texts=1)
