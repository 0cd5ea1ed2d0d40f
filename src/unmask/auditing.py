"""The audit: attackers × releases × attacks × metrics, each with its own random stream.

What was promised stands beside what could be guessed anyway, what the control gives, and what each attack achieves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unmask import catalog, work
from unmask.arrays import Bool, Int32, Int64
from unmask.beliefs import About, Beliefs, Question
from unmask.errors import InvalidInputError, NotApplicableError, NotConvergedError
from unmask.estimate import Estimate, Metric, Tally, Truth, judge
from unmask.findings import ATTRIBUTES, ROW, Attacker, AttackResult, AuditReport, Measure, ReleaseFacts, Scene
from unmask.inference.pooling import default_prior
from unmask.metrics.accuracy import Accuracy
from unmask.metrics.anonymity import AnonymityBefore, EffectiveAnonymity
from unmask.metrics.belief_change import BeliefChange
from unmask.metrics.calibration import CalibrationError, bins
from unmask.metrics.exposure import LADDER, SINGLE, Exposed, ExposedAlready, ExposedNew, ExposedRightly
from unmask.metrics.reidentification import AtRisk, AverageRisk, MaxRisk
from unmask.metrics.scoring import AbsoluteError, Brier, LogLoss, SquaredError
from unmask.policy import Policy, Verdict, verdict
from unmask.release import Publication, Release
from unmask.schema import Harm
from unmask.streams import stream
from unmask.table import Table
from unmask.view import Attack, Knowledge, Located, View

NO_POLICY = Policy()
"""No limits: an audit that only looks."""

CHAIN = "chain "
"""How the parts of beliefs are named that are one chain of a sampler each."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """A release under audit, and what the auditor alone knows of it."""

    release: Release
    group: Int32 | None = None  # (targets,) the own group of each target, negative where suppressed
    row: Int64 | None = None  # (targets,) the own published row


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """The people attacked, and what is true of them."""

    people: Table  # quasi-identifiers
    answers: Mapping[str, Truth]  # sensitive attribute → truth, where it is known
    person_of: Int32 | None = None

    @classmethod
    def of(cls, table: Table) -> Targets:
        """Take every row of a table as a target, and its sensitive values as the truth."""
        answers = {
            a.name: Truth(About.attribute(a.name), a.values, table[a.name], person_of=table.person_of)
            for a in table.schema.sensitive
        }
        return cls(table.visible(None), answers, table.person_of)


def evidence_of(publication: Publication, name: str | None = None) -> Evidence:
    """Take a publication as evidence about the rows it was made of."""
    release = publication.release if name is None else replace(publication.release, name=name)
    if publication.row_of is None:
        return Evidence(release)
    return Evidence(release, publication.group_of, publication.row_of)


def default_attacks() -> list[Attack]:
    """Return one attack of each name."""
    return [entry.examples[0] for entry in catalog.entries("attacks").values() if entry.name != "baseline"]


def audit(
    evidence: Sequence[Evidence],
    targets: Targets,
    *,
    seed: int,
    attacks: Sequence[Attack] | None = None,
    policy: Policy = NO_POLICY,
    attackers: Sequence[Attacker] = (ROW, ATTRIBUTES),
    harm: Mapping[str, Harm] | None = None,
    identity: bool = True,
    single: bool = True,
) -> AuditReport:
    """Attack releases about the same targets in every way that applies, and hold the results against the truth.

    Each release is attacked alone (`single`), and all of them together, once for each attacker and each sensitive
    attribute; `identity` asks in addition which row is whose.

    Fails
        With `InvalidInputError` where the evidence is not about the targets. An attack that needs more than a scene
        shows, or that does not converge, is reported as such.
    """
    if not evidence:
        msg = "an audit must have at least one release; got none"
        raise InvalidInputError(msg)
    for one in evidence:
        if one.group is not None and one.group.size != targets.people.n_rows:
            msg = f"groups must be known for each of {targets.people.n_rows} targets; got {one.group.size}"
            raise InvalidInputError(msg)
    chosen = default_attacks() if attacks is None else list(attacks)
    job = _Job(list(evidence), targets, seed, chosen, policy, dict(harm or {}))
    exposed = np.zeros(targets.people.n_rows, bool)
    scenes = []
    for sort in _scenes(job, attackers, identity=identity, single=single):
        scene, marks = _play(job, *sort)
        scenes.append(scene)
        exposed |= marks
    return _judged(job, tuple(scenes), exposed)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    evidence: list[Evidence]
    targets: Targets
    seed: int
    attacks: list[Attack]
    policy: Policy
    harm: dict[str, Harm]

    def harm_of(self, about: About) -> Harm:
        if about.question is not Question.ATTRIBUTE:
            return Harm()
        first = next(e.release for e in self.evidence if about.name in e.release.counts)
        return self.harm.get(about.name, first.schema[about.name].harm)


def _scenes(
    job: _Job, attackers: Sequence[Attacker], *, identity: bool, single: bool
) -> Iterator[tuple[tuple[int, ...], About, Attacker]]:
    """Yield which releases are asked what, by whom: identity first, then each release alone, then all together."""
    n = len(job.evidence)
    if identity:
        for r in range(n):
            yield (r,), About.place(job.evidence[r].release.name), ATTRIBUTES
    sets: list[tuple[int, ...]] = [(r,) for r in range(n)] if single or n == 1 else []
    sets += [tuple(range(n))] if n > 1 else []
    for chosen in sets:
        shared = set.intersection(*(set(job.evidence[r].release.counts) for r in chosen))
        for name in (a.name for a in job.evidence[chosen[0]].release.schema.sensitive if a.name in shared):
            for attacker in attackers:
                if attacker is ROW and any(job.evidence[r].group is None for r in chosen):
                    continue
                yield chosen, About.attribute(name), attacker


def _view(job: _Job, chosen: tuple[int, ...], about: About, attacker: Attacker) -> View:
    releases = tuple(job.evidence[r].release for r in chosen)
    people = job.targets.people
    if about.question is Question.PLACE:
        release = releases[0]
        values = [str(g) for g in range(release.n_groups)]
        prior = Beliefs.shared(about, values, release.size / release.size.sum(), people.n_rows)
    else:
        prior = default_prior(releases, about.name, people.n_rows)
        people = people.visible(about.name)
    located = None
    if attacker is ROW:
        located = tuple(_place(job.evidence[r]) for r in chosen)
    return View(releases, Knowledge(people, prior, located))


def _place(one: Evidence) -> Located:
    group = one.group if one.group is not None else np.zeros(0, np.int32)
    return Located(np.where(group >= 0, group, np.int32(-2)).astype(np.int32), one.row)


def _play(job: _Job, chosen: tuple[int, ...], about: About, attacker: Attacker) -> tuple[Scene, Bool]:
    view = _view(job, chosen, about, attacker)
    truth = _truth(job, chosen, about)
    marks = np.zeros(view.knowledge.people.n_rows, bool)
    names = tuple(release.name for release in view.releases)
    gated = attacker.name == job.policy.location and about.question is Question.ATTRIBUTE
    prior = view.knowledge.prior
    baseline = _result(
        job, catalog.named("attacks", "baseline").examples[0], prior, None, truth, {"prior": prior}, about
    )
    against: dict[str, Beliefs] = {"prior": prior}
    if len(chosen) > 1:
        against |= _alone(job, view, names, about, attacker)
    results = []
    for attack in job.attacks:
        title = f"{attack.name} on {' and '.join(names)}, {about}, intruder who knows {attacker.name}"
        settings = catalog.settings_of(attack)
        with work.step(title):
            try:
                beliefs = attack.infer(
                    view, stream(job.seed, *names, str(about), attacker.name, attack.name, str(settings))
                )
            except NotApplicableError as error:
                results.append(AttackResult(attack.name, settings, ran=False, reason=str(error)))
                continue
            except NotConvergedError as error:
                results.append(AttackResult(attack.name, settings, ran=False, reason=str(error), converged=False))
                continue
            control, why = _control(job, beliefs, chosen)
            result = _result(job, attack, beliefs, control, truth, against, about)
            if gated and job.policy.limits.max_belief is not None:
                gate, here = _gate(job, beliefs, control, truth, about)
                result = replace(result, gate=gate)
                marks |= here
            results.append(replace(result, why_no_control=why))
    promises = []
    for entry in catalog.entries("guarantees").values():
        promise = entry.examples[0].promises(view.releases, about)
        if promise is not None:
            promises.append(promise)
    scene = Scene(
        names,
        about,
        attacker,
        view.knowledge.people.n_rows,
        len(prior.values),
        tuple(promises),
        baseline,
        tuple(results),
    )
    return scene, marks


def _alone(job: _Job, view: View, names: tuple[str, ...], about: About, attacker: Attacker) -> dict[str, Beliefs]:
    """Return what each release alone lets one believe, by random worlds."""
    attack = catalog.named("attacks", "random-worlds").examples[0]
    result = {}
    for r, name in enumerate(names):
        rng = stream(job.seed, name, str(about), attacker.name, attack.name)
        result[SINGLE + name] = attack.infer(view.only(r), rng)
    return result


def _truth(job: _Job, chosen: tuple[int, ...], about: About) -> Truth | None:
    own = job.evidence[chosen[0]].group
    if about.question is Question.PLACE:
        if own is None:
            return None
        groups = tuple(str(g) for g in range(job.evidence[chosen[0]].release.n_groups))
        return Truth(about, groups, np.maximum(own, -1), job.targets.person_of)
    truth = job.targets.answers.get(about.name)
    return None if truth is None else replace(truth, cluster=None)


def _control(job: _Job, beliefs: Beliefs, chosen: tuple[int, ...]) -> tuple[Beliefs | None, str]:
    if job.policy.control == "none":
        return None, "no control was asked for"
    own = [job.evidence[r].group for r in chosen]
    known = [group for group in own if group is not None]
    if len(known) < len(own):
        return None, "the own group of each person is not known, so it cannot be left out"
    if beliefs.left_out is None:
        return None, "this attack has no left-out control"
    return beliefs.left_out(known), ""


def _result(
    job: _Job,
    attack: Attack,
    beliefs: Beliefs,
    control: Beliefs | None,
    truth: Truth | None,
    against: Mapping[str, Beliefs],
    about: About,
) -> AttackResult:
    metrics = _metrics(about, job.harm_of(about), composed=any(name.startswith(SINGLE) for name in against))
    place = about.question is Question.PLACE
    held = {} if place else ({"control": control} if control is not None else {}) | dict(against)
    tally = Tally.of(beliefs, truth, held)
    chains = {name: part.rows for name, part in beliefs.parts.items() if name.startswith(CHAIN)}
    measures = tuple(_measure(metric, tally, chains) for metric in metrics)
    controlled: tuple[Measure, ...] = ()
    if control is not None:
        other = Tally.of(control, truth, {name: b for name, b in against.items() if name == "prior"})
        controlled = tuple(_measure(metric, other, {}) for metric in metrics)
    curve: tuple[tuple[float, float, float], ...] = ()
    if truth is not None and not place:
        curve = tuple((believed, right, n) for believed, right, n, _ in bins(tally))
    return AttackResult(
        attack.name, catalog.settings_of(attack), ran=True, measures=measures, control=controlled,
        notes={k: v for k, v in beliefs.notes.items() if v != 0}, curve=curve,
    )  # fmt: skip


def _metrics(about: About, harm: Harm, *, composed: bool) -> list[Metric]:
    if about.question is Question.PLACE:
        return [MaxRisk(), AverageRisk(), *(AtRisk(step) for step in LADDER.values()), Accuracy()]
    metrics: list[Metric] = [
        Accuracy(), AbsoluteError(), SquaredError(), Brier(), LogLoss(), CalibrationError(), BeliefChange(),
        EffectiveAnonymity(),
        *(Exposed(step, None, harm) for step in LADDER.values()),
        *(ExposedRightly(step, None, harm) for step in LADDER.values()),
    ]  # fmt: skip
    if composed:
        metrics.append(AnonymityBefore())
        for step in (0.5, 0.8, 1.0):
            metrics += [ExposedAlready(step, harm), ExposedNew(step, harm)]
    return metrics


def _measure(metric: Metric, tally: Tally, chains: Mapping[str, Any]) -> Measure:
    return Measure(metric.name, metric.threshold, judge(metric, tally, chains), metric.higher_is_worse)


def _gate(
    job: _Job, beliefs: Beliefs, control: Beliefs | None, truth: Truth | None, about: About
) -> tuple[Estimate, Bool]:
    """Count the people whom the policy calls exposed, and mark them."""
    limits = job.policy.limits
    metric = Exposed(limits.max_belief or 1.0, limits.excess, job.harm_of(about))
    tally = Tally.of(beliefs, truth, {} if control is None else {"control": control})
    chains = {name: part.rows for name, part in beliefs.parts.items() if name.startswith(CHAIN)}
    estimate = judge(metric, tally, chains)
    marks = np.zeros(beliefs.n_targets, bool)
    if estimate.value is not None and tally.cell_of is not None:
        exposed = metric.marks(tally)[0]
        attacked = tally.cell_of >= 0
        marks[attacked] = exposed[tally.cell_of[attacked]]
    return estimate, marks


def _judged(job: _Job, scenes: tuple[Scene, ...], exposed: Bool) -> AuditReport:
    limits = job.policy.limits
    gates, why = [], []
    ran = {result.name for scene in scenes for result in scene.results if result.ran}
    for scene in scenes:
        for result in scene.results:
            if result.gate is not None:
                gates.append(result.gate)
                why += _reason(scene, result, job)
            elif not result.ran and not result.converged and scene.attacker.name == job.policy.location:
                gates.append(Estimate.undefined(result.reason))
                why.append(f"{result.name} did not converge on {' and '.join(scene.releases)}: {result.reason}")
    for name in job.policy.required:
        if name.replace("_", "-") not in ran:
            gates.append(Estimate.undefined("required, but did not run"))
            why.append(f"{name} is required, but did not run")
    risk, risk_why = _identity(job, scenes)
    found = verdict(gates, limits)
    if limits.given and not gates:
        why.append(f"no attack ran for an intruder who knows {job.policy.location}")
    if risk is not None:
        order = [Verdict.NO_LIMITS, Verdict.WITHIN, Verdict.NOT_ENOUGH_EVIDENCE, Verdict.BROKEN]
        found = max(found, risk, key=order.index)
        why.append(risk_why)
    if not limits.given and job.policy.required and found is Verdict.NO_LIMITS and len(why):
        found = Verdict.NOT_ENOUGH_EVIDENCE
    facts = tuple(ReleaseFacts.of(one.release) for one in job.evidence)
    return AuditReport(
        facts, scenes, job.policy, found, tuple(why), job.seed, job.targets.people.n_rows,
        exposed if limits.given else None,
    )  # fmt: skip


def _reason(scene: Scene, result: AttackResult, job: _Job) -> list[str]:
    gate, limits = result.gate, job.policy.limits
    if gate is None:
        return []
    if gate.value is None:
        return [f"{result.name} on {' and '.join(scene.releases)}: {gate.why}"]
    more = "" if limits.excess is None else f" and at least {limits.excess:g} more than the control"
    text = (
        f"{result.name} on {' and '.join(scene.releases)}: of {gate.value:,.0f} of {gate.n:,.0f} people some value of "
        f"{scene.about} is believed with at least {limits.max_belief:g}{more}; "
        f"{limits.tolerated(gate.n):,.0f} are tolerated"
    )
    return [text]


def _identity(job: _Job, scenes: tuple[Scene, ...]) -> tuple[Verdict | None, str]:
    """Judge identity by the largest re-identification risk: 0.09 means groups of 11, as regulators use it."""
    limit = job.policy.limits.max_risk
    if limit is None:
        return None, ""
    risks = [
        result.get("max-risk")
        for scene in scenes
        for result in scene.results
        if result.name == "linkage" and result.ran
    ]
    known = [risk.value for risk in risks if risk.value is not None]
    if not known:
        return Verdict.NOT_ENOUGH_EVIDENCE, "max-risk: linkage did not run"
    worst = max(known)
    fine = worst <= limit + 1e-9 or 1 / worst >= round(1 / limit) - 1e-9
    text = f"linkage: the largest re-identification risk is {worst:.3g}; the limit is {limit:g}"
    return (Verdict.WITHIN if fine else Verdict.BROKEN), text
