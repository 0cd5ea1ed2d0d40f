"""Results of an audit: measures, results by attack, scenes, and the report. Data only; `report` writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from unmask.arrays import Bool
from unmask.auditing.advice import Advice, Standing
from unmask.auditing.exposed_groups import ExposedGroups
from unmask.auditing.leaks import LeakChecks
from unmask.auditing.limit_results import LimitResult, concluded
from unmask.auditing.policy import Exposure, Policy, Verdict
from unmask.auditing.published_columns import ColumnAudit
from unmask.auditing.published_forms import ColumnForm, WithheldColumn, published_forms
from unmask.beliefs import About, Question
from unmask.errors import Inapplicable
from unmask.estimate import Estimate
from unmask.guarantees.guarantee import Promise
from unmask.number_format import numeral
from unmask.outcome import Outcome
from unmask.people_counts import people_among
from unmask.release import Release
from unmask.risk_levels import FIRM
from unmask.unit import Count, Unit
from unmask.wording import counted, marked, message


@dataclass(frozen=True, slots=True)
class Attacker:
    """An attacker, with the assumption about their knowledge of a person's row."""

    name: str
    assumes: str


ATTRIBUTES = Attacker("attributes", marked("knows the quasi-identifiers of a person, not which row is theirs"))
ROW = Attacker("row", marked("knows which published row or group is the person's, and the quasi-identifiers"))
COMPLETE = Attacker(
    "complete", marked("has a complete list of the people in the release, with the quasi-identifiers of each")
)


@dataclass(frozen=True, slots=True)
class AttackMeasure:
    """A metric, its level, and its estimate."""

    metric: str
    threshold: float | None
    estimate: Estimate
    higher_is_worse: bool


@dataclass(frozen=True, slots=True)
class Misfit:
    """A column whose cells match no value of some people, with an example of each notation."""

    column: str
    people: float
    cell: str  # as published; empty where all cells are missing values
    value: str  # of the people: 9 for digits, a for letters; empty where unknown
    is_spelled_alike: bool = False  # both have the same type; only the values differ
    option: str = ""  # that would read the cell as numbers, where people have numbers


class PartOfRows(NamedTuple):
    """People with rows in no group, who have others in one: their number, and that of the rows in none."""

    people: float = 0.0
    rows: float = 0.0


@dataclass(frozen=True, slots=True)
class Unplaced:
    """The targets that match no group of a release."""

    release: str
    people: float  # with a row in no group
    unreadable: float  # of these: neither suppressed nor known to be outside the release
    partly: PartOfRows  # of `people`
    partly_unreadable: PartOfRows  # of `unreadable`
    misfits: tuple[Misfit, ...] = ()
    all_targets: bool = False  # no target is in any group


@dataclass(frozen=True, slots=True, eq=False)
class AttackResult:
    """The result of one attack in a scene, or the reason why it did not run."""

    name: str
    settings: Mapping[str, Any]
    ran: bool
    reason: str = ""
    inapplicable: Inapplicable | None = None  # the kind of the reason, where it did not apply
    converged: bool = True
    defect: bool = False  # it broke off for a fault of unmask, which `reason` describes
    measures: tuple[AttackMeasure, ...] = ()
    control: tuple[AttackMeasure, ...] = ()
    why_no_control: str = ""
    control_of: Literal["left-out", "held-out"] = "left-out"  # the same people without their groups, or other people
    gate: Estimate | None = None  # people exposed, by the policy
    exposed_by_value: Mapping[str, float] = field(default_factory=dict)  # of these, by the value that exposes them
    unplaced: tuple[Unplaced, ...] = ()  # of the releases in which some targets match no group
    unreadable: float = 0.0  # people unreadable in some release and not exposed
    outcome: Outcome = field(default_factory=Outcome)
    notes: Mapping[str, float | str] = field(default_factory=dict)  # for display, beside the outcome
    curve: tuple[tuple[float, float, float], ...] = ()  # believed, right, people: for a reliability diagram

    @property
    def exposure(self) -> Exposure | None:
        """The exposure by the policy's limits; None where it has none on beliefs."""
        return None if self.gate is None else Exposure(self.gate, self.unreadable)

    def get(self, metric: str, threshold: float | None = None, *, control: bool = False) -> Estimate:
        """Return one of the measures; undefined where it was not taken."""
        for one in self.control if control else self.measures:
            same = one.threshold == threshold or (
                threshold is not None and one.threshold is not None and abs(one.threshold - threshold) < 1e-12
            )
            if one.metric == metric and same:
                return one.estimate
        return Estimate.undefined(self.reason or self.why_no_control or message("not measured"))


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """One question to one set of releases by one attacker."""

    releases: tuple[str, ...]
    about: About
    attacker: Attacker
    n_targets: int  # rows of the people attacked
    n_values: int
    promises: tuple[Promise, ...]
    baseline: AttackResult
    results: tuple[AttackResult, ...]
    n_people: int | None = None  # None: one row per person, or the person keys are unknown
    unit: Unit = Unit.PEOPLE
    own_limits: Mapping[str, float] = field(default_factory=dict)  # value → its own limit, in place of the policy's
    firm: float = FIRM  # the belief from which people are counted in sentences: the policy's limit, where it has one
    n_exposed: int | None = None  # people exposed by some attack, by the policy; None where no limit says who is
    n_exposed_rightly: int | None = None  # of these, by their true value; None where no true value is known

    @property
    def targets(self) -> Count:
        """The number of targets; rows, where people were not counted."""
        return Count(self.n_targets if self.n_people is None else self.n_people, self.n_targets, self.unit)


@dataclass(frozen=True, slots=True)
class InPopulation:
    """Re-identification risk of the people of a release in a population."""

    size: Estimate  # people of the population
    sample: tuple[Estimate, Estimate]  # attacker who knows that a person is in the release: highest risk, mean
    population: tuple[Estimate, Estimate]  # attacker who knows the population only
    named: Estimate  # expected correct matches if all people are tried


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """Description of a release: size, groups, method."""

    name: str
    n_groups: int
    n_people: float
    smallest: float
    average: float  # size, averaged over groups
    average_of_people: float  # size, averaged over people
    suppressed: int
    sanitizer: str | None
    parameters: Mapping[str, Any]
    n_rows: float | None = None  # where people have several rows
    suppressed_rows: int | None = None
    columns: ColumnAudit | None = None  # None: not looked at
    leaks: LeakChecks | None = None  # None: not looked for
    rows: Literal["people", "synthetic", "none"] = "people"
    rows_declared: bool = True  # else that rows are people is an assumption
    doubt: str = ""  # why rows may not be of people: then no verdict rests on linkage
    in_population: InPopulation | None = None  # None: the population is unknown, which is not zero risk
    unit: Unit = Unit.PEOPLE
    noisy: bool = False  # counts have noise, so they may be negative
    published: tuple[ColumnForm, ...] = ()
    withheld: tuple[WithheldColumn, ...] | None = None  # None: the original table is not known

    @property
    def size_text(self) -> str:
        """The number of people as text, without a noun."""
        if self.noisy:
            return message("about {n}", n=numeral(max(self.n_people, 0), ",.0f"))
        return numeral(self.n_people, ",.0f" if f"{self.n_people:.1f}".endswith(".0") else ",.1f")

    @property
    def people_text(self) -> str:
        """The number of people as text, with the number of rows where they differ."""
        if self.noisy:
            return message("{n} {people}", n=self.size_text, people=message(self.unit))
        return str(Count(self.n_people, self.n_people if self.n_rows is None else self.n_rows, self.unit))

    @property
    def groups_text(self) -> str:
        """The number of groups as text."""
        return counted("{n} group", "{n} groups", self.n_groups, n=numeral(self.n_groups))

    @property
    def suppressed_text(self) -> str:
        """The number of suppressed people as text, with their rows where these differ; empty if there are none."""
        rows = self.suppressed_rows or 0
        if not self.suppressed and not rows:
            return ""
        if self.suppressed_rows in {None, self.suppressed}:
            return numeral(self.suppressed)
        return message("{people} ({rows})", people=numeral(self.suppressed), rows=Unit.ROWS.counted(rows))

    @property
    def assumption(self) -> str:
        """The assumption of linkage figures about rows; empty where the publisher declares them."""
        return "" if self.rows_declared else message("assumes that rows are people")

    @classmethod
    def of(cls, release: Release) -> ReleaseFacts:
        """Return the facts of a release."""
        starred, rows_gone = release.starred, release.suppressed_rows
        gone = float(release.size[starred].sum())  # rows with all cells suppressed
        if release.headcount is not None and release.person_of is None:
            starred, gone = np.zeros(release.n_groups, bool), 0.0  # whether their people have other rows is not known
        elif release.headcount is not None and starred.any():
            rows_gone = release.n_suppressed_rows + round(gone)
            gone = release.n_people - people_among(release.person_of, ~starred[release.group_of_row])
        size = release.people[~starred]  # of groups: a person may be in several
        people = float(size.sum())
        return cls(
            release.name,
            size.size,
            release.n_people - gone,
            float(size.min(initial=np.inf)) if size.size else 0.0,
            people / max(size.size, 1),
            float((size**2).sum() / people) if people else 0.0,
            release.n_suppressed + round(gone),
            release.provenance.sanitizer,
            dict(release.provenance.parameters),
            None if release.headcount is None else float(release.size[~starred].sum()),
            rows_gone,
            rows=release.rows,
            unit=release.unit,
            noisy=bool(release.noise),
            published=tuple(published_forms(release)),
        )


@dataclass(frozen=True, slots=True)
class InputHash:
    """A file that an audit read: its use, and the keyed hash of its content."""

    use: str  # table, release, ledger, keep, people, population, policy or roles
    name: str  # without its folder
    size: int  # bytes
    code: str  # HMAC-SHA-256, hexadecimal digits


@dataclass(frozen=True, slots=True)
class EngineQueries:
    """The queries of an audit that ran in an engine, in order: the purpose and the text of each."""

    engine: str
    ran: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class AuditReport:
    """The results and the verdict of an audit."""

    releases: tuple[ReleaseFacts, ...]
    scenes: tuple[Scene, ...]
    policy: Policy
    verdict: Verdict
    why: tuple[str, ...]  # of the verdict
    seed: int | None
    n_targets: int  # rows of the people attacked
    exposed: Bool | None = None  # (targets,) by the policy; never in a report
    n_people: int | None = None  # None: one row per person, or the person keys are unknown
    unit: Unit = Unit.PEOPLE
    inputs: tuple[InputHash, ...] = ()  # the files that were read; none without a key
    hash_key: str = ""  # identifier of the key of their hashes
    command: tuple[str, ...] = ()  # the words of the command that repeats the audit
    n_exposed: int | None = None  # people exposed by some attack; None where no limit says who is
    n_exposed_rightly: int | None = None  # of these, by their true value; None where no true value is known
    exposed_by: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)  # the same, by name of the attacker
    exposed_groups: tuple[ExposedGroups, ...] = ()  # of the releases whose groups of people are known
    quick: bool = False  # attacks ran in their quick forms
    limits: tuple[LimitResult, ...] = ()  # each limit by each attack that it concerns; the verdict is their worst
    advice: Advice | None = None  # None: none was asked for, or no limit is broken
    standing: Standing | None = None  # in a few numbers, where limits are given
    queries: EngineQueries | None = None  # None: the tables were loaded

    @property
    def targets(self) -> Count:
        """The number of targets; rows, where people were not counted."""
        return Count(self.n_targets if self.n_people is None else self.n_people, self.n_targets, self.unit)

    @property
    def is_trial(self) -> bool:
        """Whether the audit made the release itself: it is not the one to publish."""
        return "--sanitizer" in self.command

    def exposed_of(self, attacker: Attacker) -> tuple[int, int | None] | None:
        """Return the people whom any attack of an attacker exposes, by whatever attribute, and those by true value.

        None where they were not counted together.
        """
        if attacker.name in self.exposed_by or self.n_exposed is None or attacker.name != self.policy.location:
            return self.exposed_by.get(attacker.name)
        return self.n_exposed, self.n_exposed_rightly

    @property
    def largest_risk(self) -> float | None:
        """The largest risk of re-identification by an attack that ran; None where it was not measured."""
        places = (scene for scene in self.scenes if scene.about.question is Question.PLACE)
        risks = [result.get("max-risk").value for scene in places for result in scene.results if result.ran]
        return max((risk for risk in risks if risk is not None), default=None)

    def with_limits(self, more: Sequence[LimitResult]) -> AuditReport:
        """Return the report judged by more limits; of equally bad ones, these come first."""
        limits = (*more, *self.limits)
        verdict, why = concluded(limits)
        return replace(self, limits=limits, verdict=verdict, why=why)

    @property
    def exit_code(self) -> int:
        """The exit code for a pipeline."""
        if any(result.defect for scene in self.scenes for result in scene.results):
            return 70
        codes = {Verdict.BROKEN: 1, Verdict.NOT_DECIDED: 4}
        return codes.get(self.verdict, 0)
