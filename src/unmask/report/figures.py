"""The charts of the page, as static SVG: nothing is loaded, nothing runs, the same numbers give the same bytes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import altair as alt

from unmask.number_format import separators
from unmask.report.blocks import Mark
from unmask.report.converter import CONVERTER, ConversionError
from unmask.report.interaction import is_interactive
from unmask.unit import Unit
from unmask.visible_text import visible, visible_strings
from unmask.wording import marked, text

MISSING = marked("This chart could not be drawn: {cause}. The table beside it has its numbers.")
"""The text in place of a missing chart, with the cause."""

Rows = Sequence[Mapping[str, Any]]
"""The data of a chart, one row per mark: the same rows fill the table beside it."""

UNJUDGED = marked("believed, rightly or not")
BELIEVED, RIGHT, CONTROL, GUESS = (
    marked("believed, not rightly"),
    marked("believed rightly"),
    marked("control"),
    marked("without the release"),
)
"""The categories that the ladder counts: marked, and translated where a legend shows them."""

BLUE, SKY, ORANGE, BLACK, GRAY = "#0b4f8a", "#8fc1e3", "#c2410c", "#1c1917", "#6b6862"
COLORS: Mapping[str, str] = {RIGHT: BLUE, BELIEVED: SKY, UNJUDGED: SKY, CONTROL: ORANGE, GUESS: BLACK}
ATTACK_COLORS = (BLUE, "#86198f", "#0f766e", "#854d0e", "#be123c", "#4d7c0f")
ATTACK_MARKS: tuple[Mark, ...] = ("circle", "square", "triangle")
"""Shapes by attack, in addition to colors."""

_CONFIG: dict[str, Any] = {
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",
    "aria": False,  # one label for the whole picture, and the table beside it; not a thousand for its marks
    "background": "transparent",
    "padding": {"left": 12, "right": 24, "top": 4, "bottom": 4},
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelColor": "#3f3c37",
        "titleColor": "#3f3c37", "gridColor": "#e4e1da", "domainColor": "#a8a49b", "tickColor": "#a8a49b",
        "labelFlush": False,
    },
    "header": {
        "labelFontSize": 12, "labelFontWeight": "bold", "labelColor": "#1c1917", "labelLimit": 320,
    },
}  # fmt: skip


def svg(chart: alt.TopLevelMixin, prefix: str, label: str) -> str:
    """Return a chart as SVG, with a label for screen readers, and identifiers unique on the page.

    The converter numbers clips and gradients over the lifetime of its process; renamed by chart, they do not depend on
    earlier charts.
    """
    specification = visible_strings(chart.to_dict())  # the converter ends at characters that XML lacks
    named = {"aria": True} if is_interactive() else {}
    specification["config"] = {
        **_CONFIG,
        **_number_locale(),
        **named,
        **specification.get("config", {}),
        "view": {"stroke": None},
    }
    try:
        drawn = CONVERTER.svg(specification)
    except ConversionError as error:
        return f'<p class="note">{escape(visible(text(MISSING, cause=text(str(error)))))}</p>'
    names = list(dict.fromkeys(re.findall(r'\bid="([^"]+)"', drawn)))
    new = {name: f"{prefix}-{i}" for i, name in enumerate(names)}
    drawn = re.sub(r'\bid="([^"]+)"', lambda found: f'id="{new[found[1]]}"', drawn)
    drawn = re.sub(r"url\(#([^)]+)\)", lambda found: f"url(#{new.get(found[1], found[1])})", drawn)
    drawn = re.sub(r'(?:xlink:)?href="#([^"]+)"', lambda found: f'href="#{new.get(found[1], found[1])}"', drawn)
    drawn = re.sub(r'(<(?:g|line)\b[^>]*?) aria-label="[^"]*"', r"\1", drawn)  # of axes, titles and rules
    drawn = re.sub(r'<path\b([^>]*) role="graphics-symbol"', r'<path data-mark=""\1', drawn)
    drawn = re.sub(
        r' xmlns(?::xlink)?="[^"]*"| (?:role|aria-roledescription|aria-hidden|pointer-events)="[^"]*"', "", drawn
    )
    drawn = drawn.replace(' opacity="1"', "").replace(' version="1.1"', "")
    escaped = visible(label).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escaped}" ', 1)


def _number_locale() -> dict[str, Any]:
    """Return how axes write numbers; nothing in English."""
    thousands, decimal = separators()
    if (thousands, decimal) == (",", "."):
        return {}
    return {"locale": {"number": {"decimal": decimal, "thousands": thousands, "grouping": [3], "currency": ["", ""]}}}


def overview(rows: Rows, promised: Rows, attacks: Sequence[str], unit: Unit = Unit.PEOPLE) -> alt.TopLevelMixin:
    """Draw how often the best guess is right: guaranteed bound, prior, control and attacks, a line per question.

    `rows`: {where, what, share}, `what` being the guess without the release, the control or an attack.
    `promised`: {where, share}.
    """
    looks = [attack_look(i) for i in range(len(attacks))]
    colors = [BLACK, ORANGE, *(color for color, _ in looks)]
    shapes = ["circle", "diamond", *(mark.replace("triangle", "triangle-up") for _, mark in looks)]
    kinds = [GUESS, CONTROL, *attacks]
    where = list(dict.fromkeys(row["where"] for row in rows))
    y = alt.Y("where:N").sort(where).title(None)
    y = y.axis(grid=True, labelLimit=340, labelPadding=14, ticks=False, domain=False)
    x = _share("share", text("best guess right: share of {unit}", unit=text(unit)))
    limits = (
        alt.Chart(_data(promised))
        .mark_tick(thickness=3, height=24, color=GRAY, opacity=0.8)
        .encode(x=x, y=y)
    )  # fmt: skip
    points = (
        alt.Chart(_data(rows))
        .mark_point(size=110, strokeWidth=2, opacity=1)
        .encode(
            x=x,
            y=y,
            shape=alt.Shape("what:N").scale(domain=kinds, range=shapes).legend(None),
            stroke=alt.Stroke("what:N").scale(domain=kinds, range=colors).legend(None),
            fill=alt.Fill("what:N").scale(domain=kinds, range=["transparent"] * 2 + colors[2:]).legend(None),
        )
    )
    chart = alt.layer(limits, points).properties(width=480, height={"step": 30})
    roomy: alt.LayerChart = chart.configure(padding={"left": 48, "right": 24})
    return roomy


def attack_look(i: int) -> tuple[str, Mark]:
    """Return color and mark of an attack by its place among the attacks of the report."""
    return ATTACK_COLORS[i % len(ATTACK_COLORS)], ATTACK_MARKS[i % len(ATTACK_MARKS)]


def ladder(rows: Rows, steps: Sequence[str], unit: Unit = Unit.PEOPLE) -> alt.TopLevelMixin:
    """Draw the number of people believed at each level, rightly or not, beside prior and control.

    `rows`: {attack, intruder, step, kind, share, rank}: bars stack, by rank, to all who are believed.
    """
    kinds = list(COLORS)
    color = alt.Color("kind:N").scale(domain=kinds, range=[COLORS[kind] for kind in kinds]).legend(None)
    x = alt.X("step:O").sort(list(steps)).title(text("believed with at least")).axis(labelAngle=0)
    y = _share("share", text("share of {unit}", unit=text(unit)), side="y")
    bars = (
        alt.Chart()
        .mark_bar(width={"band": 0.7})
        .transform_filter(alt.FieldOneOfPredicate(field="kind", oneOf=[RIGHT, BELIEVED, UNJUDGED]))
        .encode(x=x, y=y, color=color, order=alt.Order("rank:Q"))
    )
    ticks = (
        alt.Chart()
        .mark_tick(thickness=3, width={"band": 0.95}, opacity=1)
        .transform_filter(alt.FieldOneOfPredicate(field="kind", oneOf=[CONTROL, GUESS]))
        .encode(x=x, y=y, color=color)
    )
    return _facets(bars + ticks, rows, width=310, height=150)


def reliability(rows: Rows) -> alt.TopLevelMixin:
    """Draw how often beliefs of some strength are right; on the diagonal they may be taken at their word.

    `rows`: {attack, intruder, believed, right, people}.
    """
    both = [{**row, "from": 0, "to": 1} for row in rows]
    diagonal = (
        alt.Chart().mark_rule(color=GRAY, strokeDash=[4, 3]).encode(
            x=alt.X("from:Q"), y=alt.Y("from:Q"), x2="to:Q", y2="to:Q"
        )
    )  # fmt: skip
    points = (
        alt.Chart()
        .mark_point(filled=True, color=BLUE, opacity=0.85)
        .encode(
            x=_share("believed", text("believed")),
            y=_share("right", text("right"), side="y"),
            size=alt.Size("people:Q").scale(range=[25, 160]).legend(None),
        )
    )
    return _facets(diagonal + points, both, width=170, height=170)


def singled_out(rows: Rows, steps: Sequence[str], unit: Unit = Unit.PEOPLE) -> alt.TopLevelMixin:
    """Draw how many people are named rightly at each step.

    `rows`: {attack, intruder, step, share}.
    """
    most = max(row["share"] for row in rows)
    y = alt.Y("share:Q").title(text("share of {unit}", unit=text(unit))).scale(domainMin=0)
    bars = (
        alt.Chart()
        .mark_bar(color=BLUE, width={"band": 0.7})
        .encode(
            x=alt.X("step:O").sort(list(steps)).title(text("named with a chance of at least")).axis(labelAngle=0),
            y=y.axis(
                format=f".{0 if most >= 0.06 else 1 if most >= 0.006 else 2 if most >= 0.0006 else 3}~%", tickCount=4
            ),
        )
    )
    return _facets(bars, rows, width=310, height=150)


def composition(rows: Rows, steps: Sequence[str], unit: Unit = Unit.PEOPLE) -> alt.TopLevelMixin:
    """Draw the numbers of people exposed by one release, and only by several together.

    `rows`: {attack, intruder, step, kind, people, rank}.
    """
    kinds = list(dict.fromkeys(row["kind"] for row in sorted(rows, key=lambda row: row["rank"])))
    bars = (
        alt.Chart()
        .mark_bar()
        .encode(
            y=alt.Y("step:O").sort(list(steps)).title(text("believed with at least")),
            x=alt.X("people:Q").title(text(unit)).axis(format=",d", tickCount=4),
            color=alt.Color("kind:N").scale(domain=kinds, range=[SKY, BLUE]).legend(None),
            order=alt.Order("rank:Q"),
        )
    )
    return _facets(bars, rows, width=310, height=30 * len(steps))


def risk_utility(rows: Rows, *, guess: float | None, x: str, y: str, is_loss: bool = False) -> alt.TopLevelMixin:
    """Draw releases by kept information and risk: best is below on the right; by what they lose, below on the left.

    `rows`: {release, kept, risk}; `guess` is what is given away without any release. The axes end near the data, that
    of kept information at 1.
    """
    releases = [row["release"] for row in rows]
    looks = [attack_look(i) for i in range(len(releases))]
    shapes = [mark.replace("triangle", "triangle-up") for _, mark in looks]
    least = min((row["kept"] for row in rows), default=0.0)
    most = max([row["risk"] for row in rows] + [guess or 0.0])
    first, last = max(0.0, math.floor(least * 10 - 0.5) / 10), 1.0
    if is_loss:
        first, last = 0.0, axis_end(max((row["kept"] for row in rows), default=0.0))
    highest = min(1.0, axis_end(most))
    across = alt.X("kept:Q").scale(domain=[first, last], nice=False, clamp=True)
    up = alt.Y("risk:Q").scale(domain=[0, highest], nice=False)
    across = across.title(x).axis(format=_percents(last - first), tickCount=6)
    up = up.title(y).axis(format=_percents(highest), tickCount=6)
    base = alt.Chart(_data(rows)).encode(x=across, y=up)
    points = base.mark_point(size=150, strokeWidth=2, opacity=1, filled=True).encode(
        shape=alt.Shape("release:N").scale(domain=releases, range=shapes).legend(None),
        color=alt.Color("release:N").scale(domain=releases, range=[color for color, _ in looks]).legend(None),
    )
    layers = [points]
    if guess is not None:
        layers.insert(0, alt.Chart(_data([{"risk": guess}])).mark_rule(color=BLACK, strokeDash=[4, 3]).encode(y=up))
    return alt.layer(*layers).properties(width=480, height=300)


def axis_end(most: float) -> float:
    """Return where an axis of shares ends whose largest value is `most`: at a round number just above it.

    >>> axis_end(0.031), axis_end(0.2), axis_end(0.0), axis_end(1.7)
    (0.04, 0.3, 0.001, 2.0)
    """
    steps = (step * 10.0**power for power in range(-3, 12) for step in (1, 1.5, 2, 3, 4, 5, 6, 8))
    return next((round(step, 9) for step in steps if step >= most * 1.05), most)


def _percents(span: float) -> str:
    """Return the format of about six ticks of shares over a span."""
    return ".0%" if span >= 0.05 else ".1%" if span >= 0.005 else ".2%"


def beside_the_paper(rows: Rows) -> alt.TopLevelMixin:
    """Draw a study's numbers with their ranges beside the paper's, a panel for each metric.

    `rows`: {metric, where, ours, low, high, paper}.
    """
    where = list(dict.fromkeys(row["where"] for row in rows))
    panels = []
    for metric in dict.fromkeys(row["metric"] for row in rows):
        here = [row for row in rows if row["metric"] == metric]
        base = alt.Chart(_data(here)).encode(
            y=alt.Y("where:N").sort(where).title(None).axis(grid=True, labelLimit=240, ticks=False, domain=False)
        )
        x = alt.X("low:Q").title(metric).scale(zero=False)
        bars = base.mark_rule(color=SKY, strokeWidth=6).encode(x=x, x2="high:Q")
        ours = base.mark_point(filled=True, size=70, color=BLUE, opacity=1).encode(x="ours:Q")
        known = alt.Chart(_data([row for row in here if row["paper"] is not None]))
        paper = known.mark_point(shape="diamond", size=110, strokeWidth=2, stroke=ORANGE, opacity=1).encode(
            x="paper:Q", y=alt.Y("where:N").sort(where)
        )
        panels.append(alt.layer(bars, ours, paper).properties(width=170, height={"step": 30}))
    drawn: alt.HConcatChart = alt.hconcat(*panels)
    return drawn


def gain_by_loss(rows: Rows) -> alt.TopLevelMixin:
    """Draw the gain of an attack against the information loss.

    `rows`: {lost, gain}.
    """
    drawn: alt.Chart = (
        alt.Chart(_data(rows))
        .mark_point(filled=True, size=70, color=BLUE, opacity=0.8)
        .encode(
            x=_share("lost", text("information lost (NCP)")),
            y=alt.Y("gain:Q").title(text("accuracy above random worlds")).axis(format=".0%"),
        )
        .properties(width=480, height=300)
    )
    return drawn


def _share(name: str, title: str, side: str = "x") -> Any:  # noqa: ANN401 - an x or a y
    channel = alt.X if side == "x" else alt.Y
    return (
        channel(f"{name}:Q")
        .scale(domain=[0, 1], nice=False)
        .title(title)
        .axis(format=".0%", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    )


def _facets(chart: Any, rows: Rows, *, width: int, height: int) -> alt.TopLevelMixin:  # noqa: ANN401 - layered or not
    """Put a panel for each intruder beside each other, for each attack below each other."""
    named = [{**row, "panel": f"{row['attack']} · {row['intruder']}"} for row in rows]
    attacks = list(dict.fromkeys(row["attack"] for row in rows))
    intruders = list(dict.fromkeys(row["intruder"] for row in rows))
    panels = [f"{attack} · {intruder}" for attack in attacks for intruder in intruders]
    fit = 800 // (width + 60)
    columns = max(n for n in range(1, fit + 1) if len(intruders) % n == 0) if len(intruders) > 1 else fit
    facet = alt.Facet("panel:N").sort(panels).title(None).header(labelAnchor="start", labelPadding=8)
    faceted: alt.FacetChart = chart.properties(width=width, height=height).facet(
        facet=facet, columns=columns, data=_data(named)
    )
    return faceted.properties(spacing=46)


def _data(rows: Rows) -> alt.InlineData:
    return alt.InlineData(values=[dict(row) for row in rows])
