"""What was measured of each release, as a file."""

from __future__ import annotations

from unmask.csv_writing import Rows
from unmask.studies._cormode_2010.groups import SENSITIVE
from unmask.studies._cormode_2010.risks import ERRORS, MEASURES, Found


def releases(found: Found) -> str:
    """Return a line for each release."""
    asked = [f"query-error-{name}" for name in ERRORS]
    rows = Rows(("bounded", "order", "l", "p", "coin", "release", "groups", *MEASURES, "unsettled", *asked))
    for way, one in found.items():
        for number, run in enumerate(one.runs):
            told = [f"{what(run):.6g}" for _, what in MEASURES.values()]
            quality = [f"{run.quality[name]:.6g}" if run.quality else "" for name in ERRORS]
            coin = way.coin if way.p else ""
            place = (way.positive or SENSITIVE, way.order, way.l, f"{way.p:g}", coin, number, run.n_groups)
            rows.add((*place, *told, f"{run.unsettled:.6g}", *quality))
    return rows.text
