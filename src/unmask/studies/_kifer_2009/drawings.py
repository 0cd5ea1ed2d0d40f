"""The charts of this study."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.reproduction import Figure
from unmask.studies._kifer_2009.adult_runs import METRICS, TIES
from unmask.studies._kifer_2009.other_ways import LossPoint
from unmask.studies._kifer_2009.table_7 import Runs, reliability
from unmask.wording import text


def table_7(made: Sequence[Figure], found: Runs) -> str:
    """Draw our ranges and the paper's numbers."""
    from unmask.report import figures, study_charts  # noqa: PLC0415 - charts take a second to load

    of = {figure.id: figure for figure in made}
    rows = []
    for ties, l in found:
        for metric in METRICS:
            one = of.get(f"table-7/{ties}/l={l}/{metric.lower()}/pooled")
            if one is not None and one.ours is not None:
                rows.append(
                    {
                        "metric": metric,
                        "where": text("l = {l}, {ties}", l=l, ties=TIES[ties]),
                        "ours": one.ours,
                        "low": one.low,
                        "high": one.high,
                        "paper": one.paper,
                    }
                )
    label = text("Table 7: ranges of ours, and the paper's numbers")
    return study_charts.chart(figures.beside_the_paper(rows), "table-7", label)


def overconfidence(found: Runs) -> str:
    """Draw the reliability diagram: accuracy by posterior."""
    from unmask.report import figures, study_charts  # noqa: PLC0415 - charts take a second to load

    rows = [
        {"attack": text("groups of {l}", l=l), "intruder": text(TIES[ties]), **part}
        for (ties, l), runs in found.items()
        for part in (reliability(runs[0].pooled) if runs else ())
    ]
    return study_charts.chart(
        figures.reliability(rows), "reliability", text("How often beliefs of some strength are right")
    )


def loss(points: Sequence[LossPoint], l: int) -> str:
    """Draw the gain of the attack by information loss."""
    from unmask.report import figures, study_charts  # noqa: PLC0415 - charts take a second to load

    rows = [{"lost": one.loss, "gain": one.right - 1 / l} for one in points]
    label = text("Accuracy above random worlds against information lost")
    return study_charts.chart(figures.gain_by_loss(rows), f"loss-{l}", label)
