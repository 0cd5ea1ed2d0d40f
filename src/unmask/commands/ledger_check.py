"""`unmask ledger check`: attack a new release with past ones that may share its people, and add up budgets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unmask import catalog
from unmask.auditing.findings import AuditReport, ReleaseFacts
from unmask.auditing.judging import judged
from unmask.auditing.limit_results import LimitResult, LimitState, concluded
from unmask.auditing.policy import Policy
from unmask.commands.audits import Plan, audit_releases
from unmask.commands.inputs.attack_population import AttackPopulation
from unmask.commands.inputs.command_inputs import Inputs
from unmask.commands.inputs.limits import Demands, attacks_of, demands_of, with_models
from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.reader import Reader, roles_file
from unmask.commands.inputs.reading_options import Settings, Source
from unmask.commands.ledgers import HERE, as_published
from unmask.commands.notes import Notes
from unmask.commands.outcome.audit_result import Audited
from unmask.commands.outcome.privacy_budgets import with_budget
from unmask.commands.outcome.record_inputs import with_inputs
from unmask.commands.outcome.report_notes import notes_on_unplaced
from unmask.commands.outcome.resuming import seed_of
from unmask.differential_privacy.budget import Budget
from unmask.errors import InvalidInputError, enumerated
from unmask.files.folder_reading import read_folder
from unmask.files.people import values_of
from unmask.files.person_hashes import HashedPeople, Overlap, overlap
from unmask.files.published import ReadRelease
from unmask.files.roles import Assignments, Roles
from unmask.ledgers import Ledger, LedgerEntry
from unmask.number_format import numeral
from unmask.release import Release
from unmask.runtime.summation import in_one_order
from unmask.unit import Unit
from unmask.wording import counted, message

MOST_TOGETHER = 5
"""The largest number of releases, the new one included, attacked all at once; more in pairs only."""


@public
@in_one_order
def check(  # noqa: PLR0913 - the options of the command line
    path: Source,
    *,
    ledger: str | Path = HERE,
    people: Source | None = None,
    truth: Source | None = None,
    keep: str | Path | None = None,
    key: str | Path | None = None,
    attack: str | Sequence[str] = (),
    attack_set: Settings | None = None,
    policy: Policy | str | Path | None = None,
    max_belief: float | None = None,
    excess: float | None = None,
    tolerate: str | float | None = None,
    location: str | None = None,
    max_epsilon: float | None = None,
    max_delta: float | None = None,
    seed: int | None = None,
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
    """Attack a new release alone, with each past release that may share its people, and with all of them together.

    Only people who are in all releases of a set are attacked with that set, as far as their hashed person keys are
    known. The ε and δ of releases that may share people are added.

    Parameters
    ----------
    path
        New release: a release folder, a table, `QIT.csv,ST.csv`, a data frame, or a result of `sanitize`.
    people
        Table of the people to attack. By default the rows of `truth`.
    truth
        Table that the release was made of: the true values, and the targets unless `people` is given.
    keep
        File with the mapping of the rows of `truth` to published rows, as `sanitize` writes it.
    max_epsilon
        Largest sum of ε over all releases that may share people.
    max_delta
        Largest sum of δ over all releases that may share people.

    Fails
        With `InvalidInputError` where there are neither targets nor a privacy budget to check.
    """
    notes = Notes()
    demands = demands_of(policy, notes, max_belief=max_belief, excess=excess, tolerate=tolerate, location=location)
    demands = replace(
        demands,
        max_epsilon=demands.max_epsilon if max_epsilon is None else max_epsilon,
        max_delta=demands.max_delta if max_delta is None else max_delta,
    )
    names = [attack] if isinstance(attack, str) else list(attack)
    attacks = attacks_of(names, attack_set)
    book = Ledger.read(ledger)
    table = people if truth is None else truth
    reader = Reader.of(
        roles, notes, beside=path if table is None else table,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet,
    )  # fmt: skip
    population = AttackPopulation.of(reader.beside([path]), people, truth, key)
    _require_something(population, demands, names)
    if keep is not None and truth is None:
        msg = message("--keep must come with the table of its rows. Write --truth FILE")
        raise InvalidInputError(msg)
    past, new = _Past.of(book, as_published(path, reader.silent()).release, population, notes)
    reports: list[AuditReport] = []
    if population is not None:
        (found,) = reader.without_table_format().releases([path], [population.table], attacks)
        found = replace(found, release=replace(found.release, name=new))
        plan = Plan(attacks, _unjudged(demands), seed_of(seed, notes), named=tuple(names))
        reports = list(_attacked(reader, plan, population, found, past, keep))
    else:
        found = ReadRelease(replace(as_published(path, reader).release, name=new), np.zeros(0, np.int64))
        notes.add(
            message("no targets were given: only the budget is judged. Write --people FILE or --truth FILE to attack")
        )
    report = _together(reports, found, demands, past)
    report = with_models(report, [found.release], demands.models, None)
    parts = {new: Budget.of(found.release), **{e.name: e.budget for e in past.sharing}}
    report = with_budget(report, parts, demands, notes)
    report = with_inputs(report, key, {
        "table": [truth], "release": [path], "ledger": [ledger], "keep": [keep], "people": [people], "policy": [policy],
        "roles": [roles_file(path if table is None else table) if roles is None else roles],
    })  # fmt: skip
    notes.add(*notes_on_unplaced(report))
    return Audited(
        report, notes.texts, asked=tuple(catalog.named("attacks", name).name for name in names), releases=(found,)
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Past:
    """The past releases that may share people with the new one."""

    book: Ledger
    sharing: tuple[LedgerEntry, ...]
    known: Mapping[str, HashedPeople]  # people of past releases, where hashes are recorded
    lost: list[str]  # why some could not be attacked with

    @classmethod
    def of(cls, book: Ledger, release: Release, population: AttackPopulation | None, notes: Notes) -> tuple[_Past, str]:
        """Return the past releases, and a unique name of the new release."""
        same = book.same_content(release)
        sharing, known = [], {}
        new = release.name
        while (namesake := book.named(new)) is not None and namesake is not same:
            new = f"{new}-new"
        if same is not None:
            new = same.name
            notes.add(
                message(
                    "{release} shows the same as {same} in the ledger: it counts once",
                    release=release.name,
                    same=same.name,
                )
            )
        for entry in book.entries:
            if entry is same:
                continue
            theirs = book.people_of(entry)
            found = overlap(None if population is None else population.hashed, theirs)
            notes.add(_overlap_note(new, entry.name, found))
            if found.possible:
                sharing.append(entry)
            if found.n and theirs is not None:
                known[entry.name] = theirs
        return cls(book, tuple(sharing), known, []), new


def _overlap_note(new: str, old: str, found: Overlap) -> str:
    if found.n is None:
        return message(
            "{new} and {old} may share people ({why}): all people are assumed to be in both",
            new=new,
            old=old,
            why=found.why,
        )
    if not found.n:
        return message(
            "{new} and {old} share no people: not attacked together, and no budget is added", new=new, old=old
        )
    more = message(" at least ({why}); these are attacked", why=found.why) if found.why else ""
    return counted(
        "{new} and {old} share {n} person{more}",
        "{new} and {old} share {n} people{more}",
        found.n,
        new=new,
        old=old,
        n=numeral(found.n),
        more=more,
    )


def _attacked(
    reader: Reader,
    plan: Plan,
    population: AttackPopulation,
    new: ReadRelease,
    past: _Past,
    keep: str | Path | None,
) -> Iterator[AuditReport]:
    """Attack the new release alone, with each past one, and people in several of these with all of theirs."""
    yield _audited(reader, plan, population, [new], keep)
    others = _beside(reader, population, new, past)
    sets: list[tuple[str, ...]] = [(name,) for name in others]
    if len(others) < MOST_TOGETHER:
        sets += population.shared_sets(tuple(others), past.known)
    else:
        reader.notes.add(
            message(
                "{n} releases are attacked in pairs with {release}, not all at once",
                n=len(others) + 1,
                release=new.release.name,
            )
        )
    for names in sets:
        shared = population.among([past.known[name] for name in names if name in past.known])
        try:
            releases = [new, *(others[name] for name in names)]
            own = keep if shared.is_as_large_as(population) else None
            yield _audited(reader.silent(), replace(plan, together=True), shared, releases, own)
        except InvalidInputError as error:
            past.lost.append(
                message(
                    "{names} could not be attacked together with it: {error}",
                    names=enumerated(names),
                    error=str(error),
                )
            )
            reader.notes.add(past.lost[-1])


def _beside(reader: Reader, population: AttackPopulation, new: ReadRelease, past: _Past) -> dict[str, ReadRelease]:
    """Read the past releases that can be attacked together with the new one, and note why others cannot."""
    notes, found = reader.notes, dict[str, ReadRelease]()
    for entry in past.sharing:
        if past.book.release(entry) is None:
            past.lost.append(
                message("{entry} is {state}: not attacked together", entry=entry.name, state=past.book.state(entry))
            )
            notes.add(past.lost[-1])
            continue
        rename = reader.roles.renamed(entry.name)
        one = read_folder(past.book.place(entry), entry.name, rename=rename, also=values_of(population.table))
        if {a.name for a in one.release.schema.sensitive} & {a.name for a in new.release.schema.sensitive}:
            found[entry.name] = one
        else:
            notes.add(
                message("{entry} has none of {secrets}: not attacked together", entry=entry.name, secrets=_secrets(new))
            )
    return found


def _audited(
    reader: Reader,
    plan: Plan,
    population: AttackPopulation,
    releases: Sequence[ReadRelease],
    keep: str | Path | None,
) -> AuditReport:
    inputs = Inputs.read(reader, releases, table=population.truth, people=population.people, attacks=plan.attacks)
    return audit_releases(inputs, plan, keep=keep)


def _together(reports: Sequence[AuditReport], new: ReadRelease, demands: Demands, past: _Past) -> AuditReport:
    """Return all audits as one report with one verdict."""
    policy = demands.policy
    if reports:
        policy = replace(reports[0].policy, required=demands.policy.required)
    facts = {one.name: one for report in reports for one in report.releases}
    scenes = tuple(scene for report in reports for scene in report.scenes)
    if not reports:
        facts = {new.release.name: ReleaseFacts.of(new.release)}
    most = max(reports, key=lambda report: report.n_targets, default=None)
    limits = judged(scenes, policy, [(report.scenes, report.n_exposed) for report in reports])
    if policy.limits.given or policy.required:
        limits = (*map(_lost, past.lost), *limits)
    verdict, why = concluded(limits)
    return AuditReport(
        tuple(facts.values()),
        scenes,
        policy,
        verdict,
        why,
        reports[0].seed if reports else None,
        most.n_targets if most else 0,
        n_people=most.n_people if most else None,
        unit=most.unit if most else Unit.PEOPLE,
        limits=limits,
    )


def _lost(reason: str) -> LimitResult:
    change = message("Attacked together once it lies where the ledger says, as recorded")
    return LimitResult("past-releases", LimitState.NOT_DECIDED, reason, would_change=change)


def _unjudged(demands: Demands) -> Demands:
    """Return the demands on each single audit, without required attacks and models: these are checked at the end."""
    return replace(demands, policy=replace(demands.policy, required=()), models=())


def _require_something(population: AttackPopulation | None, demands: Demands, attacks: Sequence[str]) -> None:
    asks = demands.policy.limits.given or demands.policy.required or attacks
    budget = demands.max_epsilon is not None or demands.max_delta is not None
    if population is None and (asks or not budget):
        msg = message(
            "ledger check must have targets; got none. Write --people FILE, or --truth FILE for the original "
            "table of the release; only a budget (--max-epsilon) can be judged without"
        )
        raise InvalidInputError(msg)


def _secrets(new: ReadRelease) -> str:
    names = [a.name for a in new.release.schema.sensitive]
    return enumerated(names) if names else message("anything sensitive")
