"""Draws docs/images/what-noise-leaves.svg from the table of the page, so that both show the same numbers.

Run `python -m tests.docs.noise_figure` after the table changes.
"""

from __future__ import annotations

import re
from pathlib import Path

import altair as alt

from unmask.report.figures import BLUE, GRAY, ORANGE, svg

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "explanation" / "what-noise-leaves.md"
FIGURE = DOCS / "images" / "what-noise-leaves.svg"
KINDS = ("one release", "two releases")


def rows() -> list[dict[str, float | str]]:
    """Return a row for each number of the table: epsilon (as text), how many releases, gap, its interval, ceiling."""
    result: list[dict[str, float | str]] = []
    for line in re.findall(r"^\| (exact|[\d.]+) \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        cells = line[1].split(" | ")
        for i, kind in enumerate(KINDS):
            gap, half = map(float, cells[2 * i].split(" ± "))
            ceiling = 1.0 if cells[2 * i + 1] == "none" else float(cells[2 * i + 1])
            result.append({"epsilon": line[0], "kind": kind, "gap": gap, "low": max(gap - half, 0.0),
                           "high": gap + half, "ceiling": min(ceiling, 0.13)})  # fmt: skip
    return result


def drawn() -> str:
    """Return the figure: gaps with their intervals, and ceilings where they are low enough to be seen."""
    data = alt.Data(values=rows())
    x = alt.X(
        "epsilon:N", sort=["0.1", "0.5", "1", "5", "exact"], title="ε of each release", axis=alt.Axis(labelAngle=0)
    )
    side = alt.XOffset("kind:N", sort=list(KINDS))
    color = alt.Color("kind:N", scale=alt.Scale(domain=list(KINDS), range=[BLUE, ORANGE]), title=None)
    height = alt.Scale(domain=[0, 0.13])
    bars = (
        alt.Chart(data).mark_bar().encode(x=x, xOffset=side, y=alt.Y("gap:Q", title="gap", scale=height), color=color)
    )
    spread = alt.Chart(data).mark_rule(color="#1c1917").encode(x=x, xOffset=side, y="low:Q", y2="high:Q")
    ceilings = (
        alt.Chart(data)
        .transform_filter("datum.ceiling < 0.13")
        .mark_tick(color=GRAY, thickness=2, width=18)
        .encode(x=x, xOffset=side, y="ceiling:Q")
    )
    label = "How much more often the occupation of a person is guessed with the own record in the data"
    inline = svg((bars + spread + ceilings).properties(width=420, height=240), "noise", label)
    return inline.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"  # a file of its own


if __name__ == "__main__":
    FIGURE.write_text(drawn(), encoding="utf-8")
