"""The worst groups by each model: one row of aggregates, from the scores of all groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from sqlglot import exp

from unmask.models.privacy_model import AnyModel, WholeRelease, holds
from unmask.models.release_assessment import Score
from unmask.warehouse.expressions import (
    INFINITE,
    case,
    column,
    columns,
    equal,
    flag,
    grouped,
    inner,
    is_null,
    least,
    most,
    named,
    number,
    over,
    rows,
    select,
    table,
    text,
    times,
    total,
)
from unmask.warehouse.group_scores import meets, ties


def summary(scored: str, keys: Sequence[str], models: Sequence[AnyModel], attribute: str | None = None) -> exp.Select:
    """Return one row: the worst score by each model, and how many groups and people have it or pass the limit."""
    chosen = select(exp.Star()).from_(table(scored), copy=False)
    if attribute is not None:
        chosen = chosen.where(equal(column("a"), text(attribute)), copy=False)
    extremes = []
    for m, model in enumerate(models):
        one = column(f"m{m}")
        worst_is_least = model.higher_is_safer and not isinstance(model, WholeRelease)
        extremes += [
            named(least(one) if worst_is_least else most(one), f"w{m}"),
            named(total(flag(is_null(one.copy()))), f"u{m}"),
        ]
    marked = []
    for m, model in enumerate(models):
        one, worst, lacking = column(f"m{m}", "s"), column(f"w{m}", "x"), column(f"u{m}", "x")
        is_worst = case(exp.GT(this=lacking, expression=number(0)), flag(is_null(one)), flag(ties(one.copy(), worst)))
        marked += [
            named(is_worst, f"worst{m}"),
            named(case(meets(model, one.copy()), number(0), number(1)), f"beyond{m}"),
            named(worst.copy(), f"w{m}"), named(lacking.copy(), f"u{m}"), named(one.copy(), f"m{m}"),
        ]  # fmt: skip
    flagged = (
        select(*columns(keys, "s"), column("size", "s"), *marked)
        .from_(inner(chosen, "s"), copy=False)
        .join(inner(select(*extremes).from_(inner(chosen.copy(), "e"), copy=False), "x"), join_type="cross", copy=False)
    )
    each = [named(most(column("size")), "size")]
    for m in range(len(models)):
        each += [named(most(column(f"{part}{m}")), f"{part}{m}") for part in ("worst", "beyond", "w", "u", "m")]
    groups = grouped(select(*columns(keys), *each).from_(inner(flagged, "f"), copy=False), columns(keys))
    size, found = column("size"), [named(rows(), "groups"), named(total(column("size")), "people")]
    for m, model in enumerate(models):
        found += [
            named(most(column(f"w{m}")), f"w{m}"),
            named(most(column(f"u{m}")), f"u{m}"),
            named(total(column(f"worst{m}")), f"groups{m}"),
            named(total(times(size, column(f"worst{m}"))), f"people{m}"),
            named(total(times(size, column(f"beyond{m}"))), f"beyond{m}"),
        ]
        if isinstance(model, WholeRelease):
            found.append(named(over(total(times(size, column(f"m{m}"))), total(size)), f"mean{m}"))
    return select(*found).from_(inner(groups, "k"), copy=False)


def score_of(row: Mapping[str, float], m: int, model: AnyModel) -> Score:
    """Return the score that a row of `summary` holds."""
    undefined = bool(row[f"u{m}"]) or not row["groups"]
    value = math.nan if undefined else _real(row[f"w{m}"])
    beyond, fine = row[f"beyond{m}"], row[f"beyond{m}"] == 0
    if isinstance(model, WholeRelease):
        value = _real(row[f"mean{m}"]) if row["people"] else math.nan
        fine = bool(holds(model, np.array([value]))[0])
        beyond = 0.0 if fine else row["people"]
    return Score(value + 0.0, row[f"people{m}"], int(row[f"groups{m}"]), beyond, fine)


def _real(value: float) -> float:
    return math.inf if value >= INFINITE else value
