"""The disclosure risk as one JSON document: numbers of records and attributes, never of a person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import metadata

from unmask.decision_risk.assessment import DictionaryRisk, DisclosureAssessment
from unmask.decision_risk.lower_bound import LowerBound
from unmask.decision_risk.risk_distribution import RiskDistribution
from unmask.decision_risk.selection import JudgedRule
from unmask.decision_risk.upper_bound import Bound
from unmask.documents.disclosure_risk import (
    SCHEMA,
    BoundJson,
    ChoiceJson,
    ChoiceRisksJson,
    DictionaryJson,
    DisclosureRiskJson,
    DrawingJson,
    Loss,
    LowerBoundJson,
)
from unmask.documents.document_text import document_text


def to_json(found: DisclosureAssessment, *, weighted: bool = True, context: Sequence[str] = ()) -> str:
    """Return all numbers as JSON; infinity is the text "infinite"."""
    n = int(found.everything.disclosed.shape[0])
    document: DisclosureRiskJson = {
        "schema": SCHEMA,
        "version": metadata.version("unmask"),
        "records": n,
        "attributes": list(found.names),
        "weighted": weighted,
        "dictionaries": [
            _held(one, float(p), found.names)
            for p, one in zip(found.prior, found.held, strict=True)
        ],
        "everything": _choice(found.everything, found),
        "chosen": None if found.best is None else _choice(found.best, found),
        "least": None if found.least is None else _choice(found.least, found),
        "random": None if found.random is None else _choice(found.random, found),
        "curve": [
            {"k": chosen.k, "rule": chosen.rule, **_risks(chosen), "random": _risks(drawn)}
            for chosen, drawn in found.curve
        ],
        "notes": list(context),
    }  # fmt: skip
    return document_text(document)


def _held(held: DictionaryRisk, probability: float, names: Sequence[str]) -> DictionaryJson:
    burden = RiskDistribution.of(held.risk)
    return {
        "probability": probability,
        "name": held.risk.dictionary,
        "entries": held.entries,
        "risk": _number(held.risk.value),
        "found_at_least": dict(burden.found),
        "fit_nobody": burden.nowhere,
        "never": burden.never,
        "half_of_the_risk": burden.half,
        "withheld": {name: _number(float(value)) for name, value in zip(names, held.withheld, strict=True)},
        "expected_if_larger": [
            {"ratio": float(ratio), "risk": _number(float(value))}
            for ratio, value in zip(held.growth.ratio, held.growth.risk, strict=True)
        ],
        "upper_bound": _bound(held.bound),
        "upper_bound_of": {name: _bound(bound) for name, bound in held.bounds},
    }


def _bound(bound: Bound) -> BoundJson:
    return {"holds": bound.holds, "fails": list(bound.fails)}


def _choice(choice: JudgedRule, found: DisclosureAssessment) -> ChoiceJson:
    share = choice.disclosed.mean(axis=0)
    return {
        "k": choice.k,
        "rule": choice.rule,
        "always": list(choice.always),
        **_risks(choice),
        "disclosed": {name: float(part) for name, part in zip(found.names, share, strict=True)},
        "notes": list(choice.notes),
    }


def _risks(choice: JudgedRule) -> ChoiceRisksJson:
    return {
        "risks": {one.dictionary: _number(one.value) for one in choice.risks},
        "average": _number(choice.average),
        "worst": _number(choice.worst.value),
        "lower_bound": _floor(choice.floor),
        "drawing": _drawing(choice),
    }


def _floor(floor: LowerBound | None) -> LowerBoundJson | None:
    if floor is None:
        return None
    return {"of": floor.of, "dictionary": floor.dictionary, "risk": _number(floor.bound), "gap": _number(floor.gap)}


def _drawing(choice: JudgedRule) -> DrawingJson | None:
    game = choice.game
    if game is None:
        return None
    names = [one.dictionary for one in choice.risks]
    return {
        "shares": [share for share, _ in game.mixture],
        "risks": {name: _number(value) for name, value in zip(names, game.drawn.tolist(), strict=True)},
        "worst": _number(game.mixed),
        "least_favorable": dict(zip(names, game.prior.tolist(), strict=True)),
    }


def _number(value: float) -> Loss:
    return "infinite" if math.isinf(value) else value
