"""The charts of this study."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.sanitizers.greedy_rule.first_bucket import p_b1
from unmask.studies._cormode_2010.bound import COINS
from unmask.studies._cormode_2010.groups import MARGINS, GroupingSeries
from unmask.studies._cormode_2010.risks import SeriesByWay, errors
from unmask.wording import text

_DRAWN = (2, 3, 4, 5, 6, 8)

_MOST = 12
"""The largest groups in the chart, in multiples of l."""


def bound() -> str:
    """Draw p(b1) by group size."""
    from unmask.report import study_charts  # noqa: PLC0415 - charts take a second to load

    rows = [
        {"row": "", "panel": text("believed of the first l people"), "line": f"l = {l}", "x": m, "y": p_b1(l, m)}
        for l in _DRAWN
        for m in range(1, _MOST + 1)
    ]
    drawn = study_charts.curves(rows, text("people in the group, in multiples of l"))
    return study_charts.chart(
        drawn,
        "bound",
        text("p(b1), how firmly the first l people are believed to have a value, by their group's size"),
    )


def levels(found: SeriesByWay) -> str:
    """Draw the share of vulnerable people, and the risk factor, by l."""
    from unmask.report import study_charts  # noqa: PLC0415 - charts take a second to load

    rows = [
        {"row": "", "panel": panel, "line": text(one.way.subject), "x": way.l, "y": y}
        for way, one in found.items()
        if not way.p
        for panel, y in _risks(one).items()
    ]
    return study_charts.chart(study_charts.curves(rows, "l"), "levels", text("Vulnerable people and risk factor by l"))


def merging(found: SeriesByWay) -> str:
    """Draw the same by p, for both interpretations of merging."""
    from unmask.report import study_charts  # noqa: PLC0415 - charts take a second to load

    rows = [{**place, "panel": panel, "y": y} for place, one in _thrown(found) for panel, y in _risks(one).items()]
    label = text("Vulnerable people and risk factor by the probability of merging")
    return study_charts.chart(study_charts.curves(rows, "p"), "merging", label)


def usefulness(found: SeriesByWay) -> str:
    """Draw group sizes and errors of counts by p, for both interpretations of merging."""
    from unmask.report import study_charts  # noqa: PLC0415 - charts take a second to load

    rows = []
    for place, one in _thrown(found):
        rows.append({**place, "panel": text("people in a group"), "y": one.mean(lambda run: run.size)})
        rows += [
            {**place, "panel": panel, "y": float(errors(one, name).mean())}
            for name, panel in (("mean", text("mean error of a count")), ("maximum", text("maximum error of a count")))
        ]
    label = text("Group sizes and errors of counts by the probability of merging")
    return study_charts.chart(study_charts.curves(rows, "p"), "usefulness", label)


def _risks(one: GroupingSeries) -> dict[str, float]:
    return {
        text("percent with more than 1/l"): 100 * one.mean(lambda run: run.vulnerable(MARGINS[0])),
        text("percent with more than 1.5/l"): 100 * one.mean(lambda run: run.vulnerable(MARGINS[1])),
        text("largest belief, times l"): one.mean(lambda run: run.factor),
    }


def _thrown(found: SeriesByWay) -> Iterator[tuple[dict[str, str | float], GroupingSeries]]:
    """Yield the chart position of each series with a coin; series without one begin the line of either coin."""
    thrown = {(way.positive, way.order, way.l, way.coin) for way in found if way.p}
    for way, one in found.items():
        for coin in (way.coin,) if way.p else COINS:
            if (way.positive, way.order, way.l, coin) in thrown and way.p < 1:
                line = text("a coin per {coin}", coin=COINS[coin])
                yield {"row": text(way.subject), "line": line, "x": way.p}, one
