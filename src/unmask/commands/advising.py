"""Advice after an audit with a broken limit: trials of changes, beside the audit that was made."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from unmask import catalog
from unmask.advising.search import Effort, search
from unmask.advising.stricter_parameters import stricter
from unmask.auditing.advice import Advice, AdviceLine, ColumnShare, ColumnShares, Standing
from unmask.auditing.findings import AuditReport
from unmask.auditing.limit_results import LimitState
from unmask.auditing.policy import Verdict
from unmask.auditing.quick_audits import in_quick_form
from unmask.beliefs import Question
from unmask.changes.coarser_tables import levels_in
from unmask.changes.planned_changes import Changes
from unmask.changes.release_changes import coarser_level
from unmask.commands.audits import Plan
from unmask.commands.published_here import TableToPublish
from unmask.commands.trials import Trial, TrialSeries, quiet
from unmask.errors import DatabaseError, InvalidInputError, UnmaskError, describe_defect
from unmask.metrics.exposure import Exposed
from unmask.number_format import numeral
from unmask.numerics.rounding import TOLERANCE
from unmask.parameters import parameters_of
from unmask.release import Release
from unmask.runtime import work
from unmask.schema import Role
from unmask.wording import counted, message

MOST_SHARED = 50_000
"""The largest number of rows for which the share of each column is measured by every attack that exposes people."""

MOST_LEVELS = 3
"""How many coarser levels of a column are tried."""

EXCESS = 0.1
"""The limit on what a release adds to the control that is proposed where the population alone breaks the limits."""


def advice_after(
    made: Trial,
    before: Standing | None,
    changes: Changes,
    series: TrialSeries,
    plan: Plan,
    *,
    table: TableToPublish | None,
    lines: int | None,
) -> Advice | None:
    """Return advice after an audit; None where no limit on beliefs or risk is given and broken.

    `before` is the audit's result in a few numbers, which audits with limits have. `changes` are those of the audit
    itself, which each line adds to. `table` is given where the release is made here.
    """
    report = made.report
    if before is None or report.verdict is not Verdict.BROKEN or not report.policy.limits.given or lines == 0:
        return None
    whole = quiet(plan, report.seed)
    results = (result for scene in report.scenes for result in scene.results)
    drawn = any(result.gate is not None and result.gate.source == "monte carlo" for result in results)
    little = drawn or plan.quick
    effort = Effort.of(report.targets.n, lines, little=little)
    with work.step(message("looking for advice")), work.keeping():
        try:
            possible = _Possible.of(made, changes, series, whole, table)
            if report.targets.n <= MOST_SHARED and not little:
                possible = replace(possible, by_exposing=_by_exposing_attacks(made, whole))
            choices = [*possible.unprotected(), *possible.columns().values(), *possible.parameters()]
            choices = [some[:1] for some in choices] if plan.quick else [*choices, *possible.people()]
            found = search(before, [[changes.joined(one) for one in some] for some in choices], possible, effort)
            shares = None if plan.quick else possible.shares()
            return replace(found, shares=shares, notes=tuple(_notes(found, possible)))
        except (MemoryError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - the audit itself is done: its result is kept
            return Advice(
                before, notes=(message("no advice, for a fault of unmask: {defect}", defect=describe_defect(error)),)
            )


@dataclass(frozen=True, slots=True, eq=False)
class _Possible:
    """The changes that are possible after an audit, and their trials."""

    made: Trial
    base: Changes
    series: TrialSeries
    plan: Plan
    table: TableToPublish | None
    by_one: Plan  # of screening
    by_exposing: Plan  # of the shares of columns
    tried: dict[Changes, Standing | None] = field(default_factory=dict)  # by screening
    attacked: dict[Changes, ExposedInTrial] = field(default_factory=dict)  # by every attack
    errors: dict[Changes, float | None] = field(default_factory=dict)  # of counting queries, without one column

    @classmethod
    def of(cls, made: Trial, base: Changes, series: TrialSeries, plan: Plan, table: TableToPublish | None) -> _Possible:
        """Return the changes, screened by the attack that exposed most of those whose quick forms expose people.

        Where none does, by the attack that exposed most, as it is; random worlds before others.
        """
        exact, *others = _each_alone(made, plan)
        known = {} if base.leave_out_exposed else {base: ExposedInTrial.of(made)}
        possible = cls(made, base, series, plan, table, exact, exact, attacked=known)
        releases = made.prepared.inputs.published
        if plan.quick or all(in_quick_form(one, releases) is one for one in exact.attacks):
            return possible
        for one in (exact, *others):
            quick = replace(one, quick=True)
            faster = replace(possible, by_one=quick, by_exposing=quick, tried={})
            found = faster.screened(base)
            if found is not None and found.exposed:
                return faster
        return possible

    def columns(self) -> dict[str, list[Changes]]:
        """Return the changes of each published column that attackers know or that is unprotected: coarser, withheld."""
        releases = self.made.prepared.inputs.published
        found: dict[str, list[Changes]] = {}
        for release in releases:
            for attribute in release.schema.having(Role.QUASI_IDENTIFIER, Role.INSENSITIVE):
                name = attribute.name
                if name in found or name in self.series.also_known:
                    continue
                levels = self._levels(release, name) if attribute.role is Role.QUASI_IDENTIFIER else {}
                found[name] = [Changes(coarser=((name, level),)) for level in levels]
                if attribute.role is Role.INSENSITIVE or len(release.schema.quasi) > 1:
                    found[name].append(Changes(withhold=(name,)))
        return found

    def unprotected(self) -> Iterator[list[Changes]]:
        """Yield that the unprotected columns by which a limit is broken are withheld together: one may do for another.

        Those with a finding, or all where none has one. A single column of a role is among `columns`.
        """
        names: dict[str, None] = {}
        for audit in (facts.columns for facts in self.made.report.releases):
            if audit is not None and audit.broken:
                found = [one.column for one in audit.open if one.column in audit.unprotected]
                names |= dict.fromkeys(found or (name for name in audit.unprotected if name not in audit.ignored))
        if len(names) > 1 or names.keys() - self.columns().keys():
            yield [Changes(withhold=tuple(names))]

    def parameters(self) -> Iterator[list[Changes]]:
        """Yield the stricter settings of each parameter of the sanitizer."""
        if self.table is None:
            return
        entry = catalog.named("sanitizers", self.table.name)
        made = catalog.build("sanitizers", self.table.name, {**self.table.settings, **dict(self.base.parameters)})
        takes_models = "models" in parameters_of(entry.kind)
        models = list(catalog.entries("models")) if takes_models else []
        limits = self.made.report.policy.limits
        yield from stricter(catalog.settings_of(made), models, limits.max_belief)

    def people(self) -> Iterator[list[Changes]]:
        """Yield that the groups of exposed people are left out, where they are known."""
        exposed = self.made.report.exposed
        known = all(one.group is not None for one in self.made.prepared.evidence)
        if exposed is not None and exposed.any() and known and not self.base.leave_out_exposed:
            yield [Changes(leave_out_exposed=True)]

    def screened(self, changes: Changes) -> Standing | None:
        """Attack all people by one attack, in its quick form."""
        if changes not in self.tried:
            trial = self._trial(changes, self.by_one)
            self.tried[changes] = None if trial is None else self._screened(trial)
        return self.tried[changes]

    def _screened(self, trial: Trial) -> Standing:
        lost = {one.name for one in self.by_one.attacks} & self.made.ran - trial.ran
        return replace(trial.standing(query_error=False), no_longer=tuple(sorted(lost)))

    def measured(self, changes: Changes) -> AdviceLine | None:
        """Attack all people by every attack."""
        trial = self._trial(changes, self.plan)
        if trial is None:
            return None
        self.attacked[changes] = ExposedInTrial.of(trial)
        return AdviceLine(changes, trial.standing(before=self.made), self._forms(changes))

    def shares(self) -> ColumnShares | None:
        """Return how much of the exposure is each column's, by the attacks that expose people."""
        before = self._exposed(self.base)
        if before is None:
            return None
        shares = []
        for name, some in self.columns().items():
            joined = [self.base.joined(one) for one in some]
            without = next((self._exposed(one) for one in joined if name in one.withhold), None)
            first = next((one for one in joined if name in dict(one.coarser)), None)
            coarser = None if first is None else self._exposed(first)
            error = next((self.errors.get(one) for one in joined if name in one.withhold), None)
            form = "" if first is None else self._forms(first).get(name, "")
            shares.append(ColumnShare(name, without, coarser, form, error))
        shares.sort(key=lambda one: before if one.without is None else one.without)
        names, in_quick_form = tuple(one.name for one in self.by_exposing.attacks), self.by_exposing.quick
        return ColumnShares(names, before, tuple(shares), in_quick_form=in_quick_form)

    def _exposed(self, changes: Changes) -> float | None:
        """Return the people exposed by the attacks that expose people; None where one of them does not run."""
        wanted = {one.name for one in self.by_exposing.attacks}
        if not wanted:
            return None
        whole = self.attacked.get(changes)
        if whole is not None and self.by_exposing.quick == self.plan.quick and whole.is_by_none_but(wanted):
            return None if wanted - whole.by_attack.keys() else whole.by_any
        if self.by_exposing.quick == self.by_one.quick and wanted == {one.name for one in self.by_one.attacks}:
            standing = self.screened(changes)
            return None if standing is None or standing.no_longer else standing.exposed
        trial = self._trial(changes, self.by_exposing)
        return None if trial is None or wanted - trial.ran else trial.exposed

    def beyond_control(self) -> float | None:
        """Return the people exposed by `EXCESS` beyond the control; None where a limit on that would not be kept."""
        demands, policy = self.plan.demands, self.plan.demands.policy
        if policy.control != "left-out":
            return None
        policy = replace(policy, limits=replace(policy.limits, excess=EXCESS))
        trial = self._trial(self.base, replace(self.plan, demands=replace(demands, policy=policy)))
        if trial is None or any(
            one.limit == "max-belief" and one.state is not LimitState.KEPT for one in trial.report.limits
        ):
            return None
        return trial.exposed

    def _trial(self, changes: Changes, plan: Plan) -> Trial | None:
        try:
            with work.step(message("trying {options}", options=" ".join(changes.options()) or message("no change"))):
                trial = self.series.trial(changes, plan)
        except DatabaseError:
            raise
        except UnmaskError:  # not possible for this table, release or sanitizer, or too costly
            return None
        if not self.plan.quick and changes not in self.errors and self._withholds_one(changes):
            self.errors[changes] = trial.query_error().value
        return trial

    def _withholds_one(self, changes: Changes) -> bool:
        """Whether changes withhold one column more than the audit did, and change nothing else."""
        one_more = len(set(changes.withhold) - set(self.base.withhold)) == 1
        return one_more and replace(changes, withhold=self.base.withhold) == self.base

    def _levels(self, release: Release, name: str) -> Mapping[int, str]:
        """Return the numbers of levels that a column can be coarser by, each with its form."""
        already = dict(self.base.coarser).get(name, 0)
        try:
            present = coarser_level(release, name, 0)
            if self.table is not None:
                ladder, first = levels_in(self.table.table, self.table.table.schema[name]), already
                if present is not None:
                    first = max(first, present[1])
                top = 0 if ladder is None else ladder.n
                texts = () if ladder is None else ladder.texts
                return {level: texts[level - 1] for level in range(first + 1, min(first + MOST_LEVELS, top) + 1)}
            if present is None:
                return {}
            ladder, level = present
            return {already + more: ladder.texts[level + more - 1]
                    for more in range(1, min(MOST_LEVELS, ladder.n - level) + 1)}  # fmt: skip
        except InvalidInputError:
            return {}

    def _forms(self, changes: Changes) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, level in changes.coarser:
            for release in self.made.prepared.inputs.published:
                if name in {a.name for a in release.schema.quasi}:
                    found.setdefault(
                        name, self._levels(release, name).get(level, message("{n} levels coarser", n=level))
                    )
        return found


@dataclass(frozen=True, slots=True)
class ExposedInTrial:
    """The people exposed in a trial, by the attacks that the limit on beliefs concerns."""

    by_attack: Mapping[str, float]  # in the scene where it exposes most
    by_any: float | None

    @classmethod
    def of(cls, trial: Trial) -> ExposedInTrial:
        """Return the people exposed in a trial."""
        report, found = trial.report, dict[str, float]()
        for scene in report.scenes:
            if scene.attacker.name == report.policy.location:
                for result in scene.results:
                    if result.ran and result.gate is not None:
                        found[result.name] = max(found.get(result.name, 0.0), float(result.gate.value or 0))
        return cls(found, trial.exposed)

    def is_by_none_but(self, attacks: Collection[str]) -> bool:
        """Whether no other attack exposes people."""
        return not any(people for name, people in self.by_attack.items() if name not in attacks)


def _each_alone(made: Trial, plan: Plan) -> list[Plan]:
    """Return plans of one attack on beliefs each: random worlds if it exposed people, then those that exposed most."""
    limits, exposing, plain = made.report.policy.limits, ExposedInTrial.of(made).by_attack, catalog.REFERENCE["exact"]
    places = set(catalog.attacks_on(Question.PLACE)) if limits.max_risk is not None else set[str]()
    if limits.max_belief is None:
        return [plan.only(places)]
    some = sorted((name for name in exposing if exposing[name]), key=lambda name: (name != plain, -exposing[name]))
    return [plan.only({name} | places) for name in some or [next(iter(exposing), plain)]]


def _by_exposing_attacks(made: Trial, plan: Plan) -> Plan:
    """Return the plan with only the attacks that expose people."""
    return plan.only({name for name, people in ExposedInTrial.of(made).by_attack.items() if people})


def _notes(found: Advice, possible: _Possible) -> Iterator[str]:
    """Yield why there is no advice, or none that keeps the limits."""
    limits = possible.made.report.policy.limits
    if not found.lines:
        yield message("none of {n} changes that were tried leaves fewer people exposed", n=found.tried)
    elif not found.passing:
        yield message("none of {n} changes that were tried, alone or joined, keeps the limits", n=found.tried)
    if not found.passing and possible.made.prepared.inputs.table is not None:
        yield message("unmask harden searches other sanitizers and parameters for a release that passes")
    if limits.max_belief is None or limits.excess is not None or found.passing:
        return
    without = _exposed_without_group(possible.made.report, limits.max_belief)
    if without <= limits.tolerated(possible.made.report.targets.n) + TOLERANCE:
        return
    beyond = possible.beyond_control()
    if beyond is None:
        return
    believed = counted(
        "{people} is believed to have a value with at least {belief} even without their own group",
        "{people} are believed to have a value with at least {belief} even without their own group",
        int(without),
        people=message(possible.made.report.targets.unit.counted(without)), belief=numeral(limits.max_belief, "g"),
    )  # fmt: skip
    if beyond:
        yield message(
            "{believed}: what is known of the population exposes them; the release adds at least {excess} for {n} of "
            "{people}, which the limits tolerate. Write --excess {excess}",
            believed=believed, n=numeral(beyond, ",.0f"), people=possible.made.report.targets,
            excess=numeral(EXCESS, "g"),
        )  # fmt: skip
    else:
        yield message(
            "{believed}: what is known of the population breaks the limit, not this release. Write --excess {excess}",
            believed=believed, excess=numeral(EXCESS, "g"),
        )  # fmt: skip


def _exposed_without_group(report: AuditReport, max_belief: float) -> float:
    """Return the largest number of people whom an attack without their own group exposes."""
    found = (
        one.estimate.value or 0.0
        for scene in report.scenes
        if scene.attacker.name == report.policy.location
        for result in scene.results
        if result.gate is not None
        for one in result.control
        if one.metric == Exposed.name and (one.threshold or 0.0) >= max_belief
    )
    return max(found, default=0.0)
