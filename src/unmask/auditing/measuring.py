"""Measures of one attack in one scene, from its beliefs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from unmask import catalog
from unmask.arrays import Bool, Int32, distinct_rows
from unmask.auditing.findings import AttackMeasure, AttackResult
from unmask.auditing.policy import Limits
from unmask.auditing.uncertainty import NO_REPLICATES, Replicates, judge_by
from unmask.beliefs import NOT_ATTACKED, About, Beliefs, Question
from unmask.estimate import Estimate, Metric, Tally, Truth
from unmask.guarantees.guarantee import Promise
from unmask.metrics.accuracy import Accuracy
from unmask.metrics.anonymity import AnonymityBefore, AnonymityDrop, EffectiveAnonymity, Vulnerable
from unmask.metrics.belief_change import BeliefChange
from unmask.metrics.calibration import CalibrationError, bins
from unmask.metrics.excess import Excess
from unmask.metrics.exposure import SINGLE, Exposed, ExposedAlready, ExposedNew, ExposedRightly
from unmask.metrics.firmest_belief import FirmestBelief
from unmask.metrics.reidentification import (
    AboveRisk,
    AtRisk,
    AverageReidentificationRisk,
    LinkageUpperBound,
    MaxReidentificationRisk,
    risk,
)
from unmask.metrics.scoring import AbsoluteErrorSum, Brier, LogLoss, SquaredErrorSum
from unmask.metrics.top_match import TopMatchPrecision, TopMatchRecall
from unmask.people_counts import people_among
from unmask.population.household_risk import household_risk
from unmask.release import Release
from unmask.risk_levels import FIRM, LEVELS
from unmask.schema import Harm, Schema
from unmask.view import Attack
from unmask.wording import marked, message

FEW = 1 / 4
"""The weakest partial breach of the paper on composition: a candidate set of four values."""

OF_RIGHT_MATCHES = {one.name for one in (Accuracy, LinkageUpperBound, TopMatchPrecision, TopMatchRecall)}
"""The metrics left out for synthetic rows, where no match is right."""

ONLY_GROUP = marked("all people are in one group; without it only the prior is left, which was made from that group")
"""The reason for no left-out control where releases have one group each."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """The inputs that all measures of a scene share."""

    about: About
    harm: Harm
    truth: Truth | None
    cluster: Int32 | None  # (targets,) group of each target
    against: Mapping[str, Beliefs]
    person_of: Int32 | None = None  # (targets,)
    household_of: Int32 | None = None  # (targets,)
    firm: float = FIRM  # the belief at which people are counted beside the customary levels
    max_risk: float | None = None  # the limit above which people are counted


def measured(stage: Stage, attack: Attack, beliefs: Beliefs, control: Beliefs | None) -> AttackResult:
    """Measure beliefs, and the control beside them, in every way that fits the question."""
    about, truth, against, beliefs = stage.about, stage.truth, stage.against, of_the_placed(beliefs)
    metrics = _metrics(stage, composed=any(name.startswith(SINGLE) for name in against))
    place = about.question is Question.PLACE
    held = {} if place else ({"control": control} if control is not None else {}) | dict(against)
    tally = Tally.of(beliefs, truth, held)
    measures = _measures(metrics, tally)
    if place and stage.household_of is not None:
        measures += tuple(_households(tally, stage.household_of, stage.person_of))
    if control is not None and truth is not None and truth.is_known and not place:
        measures += (_excess(stage, truth, beliefs, control),)
    controlled: tuple[AttackMeasure, ...] = ()
    if control is not None:
        before = {name: b for name, b in against.items() if name == "prior" and not place}
        held_against = truth
        if place:  # a match with another person's row is always false
            held_against = Truth.unknown(about, control.n_targets) if truth is None else truth.without_answers()
        other = Tally.of(control, held_against, before)
        controlled = _measures([one for one in metrics if not (place and one.name in OF_RIGHT_MATCHES)], other)
    curve: tuple[tuple[float, float, float], ...] = ()
    if truth is not None and truth.is_known and not place:
        curve = tuple((believed, right, n) for believed, right, n, _ in bins(tally))
    return AttackResult(
        attack.name, catalog.settings_of(attack), ran=True, measures=measures, control=controlled,
        outcome=beliefs.outcome, notes=beliefs.notes, curve=curve,
    )  # fmt: skip


def _metrics(stage: Stage, *, composed: bool) -> list[Metric]:
    if stage.about.question is Question.PLACE:
        steps: list[Metric] = [AtRisk(step) for step in LEVELS.values()]
        steps += [] if stage.max_risk is None else [AboveRisk(stage.max_risk)]
        return [
            MaxReidentificationRisk(),
            AverageReidentificationRisk(),
            *steps,
            Accuracy(),
            LinkageUpperBound(),
            TopMatchPrecision(),
            TopMatchRecall(),
        ]
    harm = Harm(stage.harm.harmless)  # a value's own limit is for the verdict: here a posterior of 0.8 is one of 0.8
    levels = sorted({*LEVELS.values(), stage.firm})
    metrics: list[Metric] = [
        Accuracy(), AbsoluteErrorSum(), SquaredErrorSum(), Brier(), LogLoss(), CalibrationError(), BeliefChange(),
        EffectiveAnonymity(), FirmestBelief(harm),
        *(Exposed(step, None, harm) for step in levels),
        *(ExposedRightly(step, None, harm) for step in levels),
    ]  # fmt: skip
    if composed:
        metrics += [AnonymityBefore(), AnonymityDrop(), Vulnerable(), Exposed(FEW, None, harm)]
        for step in (FEW, 1 / 3, 0.5, 0.8, 1.0):
            metrics += [ExposedAlready(step, harm), ExposedNew(step, harm)]
    return metrics


def _excess(stage: Stage, truth: Truth, beliefs: Beliefs, control: Beliefs) -> AttackMeasure:
    """Return the excess, with an interval clustered two ways: by group, and by household or person.

    The variances of both clusterings are added, minus that of their intersection; never less than either alone.
    """
    together = stage.household_of
    if together is None:
        together = stage.person_of  # None where each person has one row
    ways = [stage.cluster]
    if together is not None and stage.cluster is not None:
        ways += [together, distinct_rows(np.stack([stage.cluster, together], axis=1))[0]]
    found: list[AttackMeasure] = []
    for cluster in ways:
        clustered = replace(truth, cluster=cluster)
        found += _measures([Excess()], Tally.of(beliefs, clustered, {"control": control}))
    halves = [0.0 if m.estimate.low is None else ((m.estimate.high or 0.0) - m.estimate.low) / 2 for m in found]
    one, value = found[0], found[0].estimate.value
    if len(found) == 1 or value is None:
        return one
    wide = max(halves[0], halves[1], float(np.sqrt(max(halves[0] ** 2 + halves[1] ** 2 - halves[2] ** 2, 0.0))))
    return replace(one, estimate=replace(one.estimate, low=value - wide, high=value + wide))


def _households(tally: Tally, household_of: Int32, person_of: Int32 | None) -> Iterator[AttackMeasure]:
    """Yield the risk that a member of a household is re-identified: the largest risk, and 1 − Π (1 − r)."""
    one = risk(tally)
    if one is None or tally.cell_of is None:
        return
    here = np.flatnonzero(tally.cell_of >= 0)
    each = one[tally.cell_of[here]]
    person, first = distinct_rows((here if person_of is None else person_of[here])[:, None])
    of_person = np.zeros(first.size)
    np.maximum.at(of_person, person, each)
    household, _ = distinct_rows(household_of[here[first]][:, None])
    found = household_risk(of_person, household)
    n = float(found.members.size)
    for name, values in (("household-largest", found.largest), ("household-any", found.any_member)):
        for what, number in (("max", values.max(initial=0)), ("average", values.sum() / max(n, 1.0))):
            estimate = Estimate.exact(float(number), n) if n else Estimate.undefined(message("no target was attacked"))
            if tally.beliefs.is_drawn:  # no attack that asks for places draws
                estimate = Estimate.undefined(NO_REPLICATES)
            yield AttackMeasure(f"{name}-{what}", None, estimate, higher_is_worse=True)


def _measures(metrics: Sequence[Metric], tally: Tally) -> tuple[AttackMeasure, ...]:
    draws = Replicates.of(tally)
    return tuple(
        AttackMeasure(metric.name, metric.threshold, judge_by(metric, tally, draws), metric.higher_is_worse)
        for metric in metrics
    )


@dataclass(frozen=True, slots=True, eq=False)
class ExposureMarks:
    """The targets exposed under the limits, by one attack or by any of several."""

    exposed: Bool  # (targets,)
    rightly: Bool | None = None  # (targets,): by their true value; None: the truth is known for no target
    by_value: Mapping[str, float] = field(default_factory=dict)  # value → people it exposes; of one attack

    @classmethod
    def none(cls, n: int) -> ExposureMarks:
        """Return marks of n targets, none of them exposed."""
        return cls(np.zeros(n, bool))

    def __or__(self, other: ExposureMarks) -> ExposureMarks:
        """Return the targets that either exposes."""
        known = [one.rightly for one in (self, other) if one.rightly is not None]
        return ExposureMarks(self.exposed | other.exposed, np.logical_or.reduce(known) if known else None)

    def counted(self, person_of: Int32 | None) -> tuple[int, int | None]:
        """Return the number of people exposed, and of those exposed by their true value."""
        rightly = None if self.rightly is None else people_among(person_of, self.rightly)
        return people_among(person_of, self.exposed), rightly


def gated(stage: Stage, limits: Limits, beliefs: Beliefs, control: Beliefs | None) -> tuple[Estimate, ExposureMarks]:
    """Return the number of people exposed by the limits, and which targets these are."""
    beliefs = of_the_placed(beliefs)
    metric = Exposed(limits.max_belief or 1.0, limits.excess, stage.harm)
    tally = Tally.of(beliefs, stage.truth, {} if control is None else {"control": control})
    draws = Replicates.of(tally)
    estimate = judge_by(metric, tally, draws)
    if control is None and limits.excess is not None and tally.n:
        firm = judge_by(replace(metric, excess=None), tally, draws)
        most = firm.value if firm.high is None else firm.high
        estimate = replace(estimate, high=most) if most else firm  # zero without the excess stays zero with it
    marks = ExposureMarks.none(beliefs.n_targets)
    is_known = bool(tally.known.any())
    if estimate.value and tally.cell_of is not None:
        rightly = _of_targets(metric.marks_of_truth(tally), tally.cell_of) if is_known else None
        found = zip(beliefs.values, metric.by_value(tally).tolist(), strict=True)
        by_value = {value: people for value, people in found if people}
        return estimate, ExposureMarks(_of_targets(metric.marks(tally), tally.cell_of), rightly, by_value)
    return estimate, replace(marks, rightly=marks.exposed.copy() if is_known else None)


def _of_targets(cells: Bool, cell_of: Int32) -> Bool:
    """Return the mark of each target, (targets,), from those of cells; False for targets without a cell."""
    return (cell_of >= 0) & cells[np.maximum(cell_of, 0)]


def of_the_placed(beliefs: Beliefs) -> Beliefs:
    """Return the beliefs without targets that match no group of any release: a prior is no result of an attack.

    For a sensitive value, unmatched targets keep the prior as long as some target matches: it is the attacker's
    belief about them. A row that is not in the release is linked with probability 0.
    """
    if not beliefs.unplaced:
        return beliefs
    nowhere = np.logical_and.reduce(beliefs.unplaced)
    if beliefs.about.question is Question.ATTRIBUTE and not nowhere.all():
        return beliefs
    return replace(beliefs, row_of=np.where(nowhere, np.int32(NOT_ATTACKED), beliefs.row_of))


def promises_of(releases: Sequence[Release], about: About, harm: Harm | None = None) -> Iterator[Promise]:
    """Yield the guaranteed bounds of releases for a question; of guarantees with equal bounds, one."""
    if harm is not None and about.question is Question.ATTRIBUTE:
        releases = [_harming(release, about.name, harm) for release in releases]
    if about.question is Question.PLACE and any(release.is_synthetic for release in releases):
        return
    found: dict[tuple[str, float], Promise] = {}
    for entry in catalog.entries("guarantees").values():
        promise = entry.examples[0].promises(releases, about)
        if promise is not None:
            found[promise.metric, round(promise.limit, 9)] = promise
    yield from found.values()


def _harming(release: Release, name: str, harm: Harm) -> Release:
    """Return the release with the declared harm of an attribute's values, which a release does not contain."""
    if name not in release.schema or release.schema[name].harm == harm:
        return release
    declared = tuple(replace(a, harm=harm) if a.name == name else a for a in release.schema)
    return replace(release, schema=Schema(declared))
