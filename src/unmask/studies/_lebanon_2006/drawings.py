"""The charts of this study: both sides of the paper's figure 1."""

from __future__ import annotations

from unmask.number_format import numeral
from unmask.studies._lebanon_2006.bounds import Bounds
from unmask.studies._lebanon_2006.draws import FORMS
from unmask.studies._lebanon_2006.sizes import Sizes
from unmask.wording import marked, text

_SAME = {"random": marked("k at random"), "min-risk": "MinRisk", "exact": marked("least risk")}


def sizes(found: Sizes) -> str:
    """Return a chart of risk by the dictionary's size, a panel for each k and form; rules are equal at every size."""
    from unmask.report import study_charts  # noqa: PLC0415 - charts take a second to load

    rows = [
        {"row": symbol, "panel": f"k = {k}", "line": text(line), "x": percent, "y": found.mean(form, rule, k, percent)}
        for form, (symbol, _) in FORMS.items()
        for k in found.ks
        for rule, line in _SAME.items()
        for percent in found.percents
    ]
    drawn = study_charts.curves(rows, text("percent of the people in the dictionary"))
    return study_charts.chart(
        drawn, "sizes", text("Risk by the dictionary's size and the number of attributes disclosed")
    )


def bounds(found: Bounds) -> str:
    """Return a chart of the estimated risk over the true one, a panel for each form and share of missing values."""
    from unmask.report import study_charts  # noqa: PLC0415 - charts take a second to load

    rows = [
        {
            "row": FORMS[one.form][0],
            "panel": text("{blank} of the true dictionary missing", blank=numeral(one.blank, ".0%")),
            "line": text("entries: {times} for each of ours", times=one.times),
            "x": one.true,
            "y": one.estimated,
        }
        for one in found.points
    ]
    drawn = study_charts.scattered(rows, text("true risk"), text("estimated risk"))
    return study_charts.chart(
        drawn, "bounds", text("Estimated risk over true risk; above the line it is an upper bound")
    )
