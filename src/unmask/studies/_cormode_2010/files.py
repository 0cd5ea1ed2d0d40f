"""The CSV file of measures by release."""

from __future__ import annotations

from unmask.csv_writing import Rows
from unmask.studies._cormode_2010.groups import SENSITIVE
from unmask.studies._cormode_2010.risks import ERRORS, MEASURES, SeriesByWay


def releases(found: SeriesByWay) -> str:
    """Return a line for each release."""
    asked = [f"query-error-{name}" for name in ERRORS]
    rows = Rows(("bounded", "order", "l", "p", "coin", "release", "groups", *MEASURES, "unsettled", *asked))
    for way, one in found.items():
        for number, run in enumerate(one.runs):
            measured = [f"{what(run):.6g}" for _, what in MEASURES.values()]
            quality = [f"{run.quality[name]:.6g}" if run.quality else "" for name in ERRORS]
            coin = way.coin if way.p else ""
            place = (way.positive or SENSITIVE, way.order, way.l, f"{way.p:g}", coin, number, run.n_groups)
            rows.add((*place, *measured, f"{run.unsettled:.6g}", *quality))
    return rows.text
