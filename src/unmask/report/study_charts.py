"""Charts of studies, as files of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from unmask.report import figures


def chart(drawn: alt.TopLevelMixin, name: str, label: str) -> str:
    """Return a chart that can be opened as a file: inside of a page it needs no name of its language."""
    text = figures.svg(drawn, name, label)
    return text.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"


def stacked_by_size(rows: Sequence[Mapping[str, Any]], title: str) -> alt.TopLevelMixin:
    """Draw bars by k, a panel for each way to publish and population.

    `rows`: {population, scheme, k, kind, percent, rank}.
    """
    kinds = list(dict.fromkeys(row["kind"] for row in sorted(rows, key=lambda row: row["rank"])))
    bars = (
        alt.Chart(alt.InlineData(values=[dict(row) for row in rows]))
        .mark_bar()
        .encode(
            x=alt.X("k:O").title("k").axis(labelAngle=0),
            y=alt.Y("percent:Q").title(title),
            color=alt.Color("kind:N").scale(domain=kinds, range=[figures.SKY, figures.BLUE]).title(None),
            order=alt.Order("rank:Q"),
        )
        .properties(width=220, height=170)
    )
    drawn: alt.FacetChart = bars.facet(
        row=alt.Row("population:N").title(None).sort(None), column=alt.Column("scheme:N").title(None).sort(None)
    )
    return drawn


def curves(rows: Sequence[Mapping[str, Any]], x: str) -> alt.TopLevelMixin:
    """Draw lines through points, a panel for each kind of number, below each other for each case.

    `rows`: {row, panel, line, x, y}.
    """
    lines, panels, cases = (list(dict.fromkeys(row[name] for row in rows)) for name in ("line", "panel", "row"))
    looks = [figures.attack_look(i) for i in range(len(lines))]
    shapes = [mark.replace("triangle", "triangle-up") for _, mark in looks]
    base = alt.Chart().encode(
        x=alt.X("x:Q").title(x).scale(zero=False, nice=False),
        y=alt.Y("y:Q").title(None).scale(zero=True),
        color=alt.Color("line:N").scale(domain=lines, range=[color for color, _ in looks]).title(None),
        shape=alt.Shape("line:N").scale(domain=lines, range=shapes).title(None),
    )
    drawn: alt.FacetChart = (
        alt.layer(base.mark_line(), base.mark_point(filled=True, size=45, opacity=1))
        .properties(width=200, height=185)
        .facet(
            data=alt.InlineData(values=[dict(row) for row in rows]),
            row=alt.Row("row:N").title(None).sort(cases),
            column=alt.Column("panel:N").title(None).sort(panels),
        )
        .resolve_scale(y="independent")
    )
    return drawn


def scattered(rows: Sequence[Mapping[str, Any]], x: str, y: str) -> alt.TopLevelMixin:
    """Draw points above and below the line y = x, on logarithmic scales, a panel for each row and kind.

    `rows`: {row, panel, line, x, y}, all above 0.
    """
    lines, panels, cases = (list(dict.fromkeys(row[name] for row in rows)) for name in ("line", "panel", "row"))
    looks = [figures.attack_look(i) for i in range(len(lines))]
    shapes = [mark.replace("triangle", "triangle-up") for _, mark in looks]
    scale = alt.Scale(type="log", nice=False, padding=8)
    base = alt.Chart()
    seen = base.mark_point(filled=True, size=30, opacity=0.8).encode(
        x=alt.X("x:Q").title(x).scale(scale).axis(grid=False),
        y=alt.Y("y:Q").title(y).scale(scale).axis(grid=False),
        color=alt.Color("line:N").scale(domain=lines, range=[color for color, _ in looks]).title(None),
        shape=alt.Shape("line:N").scale(domain=lines, range=shapes).title(None),
    )
    equal = base.mark_line(color=figures.GRAY, strokeDash=[4, 3]).encode(x=alt.X("x:Q"), y=alt.Y("x:Q"))
    drawn: alt.FacetChart = (
        alt.layer(equal, seen)
        .properties(width=260, height=220)
        .facet(
            data=alt.InlineData(values=[dict(row) for row in rows]),
            row=alt.Row("row:N").title(None).sort(cases),
            column=alt.Column("panel:N").title(None).sort(panels),
        )
        .resolve_scale(x="independent", y="independent")
    )
    return drawn
