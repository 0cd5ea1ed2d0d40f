"""The chart of this study."""

from __future__ import annotations

from collections.abc import Mapping

from unmask.studies._ganta_2008.severity import SchemeSeries
from unmask.wording import text


def breaches(found: Mapping[tuple[str, str, int], SchemeSeries]) -> str:
    """Draw the share of people disclosed with certainty, by k: by one release alone, and only by both together."""
    from unmask.report import study_charts  # noqa: PLC0415 - charts take a second to load

    rows = []
    for (_, _, k), one in found.items():
        already = float(one.percent(1.0, already=True).mean())
        both = float(one.percent(1.0).mean())
        for rank, (kind, percent) in enumerate(
            ((text("one release says so"), already), (text("only both do"), both - already))
        ):
            rows.append({
                "population": text(one.population), "scheme": text(one.scheme.title), "k": k, "kind": kind,
                "percent": percent, "rank": rank,
            })  # fmt: skip
    drawn = study_charts.stacked_by_size(rows, text("known for sure, in percent"))
    return study_charts.chart(drawn, "breaches", text("People known for sure, in percent, by k"))
