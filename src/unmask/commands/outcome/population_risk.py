"""The population risk of people as JSON, and as a list of the people at risk."""

from __future__ import annotations

import numpy as np

from unmask.commands.inputs.sampled_people import SampledPeople
from unmask.csv_writing import Rows
from unmask.documents.population_risk import CountEstimateJson, PeopleRiskJson, PopulationRiskJson
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.numerics.rounding import TOLERANCE
from unmask.population.attackers import RiskOfPeople
from unmask.risk_levels import AT_RISK, SMALLEST_GROUPS
from unmask.wording import message


def at_risk(people: SampledPeople) -> str:
    """Write the people at risk, highest risk first: keys and numbers, no values."""
    risk = people.risk
    names = people.names()
    if len(names) != risk.keys.number.size:
        msg = message("people at risk must be rows that can be named; this release publishes groups without rows")
        raise InvalidInputError(msg)
    alone, found, scores, disclosure = map(risk.worst, (risk.alone, risk.risk, risk.scores, risk.disclosure))
    at = np.flatnonzero(alone > AT_RISK * (1 + TOLERANCE))
    order = at[np.lexsort((at, -scores[at], -found[at], -alone[at]))]
    kept = np.flatnonzero(risk.person >= 0)
    row_of = kept[np.unique(risk.person[kept], return_index=True)[1]]  # of each person, the first
    rows = Rows(["person", "prosecutor", "journalist", "suda2", "dis"])
    known = bool(risk.known_by)
    for person in order.tolist():
        journalist = f"{found[person]:.6g}" if known else ""
        special = ("", "") if risk.special is None else (f"{scores[person]:g}", f"{disclosure[person]:.6g}")
        numbers = (f"{alone[person]:.6g}", journalist, *special)
        rows.add([names[row_of[person]], *numbers])
    return rows.text


def as_json(people: SampledPeople) -> PopulationRiskJson:
    """Return all numbers except those of single people; an undefined number is null, with the reason."""
    risk, unique = people.risk, people.risk.uniqueness
    households = risk.households
    known = bool(risk.known_by)
    return {
        "attributes": list(people.attributes),
        "unit": people.unit,
        "people": risk.n,
        "population": _json(risk.population_size),
        "known_by": risk.known_by or None,
        "prosecutor": _risks(risk.prosecutor),
        "journalist": _risks(risk.journalist) if known else None,
        "marketer": _json(risk.marketer) if known else None,
        "households": None if households is None else {
            "households": int(households.each.members.size),
            "largest": _risks(households.largest),
            "any_member": _risks(households.any_member),
        },
        "uniqueness": {
            "sample": _json(unique.sample),
            "sample_and_population": _json(unique.also_there),
            "counted": None if unique.counted is None else _json(unique.counted),
            "pitman": _json(unique.estimates["pitman"]),
            "zayatz": _json(unique.estimates["zayatz"]),
            "slide_negative_binomial": _json(unique.estimates["slide-negative-binomial"]),
            "poisson_mixture": _json(unique.mixture),
            "copula": _json(unique.copula),
            "believed": unique.believed,
            "doubtful": unique.doubtful,
        },
        "suda2": None if risk.special is None else {
            "people": risk.people(risk.scores_of_key > 0),
            "highest_score": float(risk.scores_of_key.max(initial=0.0)),
            "dis_above": [
                {"dis": cut, "people": risk.people(risk.disclosure_of_key > cut)} for cut in (0.01, 0.1, 0.2, 0.5)
            ],
            "contribution": risk.special.contribution(),
        },
        "notes": list(risk.notes),
    }  # fmt: skip


def _risks(risk: RiskOfPeople) -> PeopleRiskJson:
    return {
        "highest": _json(risk.highest),
        "average": _json(risk.average),
        "expected": _json(risk.expected),
        "at_highest": _json(risk.at_highest),
        "above": [{"risk": name, "people": risk.above[rung].value} for name, rung in SMALLEST_GROUPS.items()],
    }


def _json(one: Estimate) -> CountEstimateJson:
    return {"value": one.value, "low": one.low, "high": one.high, "of": one.n, "source": one.source, "why": one.why}
