"""Measurement of privacy models in an engine: the same `Measured` as from a release, of queries that return aggregates.

A group is scored inside the engine. What leaves it for each model is the worst score, how many groups have it and how
many people these have, and how many people are in groups beyond the limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from unmask.models.equivalence_classes import MissingAs
from unmask.models.privacy_model import AnyModel
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.release_assessment import Measured, Score
from unmask.warehouse.expressions import (
    all_of,
    as_text,
    case,
    column,
    columns,
    equal,
    grouped,
    inner,
    is_known,
    named,
    number,
    select,
    table,
    text,
    total,
)
from unmask.warehouse.group_scores import score, statistics
from unmask.warehouse.groups import Base
from unmask.warehouse.queries import Queries
from unmask.warehouse.wildcards import matched, require_few
from unmask.warehouse.worst_groups import score_of, summary
from unmask.wording import message

ALL = ""
"""The name of the row about all attributes together."""


def measure_in(queries: Queries, base: Base, models: Sequence[AnyModel], prefix: str = "") -> tuple[Measured, ...]:
    """Measure models on the groups of a table, in the given order, under both readings of missing values.

    Fails
        With `InvalidInputError` for a model that an engine does not compute, with `ResourceError` where missing cells
        have too many patterns.
    """
    of_size = [model for model in models if not model.needs_values]
    of_values = [model for model in models if model.needs_values]
    for model in models:
        score(model)
    if base.is_wild:
        require_few(base.patterns)
    sizes = _both(queries, base, of_size, (), prefix)
    values = _both(queries, base, of_values, base.cells.sensitive, prefix) if of_values else {}
    result = []
    for model in models:
        found = values if model.needs_values else sizes
        at = (of_values if model.needs_values else of_size).index(model)
        by = {name: {r: found[r][name][at] for r in MissingAs} for name in base.cells.sensitive if model.needs_values}
        result.append(Measured(model, {r: found[r][ALL][at] for r in MissingAs}, by))
    return tuple(result)


Scores = Mapping[str, Sequence[Score]]
"""Scores of models, by attribute and over all of them (`ALL`)."""


def _both(
    queries: Queries, base: Base, models: Sequence[AnyModel], attributes: Sequence[str], prefix: str
) -> Mapping[MissingAs, Scores]:
    if not models:
        return {}
    own = _scored(queries, base, models, attributes, MissingAs.OWN, prefix)
    if not (base.apart or base.is_wild or not base.gaps.isdisjoint(attributes)):
        return dict.fromkeys(MissingAs, own)
    return {
        MissingAs.OWN: own,
        MissingAs.WILDCARD: _scored(queries, base, models, attributes, MissingAs.WILDCARD, prefix),
    }


def _scored(
    queries: Queries, base: Base, models: Sequence[AnyModel], attributes: Sequence[str], reading: MissingAs, prefix: str
) -> Scores:
    """Return the scores of models under one reading."""
    keys = base.cells.keys
    what = f"{prefix}{'values' if attributes else 'sizes'}_{reading}"
    if attributes:
        tails = [model.l for model in models if isinstance(model, RecursiveCL)]
        parts = []
        for i in range(len(attributes)):
            step = f"{what}_{i}"
            counts, overall = _counts(queries, base, i, reading, step)
            found = queries.define(f"{step}_statistics", statistics(keys, counts, overall, tails))
            defined = equal(column("known"), number(0))
            each = [named(case(defined, exp.Null(), score(model)), f"m{m}") for m, model in enumerate(models)]
            parts.append(
                select(*columns(keys), named(text(f"={i}"), "a"), column("size"), *each).from_(table(found), copy=False)
            )
        scored = queries.keep(what, all_of(parts))
    else:
        sizes = _sizes(queries, base, reading, what)
        each = [named(score(model), f"m{m}") for m, model in enumerate(models)]
        scored = queries.keep(
            what, select(*columns(keys), named(text("=0"), "a"), column("size"), *each).from_(table(sizes), copy=False)
        )
    purpose = message(
        "scores of sensitive values, missing as {reading}" if attributes else "scores of sizes, missing as {reading}",
        reading=reading,
    )
    total_row = queries.row(purpose, summary(scored, keys, models))
    result = {ALL: tuple(score_of(total_row, m, model) for m, model in enumerate(models))}
    if len(attributes) == 1:
        result[attributes[0]] = result[ALL]
    elif attributes:
        for i, name in enumerate(attributes):
            row = queries.row(
                message("{purpose}: attribute {n}", purpose=purpose, n=i + 1),
                summary(scored, keys, models, attribute=f"={i}"),
            )
            result[name] = tuple(score_of(row, m, model) for m, model in enumerate(models))
    return result


def _sizes(queries: Queries, base: Base, reading: MissingAs, step: str) -> str:
    """Define the groups with their own size, and the number of people who match each under a reading."""
    keys = base.cells.keys
    if reading is MissingAs.WILDCARD and base.is_wild:
        content = queries.keep(
            f"{step}_content", select(*columns(keys), named(column("size"), "n")).from_(table(base.groups), copy=False)
        )
        merged = matched(queries, base.cells, base.groups, content, base.patterns, f"{step}_sizes")
        own = select(*columns(keys), named(number(0), "n"), column("size")).from_(table(base.groups), copy=False)
        seen = select(*columns(keys), column("n"), named(number(0), "size")).from_(inner(merged, "s"), copy=False)
        both = select(*columns(keys), named(total(column("n")), "seen"), named(total(column("size")), "size"))
        return queries.keep(
            f"{step}_matching", grouped(both.from_(inner(all_of([own, seen]), "b"), copy=False), columns(keys))
        )
    query = select(*columns(keys), column("size"), named(column("size"), "seen")).from_(table(base.groups), copy=False)
    if base.apart and reading is MissingAs.OWN:
        query = query.where(equal(column("starred"), number(0)), copy=False)
    return queries.define(f"{step}_matching", query)


def _counts(queries: Queries, base: Base, i: int, reading: MissingAs, step: str) -> tuple[str, str]:
    """Define the counts of an attribute's values by group, and in the whole table."""
    cells, keys = base.cells, base.cells.keys
    own = reading is MissingAs.OWN
    value = cells.value(i, missing=text("") if own else exp.Null())
    is_apart = own and base.apart
    read = select(*columns(keys), named(value, "v"), column("n")).from_(table(base.counted), copy=False)
    if is_apart:
        read = read.where(equal(cells.is_starred(), number(0)), copy=False)
    by = columns((*keys, "v"))
    known = select(*(one.copy() for one in by), named(total(column("n")), "n")).from_(inner(read, "r"), copy=False)
    content = queries.keep(f"{step}_known", grouped(known.where(is_known(column("v")), copy=False), by))
    overall = queries.define(
        f"{step}_overall",
        grouped(select(column("v"), named(total(column("n")), "n")).from_(table(content), copy=False), [column("v")]),
    )
    people = select(*columns(keys), named(as_text(exp.Null()), "v"), named(number(0), "n"), column("size"))
    people = people.from_(table(base.groups), copy=False)
    if is_apart:
        people = people.where(equal(column("starred"), number(0)), copy=False)
    held: exp.Query = select(*columns(keys), column("v"), column("n")).from_(table(content), copy=False)
    if not own and base.is_wild:
        held = matched(queries, cells, base.groups, content, base.patterns, step, by=("v",))
    each = select(*columns(keys), column("v"), column("n"), named(number(0), "size")).from_(
        inner(held, "h"), copy=False
    )
    return queries.define(f"{step}_counts", all_of([each, people])), overall
