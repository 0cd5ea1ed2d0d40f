"""`unmask.harden`: search for the release that passes a policy and keeps most."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa

from unmask import catalog
from unmask.advising.what_is_left import starred_for_all
from unmask.auditing.evidence import Evidence
from unmask.auditing.findings import ATTRIBUTES, ROW, AuditReport
from unmask.auditing.limit_results import concluded
from unmask.auditing.policy import Location, Policy, Verdict, worst_of
from unmask.beliefs import Question
from unmask.changes.coarser_tables import levels_in
from unmask.commands.audits import Plan, attacked, harm_of
from unmask.commands.inputs.command_inputs import Inputs
from unmask.commands.inputs.counting_notes import notes_on_table
from unmask.commands.inputs.limits import Demands, attacks_of, demands_of
from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source
from unmask.commands.inputs.repeated_command import repeated_command
from unmask.commands.notes import Notes
from unmask.commands.outcome.exit_codes import BROKEN, DONE, MACHINE
from unmask.commands.outcome.resuming import not_resuming, resuming, seed_of
from unmask.commands.prepared_audits import PreparedAudit
from unmask.commands.published_columns import as_read
from unmask.commands.results import PageReport
from unmask.commands.sanitizing import Sanitized, published
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import of_table
from unmask.files.policies import tolerance
from unmask.files.raw import Raw
from unmask.files.roles import Assignments, Roles
from unmask.hardening.attacked import BOTH, PolicyJudge, for_ranking
from unmask.hardening.candidate_runs import TimeBudget, may_be_repaired
from unmask.hardening.candidates import SANITIZERS, Candidate, Wanted, first_candidates
from unmask.hardening.evaluated import Evaluated
from unmask.hardening.hardened import HardenReport
from unmask.hardening.impossible import require_belief, require_suppression
from unmask.hardening.search import GENERATIONS, sample, search
from unmask.hardening.trials import CandidateTrials, TriedCandidate
from unmask.masks.levels import LevelLabels
from unmask.number_format import numeral
from unmask.release import Publication
from unmask.runtime import work
from unmask.runtime.machine import processors
from unmask.runtime.streams import fresh_seed, secret_seed, secret_stream, stream
from unmask.runtime.summation import in_one_order
from unmask.schema import Harm, Role
from unmask.table import Table
from unmask.view import Attack
from unmask.wording import message

MINUTES = 10.0
"""The default budget."""

SUPPRESSION = 0.05
"""The default share of people who may be left out."""

PARTS = "harden"
"""The name of the parts that stay in the folder of `--resume`, for a run with another policy: numbers, no beliefs."""

_OF_SEARCH = {"suppression", "only", "budget", "jobs", "seed", "resume"}
"""Arguments that an audit of the release does not have."""

DRAWS = 3
"""How often a finalist is drawn anew until one release passes."""

MOST_NODES, FEW_ROWS = 256, 4_000
"""Full-domain recoding is tried at each combination of levels up to so many, on tables of up to so many rows."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hardened(PageReport):
    """The release that passes and keeps most, where there is one, with its evidence; what was tried; notes.

    The data frame has a line for each evaluated candidate.
    """

    report: HardenReport
    sanitized: Sanitized | None
    notes: tuple[str, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)  # of the call, that an audit of the release has too

    def released_at(self, out: str | Path, *, keep: str | Path | None = None) -> Hardened:
        """Return the result with the command that audits the release in its folder, by which `retest` repeats it.

        Its limits are judged for an attacker who knows the row where the kept mapping is written as well.
        """
        if self.report.audit is None:
            return self
        where = {"release": [out], "keep": keep, "location": ROW.name if keep else ATTRIBUTES.name}
        command = repeated_command("audit", {**self.arguments, **where}, self.report.audit.seed)
        return replace(self, report=replace(self.report, audit=replace(self.report.audit, command=command)))

    @property
    def verdict(self) -> Verdict:
        """The verdict on the release that is written; broken where nothing that passes was found."""
        return Verdict.BROKEN if self.report.audit is None else self.report.audit.verdict

    @property
    def exit_code(self) -> int:
        """The exit code that a pipeline should see: 0 for a release that passes, 1 for none, 5 where time ran out."""
        if self.sanitized is not None:
            return DONE
        return MACHINE if self.report.ran_out else BROKEN

    def write(self, out: str | Path, *, keep: str | Path | None = None, force: bool = False) -> None:
        """Write the release as a public folder, and the kept mapping as a secret file; both or neither.

        Fails
            With `InvalidInputError` where no release passes.
        """
        if self.sanitized is None:
            msg = message(
                "a release must pass the policy to be written; none does. Relax the policy, or give it more time"
            )
            raise InvalidInputError(msg)
        self.sanitized.write(out, keep=keep, force=force)

    def to_json(self) -> str:
        """Return all numbers as a JSON document, as `--json` writes it."""
        from unmask.report.hardening import to_json  # noqa: PLC0415 - reports are loaded where one is made

        return to_json(self.report, context=self.notes)

    def to_html(self) -> str:
        """Return the report as a self-contained page, as `--html` writes it."""
        from unmask.report.hardening_page import to_html  # noqa: PLC0415 - drawing charts is heavy

        return to_html(self.report, context=self.notes)

    def __str__(self) -> str:
        from unmask.report.hardening import summary  # noqa: PLC0415 - as above

        return summary(self.report)

    def _table(self) -> pa.Table:
        return pa.Table.from_pylist([_line(one) for one in (*self.report.final, *self.report.sampled)], schema=_COLUMNS)

    def _facts(self) -> str:
        found = message("no release passes") if self.report.chosen is None else self.report.chosen.candidate.text
        return message(
            "{found}; {proposed} candidates, {n} on the whole table",
            found=found,
            proposed=self.report.proposed,
            n=len(self.report.final),
        )


_COLUMNS = pa.schema(
    {
        "candidate": pa.string(), "rows": pa.int64(), "people": pa.float64(), "verdict": pa.string(),
        **dict.fromkeys(("exposed", "query_error", "ncp", "left_out"), pa.float64()),
        "groups": pa.int64(), "infeasible": pa.string(),
    }
)  # fmt: skip


def _line(one: Evaluated) -> dict[str, object]:
    return {
        "candidate": one.candidate.text, "rows": one.rows, "people": one.people, "verdict": str(one.verdict),
        "exposed": one.most if np.isfinite(one.most) else None,
        "query_error": one.query_error.value, "ncp": one.ncp.value, "left_out": one.left_out, "groups": one.groups,
        "infeasible": one.infeasible,
    }  # fmt: skip


@public
@in_one_order
def harden(  # noqa: PLR0913 - the options of the command line
    data: Source,
    *,
    policy: Policy | str | Path | None = None,
    max_belief: float | None = None,
    excess: float | None = None,
    tolerate: str | float | None = None,
    suppression: str | float | None = None,
    only: str | Sequence[str] = (),
    budget: float | None = None,
    jobs: int | None = None,
    ignore: str | Sequence[str] = (),
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
    harmless: Assignments = (),
    level: Assignments = (),
    cells: Assignments = (),
    missing: str | Iterable[str] = (),
    missing_policy: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
) -> Hardened:
    """Search for the release of a table that passes a policy and keeps most, and attack it.

    Sanitizers and their parameters are tried on samples first, the best on the whole table: published, attacked by
    every attack that applies and by both attackers (`attributes` and `row`), and repaired where they fail. The release
    that passes with the least error of counting queries is drawn anew from a secret seed, and attacked itself.

    Parameters
    ----------
    data
        Table to publish.
    suppression
        Largest share of people who may be left out: `0.05`, or `"5%"` (default).
    only
        Sanitizers to try, by name. By default all that suit.
    budget
        Minutes for the search (default: 10). They decide how many candidates are tried, and nothing else.
    jobs
        Candidates that are tried at a time (default: as many as processors).
    seed
        Non-negative integer, for tests only. By default a secret one is drawn.

    Fails
        With `InvalidInputError` where something cannot be read, or no limit is given.
    """
    arguments = {name: value for name, value in locals().items() if name not in _OF_SEARCH}
    notes, data = Notes(), of_table(data, table)
    demands = demands_of(
        policy, notes, max_belief=max_belief, excess=excess, tolerate=tolerate,
        ignore=[ignore] if isinstance(ignore, str) else ignore,
    )  # fmt: skip
    if not demands.policy.limits.given:
        msg = message("harden must have a limit to meet; got none. Write --max-belief X, or --policy FILE with limits")
        raise InvalidInputError(msg)
    names = [only] if isinstance(only, str) else list(only)
    reader = Reader.of(
        roles, notes, beside=data,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet, level=level, cells=cells,
    )  # fmt: skip
    minutes = MINUTES if budget is None else budget
    time = TimeBudget.of(minutes)
    with resuming(resume, keep=PARTS):
        drawn = seed_of(seed, Notes(silent=True))
        raw = reader.raw(data)
        needed = (Role.QUASI_IDENTIFIER, *((Role.SENSITIVE,) if demands.policy.limits.max_belief is not None else ()))
        people = reader.table(raw, needed)
        notes.add(*notes_on_table(people, reader.roles), *_excluded(people))
        one = _Hardening(
            reader, raw, people, demands, attacks_of([], None), _share(suppression), drawn, secret=seed is None,
        )  # fmt: skip
        sanitizers = [catalog.named("sanitizers", name).name for name in names] or SANITIZERS
        one.require_possible(sanitizers)
        found = one.searched(sanitizers, time, jobs or processors())
        with not_resuming():  # what is published has a seed of its own
            report, sanitized = one.finished(replace(found, minutes=minutes), time)
    return Hardened(report, sanitized, notes.texts, arguments)


def _excluded(people: Table) -> Iterator[str]:
    """Yield how many rows their missing values leave out of every release that has these columns."""
    n = int(people.excluded().sum())
    if n:
        rows = message("{n} of {n_rows} rows", n=numeral(n), n_rows=numeral(people.n_rows))
        yield message(
            "{rows} lack a value and count as left out; --missing-policy own or wildcard would publish them", rows=rows
        )


def _share(suppression: str | float | None) -> float:
    if suppression is None:
        return SUPPRESSION
    share, is_share = tolerance(suppression)
    if not is_share or not 0 <= share < 1:
        msg = message(
            "suppression must be a share of people, at least 0 and below 1; got {suppression}. Write 5%",
            suppression=suppression,
        )
        raise InvalidInputError(msg)
    return share


@dataclass(frozen=True, slots=True, eq=False)
class _Hardening:
    """One search on one table: its inputs, and the steps that need files, roles and stored parts."""

    reader: Reader
    raw: Raw
    table: Table
    demands: Demands
    attacks: Sequence[Attack]
    suppression: float
    seed: int
    secret: bool
    tried: dict[Candidate, TriedCandidate] = field(default_factory=dict)  # on the whole table, until repaired

    def require_possible(self, names: Sequence[str]) -> None:
        """Fail where it is known before the search that no release passes.

        Fails
            With `InvalidInputError`, with the limit to change.
        """
        require_suppression(self.table, self.suppression, withheld=0 if self._has_only_nodes(names) else GENERATIONS)
        require_belief(self.table, self.demands.policy.limits, self.suppression, self._harm)

    @property
    def _harm(self) -> dict[str, Harm]:
        """The declared harm of values, by sensitive attribute."""
        return harm_of(self.reader.roles, [a.name for a in self.table.schema.sensitive])

    def _has_only_nodes(self, names: Sequence[str]) -> bool:
        return set(names) == {"full-domain"} and self._lattice() is not None

    def searched(self, names: Sequence[str], time: TimeBudget, jobs: int) -> HardenReport:
        """Try candidates."""
        for family in ("models", "sanitizers", "attacks", "guarantees", "metrics"):
            catalog.entries(family)  # their source is parsed once, here: Python 3.11 parses in one thread only
        schema, limits = self.table.schema, self.demands.policy.limits
        wanted = Wanted.of(limits, [(one.name, one.limit) for one in self.demands.models])
        first = first_candidates(
            schema, limits, wanted, names, levels=self._lattice(), suppression=self.suppression * 0.6,
            largest_share=self._largest_share(),
        )  # fmt: skip
        ladders = {a.name: levels_in(self.table, a) for a in schema.quasi}
        levels = {name: 0 if one is None else one.n for name, one in ladders.items()}
        if self._has_only_nodes(names):
            levels = {}
        with work.keeping():  # samples and queries
            found = search(first, levels, self.table.n_rows, self._attacked, self._repaired, time, jobs=jobs)
        return HardenReport(
            self.demands.policy, self.suppression, 0.0, found.proposed, found.sampled, found.final, found.is_complete
        )

    def finished(self, report: HardenReport, time: TimeBudget) -> tuple[HardenReport, Sanitized | None]:
        """Draw the best candidates anew from a secret seed until one passes, by both attackers.

        The best one is drawn at least once, however long that takes; others as long as the budget lasts.
        """
        passing = sorted((one for one in report.final if one.passes), key=lambda one: one.loss)
        redrawn = 0
        for one in [one for one in passing for _ in range(DRAWS)]:
            if redrawn and time.is_spent(1.0):
                return replace(report, redrawn=redrawn, is_complete=False), None
            seed = secret_seed() if self.secret else self.seed + redrawn
            with work.step(message("publishing {candidate}", candidate=one.candidate.text)):
                made = self._trials(self.table, fresh_seed() if self.secret else self.seed).of(
                    one.candidate, secret_stream(seed, "harden", one.candidate.text)
                )
            if isinstance(made, TriedCandidate) and made.evaluated.passes:
                audited = self._audited(made.evidence)
                if audited.verdict is Verdict.WITHIN:
                    done = replace(
                        report, chosen=made.evaluated, audit=audited, starred=starred_for_all(made.evidence.release),
                        redrawn=redrawn,
                    )  # fmt: skip
                    return done, self._sanitized(made.evidence, seed)
            redrawn += 1
        return replace(report, redrawn=redrawn), None

    def _sanitized(self, evidence: Evidence, seed: int) -> Sanitized:
        publication = Publication(evidence.release, evidence.row, None if evidence.row is not None else evidence.group)
        return Sanitized(publication, self.table, self.raw, seed, self.reader.notes.texts)

    def _audited(self, evidence: Evidence) -> AuditReport:
        """Return the audit of a release by both attackers, each judged by the policy: one report, the worst verdict."""
        found = as_read(evidence.release, evidence.row, self.table.person_of)
        reader = self.reader.silent()
        inputs = Inputs(reader, original=self.raw, table=self.table).with_releases([found])
        seed, reports = fresh_seed() if self.secret else self.seed, []
        for attacker in BOTH:
            policy = replace(self.demands.policy, location=cast("Location", attacker.name))
            plan = Plan(
                list(self.attacks), replace(self.demands, policy=policy, location_given=True), seed,
                attackers=(attacker,),
            )  # fmt: skip
            reports.append(attacked(PreparedAudit.of(inputs, own=evidence), plan))
        return _together(reports, self.demands.policy)

    def _attacked(self, candidate: Candidate, size: int) -> Evaluated:
        """Attack a candidate on a sample or the whole table, or take its evaluation from the stored parts.

        Evaluations on samples are judged anew, so that another tolerance does not attack them again.
        """
        policy, is_whole = self.demands.policy, size >= self.table.n_rows
        table = self.table if is_whole else work.kept("sample", (self.table,), size, lambda: self._sample(size))
        anew = not is_whole and policy.limits.max_risk is None

        def tried() -> Evaluated:
            return self._kept(candidate, self._published(candidate, table))

        found = self._saved("attacked", candidate, table, tried, anew=anew)
        return found.judged(policy, self.suppression) if anew else found

    def _repaired(self, one: Evaluated) -> Evaluated:
        """Repair a candidate of the whole table, or take its evaluation from the stored parts."""
        candidate, table = one.candidate, self.table

        def repaired() -> Evaluated:
            made = self.tried.pop(candidate, None) or self._published(candidate, table)
            found = self._trials(table, self.seed).repaired(made) if isinstance(made, TriedCandidate) else made
            return found.evaluated if isinstance(found, TriedCandidate) else found

        return self._saved("repaired", candidate, table, repaired, anew=False)

    def _published(self, candidate: Candidate, table: Table) -> TriedCandidate | Evaluated:
        rng = stream(self.seed, "candidate", candidate.text)
        return self._trials(table, self.seed).attacked(candidate, rng)

    def _kept(self, candidate: Candidate, made: TriedCandidate | Evaluated) -> Evaluated:
        """Return the evaluation, and keep what a repair of it begins with."""
        if not isinstance(made, TriedCandidate):
            return made
        if made.evaluated.rows == self.table.n_rows and may_be_repaired(made.evaluated):
            self.tried[candidate] = made
        return made.evaluated

    def _saved(
        self, part: str, candidate: Candidate, table: Table, compute: Callable[[], Evaluated], *, anew: bool
    ) -> Evaluated:
        parts = self._parts(candidate, table, anew=anew)
        return parts.saved(part, compute, Evaluated.pack, lambda arrays: Evaluated.unpack(candidate, arrays))

    def _sample(self, size: int) -> Table:
        """Return the sample of so many rows, the same for all candidates."""
        return self.table.take(sample(self.table, size, stream(self.seed, "sample")))

    def _parts(self, candidate: Candidate, table: Table, *, anew: bool) -> work.StoredParts:
        """Return the stored parts of a candidate; judged `anew`, they depend on what counts as exposed alone."""
        policy, schema = self.demands.policy, table.schema
        limits = policy.limits
        judged = (limits.max_belief, limits.excess, policy.control) if anew else (self.demands, self.suppression)
        key = repr((candidate, judged, sorted(self._harm.items()), self.seed, schema))
        columns = [table[name] for name in schema.names]
        return work.parts_of(PARTS, key, columns if table.person_of is None else [*columns, table.person_of])

    def _trials(self, table: Table, seed: int) -> CandidateTrials:
        required = {name.replace("_", "-") for name in self.demands.policy.required}
        attacks = [one for one in self.attacks if not one.requirements.linked_rows or one.name in required]
        if table is not self.table:
            attacks = for_ranking(attacks, table.n_rows)
        judge = PolicyJudge(self.demands.policy, attacks, self._harm, seed)
        return CandidateTrials(table, judge, published, self.demands.models_for, self.suppression, self.seed)

    def _largest_share(self) -> float:
        """Return the share of the most frequent value of a sensitive attribute, of those that have one."""
        shares = [0.0]
        for attribute in self.table.schema.having(Role.SENSITIVE):
            codes = self.table[attribute.name]
            known = codes[codes >= 0] if not attribute.is_numeric else codes[:0]
            shares += [float(np.bincount(known).max() / known.size)] if known.size else []
        return max(shares)

    def _lattice(self) -> dict[str, int] | None:
        """Return the number of levels of each quasi-identifier where each of their combinations is tried."""
        if self.table.n_rows > FEW_ROWS or not self.table.schema.quasi:
            return None
        found = {a.name: LevelLabels.of(self.table, a.name).n for a in self.table.schema.quasi}
        return found if np.prod(list(found.values())) <= MOST_NODES else None


def _together(reports: Sequence[AuditReport], policy: Policy) -> AuditReport:
    """Return the audits of one release by several attackers as one report."""
    first, *others = reports
    scenes = [*first.scenes, *(s for one in others for s in one.scenes if s.about.question is not Question.PLACE)]
    limits = list({(one.limit, one.attack, one.location, one.about, one.requirement): one
                   for report in reports for one in report.limits}.values())  # fmt: skip
    verdict, why = concluded(limits)
    if any(one.verdict is not Verdict.WITHIN for one in reports) and verdict is Verdict.WITHIN:
        verdict, why = worst_of((one.verdict, one.why) for one in reports)
    marks = [one.exposed for one in reports if one.exposed is not None]
    most = max(reports, key=lambda one: one.n_exposed or 0)  # of the attacker who exposes most
    return replace(
        first, n_exposed=most.n_exposed, n_exposed_rightly=most.n_exposed_rightly, scenes=tuple(scenes), policy=policy,
        limits=tuple(limits), verdict=verdict, why=why,
        exposed=np.any(marks, axis=0) if marks else None,
        exposed_by={name: found for one in reports for name, found in one.exposed_by.items()},
    )  # fmt: skip


__all__ = ["Hardened", "harden"]
