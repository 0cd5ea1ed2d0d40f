"""The risk against the number of attributes disclosed, as a chart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt

from unmask.decision_risk.assessment import DisclosureAssessment
from unmask.report import figures
from unmask.report.blocks import Chart, Mark, ReportTable, Row, TableCell
from unmask.report.risk import number
from unmask.wording import text

WIDE = 30  # from this ratio on, risks are drawn in powers of ten


def curve(found: DisclosureAssessment) -> Chart:
    """Draw the risk of the rule, and of any choice, by how much is disclosed."""
    rows = list(_points(found))
    finite = [row for row in rows if math.isfinite(row["risk"])]
    lines = list(dict.fromkeys(row["line"] for row in rows))
    looks = [figures.attack_look(i) for i in range(len(lines))]
    legend: tuple[tuple[str, Mark, str], ...] = tuple(
        (color, mark, line) for (color, mark), line in zip(looks, lines, strict=True)
    )
    gone = len(rows) - len(finite)
    caption = text("Risk against the number of attributes that are disclosed of each record. Lower is better.")
    if gone:
        caption = f"{caption} {text('{n} points are infinite, and not drawn.', n=gone)}"
    value = {(row["line"], row["k"]): row["risk"] for row in rows}
    sizes = sorted({row["k"] for row in rows})
    table = ReportTable(
        text("Risk by number of attributes"),
        ("", *lines),
        tuple(Row(TableCell(str(k)), tuple(TableCell(number(value[line, k])) for line in lines)) for k in sizes),
    )
    label = text("Risk against the number of attributes disclosed")
    return Chart(figures.svg(_drawn(finite, lines), "curve", label), caption, legend, table)


def _points(found: DisclosureAssessment) -> Iterator[dict[str, Any]]:
    several = len(found.held) > 1
    for t, held in enumerate(found.held):
        for one, _ in found.curve:
            name = (
                text("{rule}, against {dictionary}", rule=one.rule, dictionary=held.risk.dictionary)
                if several
                else one.rule
            )
            yield {"line": name, "k": one.k, "risk": one.risks[t].value}
    for _, any_k in found.curve:
        yield {"line": text("any, at worst") if several else text("any"), "k": any_k.k, "risk": any_k.worst.value}


def _drawn(rows: Sequence[Mapping[str, Any]], lines: Sequence[str]) -> alt.TopLevelMixin:
    looks = [figures.attack_look(i) for i in range(len(lines))]
    shapes = [mark.replace("triangle", "triangle-up") for _, mark in looks]
    values = [row["risk"] for row in rows]
    powers = bool(values) and min(values) > 0 and max(values) > WIDE * min(values)
    scale = {"type": "log"} if powers else {"domainMin": 0}
    lowest, highest = (math.log10(min(values)), math.log10(max(values))) if powers else (0.0, 0.0)
    steps = [10.0**e for e in range(math.floor(lowest), math.ceil(highest) + 1)]
    tens = alt.Axis(values=steps) if powers else alt.Axis()
    sizes = sorted({row["k"] for row in rows})
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(
        x=alt.X("k:Q").title(text("attributes disclosed of each record")).axis(values=sizes, format="d", grid=False),
        y=alt.Y("risk:Q").scale(**scale).title(text("risk, in powers of ten") if powers else text("risk")).axis(tens),
        color=alt.Color("line:N").scale(domain=lines, range=[color for color, _ in looks]).legend(None),
        shape=alt.Shape("line:N").scale(domain=lines, range=shapes).legend(None),
    )
    return alt.layer(base.mark_line(), base.mark_point(filled=True, size=80, opacity=1)).properties(
        width=480, height=300
    )
