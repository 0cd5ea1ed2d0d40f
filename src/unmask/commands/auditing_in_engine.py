"""`unmask.audit` with an engine: attacks that are functions of counts, while table and releases stay where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from unmask.auditing.findings import AuditReport, EngineQueries, Scene
from unmask.auditing.judging import judged
from unmask.auditing.limit_results import LimitResult, LimitState, concluded
from unmask.auditing.policy import Policy
from unmask.auditing.published_columns import ColumnAudit
from unmask.beliefs import Question
from unmask.commands.audits import harm_of
from unmask.commands.column_limits import with_columns
from unmask.commands.inputs.limits import Demands, attacks_of, demands_of, of_model
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import ReadingOptions
from unmask.commands.inputs.reading_options import Source as Given
from unmask.commands.measuring_in_engine import column_audit_in, columns_of, facts_of, names_of, population_of, refuse
from unmask.commands.notes import Notes
from unmask.commands.outcome.audit_result import Audited
from unmask.commands.outcome.report_notes import notes_on_unplaced
from unmask.errors import InvalidInputError
from unmask.files.raw import SUPPRESSED
from unmask.files.releases import parsed_column
from unmask.files.roles import Roles
from unmask.models.max_risk import MaxRisk
from unmask.models.privacy_model import AnyModel, PopulationModel
from unmask.schema import Role
from unmask.unit import Unit
from unmask.view import Attack
from unmask.warehouse.assessment import measure_in
from unmask.warehouse.attacks_in_engine import NEEDS_ROWS, in_engine
from unmask.warehouse.cells import EngineCells, Known
from unmask.warehouse.engine import CellType, Source
from unmask.warehouse.engine_audit import EngineAudit
from unmask.warehouse.groups import Base, base_of
from unmask.warehouse.opening import opened_engine
from unmask.warehouse.people import EnginePeople
from unmask.warehouse.planned import Nowhere, PlannedQueries, planned_audit, require_dialect
from unmask.warehouse.population_models import measure_among
from unmask.warehouse.published_groups import PublishedGroups
from unmask.warehouse.queries import Queries
from unmask.warehouse.release_source import CellParser, ReleaseSource
from unmask.warehouse.statements import table_named
from unmask.wording import joined, message

_OF_ROWS = (
    "rows", "keep", "people", "sanitizer", "set", "quick", "complete", "key", "withhold", "coarser",
    "leave_out_exposed", "also_known", "advice", "resume", "person_key", "household", "weight", "level", "cells",
    "encoding", "delimiter", "decimal", "skip_lines", "sheet",
)  # fmt: skip
"""The options that need the rows of the tables."""

_READ = (
    "quasi", "sensitive", "identifier", "insensitive", "rest", "hierarchy", "order", "bins", "harmless", "missing",
    "missing_policy",
)  # fmt: skip
"""The options that say what the columns are."""


def audited_in_engine(
    engine: str,
    data: Given | None,
    releases: Sequence[Given],
    arguments: Mapping[str, Any],
    demands: Demands,
    attacks: Sequence[Attack],
    named: Sequence[str],
    notes: Notes,
) -> Audited:
    """Attack releases about the rows of a table in an engine, and judge them against limits.

    `arguments` are those of `unmask.audit`, by name.

    Fails
        With `InvalidInputError` where a table cannot be read, columns do not belong to it, or an option needs rows.
    """
    refuse(**{name: arguments[name] or None for name in _OF_ROWS})
    reader = Reader.of(arguments["roles"], notes, **cast("ReadingOptions", {name: arguments[name] for name in _READ}))
    sources = [_place(one) for one in (data, *releases)]
    names = names_of(sources)
    given = [ReleaseSource.of(one, reader.roles) for one in sources[1:]]
    policy, roles = demands.policy, _inherited(reader.roles, given)
    if policy.control == "held-out":
        msg = message(
            "--engine must come with --control left-out or none; got held-out, for which people must be left out"
        )
        raise InvalidInputError(msg)
    chosen = [one if one.name in named else in_engine(one) for one in attacks]
    with opened_engine(engine, sources[0], names[0]) as opened:
        queries = Queries(opened)
        table = opened.source
        published = [one.read(opened.beside(one.place, name)) for one, name in zip(given, names[1:], strict=True)]
        _require_columns(roles, [table, *published])
        people = EnginePeople.of(queries, _people_of(table, roles))
        found, facts, columns = [], [], []
        limits: list[LimitResult] = []
        for r, (one, source) in enumerate(zip(published, given, strict=True)):
            cells, unprotected = columns_of(one, _roles_in(source.roles, one), notes.add, source.group)
            base = base_of(queries, cells, f"r{r}_all_")
            models = [model.model(source.made_by) for model in demands.models]
            facts.append(facts_of(one.name, base.facts, source))
            outside = arguments["population"]
            outside = None if outside is None else population_of(opened, outside, cells, reader.roles)
            limits += _model_limits(queries, base, models, one.name, f"r{r}_", outside, source.parse)
            columns.append(_columns_of(queries, base, unprotected, policy, models))
            found.append(PublishedGroups.of(queries, cells, base.counted, people, source.parse, f"r{r}"))
        harm = harm_of(roles, (name for one in found for name in one.cells.sensitive))
        audit = EngineAudit(queries, people, found, attacks=chosen, policy=policy, harm=harm)
        scenes = tuple(audit.scenes())
        exposed_by = audit.exposed_by() if policy.limits.max_belief is not None else {}
    exposed = exposed_by.get(policy.location, (None, None))
    verdicts = judged(scenes, policy, [(scenes, exposed[0])])
    verdict, why = concluded(verdicts)
    n = int(people.n)
    report = AuditReport(
        tuple(facts), scenes, policy, verdict, why, None, n,
        n_people=n, unit=Unit.ROWS, limits=verdicts,
        n_exposed=exposed[0], n_exposed_rightly=exposed[1], exposed_by=exposed_by,
        queries=EngineQueries(engine, tuple((one.purpose, one.text) for one in queries.ran)),
    )  # fmt: skip
    report = report.with_limits([*limits, *_untried(scenes, policy)]) if policy.limits.given or limits else report
    report = with_columns(report, columns)
    notes.add(*notes_on_unplaced(report))
    notes.add(message("an engine counts: leak checks and population risk need the rows of the tables"))
    return Audited(report, notes.texts, asked=tuple(named))


def printed_audit(dialect: str, data: Given | None, releases: Sequence[Given], options: Mapping[str, Any]) -> str:
    """Return the queries that attack tables of a warehouse in its dialect, which nothing here has run.

    `options` are the limits and the roles of columns, as of `unmask.audit`.

    Fails
        With `InvalidInputError` for an unknown dialect, a name that is none, or where there is no release.
    """
    notes, sources = Notes(), [_place(one) for one in (data, *releases)]
    if len(sources) == 1:
        raise InvalidInputError(message("--print-sql must come with a table and --release NAME; got no release"))
    limits: dict[str, Any] = {name: options.get(name) for name in ("max_belief", "excess", "tolerate", "location")}
    policy = demands_of(options.get("policy"), notes, **limits).policy
    reader = Reader.of(options.get("roles"), notes, **cast("ReadingOptions", {n: options.get(n, ()) for n in _READ}))
    roles = reader.roles
    columns = {name: CellType.UNKNOWN for name, one in roles.columns.items() if one.role is not None}
    tables = [Source(name, table_named(one), columns) for one, name in zip(sources, names_of(sources), strict=True)]
    queries = PlannedQueries(Nowhere(tables[0], require_dialect(dialect)))
    people = EnginePeople.of(queries, _people_of(tables[0], roles))
    found = []
    for r, one in enumerate(tables[1:]):
        cells, _ = columns_of(one, roles, Notes(silent=True).add)
        base = base_of(queries, cells, f"r{r}_all_")
        found.append(
            PublishedGroups.of(queries, cells, base.counted, people, partial(parsed_column, roles=roles), f"r{r}")
        )
    attacks = [in_engine(one) for one in attacks_of(options.get("attack") or (), options.get("attack_set"))]
    audit = EngineAudit(queries, people, found, attacks=attacks, policy=policy)
    return "\n\n".join(planned_audit(audit, queries, dialect))


def _place(source: Given | None) -> str:
    if not isinstance(source, (str, Path)):
        what = "none" if source is None else type(source).__name__
        msg = message("--engine must come with a table and releases by path, glob, DSN or name; got {what}", what=what)
        raise InvalidInputError(msg)
    return str(source)


def _inherited(roles: Roles, releases: Sequence[ReleaseSource]) -> Roles:
    """Return the roles of the people, with those that release folders give.

    Fails
        With `InvalidInputError` where releases count missing values by different policies.
    """
    if len({one.roles.policy for one in releases}) > 1:
        msg = message(
            "releases in an engine must count missing values by one policy; these have several. Audit them one by one"
        )
        raise InvalidInputError(msg)
    for one in releases:
        roles = one.inherited(roles)
    return roles


def _roles_in(roles: Roles, source: Source) -> Roles:
    """Return the roles of the columns that a table has."""
    return roles.model_copy(update={"columns": {n: one for n, one in roles.columns.items() if n in source.columns}})


def _require_columns(roles: Roles, sources: Sequence[Source]) -> None:
    """Fail where a role is declared for a column that no table has, or the people lack a quasi-identifier."""
    every = {name for one in sources for name in one.columns}
    for name, declared in roles.columns.items():
        if declared.role is not None and name not in every:
            raise InvalidInputError.unknown_name("column", name, every)
        if declared.role is Role.QUASI_IDENTIFIER and name not in sources[0].columns:
            raise InvalidInputError.unknown_name(message("column of the table"), name, sources[0].columns)


def _people_of(table: Source, roles: Roles) -> EngineCells:
    """Return the columns of the people, who have neither groups nor suppressed cells: `*` is a missing value."""
    cells, _ = columns_of(table, _roles_in(roles, table), Notes(silent=True).add)
    known = tuple(Known(one.column, starred=False) for one in cells.known)
    return replace(cells, known=known, group=None, marks=(*cells.marks, SUPPRESSED))


def _columns_of(
    queries: Queries, base: Base, unprotected: Mapping[str, Role | None], policy: Policy, models: Sequence[AnyModel]
) -> ColumnAudit:
    """Return the audit of all published columns, with the limits that they break."""
    limit = policy.limits.max_risk
    wanted = [*([] if limit is None else [MaxRisk(limit)]), *models]
    return column_audit_in(queries, base, dict(unprotected), policy.ignore, wanted)


def _model_limits(
    queries: Queries,
    base: Base,
    models: Sequence[AnyModel],
    release: str,
    prefix: str,
    population: EngineCells | None,
    parse: CellParser,
) -> Iterator[LimitResult]:
    """Yield whether a release meets each required model.

    Fails
        With `InvalidInputError` where one asks for a population, and none is given.
    """
    among = [model for model in models if isinstance(model, PopulationModel)]
    counted = [model for model in models if not isinstance(model, PopulationModel)]
    if among and population is None:
        msg = message(
            "{model} must have a table of the population; got none. Give one with --population", model=among[0].name
        )
        raise InvalidInputError(msg)
    found = [*measure_in(queries, base, counted, prefix)] if counted else []
    if population is not None:
        found += measure_among(queries, base, among, population, parse, prefix)
    for one in found:
        yield of_model(release, base.facts.n_rows, one, one.why)


def _untried(scenes: Sequence[Scene], policy: Policy) -> Iterator[LimitResult]:
    """Yield that the limit on beliefs is not decided where an attack that would apply did not run."""
    here = [one for one in scenes if one.about.question is Question.ATTRIBUTE and one.attacker.name == policy.location]
    names = dict.fromkeys(result.name for one in here for result in one.results if result.reason == NEEDS_ROWS)
    if policy.limits.max_belief is None or not names:
        return
    attacks = joined(names)
    yield LimitResult(
        "max-belief", LimitState.NOT_DECIDED,
        message("{attacks} did not run: an engine counts, and they need rows", attacks=attacks),
        threshold=policy.limits.max_belief, location=policy.location,
        would_change=message(
            "The attacks decide: run them without --engine on a sample, or name those that shall decide by --attack"
        ),
    )  # fmt: skip
