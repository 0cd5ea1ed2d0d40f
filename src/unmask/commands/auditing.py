"""`unmask.audit`: attack a release, or one made by a sanitizer here, and judge it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from unmask import catalog
from unmask.auditing.policy import Policy
from unmask.changes.planned_changes import Changes
from unmask.commands.advising import advice_after
from unmask.commands.audits import Plan
from unmask.commands.held_out import require_published_here
from unmask.commands.inputs.command_inputs import Inputs
from unmask.commands.inputs.limits import attacks_of, demands_of
from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.reader import Reader, roles_file
from unmask.commands.inputs.reading_options import Settings, Source, as_release, is_release, several
from unmask.commands.inputs.repeated_command import repeated_command
from unmask.commands.lost_attacks import without_lost_attacks
from unmask.commands.notes import Notes
from unmask.commands.outcome.audit_result import Audited
from unmask.commands.outcome.changed_folder import ChangedFolder
from unmask.commands.outcome.record_inputs import with_inputs
from unmask.commands.outcome.report_notes import notes_on_households, notes_on_unplaced
from unmask.commands.outcome.resuming import resuming
from unmask.commands.prepared_audits import PreparedAudit
from unmask.commands.published_here import TableToPublish
from unmask.commands.trials import Trial, TrialSeries
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import of_table
from unmask.files.person_hashes import read_key
from unmask.files.roles import Assignments, Roles
from unmask.runtime.summation import in_one_order
from unmask.wording import message


@public
@in_one_order
def audit(  # noqa: PLR0913 - the options of the command line
    data: Source | None = None,
    *,
    release: Source | Sequence[Source] = (),
    rows: str | None = None,
    engine: str | None = None,
    keep: str | Path | None = None,
    people: Source | None = None,
    sanitizer: str | None = None,
    set: Settings | None = None,  # noqa: A002 - the option's name
    attack: str | Sequence[str] = (),
    attack_set: Settings | None = None,
    quick: bool = False,
    policy: Policy | str | Path | None = None,
    max_belief: float | None = None,
    excess: float | None = None,
    tolerate: str | float | None = None,
    location: str | None = None,
    complete: bool = False,
    population: Source | None = None,
    control: str | None = None,
    ignore: str | Sequence[str] = (),
    key: str | Path | None = None,
    withhold: str | Iterable[str] = (),
    coarser: str | Iterable[str] | Mapping[str, int] = (),
    leave_out_exposed: bool = False,
    also_known: str | Iterable[str] = (),
    advice: int | None = None,
    seed: int | None = None,
    resume: str | Path | None = None,
    table: str | None = None,
    roles: Roles | str | Path | None = None,
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
) -> Audited:
    """Attack releases in every way that applies, and judge them against limits.

    The rows of the original table are the targets, and their sensitive values are the truth. With `people`, the table
    gives only the truth. Without both, the published rows are the targets. A `sanitizer` publishes the table here, from
    the seed of the audit: that release is not the one to hand out.

    Parameters
    ----------
    data
        Original table. A release folder or a result of `sanitize` counts as `release`.
    engine
        Where the tables are attacked: `duckdb`, `postgresql` or `spark`. Then they are never loaded, and attacks that
        need more than counts do not run.
    people
        Table of the people to attack, instead of the rows of `data`.
    sanitizer
        Sanitizer that publishes `data`, by name, instead of a `release`.
    set
        Parameters of the sanitizer, by name: `{"k": 5}`.
    quick
        Whether attacks that take long run in their quick forms, and little advice is measured.
    control
        What attacks are compared with: `left-out` (default), `held-out` people, with a `sanitizer`, or `none`.
    withhold
        Columns to leave out: of the table before the sanitizer, or of the releases.
    coarser
        Quasi-identifiers to publish coarser, each with a number of levels: `{"age": 2}`, or `["age=2", "postcode"]`.
        Levels are those of the hierarchy, else round ranges, periods of dates, prefixes of codes.
    leave_out_exposed
        Whether the groups of exposed people are left out and the rest is attacked again, until no limit is broken.
    also_known
        Published columns that the attacker knows of each person as well, though they are no quasi-identifiers.
    advice
        Number of changes to measure where a limit is broken; 0: none. By default it depends on the number of rows.

    Fails
        With `InvalidInputError` where something cannot be read or does not belong together, with `InfeasibleError`
        where no table meets the sanitizer's model.
    """
    arguments = dict(locals())
    notes, data = Notes(), of_table(data, table)
    secret = None if key is None else read_key(key)
    demands = demands_of(
        policy, notes, max_belief=max_belief, excess=excess, tolerate=tolerate, location=location, control=control,
        ignore=[ignore] if isinstance(ignore, str) else ignore,
    )  # fmt: skip
    if demands.max_epsilon is not None or demands.max_delta is not None:
        notes.add(message("max_epsilon and max_delta are judged by unmask ledger check, which knows all releases"))
    named = [attack] if isinstance(attack, str) else list(attack)
    sources = several(release)
    if is_release(data) and not sources and sanitizer is None:
        data, sources = None, [as_release(data)]  # a release in place of a table: audit the release
    _require_something(data, sources, sanitizer, keep)
    require_published_here(demands.policy.control, sanitizer, people=people is not None)
    if complete and data is None and people is None:
        msg = message("a list of people must be given to be complete. Write the table, or --people FILE")
        raise InvalidInputError(msg)
    if quick and named:
        msg = message("an audit must be --quick or run the attacks named by --attack; got both")
        raise InvalidInputError(msg)
    if engine is not None:
        return _in_engine(engine, data, sources, arguments, demands, attacks_of(named, attack_set), named, notes)
    plan = Plan(attacks_of(named, attack_set), demands, seed, complete, named=tuple(named), quick=quick)
    reader = Reader.of(
        roles, notes, beside=data,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet, rows=rows,
    )  # fmt: skip
    if set and sanitizer is None:
        msg = message(
            "--set must come with --sanitizer NAME, whose settings they are; got none. For attacks write --attack-set"
        )
        raise InvalidInputError(msg)
    changes = Changes.of(
        [withhold] if isinstance(withhold, str) else withhold,
        [coarser] if isinstance(coarser, str) else coarser,
        leave_out_exposed=leave_out_exposed,
    )
    learned = (also_known,) if isinstance(also_known, str) else tuple(also_known)
    with resuming(resume):
        to_publish = None
        if sanitizer is not None:
            to_publish = TableToPublish.of(
                reader, sanitizer, set or {}, data=data, people=people, population=population, seed=seed,
                hold_out=demands.policy.control == "held-out", key=secret,
            )  # fmt: skip
            plan = replace(plan, seed=to_publish.seed)
            made, series = _published(to_publish, changes, learned, plan)
        else:
            given = PreparedAudit.of(
                Inputs.read(reader, sources, table=data, people=people, population=population, attacks=plan.attacks),
                keep,
            )
            made = TrialSeries(given.changed, learned).trial(changes, plan)
            series = TrialSeries(given.silent().changed, learned)
        made = without_lost_attacks(made, changes, series, plan)
        inputs, report = made.prepared.inputs, made.report
        report = replace(report, standing=made.standing() if changes or learned or report.policy.limits.given else None)
        report = replace(
            report,
            advice=advice_after(made, report.standing, changes, series, plan, table=to_publish, lines=advice),
            command=repeated_command("audit", arguments, report.seed),
        )
        report = with_inputs(report, key, {
            "table": [data], "release": sources, "keep": [keep], "people": [people], "population": [population],
            "policy": [policy], "roles": [roles_file(data) if roles is None else roles],
        })  # fmt: skip
    notes.add(*notes_on_unplaced(report), *notes_on_households(report))
    asked = tuple(catalog.named("attacks", name).name for name in named)
    by_line = inputs.table is None and inputs.people is None
    names = inputs.lines if by_line else inputs.names
    named_by: Literal["key", "line", "row"] = "row" if by_line else "line" if names is None else "key"
    if names is None:
        names = made.prepared.lines
    folder = None if to_publish is not None or learned or not changes else _changed_folder(made.prepared)
    return Audited(report, notes.texts, names, asked, inputs.releases, named_by, folder)


def _in_engine(engine: str, *given: Any) -> Audited:  # noqa: ANN401 - as `audited_in_engine` takes them
    """Attack tables that stay in an engine."""
    from unmask.commands.auditing_in_engine import audited_in_engine  # noqa: PLC0415 - loads SQLGlot

    return audited_in_engine(engine, *given)


def _changed_folder(prepared: PreparedAudit) -> ChangedFolder | None:
    """Return the changed release of an audit of one given release."""
    if len(prepared.evidence) != 1:
        return None
    own = prepared.originals[0].row if prepared.originals else None
    return ChangedFolder(prepared.evidence[0].release, own, prepared.inputs.original)


def _published(
    table: TableToPublish, changes: Changes, learned: tuple[str, ...], plan: Plan
) -> tuple[Trial, TrialSeries]:
    """Return the audit of a release that is made here, and the series of its trials, which add no notes."""
    return TrialSeries(table.prepared, learned).trial(changes, plan), TrialSeries(table.silent().prepared, learned)


def _require_something(data: Source | None, sources: Sequence[Source], sanitizer: str | None, keep: object) -> None:
    if sanitizer is not None and (data is None or sources):
        got = "both" if sources else message("a sanitizer without a table")
        msg = message("an audit must have either a table and a sanitizer, or releases; got {got}", got=got)
        raise InvalidInputError(msg)
    if sanitizer is None and not sources:
        msg = message(
            "an audit must have a release or a sanitizer; got neither. Write --release PATH, or --sanitizer "
            "NAME to try one on the table"
        )
        raise InvalidInputError(msg)
    if keep is not None and (data is None or not sources):
        msg = message(
            "--keep must come with the table and the release that it is about. Write the table, and --release PATH"
        )
        raise InvalidInputError(msg)
