"""Draws docs/images/ladder-*.svg from the beliefs that the page of the ladder shows, so that both say the same.

Run `python -m tests.docs.ladder_figures` after the page changes.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import altair as alt

from unmask.report.figures import BLACK, BLUE
from unmask.report.study_charts import chart
from unmask.studies._cormode_2010 import drawings

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "tutorial" / "the-ladder.md"
IMAGES = DOCS / "images"

FIGURES = {
    "ladder-linking": {
        "by-birth": "knows the date of birth",
        "by-sex": "and the sex",
        "by-zip": "and the postcode",
    },
    "ladder-two-ways": {"generalized-beliefs": "cells generalized", "shuffled-beliefs": "salaries shuffled"},
    "ladder-homogeneity": {"alike-beliefs": "one value in a group", "diverse-beliefs": "two values in a group"},
    "ladder-minimality": {"list-beliefs": "reads the group's list", "rule-beliefs": "knows the rule"},
}
"""By figure: files of beliefs that the page shows, and what is written above them."""


def beliefs(page: str, file: str) -> list[dict[str, str | float]]:
    """Return what the page shows of a file of beliefs."""
    block = re.search(rf"^\$ cat {file}\.csv\n(person,attribute.*?)^(?:\$|```)", page, re.MULTILINE | re.DOTALL)
    assert block, f"the page must show {file}.csv"
    lines = [line.split(",") for line in block[1].splitlines()[1:]]
    return [{"person": who, "value": value, "p": float(p)} for who, _, value, p, _ in lines]


def drawn(name: str) -> str:
    """Return a figure: a square for each person and salary, darker the more firmly it is believed."""
    page = PAGE.read_text(encoding="utf-8")
    panels = FIGURES[name]
    rows = [
        {**one, "panel": title, "said": str(Fraction(float(one["p"])).limit_denominator(12))}
        for file, title in panels.items()
        for one in beliefs(page, file)
    ]
    values = [f"{n}000" for n in range(50, 80, 5) if any(row["value"] == f"{n}000" for row in rows)]
    people = list(dict.fromkeys(str(row["person"]) for row in rows))
    base = alt.Chart().encode(
        x=alt.X("value:N").scale(domain=values).title(None).axis(labelAngle=0, orient="top", ticks=False, domain=False),
        y=alt.Y("person:N").sort(people).title(None).axis(ticks=False, domain=False),
    )
    squares = base.mark_rect(stroke="white", strokeWidth=2).encode(
        color=alt.Color("p:Q").scale(domain=[0, 1], range=["#eef4f9", BLUE]).legend(None)
    )
    said = base.mark_text(fontSize=12).encode(
        text="said:N",
        color=alt.when("datum.p > 0.6").then(alt.value("white")).otherwise(alt.value(BLACK)),
    )
    shown = (
        alt.layer(squares, said)
        .properties(width=50 * len(values), height=30 * len(people))
        .facet(data=alt.InlineData(values=rows), column=alt.Column("panel:N").sort(list(panels.values())).title(None))
    ).properties(spacing=40)
    label = "How firmly each salary is believed of each person: " + "; ".join(panels.values())
    return chart(shown, name, label)


if __name__ == "__main__":
    for figure in FIGURES:
        (IMAGES / f"{figure}.svg").write_text(drawn(figure), encoding="utf-8")
    (IMAGES / "ladder-bound.svg").write_text(drawings.bound(), encoding="utf-8")
