"""The list of people at risk, highest loss first: keys and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unmask.csv_writing import Rows
from unmask.decision_risk.assessment import DisclosureAssessment
from unmask.decision_risk.risk_distribution import bearers
from unmask.risk_levels import AT_RISK

HEADER = ("person", "loss", "chance", "entries", "dictionary")


def at_risk(found: DisclosureAssessment, people: Sequence[str]) -> str:
    """Return the people with the largest losses, by person key, else by line.

    Listed are people with a value that must never be disclosed, people who bear half of the risk against some
    dictionary, and people with a positive loss and an identification probability of 1/11 or more.

    Of several dictionaries and of several records of a person, the one with the largest loss counts.
    """
    risks = found.everything.risks
    dearest = np.argmax(np.stack([one.loss for one in risks]), axis=0)
    heavy = np.stack([bearers(one) for one in risks]).any(axis=0)
    lines: list[tuple[float, float, int, str, str]] = []
    for t, risk in enumerate(risks):
        listed = (risk.chance >= AT_RISK * (1 - 1e-9)) | np.isinf(risk.loss) | heavy
        here = np.flatnonzero(listed & (dearest == t) & (risk.loss > 0))
        lines += [
            (float(risk.loss[i]), float(risk.chance[i]), int(risk.count[i]), risk.dictionary, people[i])
            for i in here.tolist()
        ]
    rows = Rows(HEADER)
    seen_people = set()
    for loss, chance, entries, dictionary, person in sorted(lines, key=lambda line: (-line[0], -line[1])):
        if person not in seen_people:
            seen_people.add(person)
            cost = "infinite" if math.isinf(loss) else f"{loss:.6g}"
            rows.add([person, cost, f"{chance:.6g}", entries, dictionary])
    return rows.text
