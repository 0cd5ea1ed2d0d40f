"""Files with the measurements of each run."""

from __future__ import annotations

from unmask.csv_writing import Rows
from unmask.studies._lebanon_2006.bounds import Bounds
from unmask.studies._lebanon_2006.sizes import Sizes


def sizes(found: Sizes) -> str:
    """Return a line for each run, form, rule, k and size."""
    rows = Rows(("run", "form", "rule", "k", "percent", "risk"))
    for number, run in enumerate(found.runs):
        rows.extend((number, *at, f"{value:.9g}") for at, value in run.risk.items())
    return rows.text


def bounds(found: Bounds) -> str:
    """Return a line for each point."""
    rows = Rows(("run", "form", "k", "times", "blank", "estimated", "true", "losses-above", "conditions-hold"))
    for one in found.points:
        place = (one.run, one.form, one.k, one.times, f"{one.blank:g}")
        holds = "no" if one.fails else "yes"
        rows.add((*place, f"{one.estimated:.9g}", f"{one.true:.9g}", one.losses, holds))
    return rows.text
