"""Benefit of choosing attributes: MinRisk and a random rule, compared with the least possible risk."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unmask.arrays import Float64
from unmask.number_format import numeral
from unmask.reproduction import Figure, Listing, around
from unmask.studies._lebanon_2006.draws import FORMS
from unmask.studies._lebanon_2006.sizes import Sizes
from unmask.wording import marked, message

_AT = {"min-risk": "MinRisk", "random": message("k at random")}


def ratio(found: Sizes, form: str, rule: str, k: int) -> Float64:
    """Return a rule's risk as a multiple of the least one, for the largest dictionary, (runs,)."""
    last = found.percents[-1]
    return found.each(form, rule, k, last) / found.each(form, "exact", k, last)


def figures(found: Sizes) -> Iterator[Figure]:
    """Yield each rule's risk as a multiple of the least one, and the share of records where MinRisk reaches it."""
    for form, (symbol, _) in FORMS.items():
        for k in _chosen(found):
            for rule, says in _AT.items():
                runs = ratio(found, form, rule, k)
                yield Figure.ranged(
                    f"choice/{form}/k={k}/{rule}",
                    message(
                        "{symbol}, k = {k}: risk of {says}, times the least there is", symbol=symbol, k=k, says=says
                    ),
                    float(runs.mean()),
                    around(runs),
                    None,
                )
            best = best_for(found, form, k)
            yield Figure.ranged(
                f"choice/{form}/k={k}/best-for",
                message("{symbol}, k = {k}: records for which MinRisk costs the least, in percent", symbol=symbol, k=k),
                float(best.mean()),
                around(best),
                None,
            )


def best_for(found: Sizes, form: str, k: int) -> Float64:
    """Return the percentage of records for which MinRisk has the least risk, (runs,)."""
    return np.array([100 * run.as_good[form, k] for run in found.runs])


def listing(found: Sizes) -> Listing:
    """Return the figures as a table."""
    rows = [
        (f"{symbol}, k = {k}", *(numeral(float(ratio(found, form, rule, k).mean()), ".2f") for rule in _AT),
         message("{n} %", n=numeral(float(best_for(found, form, k).mean()), ".0f")))
        for form, (symbol, _) in FORMS.items()
        for k in _chosen(found)
    ]  # fmt: skip
    head = (marked("times the least risk"), *_AT.values(), marked("MinRisk is least for"))
    remark = marked(
        "MinRisk takes attributes for independent and harms for multiplied (Φ5); the least risk assumes neither"
    )
    return Listing(marked("What choosing is worth, against the largest dictionary"), head, tuple(rows), remark)


def _chosen(found: Sizes) -> tuple[int, ...]:
    return tuple(k for k in found.ks if k < found.m)
