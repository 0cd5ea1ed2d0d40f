"""The charts of this study: both sides of the paper's figure 1."""

from __future__ import annotations

from unmask.studies._lebanon_2006.bounds import Bounds
from unmask.studies._lebanon_2006.draws import FORMS
from unmask.studies._lebanon_2006.sizes import Sizes

_SAME = {"random": "k at random", "min-risk": "MinRisk", "exact": "least risk"}


def sizes(found: Sizes) -> str:
    """Return a chart of risk by the dictionary's size, a panel for each k and form; rules are equal at every size."""
    from unmask.report import study_charts  # noqa: PLC0415 - charts take a second to load

    rows = [
        {"row": symbol, "panel": f"k = {k}", "line": line, "x": percent, "y": found.mean(form, rule, k, percent)}
        for form, (symbol, _) in FORMS.items()
        for k in found.ks
        for rule, line in _SAME.items()
        for percent in found.percents
    ]
    drawn = study_charts.curves(rows, "percent of the people in the dictionary")
    return study_charts.chart(drawn, "sizes", "Risk by the dictionary's size and the number of attributes disclosed")


def bounds(found: Bounds) -> str:
    """Return a chart of the estimated risk over the true one, a panel for each form and share of missing values."""
    from unmask.report import study_charts  # noqa: PLC0415 - charts take a second to load

    rows = [
        {
            "row": FORMS[one.form][0], "panel": f"{one.blank:.0%} of the true dictionary missing",
            "line": f"entries: {one.times} for each of ours", "x": one.true, "y": one.estimated,
        }
        for one in found.points
    ]  # fmt: skip
    drawn = study_charts.scattered(rows, "true risk", "estimated risk")
    return study_charts.chart(drawn, "bounds", "Estimated risk over true risk; above the line it is an upper bound")
