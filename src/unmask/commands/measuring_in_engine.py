"""`unmask.measure` with an engine: the same result, from aggregates that leave the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unmask import catalog
from unmask.auditing.findings import ReleaseFacts
from unmask.auditing.published_columns import BrokenLimit, ColumnAudit
from unmask.commands.inputs.limits import Requirement, required, value_text
from unmask.commands.inputs.reader import Reader, notes_on_gaps
from unmask.commands.inputs.reading_options import Source as Given
from unmask.commands.models_asked import lacking, lines_of, models_asked
from unmask.commands.outcome.measured_release import EngineRun, MeasuredRelease
from unmask.errors import InvalidInputError
from unmask.files.raw import MISSING, SUPPRESSED
from unmask.files.releases import GROUP, no_quasi_identifier, release_names, without_role
from unmask.files.roles import Roles
from unmask.models.privacy_model import AnyModel, PopulationModel, titled
from unmask.models.release_assessment import Measured, no_sensitive
from unmask.schema import Missing, Role
from unmask.unit import Unit
from unmask.warehouse.assessment import measure_in
from unmask.warehouse.cells import EngineCells, Known
from unmask.warehouse.engine import CellType, Engine, Source
from unmask.warehouse.group_scores import score as require_computed
from unmask.warehouse.groups import Base, GroupFacts, base_of
from unmask.warehouse.opening import opened_engine
from unmask.warehouse.planned import planned
from unmask.warehouse.population_models import measure_among
from unmask.warehouse.published import all_columns, column_findings
from unmask.warehouse.queries import Queries
from unmask.warehouse.release_source import CellParser, ReleaseSource
from unmask.warehouse.statements import table_named
from unmask.wording import joined, message

_COUNTED = (Role.PERSON_KEY, Role.HOUSEHOLD, Role.WEIGHT)


def refuse(**options: Any) -> None:  # noqa: ANN401 - options of any type
    """Fail where an option is given that needs the rows of the table.

    Fails
        With `InvalidInputError`, which names it.
    """
    for name, value in options.items():
        if value is not None and value != ():
            msg = message(
                "--engine must come without --{name}, which needs the rows of the table; got both. Leave one out",
                name=name.replace("_", "-"),
            )
            raise InvalidInputError(msg)


def measured_in_engine(
    engine: str,
    source: Given,
    reader: Reader,
    *,
    require: Iterable[str],
    ignore: str | Iterable[str],
    population: Given | None = None,
) -> MeasuredRelease:
    """Measure every privacy model on a table in an engine.

    Fails
        With `InvalidInputError` where the table cannot be read, or columns or requirements do not belong to it.
    """
    if not isinstance(source, (str, Path)):
        msg = message(
            "--engine must come with a table by path, glob, DSN or name; got {name}", name=type(source).__name__
        )
        raise InvalidInputError(msg)
    source, (name,) = str(source), names_of([str(source)])
    notes = reader.notes
    given = ReleaseSource.of(source, reader.roles)
    roles, made = given.roles, given.made_by
    demanded = [(one.name, one.model(made)) for one in map(Requirement.of, require)]
    with opened_engine(engine, given.place, name) as opened:
        queries = Queries(opened)
        table = given.read(opened.source)
        cells, unprotected = columns_of(table, roles, notes.add, given.group)
        passed_over = (ignore,) if isinstance(ignore, str) else tuple(ignore)
        for one in passed_over:
            if one not in table.columns:
                raise InvalidInputError.unknown_name(message("ignored column"), one, table.columns)
        base = base_of(queries, cells)
        if roles.policy is Missing.OWN:
            gaps = [one.column for one in cells.known if one.column in base.gaps]
            notes.add(*(joined([name, note], ": ") for note in notes_on_gaps(gaps, ())))
        columns = column_audit_in(queries, base, unprotected, passed_over, [model for _, model in demanded])
        by_all = {one.limit: one for one in columns.broken}
        asked = models_asked(demanded, catalog.claimed_by(made))
        there = {"values": bool(cells.sensitive), "population": population is not None}
        why = ["" if one.required is not None else lacking(one.model, **there) for one in asked]
        outside = None if population is None else population_of(opened, population, cells, reader.roles)
        wanted = [one.model for one, lack in zip(asked, why, strict=True) if not lack]
        measured = _measured(queries, base, wanted, outside, given.parse)
        lines = tuple(
            replace(line, by_all=None if line.required is None else by_all.get(titled(one.model)))
            for one, line in zip(asked, lines_of(asked, why, measured), strict=True)
        )
    notes.add(
        message("an engine counts: leak checks, population risk and the content of columns need the rows of the table")
    )
    ran = tuple((one.purpose, one.text) for one in queries.ran)
    run = EngineRun(engine, base.facts.ladder, ran)
    return MeasuredRelease(facts_of(name, base.facts, given), lines, notes.texts, columns, None, run)


def names_of(sources: Sequence[str]) -> list[str]:
    """Return the names of tables in reports; a glob is called by its folder."""
    globs = [bool(set(release_names([one])[0]) & set("*?[")) for one in sources]
    return release_names(
        [Path(one).parent.name or "files" if glob else one for one, glob in zip(sources, globs, strict=True)]
    )


def printed_queries(dialect: str, table: str, reader: Reader, require: Iterable[str]) -> str:
    """Return the queries that measure a table of a warehouse in its dialect, which nothing here has run.

    Fails
        With `InvalidInputError` for an unknown dialect, or a name that is none.
    """
    columns = {name: CellType.UNKNOWN for name, one in reader.roles.columns.items() if one.role is not None}
    cells, _ = columns_of(Source(table, table_named(table), columns), reader.roles, reader.notes.add)
    asked = models_asked([(one.name, one.model()) for one in map(Requirement.of, require)], {})
    models = [one.model for one in asked if not isinstance(one.model, PopulationModel)]
    return "\n\n".join(planned(cells, models, dialect))


def columns_of(
    source: Source,
    roles: Roles,
    note: Any,  # noqa: ANN401
    group: str = GROUP,
) -> tuple[EngineCells, dict[str, Role | None]]:
    """Return the columns of a table by role, and the unprotected ones with their role.

    Fails
        With `InvalidInputError` where a role is declared for no column, or none is a quasi-identifier.
    """
    for name, declared in roles.columns.items():
        if declared.role is not None and name not in source.columns:
            raise InvalidInputError.unknown_name("column", name, source.columns)
        if declared.role is Role.PERSON_KEY:
            msg = message(
                "--engine must come without a person key, since it counts rows; got {name}. Leave out --engine, "
                "or the person key if each person has one row",
                name=repr(name),
            )
            raise InvalidInputError(msg)
    role_of = {name: roles.of_column(name).role for name in source.columns}
    quasi = [name for name, role in role_of.items() if role is Role.QUASI_IDENTIFIER]
    if not quasi:
        raise no_quasi_identifier(source.name, source.columns)
    groups = group if role_of.get(group, Role.IDENTIFIER) is None else None
    if groups is not None:
        note(message("column {group} holds the groups", group=repr(groups)))
    unused = [name for name, role in role_of.items() if role is None and name != groups]
    if unused and roles.rest == "insensitive":
        role_of |= dict.fromkeys(unused, Role.INSENSITIVE)
    elif unused:
        note(f"{source.name}: {without_role(unused)}")
    insensitive = {name: role for name, role in role_of.items() if role is Role.INSENSITIVE}
    others = {name: role for name, role in role_of.items() if role in {None, Role.IDENTIFIER} and name != groups}
    cells = EngineCells(
        source,
        tuple(map(Known, quasi)),
        tuple(name for name, role in role_of.items() if role is Role.SENSITIVE),
        groups,
        tuple(MISSING if roles.missing is None else roles.missing),
        roles.policy is Missing.WILDCARD,
    )
    return cells, {**insensitive, **others}


def facts_of(name: str, groups: GroupFacts, given: ReleaseSource) -> ReleaseFacts:
    """Return the description of a release, from facts about all of its groups."""
    n = groups.n_rows
    return ReleaseFacts(
        name, groups.n_groups, n, groups.smallest, n / max(groups.n_groups, 1), groups.squares / n if n else 0.0,
        round(groups.suppressed) + given.suppressed, given.made_by.sanitizer, dict(given.made_by.parameters),
        rows_declared=given.rows_declared, unit=Unit.ROWS,
    )  # fmt: skip


def column_audit_in(
    queries: Queries, base: Base, roles: dict[str, Role | None], ignored: Sequence[str], models: Sequence[AnyModel]
) -> ColumnAudit:
    """Return the audit of all published columns, with the requirements that they break."""
    cells = base.cells
    unprotected = tuple(roles)
    by_all = all_columns(queries, cells, unprotected)
    findings = tuple(column_findings(queries, cells, roles, by_all.n))
    kept = tuple(name for name in roles if name in ignored)
    audit = ColumnAudit(by_all, cells.sensitive, unprotected, kept, findings)
    more = [name for name in unprotected if name not in kept]
    wanted = [model for model in models if not isinstance(model, PopulationModel)]
    if not more or not wanted:
        return audit
    refined = replace(cells, known=(*cells.known, *(Known(name, starred=False) for name in more)))
    finer = measure_in(queries, base_of(queries, refined, "all_"), wanted, "all_")
    broken = tuple(
        BrokenLimit(
            titled(one.model),
            message(
                "{required} is required; found {value_text}", required=required(one.model), value_text=value_text(one)
            ),
        )
        for one in finer
        if not one.holds
    )
    return replace(audit, broken=broken)


def population_of(engine: Engine, source: Given, cells: EngineCells, roles: Roles) -> EngineCells:
    """Return the columns of a table of the population that the attacker knows of the release.

    Fails
        With `InvalidInputError` where it lacks one: a missing one would match every value, and people would look safer.
    """
    found = engine.beside(str(source), names_of([str(source)])[0])
    lacking_ = [one.column for one in cells.known if one.column not in found.columns]
    if lacking_:
        msg = message(
            "{name} must have every quasi-identifier, being the population; it lacks {columns}. "
            "Add or rename columns, or leave these out of -q",
            name=repr(found.name), columns=", ".join(lacking_),
        )  # fmt: skip
        raise InvalidInputError(msg)
    marks = tuple(MISSING if roles.missing is None else roles.missing)
    known = tuple(Known(one.column, starred=False) for one in cells.known)
    return EngineCells(found, known, marks=(*marks, SUPPRESSED), missing_matches=cells.missing_matches)


def _measured(
    queries: Queries, base: Base, models: Sequence[AnyModel], population: EngineCells | None, parse: CellParser
) -> Iterator[Measured | InvalidInputError]:
    """Yield each model's measurement, or why there is none; the others are still measured together."""
    errors: dict[int, InvalidInputError] = {}
    for i, model in enumerate(models):
        if model.needs_values and not base.cells.sensitive:
            errors[i] = no_sensitive(model)
            continue
        if isinstance(model, PopulationModel):
            if population is None:
                errors[i] = InvalidInputError(
                    message(
                        "{model} must have a table of the population; got none. Give one with --population",
                        model=model.name,
                    )
                )
            continue
        try:
            require_computed(model)
        except InvalidInputError as error:
            errors[i] = error
    kept = [model for i, model in enumerate(models) if i not in errors]
    among: Iterator[Measured] = iter(())
    if population is not None:
        of_population = [model for model in kept if isinstance(model, PopulationModel)]
        among = iter(measure_among(queries, base, of_population, population, parse))
    found = iter(measure_in(queries, base, [model for model in kept if not isinstance(model, PopulationModel)]))
    for i, model in enumerate(models):
        yield errors[i] if i in errors else next(among if isinstance(model, PopulationModel) else found)
