"""The report of an audit, an attack or a ledger check as a document: the form `unmask-report/1`."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from unmask.auditing.limit_results import LimitState
from unmask.auditing.policy import Control, Location, Verdict
from unmask.beliefs import Question
from unmask.documents.advice import AdviceJson, StandingJson
from unmask.documents.estimates import EstimateJson, MeasureJson, Settings
from unmask.documents.queries import EngineQueriesJson
from unmask.documents.releases import ReleaseJson
from unmask.unit import Unit

SCHEMA: Literal["unmask-report/1"] = "unmask-report/1"
"""The form of the document; a change that breaks readers counts up."""


class PolicyJson(TypedDict):
    """The limits, and the assumptions under which they were judged."""

    max_belief: float | None
    """Probability of a harmful value from which on a person is exposed; null: no such limit."""
    excess: float | None
    """How much higher than the control that probability must be, too; null: not required."""
    tolerate: float
    """People who may be exposed: a share or a number."""
    tolerate_is_share: bool
    """Whether `tolerate` is a share of the people."""
    max_risk: float | None
    """Largest probability that a person is matched correctly; null: no such limit."""
    location: Location
    """What the attacker knows under whom limits are judged: the quasi-identifiers, or the person's row."""
    control: Control
    """What an attack is compared with."""
    required: list[str]
    """Attacks that must have run for a verdict."""
    ignore: list[str]
    """Published columns that need not count as known to the attacker."""
    recipient: str | None
    """Recipient of the release; null where the policy names none."""
    purpose: str | None
    """Purpose for which the recipient gets it; null where the policy names none."""
    reviewer: str | None
    """Who reviews the report; null where the policy names none."""
    next_review: str | None
    """Date of the next review, as `2027-11-01`; null where the policy names none."""


class LimitJson(TypedDict):
    """A limit by one attack, privacy model or release that it concerns."""

    limit: str
    """`max-belief`, `max-risk`, the name of a privacy model, `required-attack`, `published-columns`, `past-releases`,
    `epsilon` or `delta`."""
    state: LimitState
    """Whether the limit is kept; `not decided` is not kept."""
    requirement: str
    """What the limit requires, in words."""
    threshold: float | None
    """The limit; of `max-belief` the probability from which on a person is exposed; null where it has no number."""
    tolerated: float | None
    """Number of people who may be exposed; of `max-belief` only, else null."""
    measured: EstimateJson | None
    """Of `max-belief` the number of people exposed, else the number in the unit of the threshold; null where nothing
    was measured, which is not kept."""
    attack: str | None
    """Name of the attack; null where none is meant, or all of them together: `max-belief` counts people whom any
    exposes."""
    location: str | None
    """What the attacker knows about the place of a person: `attributes` or `row`; null where none is meant."""
    about: str | None
    """Sensitive attribute; null where the limit is about a person's row."""
    releases: list[str]
    """Releases that the limit was judged on, by name."""
    reason: str
    """What was measured, in words."""
    would_change: str
    """What the state depends on, in words."""


class InputJson(TypedDict):
    """A file that was read."""

    use: str
    """What it was read as: `table`, `release`, `ledger`, `keep`, `people`, `population`, `policy` or `roles`."""
    name: str
    """Name without its folder."""
    bytes: int
    """Size of the file."""
    hmac_sha256: str
    """Keyed hash of its content: 64 hexadecimal digits."""


class InputsJson(TypedDict):
    """Keyed hashes of the files that were read."""

    key: str
    """Identifier of the key; it reveals nothing else about it."""
    files: list[InputJson]
    """Files."""


class AboutJson(TypedDict):
    """The question of an attack."""

    question: Question
    """`attribute`: the value of a person; `place`: which published record is the person's."""
    name: str
    """The attribute, or the release."""
    values: int
    """Number of possible answers."""


class PromiseJson(TypedDict):
    """The bound that theory gives for a release."""

    guarantee: str
    """Name of the guarantee, as `unmask list guarantees` prints it."""
    metric: str
    """Metric that the bound is about."""
    limit: float | None
    """The bound; null where it is not finite."""
    assumes: str
    """Assumptions about the attacker under which the bound holds."""
    vacuous: bool
    """Whether the bound excludes nothing."""


class MisfitJson(TypedDict):
    """A column none of whose cells matches what some people have there."""

    column: str
    """Name of the column."""
    people: float | None
    """Number of these people."""
    cell: str
    """Form of a cell of the release."""
    value: str
    """Form of people's values: 9 for digits, a for letters."""


class UnplacedJson(TypedDict):
    """The targets that match no group of a release."""

    release: str
    """Name of the release."""
    people: float | None
    """Number of these targets."""
    unreadable: float | None
    """Of these: neither suppressed, nor known to be outside the release."""
    columns: list[MisfitJson]
    """Columns that explain it."""


class CurvePointJson(TypedDict):
    """A point of the reliability diagram: people whose most probable value had a similar probability."""

    believed: float | None
    """Mean probability that the attacker gives the most probable value."""
    right: float | None
    """Share of these people for whom that value is true."""
    people: float | None
    """Number of these people."""


class AttackJson(TypedDict):
    """One attack by one attacker on one set of releases about one question, also where it did not run."""

    name: str
    """Name of the attack, as `unmask list attacks` prints it."""
    settings: Settings
    """Its parameters, by name; an infinite one is the text `inf`."""
    ran: bool
    """Whether it ran; an attack that did not run says nothing about safety: see `reason`."""
    converged: bool
    """Whether its random draws converged; where they did not, it gives no numbers."""
    defect: bool
    """Whether it broke off for a fault of unmask, which `reason` describes without any data."""
    reason: str
    """Why it did not run; empty where it ran."""
    location: str
    """What the attacker knows about the place of a person: `attributes`, `row` or `complete`."""
    attacker: str
    """The attacker's knowledge in words."""
    about: AboutJson
    """The question."""
    releases: list[str]
    """Releases that are attacked together, by name; at least one."""
    targets: float | None
    """People attacked; rows, where the unit is rows."""
    promise: list[PromiseJson]
    """Bounds that theory gives for this question."""
    baseline: list[MeasureJson]
    """Measures of the best guess without the release; empty where the attack did not run."""
    control: list[MeasureJson]
    """Measures of the same attacker about the same people, each as if the own group were not published."""
    why_no_control: str
    """Why there is no control; empty where there is one."""
    measures: list[MeasureJson]
    """Measures of the attack."""
    exposed: EstimateJson | None
    """People exposed, as the policy defines it; null where the policy does not judge this attack."""
    unreadable: float | None
    """People whose record could not be compared with some release, who are not suppressed, and whom the attack did not
    expose; limits are kept only if these may be exposed, too."""
    unplaced: list[UnplacedJson]
    """Releases in which some targets match no group."""
    curve: list[CurvePointJson]
    """Reliability diagram: how often the attacker is right, by probability."""
    notes: Settings
    """Further facts about the attack, by name: chains, miners, people not settled."""


class ReportJson(TypedDict):
    """Report of `unmask audit`, `unmask attack` or `unmask ledger check`: releases, attacks, and the verdict.

    It has no record, no person key, and no people exposed by name. Numbers are not rounded.
    """

    schema: Literal["unmask-report/1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    title: str
    """Title of the report; empty where none was given."""
    context: list[str]
    """Notes for the reader of the report: what was assumed and not used."""
    verdict: Verdict
    """Verdict under the policy."""
    why: list[str]
    """Reasons of the verdict, the worst first."""
    limits: list[LimitJson]
    """Each limit by each attack, privacy model or release that it concerns; the verdict is the worst state."""
    seed: int | None
    """Seed that gives the same numbers again; null where nothing was drawn."""
    quick: bool
    """Whether attacks that take long ran in their quick forms, or were left out (`--quick`)."""
    command: list[str]
    """Words of the command that repeats the audit; empty where it was none. Files are named as they were given."""
    n_targets: float | None
    """People attacked (rows, where the unit is rows); the most of any audit, where several are combined."""
    n_rows: int
    """Rows of these people."""
    n_exposed: int | None
    """People exposed by some attack, as the policy defines it; null where no limit says who is, or several audits are
    combined."""
    n_exposed_rightly: int | None
    """Of these, the people exposed by their true value; null where it is not known or `n_exposed` is null."""
    unit: Unit
    """What numbers of people count: rows, where no person key says which rows are whose."""
    policy: PolicyJson
    """Limits and assumptions of the verdict."""
    inputs: NotRequired[InputsJson]
    """Keyed hashes of the files that were read; absent without `--key`."""
    standing: NotRequired[StandingJson]
    """Result in a few numbers; absent where no limits were given and nothing was changed."""
    advice: NotRequired[AdviceJson]
    """Changes that leave fewer people exposed; absent where no limit is broken, or none was asked for."""
    engine: NotRequired[EngineQueriesJson]
    """Engine that attacked the tables, with its queries; there where one did."""
    releases: list[ReleaseJson]
    """Releases that were attacked."""
    attacks: list[AttackJson]
    """Results: one for each attack, set of releases, question and attacker."""
