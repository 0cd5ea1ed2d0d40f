"""The population risk of people, in words, as JSON, and as a list of the people at risk."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unmask.commands.inputs.sampled_people import SampledPeople
from unmask.csv_writing import Rows
from unmask.documents.population_risk import CountEstimateJson, PeopleRiskJson, PopulationRiskJson
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.numerics.rounding import TOLERANCE
from unmask.population.assessment import PopulationRisk
from unmask.population.attackers import RiskOfPeople
from unmask.population.dankar import FEW
from unmask.risk_levels import AT_RISK, SMALLEST_GROUPS
from unmask.unit import Unit
from unmask.wording import message

FIRM = 0.1
"""The DIS above which special uniques are counted in the summary."""


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


def summary_lines(people: SampledPeople) -> Iterator[str]:
    """Yield the lines of a summary of the population risk."""
    risk = people.risk
    listed = ", ".join(people.attributes[:4]) + (
        f" and {len(people.attributes) - 4} more" if people.attributes[4:] else ""
    )
    unit = people.unit
    yield f"How surely {unit.counted(risk.n)} could be found by {listed} (higher is worse)"
    yield f"  {'an intruder who':34}{'at most':>9}{'mean':>9}{f'{unit} above':>14} " + "".join(
        f"{r:>8}" for r in SMALLEST_GROUPS
    )
    yield _line("knows who is in it (prosecutor)", risk.prosecutor)
    if risk.known_by:
        yield _line("knows the population (journalist)", risk.journalist)
        expected = risk.journalist.expected.value or 0.0
        share = expected / max(risk.n, 1)
        yield f"  tries all people (marketer): {unit.counted(expected)} would be identified correctly, {share:.2%}"
        yield f"  population: {risk.population_size.value:,.0f} people; who looks alike there: {risk.known_by}"
    else:
        yield "  journalist, marketer, people unique in the population: not known, which is not zero. Say what share of"
        yield "  the population this is: --sampled 10%, a --weight column, or --population FILE"
    if risk.households is not None:
        yield _line("finds any person of the household*", risk.households.largest)
        yield _line("  if members are found one by one", risk.households.any_member)
        yield "  * the largest risk of its members; below it, 1 - product of (1 - risk)"
    yield from _alone(risk, unit)
    yield from _special(risk, unit)


def _line(who: str, risk: RiskOfPeople) -> str:
    counts = "".join(f"{risk.above[rung].value or 0:>8,.0f}" for rung in SMALLEST_GROUPS.values())
    return f"  {who:34}{risk.highest.value or 0:>9.3g}{risk.average.value or 0:>9.3g}{'':15}{counts}"


def _alone(risk: PopulationRisk, unit: Unit) -> Iterator[str]:
    unique = risk.uniqueness
    yield f"  alone in the file: {_of(unique.sample, unit)}"
    if unique.also_there.value is not None:
        yield f"  alone in the file and in the population: {_of(unique.also_there, unit)}, counted"
    if unique.counted is not None:
        yield f"  alone in the population: {_of(unique.counted, unit)}, counted"
    elif unique.believed is not None:
        size = risk.population_size.value or 1.0
        share = risk.n / size
        why = f"{FEW:.0%} or less was drawn" if share <= FEW else f"the smaller, as more than {FEW:.0%} was drawn"
        yield f"  alone in the population: about {_part(unique.value, size)} by {unique.believed}"
        yield f"    chosen by Dankar's rule: {why}"
        others = [f"{name} {_number(one)}" for name, one in unique.estimates.items() if name != unique.believed]
        yield f"    others: {', '.join(others)}"
        mixture = unique.mixture
        if mixture.value is not None and mixture.low is not None:
            span = f"{mixture.low:,.0f} to {mixture.high:,.0f}"
            verdict = (
                "DISAGREES by more than a fifth: take it as an order of magnitude" if unique.doubtful else "agrees"
            )
            yield f"    poisson-mixture {mixture.value:,.0f} (95 %: {span}) {verdict}"
        if unique.copula.value is not None:
            yield f"    copula {unique.copula.value:,.0f}, from how the attributes depend on each other"


def _special(risk: PopulationRisk, unit: Unit) -> Iterator[str]:
    if risk.special is None:
        yield "  special uniques (SUDA2): not searched, which is not zero: too many are alone with so many attributes"
        return
    scores = risk.scores_of_key
    if not (scores > 0).any():
        return
    m = len(risk.special.attributes)
    few = risk.people(risk.disclosure_of_key > FIRM)
    parts = sorted(risk.special.contribution().items(), key=lambda item: -item[1])[:5]
    yield (
        f"  special uniques (SUDA2, {m} attributes): {unit.counted(risk.people(scores > 0))}, highest score "
        f"{scores.max():,.0f}; {few:,} with DIS above {FIRM:g}"
    )
    yield "    they rest on " + ", ".join(f"{name} {part:.0%}" for name, part in parts)


def _of(one: Estimate, unit: Unit) -> str:
    return f"{one.value:,.0f} of {unit.counted(one.n)} ({(one.value or 0) / max(one.n, 1):.2%})"


def _part(one: Estimate, size: float) -> str:
    return f"{one.value:,.0f} people ({(one.value or 0) / size:.2%})"


def _number(one: Estimate) -> str:
    return "undefined" if one.value is None else f"{one.value:,.0f}"


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
