"""Models of a population inside an engine: how many of its people fit each group of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from unmask.models.equivalence_classes import MissingAs
from unmask.models.privacy_model import AnyModel, PopulationModel
from unmask.models.release_assessment import Measured, Score
from unmask.warehouse.cells import EngineCells
from unmask.warehouse.expressions import (
    all_of,
    both,
    column,
    columns,
    equal,
    grouped,
    inner,
    named,
    number,
    select,
    table,
    text,
    total,
    within,
)
from unmask.warehouse.group_scores import score
from unmask.warehouse.groups import Base
from unmask.warehouse.matches import GroupMatches
from unmask.warehouse.people import EnginePeople
from unmask.warehouse.published_groups import PublishedGroups
from unmask.warehouse.queries import Queries
from unmask.warehouse.release_source import CellParser
from unmask.warehouse.worst_groups import score_of, summary
from unmask.wording import message


def measure_among(
    queries: Queries,
    base: Base,
    models: Sequence[PopulationModel],
    population: EngineCells,
    parse: CellParser,
    prefix: str = "",
) -> tuple[Measured, ...]:
    """Measure models of a population on the groups of a release, in the given order, under both readings.

    Fails
        With `InvalidInputError` for cells that cannot be read, with `ResourceError` for too many patterns of cells that
        fit all people.
    """
    if not models:
        return ()
    people = EnginePeople.of(queries, population, f"{prefix}population")
    found = {
        reading: _scores(queries, base, models, people, parse, f"{prefix}{reading}", reading) for reading in MissingAs
    }
    return tuple(Measured(model, {r: found[r][m] for r in MissingAs}, {}) for m, model in enumerate(models))


def _scores(
    queries: Queries,
    base: Base,
    models: Sequence[AnyModel],
    people: EnginePeople,
    parse: CellParser,
    prefix: str,
    reading: MissingAs,
) -> list[Score]:
    """Return the scores of models under one reading."""
    is_wildcard = reading is MissingAs.WILDCARD
    cells = replace(base.cells, missing_matches=is_wildcard or base.cells.missing_matches)
    released = PublishedGroups.of(queries, cells, base.counted, people, parse, f"{prefix}_among")
    matches = GroupMatches.of(queries, people, released)
    scored = queries.keep(f"{prefix}_among_scores", _scored(matches, models, apart=base.apart and not is_wildcard))
    row = queries.row(
        message("scores among the population, missing as {reading}", reading=reading), summary(scored, ["g"], models)
    )
    return [score_of(row, m, model) for m, model in enumerate(models)]


def _scored(matches: GroupMatches, models: Sequence[AnyModel], *, apart: bool) -> exp.Query:
    """Return the score of each group, and of the people who fit none; without suppressed records, if set `apart`."""
    released, g = matches.released, column("g")
    fitting = grouped(
        select(column("g", "f"), named(total(column("n", "a")), "fits"))
        .from_(table(matches.fits, "f"), copy=False)
        .join(table(matches.keyed, "a"), on=equal(column("p", "f"), column("p", "a")), copy=False),
        [column("g", "f")],
    )
    names = [f"c{one.i}" for one in released.meanings]
    stars = [equal(column(f"x{one.i}", "b"), number(1)) for one in released.meanings]
    alike = within(exp.Sum(this=column("size", "b")), columns(names, "b"))
    fits = exp.Coalesce(this=column("fits", "f"), expressions=[number(0)])
    each = (
        select(column("g", "b"), column("size", "b"), named(alike, "members"), named(fits, "fits"))
        .from_(table(released.groups, "b"), copy=False)
        .join(inner(fitting, "f"), on=equal(column("g", "b"), column("g", "f")), join_type="left", copy=False)
    )
    if apart:
        each = each.where(exp.Not(this=both(*stars)), copy=False)
    scores = [named(score(model), f"m{m}") for m, model in enumerate(models)]
    groups = select(g, named(text("=0"), "a"), column("size"), *scores).from_(inner(each, "s"), copy=False)
    if not matches.unplaced:
        return groups
    none = number(matches.unplaced)
    outside = {"g": number(0), "size": none, "members": number(0), "fits": none.copy()}
    nowhere = inner(select(*(named(value, key) for key, value in outside.items())), "s")
    copies = [one.copy() for one in scores]
    elsewhere = select(g.copy(), named(text("=0"), "a"), column("size"), *copies).from_(nowhere, copy=False)
    return all_of([groups, elsewhere])
