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
