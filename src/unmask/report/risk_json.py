"""The disclosure risk as one JSON document: numbers of records and attributes, never of a person."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from unmask.decision_risk.assessment import DictionaryRisk, DisclosureAssessment
from unmask.decision_risk.lower_bound import LowerBound
from unmask.decision_risk.risk_distribution import RiskDistribution
from unmask.decision_risk.selection import JudgedRule
from unmask.decision_risk.upper_bound import Bound

SCHEMA = "unmask-risk/1"
"""The form of the document; a change that breaks readers counts up."""


def to_json(found: DisclosureAssessment, *, weighted: bool = True, context: Sequence[str] = ()) -> str:
    """Return all numbers as JSON; infinity is the text "infinite"."""
    n = int(found.everything.disclosed.shape[0])
    document = {
        "schema": SCHEMA,
        "version": metadata.version("unmask"),
        "records": n,
        "attributes": list(found.names),
        "weighted": weighted,
        "dictionaries": [
            {"probability": float(p), **_held(one, found.names)}
            for p, one in zip(found.prior, found.held, strict=True)
        ],
        "everything": _choice(found.everything, found),
        "chosen": _choice(found.best, found),
        "least": _choice(found.least, found),
        "random": _choice(found.random, found),
        "curve": [
            {"k": chosen.k, "rule": chosen.rule, **_risks(chosen), "random": _risks(drawn)}
            for chosen, drawn in found.curve
        ],
        "notes": list(context),
    }  # fmt: skip
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _held(held: DictionaryRisk, names: Sequence[str]) -> dict[str, Any]:
    burden = RiskDistribution.of(held.risk)
    return {
        "name": held.risk.dictionary,
        "entries": held.entries,
        "risk": _number(held.risk.value),
        "found_at_least": burden.found,
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


def _bound(bound: Bound) -> dict[str, Any]:
    return {"holds": bound.holds, "fails": list(bound.fails)}


def _choice(choice: JudgedRule | None, found: DisclosureAssessment) -> dict[str, Any] | None:
    if choice is None:
        return None
    share = choice.disclosed.mean(axis=0)
    return {
        "k": choice.k,
        "rule": choice.rule,
        "always": list(choice.always),
        **_risks(choice),
        "disclosed": {name: float(part) for name, part in zip(found.names, share, strict=True)},
        "notes": list(choice.notes),
    }


def _risks(choice: JudgedRule) -> dict[str, Any]:
    return {
        "risks": {one.dictionary: _number(one.value) for one in choice.risks},
        "average": _number(choice.average),
        "worst": _number(choice.worst.value),
        "lower_bound": _floor(choice.floor),
        "drawing": _drawing(choice),
    }


def _floor(floor: LowerBound | None) -> dict[str, Any] | None:
    if floor is None:
        return None
    return {"of": floor.of, "dictionary": floor.dictionary, "risk": _number(floor.bound), "gap": _number(floor.gap)}


def _drawing(choice: JudgedRule) -> dict[str, Any] | None:
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


def _number(value: float) -> float | str:
    return "infinite" if math.isinf(value) else value
