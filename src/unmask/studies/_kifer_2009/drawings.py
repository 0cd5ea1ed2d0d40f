"""The charts of this study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unmask.reproduction import Figure
from unmask.studies._kifer_2009.adult_runs import METRICS
from unmask.studies._kifer_2009.other_ways import Shown
from unmask.studies._kifer_2009.table_7 import Runs, reliability


def table_7(made: Sequence[Figure], found: Runs) -> str:
    """Draw our ranges with the paper's numbers in them."""
    from unmask.report import figures  # noqa: PLC0415 - charts take a second to load

    of = {figure.id: figure for figure in made}
    rows = []
    for ties, l in found:
        for metric in METRICS:
            one = of.get(f"table-7/{ties}/l={l}/{metric.lower()}/pooled")
            if one is not None and one.ours is not None:
                rows.append({
                    "metric": metric, "where": f"l = {l}, {ties} ties", "ours": one.ours, "low": one.low,
                    "high": one.high, "paper": one.paper,
                })  # fmt: skip
    label = "Table 7: ranges of ours, and the paper's numbers"
    return _alone(figures.svg(figures.beside_the_paper(rows), "table-7", label))


def overconfidence(found: Runs) -> str:
    """Draw how often beliefs of some strength are right."""
    from unmask.report import figures  # noqa: PLC0415 - charts take a second to load

    rows = [
        {"attack": f"groups of {l}", "intruder": f"{ties} ties", **part}
        for (ties, l), runs in found.items()
        for part in (reliability(runs[0].pooled) if runs else ())
    ]
    return _alone(figures.svg(figures.reliability(rows), "reliability", "How often beliefs of some strength are right"))


def loss(shown: Sequence[Shown], l: int) -> str:
    """Draw what the attack gains against what is kept of the information."""
    from unmask.report import figures  # noqa: PLC0415 - charts take a second to load

    rows = [{"lost": one.loss, "gain": one.right - 1 / l} for one in shown]
    label = "Accuracy above random worlds against information lost"
    return _alone(figures.svg(figures.gain_by_loss(rows), f"loss-{l}", label))


def _alone(drawn: str) -> str:
    """Return a chart that can be opened as a file: inside of a page it needs no name of its language."""
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"


def csv_of(made: Sequence[Figure]) -> str:
    """Write all figures as a table."""
    return "\n".join(_lines(made)) + "\n"


def _lines(made: Sequence[Figure]) -> Iterator[str]:
    yield "id,says,paper,ours,low,high,verdict,note"
    for one in made:
        cells = (one.id, one.says, one.paper, one.ours, one.low, one.high, one.verdict, one.note)
        yield ",".join(_quoted("" if cell is None else str(cell)) for cell in cells)


def _quoted(text: str) -> str:
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(letter in text for letter in ',"\n') else text
