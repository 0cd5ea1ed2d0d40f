"""The chart of this study: the share of disclosed people by k or epsilon, compared with the paper."""

from __future__ import annotations

from unmask.studies._sramka_2010 import printed
from unmask.studies._sramka_2010.mined import VIEWS
from unmask.studies._sramka_2010.runs import FusionTable
from unmask.wording import text


def shares(found: FusionTable, *, grouped: bool) -> str:
    """Return a chart of the share of people disclosed by fusion, with a panel for each scenario and column."""
    from unmask.report import study_charts  # noqa: PLC0415 - charts take a second to load

    rows = []
    for key in found.outcomes:
        attribute, setting = key
        if bool(setting.k) != grouped:
            continue
        for view in VIEWS if grouped else VIEWS[:2]:
            place = {
                "row": f"{attribute}, {setting.edu}" if grouped else attribute,
                "panel": text("percent, {view}", view=text(view) if grouped else view[0]),
                "x": setting.k or setting.epsilon,
            }  # fmt: skip
            share = (found.runs(key, view, "utility") / found.runs(key, view, "ideal")).mean()
            rows.append({**place, "line": text("here"), "y": 100 * float(share)})
            theirs = printed.of(attribute, view[0], "utility", setting.key)
            if theirs is not None:
                rows.append({**place, "line": text("paper"), "y": 100 * theirs / printed.SIZE})
    drawn = study_charts.curves(rows, "k" if grouped else text("epsilon"))
    return study_charts.chart(drawn, "groups" if grouped else "noise", text("Percent of people disclosed by fusion"))
