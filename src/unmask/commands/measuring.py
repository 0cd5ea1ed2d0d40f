"""`unmask.measure`: measure every privacy model on a release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from unmask import catalog
from unmask.auditing.findings import ReleaseFacts
from unmask.commands.column_limits import ColumnLimits, columns_within
from unmask.commands.inputs.counting_notes import notes_on_release
from unmask.commands.inputs.limits import Requirement
from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source, as_release
from unmask.commands.inputs.sampled_people import people_sampled
from unmask.commands.leak_checks import leak_checks
from unmask.commands.models_asked import lacking, lines_of, models_asked
from unmask.commands.notes import Notes
from unmask.commands.outcome.measured_release import MeasuredRelease
from unmask.commands.published_columns import require_columns
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import of_table
from unmask.files.roles import Assignments, Roles
from unmask.models.privacy_model import AnyModel, titled
from unmask.models.release_assessment import Measured, measure_all
from unmask.release import Release
from unmask.runtime.memory_estimate import require_measuring_memory
from unmask.runtime.summation import in_one_order
from unmask.table import Table
from unmask.wording import message

_ASKED = ("person_key", "household", "weight")  # options that ask for the population risk


@public
@in_one_order
def measure(  # noqa: PLR0913 - the options of the command line
    source: Source,
    *,
    rows: str | None = None,
    engine: str | None = None,
    require: Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    population: Source | None = None,
    sampled: str | float | None = None,
    roles: Roles | str | Path | None = None,
    table: str | None = None,
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
    identifier: str | Iterable[str] = (),
    insensitive: str | Iterable[str] = (),
    person_key: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    rest: str | None = None,
    hierarchy: Assignments = (),
    order: Assignments = (),
    bins: Assignments = (),
    level: Assignments = (),
    cells: Assignments = (),
    harmless: Assignments = (),
    missing: str | Iterable[str] = (),
    missing_policy: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
) -> MeasuredRelease:
    """Measure every privacy model on a release, and the re-identification risk in its population.

    Models are measured under the strict and the lenient reading of missing values.

    Parameters
    ----------
    source
        Release: a release folder, a table, `QIT.csv,ST.csv`, a data frame, or a result of `sanitize`.
    engine
        Where the table is counted: `duckdb`, `postgresql` or `spark`. Then it is never loaded, and only aggregates
        leave the engine. Leak checks, population risk and a person key need the rows, and do not come with an engine.
    population
        Table of the population; with an engine, another table in the same place.
    require
        Limits, each MODEL=VALUE: `["k=5", "t=hierarchical:0.3"]`. They must also hold where columns that no model
        counts are known to the attacker, except those in `ignore`.
    sampled
        Share of the population that is in the release: `0.1`, `"10%"`, or `"30162/317238626"`.

    Fails
        With `InvalidInputError` where the release cannot be read or a requirement names no model.
    """
    if engine is not None:  # loads SQLGlot
        from unmask.commands.measuring_in_engine import measured_in_engine, refuse  # noqa: PLC0415

        refuse(
            rows=rows, person_key=person_key, household=household, weight=weight, sampled=sampled,
            level=level, cells=cells, encoding=encoding, delimiter=delimiter, decimal=decimal, skip_lines=skip_lines,
            sheet=sheet,
        )  # fmt: skip
        reader = Reader.of(
            roles, Notes(),
            quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, rest=rest,
            hierarchy=hierarchy, order=order, bins=bins, harmless=harmless, missing=missing,
            missing_policy=missing_policy,
        )  # fmt: skip
        given = of_table(source, table)
        return measured_in_engine(engine, given, reader, require=require, ignore=ignore, population=population)
    notes = Notes()
    source = as_release(of_table(source, table))
    reader = Reader.of(
        roles, notes,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet, rows=rows,
    )  # fmt: skip
    raw = None if population is None else reader.beside([source]).raw(population)
    (found,) = reader.releases([source], [] if raw is None else [raw], with_tables=True)
    notes.add(*notes_on_release(found, reader.options))
    people = None if raw is None else reader.population(raw, [found])
    if found.release.masked.noise:
        notes.add(
            message(
                "models count who shows the same, and nothing of what noise hides: unmask attack linkage tries that"
            )
        )
    demanded = [(one.name, one.model(found.release.provenance)) for one in map(Requirement.of, require)]
    passed_over = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    require_columns(passed_over, [found])
    require_measuring_memory(found.release.n_rows, len(found.release.schema.attributes))
    columns = columns_within(found, ColumnLimits(models=tuple(model for _, model in demanded), ignore=passed_over))
    by_all = {one.limit: one for one in columns.broken}
    asked = models_asked(demanded, catalog.claimed_by(found.release.provenance))
    given = {"values": bool(found.release.counts), "population": people is not None}
    why = [lacking(one.model, **given) if one.required is None else "" for one in asked]
    measured = _measured(found.release, [one.model for one, lack in zip(asked, why, strict=True) if not lack], people)
    lines = [
        replace(line, by_all=None if line.required is None else by_all.get(titled(one.model)))
        for one, line in zip(asked, lines_of(asked, why, measured), strict=True)
    ]
    notes.add(
        *(
            message(
                "the release claims {title} of {claimed}, which does not hold", title=line.title, claimed=line.claimed
            )
            for line in lines
            if line.claimed is not None and line.measured is not None and not line.measured.holds
        )
    )
    try:
        sample = people_sampled(reader, source, found, sampled=sampled, population=raw, fits=people)
        notes.add(*(message("population risk: {text}", text=text) for text in sample.risk.notes))
    except InvalidInputError as error:
        if sampled is not None or raw is not None or any(reader.options.get(role) is not None for role in _ASKED):
            raise
        sample = None
        notes.add(message("population risk is unknown: {error}", error=str(error)))
    leaks = leak_checks(found, columns, reader.roles)
    facts = replace(ReleaseFacts.of(found.release), rows_declared=found.rows_declared, leaks=leaks)
    return MeasuredRelease(facts, tuple(lines), notes.texts, columns, sample)


def _measured(
    release: Release, models: Sequence[AnyModel], people: Table | None
) -> Iterator[Measured | InvalidInputError]:
    """Yield each model's measurement, or why there is none: of all together, or each alone where one has none."""
    try:
        yield from measure_all(release, models, population=people)
    except InvalidInputError as error:
        if len(models) == 1:
            yield error
        else:
            yield from (found for model in models for found in _measured(release, [model], people))
