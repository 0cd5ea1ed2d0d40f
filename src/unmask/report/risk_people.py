"""Whose disclosure costs something, worst first: keys and numbers, for whoever asks for them by name."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

import numpy as np

from unmask.disclosing import Disclosing
from unmask.risk.burden import RUNGS, by_loss

HEADER = ("person", "loss", "chance", "entries", "dictionary")


def at_risk(found: Disclosing, people: Sequence[str]) -> str:
    """Write who is found with a chance of 1/11 or more where that costs something, by person key, else by line.

    Of several dictionaries and of several records of a person, the one that costs most.
    """
    risks = found.everything.risks
    dearest = np.argmax(np.stack([one.loss for one in risks]), axis=0)
    lines: list[tuple[float, float, int, str, str]] = []
    for t, risk in enumerate(risks):
        order = by_loss(risk)
        here = order[(dearest[order] == t) & (risk.loss[order] > 0)]
        likely = here[risk.chance[here] >= RUNGS["1/11"] * (1 - 1e-9)]
        lines += [
            (float(risk.loss[i]), float(risk.chance[i]), int(risk.count[i]), risk.dictionary, people[i])
            for i in likely.tolist()
        ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    said = set()
    for loss, chance, entries, dictionary, person in sorted(lines, key=lambda line: (-line[0], -line[1])):
        if person not in said:
            said.add(person)
            cost = "infinite" if math.isinf(loss) else f"{loss:.6g}"
            writer.writerow([person, cost, f"{chance:.6g}", entries, dictionary])
    return out.getvalue()
