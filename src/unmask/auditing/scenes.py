"""The audit: attackers × releases × attacks × metrics, each with its own random stream.

Each scene holds the guaranteed bound, the prior, the left-out control, and the result of each attack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np

from unmask import catalog
from unmask.arrays import Bool
from unmask.attacks.shared.pooling import default_prior
from unmask.auditing.evidence import Evidence, Targets
from unmask.auditing.exposed_groups import ExposedGroups
from unmask.auditing.findings import ATTRIBUTES, COMPLETE, ROW, Attacker, AttackResult, AuditReport, ReleaseFacts, Scene
from unmask.auditing.held_out_control import with_held_out, with_places
from unmask.auditing.judging import judged
from unmask.auditing.limit_results import concluded
from unmask.auditing.measuring import ONLY_GROUP, ExposureMarks, Stage, gated, measured, promises_of
from unmask.auditing.policy import Policy
from unmask.auditing.quick_audits import in_quick_form, require_quick, without_quick_form
from unmask.auditing.unmatched_targets import unplaced
from unmask.beliefs import About, Beliefs, Question
from unmask.errors import (
    ContradictionError,
    CostlyError,
    InvalidInputError,
    NotApplicableError,
    NotConvergedError,
    UnmaskError,
    describe_defect,
)
from unmask.estimate import Truth
from unmask.metrics.exposure import SINGLE, reaching
from unmask.models.privacy_model import risk_meant
from unmask.people_counts import people_among
from unmask.release import SYNTHETIC
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.schema import Harm
from unmask.view import Attack, Knowledge, LeftOutControl, Located, View
from unmask.wording import message

NO_USE = message("does not use a complete list, and gives the same result without one")
"""The reason why most attacks do not run for an attacker with a complete list."""

NO_POLICY = Policy()
"""A policy without limits: an audit that only measures."""


def default_attacks() -> list[Attack]:
    """Return one attack of each name that infers rows or sensitive values."""
    examples = [catalog.attack(name) for name in catalog.entries("attacks") if name != catalog.BASELINE]
    return [one for one in examples if not one.requirements.masked_attribute]


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """All applicable attacks on releases about the same targets, and the limits that judge the results.

    Each release is attacked alone (`single`), and all of them together, once for each attacker and each sensitive
    attribute; `identity` adds linkage.

    Fails
        With `InvalidInputError` where the evidence is not about the targets.
    """

    evidence: Sequence[Evidence]
    targets: Targets
    _: KW_ONLY
    seed: int
    attacks: Sequence[Attack] = field(default_factory=default_attacks)
    policy: Policy = NO_POLICY
    attackers: Sequence[Attacker] = (ROW, ATTRIBUTES)
    quick: bool = False  # attacks in their quick forms
    harm: Mapping[str, Harm] = field(default_factory=dict)
    held_out: Targets | None = None  # people of no release, for the held-out control
    why_not_held_out: str = message("no people were held out")
    identity: bool = True
    single: bool = True
    limits_only: bool = False  # measure only what the limits are judged by: exposed people, the largest risk
    shares_parts: bool = False  # with other audits of the same releases: the caller keeps finished parts

    def __post_init__(self) -> None:
        if not self.evidence:
            msg = message("an audit must have at least one release; got none")
            raise InvalidInputError(msg)
        n = self.targets.people.n_rows
        for one in self.evidence:
            if one.group is not None and one.group.size != n:
                msg = message("groups must be known for each of {n} targets; got {size}", n=n, size=one.group.size)
                raise InvalidInputError(msg)

    def report(self) -> AuditReport:
        """Run the attacks, and compare their results with the truth.

        An attack that does not apply to a scene, or does not converge, is reported as such.
        """
        none_marked, exposed_by = ExposureMarks.none(self.targets.people.n_rows), dict[str, ExposureMarks]()
        scenes = []
        with nullcontext() if self.shares_parts else work.keeping():
            for sort in _scenes(self):
                scene, marks = _play(self, *sort)
                scenes.append(scene)
                exposed_by[scene.attacker.name] = exposed_by.get(scene.attacker.name, none_marked) | marks
        is_limited = self.policy.limits.max_belief is not None
        exposed = exposed_by.setdefault(self.policy.location, none_marked)
        counted = {name: one.counted(self.targets.person_of) for name, one in exposed_by.items() if is_limited}
        n_exposed, n_rightly = counted.get(self.policy.location, (None, None))
        limits = judged(scenes, self.policy, [(scenes, n_exposed)])
        verdict, why = concluded(limits)
        return AuditReport(
            tuple(ReleaseFacts.of(one.release) for one in self.evidence),
            tuple(scenes),
            self.policy,
            verdict,
            why,
            self.seed,
            self.targets.people.n_rows,
            exposed.exposed if self.policy.limits.given else None,
            int(self.targets.count.n),
            self.targets.unit,
            n_exposed=n_exposed,
            n_exposed_rightly=n_rightly,
            exposed_by=counted,
            exposed_groups=tuple(_exposed_groups(self, exposed.exposed)) if is_limited else (),
            limits=limits,
            quick=self.quick,
        )

    def harm_of(self, about: About) -> Harm:
        """Return the declared harm of an attribute's values, by default the release's."""
        if about.question is not Question.ATTRIBUTE:
            return Harm()
        first = next(e.release for e in self.evidence if about.name in e.release.counts)
        return self.harm.get(about.name, first.schema[about.name].harm)


def _exposed_groups(audit: Audit, exposed: Bool) -> Iterator[ExposedGroups]:
    """Yield the groups of exposed people of each release whose groups are known."""
    for one in audit.evidence:
        if one.group is not None:
            found = ExposedGroups.of_marks(one.release.name, one.release.people, one.group, exposed)
            yield from () if found is None else (found,)


def _scenes(
    audit: Audit,
) -> Iterator[tuple[tuple[int, ...], About, Attacker]]:
    """Yield releases, question and attacker of each scene: linkage first, then single releases, then all together."""
    n = len(audit.evidence)
    if audit.identity:
        for r in (r for r in range(n) if not audit.evidence[r].release.noise):  # noisy counts have no rows to link
            yield (r,), About.place(audit.evidence[r].release.name), ATTRIBUTES
    sets: list[tuple[int, ...]] = [(r,) for r in range(n)] if audit.single or n == 1 else []
    sets += [tuple(range(n))] if n > 1 else []
    for chosen in sets:
        shared = set.intersection(*(set(audit.evidence[r].release.counts) for r in chosen))
        for name in (a.name for a in audit.evidence[chosen[0]].release.schema.sensitive if a.name in shared):
            for attacker in audit.attackers:
                if attacker is ROW and any(audit.evidence[r].group is None for r in chosen):
                    continue
                yield chosen, About.attribute(name), attacker


def _view(audit: Audit, chosen: tuple[int, ...], about: About, attacker: Attacker) -> View:
    releases = tuple(audit.evidence[r].release for r in chosen)
    people = audit.targets.people
    if about.question is Question.PLACE:
        release = releases[0]
        values = [str(g) for g in range(release.n_groups)]
        prior = Beliefs.shared(about, values, release.size / release.size.sum(), people.n_rows)
    else:
        prior = default_prior(releases, about.name, people.n_rows)
        people = work.kept("visible", (people,), about, lambda: audit.targets.people.visible(about.name))
    located = None
    if attacker is ROW:
        located = tuple(_place(audit.evidence[r]) for r in chosen)
    algorithms = tuple(catalog.declared_sanitizer(release)[0] for release in releases)
    return View(releases, Knowledge(people, prior, located, complete=attacker is COMPLETE, sanitizers=algorithms))


def _place(one: Evidence) -> Located:
    group = one.group if one.group is not None else np.zeros(0, np.int32)
    return Located(np.where(group >= 0, group, np.int32(-2)).astype(np.int32), one.row)


def _play(audit: Audit, chosen: tuple[int, ...], about: About, attacker: Attacker) -> tuple[Scene, ExposureMarks]:
    view = _view(audit, chosen, about, attacker)
    truth = _truth(audit, chosen, about)
    marks = ExposureMarks.none(view.knowledge.people.n_rows)
    names = tuple(release.name for release in view.releases)
    prior = view.knowledge.prior
    against: dict[str, Beliefs] = {"prior": prior}
    results: list[AttackResult] = []
    if len(chosen) > 1 and _is_measured(audit, about):
        try:
            against |= _alone(audit, view, names, about, attacker)
        except Exception as error:  # noqa: BLE001 - attacks on all releases together can be measured without
            results.append(_not_run(catalog.REFERENCE["exact"], {}, error))
    own, targets = audit.evidence[chosen[0]].group, audit.targets
    firm, max_risk = audit.policy.limits.firm, audit.policy.limits.max_risk
    stage = Stage(
        about, audit.harm_of(about), truth, own, against, targets.person_of, targets.household_of, firm,
        None if max_risk is None else risk_meant(max_risk),
    )  # fmt: skip
    guess = catalog.attack(catalog.BASELINE)
    if _is_measured(audit, about):
        baseline = measured(replace(stage, against={"prior": prior}), guess, prior, None)
    else:
        baseline = AttackResult(guess.name, {}, ran=True)
    if about.question is Question.PLACE and view.release.is_synthetic:
        baseline = AttackResult(guess.name, {}, ran=False, reason=SYNTHETIC)
    for given in audit.attacks:
        attack = in_quick_form(given, view.releases) if audit.quick else given
        title = f"{attack.name} on {' and '.join(names)}, {about}, intruder who knows {attacker.name}"
        settings = catalog.settings_of(attack)
        if attacker is COMPLETE and attack.requirements.complete_list == "unused":
            results.append(AttackResult(attack.name, settings, ran=False, reason=NO_USE))
            continue
        rng = stream(audit.seed, *names, str(about), attack.name, str(settings))
        with work.step(title):
            try:
                result, here = _attacked(audit, chosen, attack, view, stage, rng)
            except Exception as error:  # noqa: BLE001 - keep the results of the other attacks
                result = _not_run(attack.name, settings, error)
                result = result if attack is given else without_quick_form(result)
            else:
                marks |= here
            results.append(result)
    is_judged = about.question is Question.ATTRIBUTE and audit.policy.limits.max_belief is not None
    n_exposed, n_rightly = marks.counted(targets.person_of) if is_judged else (None, None)
    scene = Scene(
        names,
        about,
        attacker,
        view.knowledge.people.n_rows,
        len(prior.values),
        tuple(promises_of(view.releases, about, audit.harm_of(about))),
        baseline,
        tuple(results),
        int(audit.targets.count.n),
        audit.targets.unit,
        {value: limit for value, limit in stage.harm.limit.items() if value in prior.values},
        firm,
        n_exposed,
        n_rightly,
    )
    return scene, marks


def _not_run(name: str, settings: Mapping[str, Any], error: Exception) -> AttackResult:
    """Return why an attack did not run; raise errors of the input or the machine, which stop all attacks."""
    if isinstance(error, NotApplicableError):
        return AttackResult(name, settings, ran=False, reason=str(error), inapplicable=error.kind)
    if isinstance(error, ContradictionError | CostlyError):
        return AttackResult(name, settings, ran=False, reason=str(error))
    if isinstance(error, NotConvergedError):
        return AttackResult(name, settings, ran=False, reason=str(error), converged=False)
    if isinstance(error, UnmaskError | MemoryError | OSError):
        raise error
    return AttackResult(name, settings, ran=False, reason=describe_defect(error), defect=True)


def _attacked(
    audit: Audit,
    chosen: tuple[int, ...],
    attack: Attack,
    view: View,
    stage: Stage,
    rng: np.random.Generator,
) -> tuple[AttackResult, ExposureMarks]:
    """Run one attack and measure it; also mark the targets that the limits call exposed."""
    if audit.quick:
        require_quick(attack, view)
    view.require_memory(attack.name)
    try:
        beliefs = attack.infer(view, rng)
    except InvalidInputError as error:  # other attacks may read it
        raise NotApplicableError(str(error)) from error
    firm = None if _is_measured(audit, stage.about) else _firm(audit, stage, beliefs)
    control, why = _control(audit, beliefs, chosen, firm)
    own = [audit.evidence[r].group for r in chosen]
    account, unreadable = unplaced(view, beliefs, own=own, whole=audit.targets.whole, person_of=stage.person_of)
    if _is_measured(audit, stage.about):
        result = measured(stage, attack, beliefs, control)
    else:
        result = AttackResult(
            attack.name, catalog.settings_of(attack), ran=True, outcome=beliefs.outcome, notes=beliefs.notes
        )
    result = replace(result, why_no_control=why, unplaced=account)
    marks = ExposureMarks.none(beliefs.n_targets)
    if stage.about.question is Question.ATTRIBUTE and audit.policy.limits.max_belief is not None:
        exposed, marks = gated(stage, audit.policy.limits, beliefs, control)
        result = replace(result, gate=exposed, exposed_by_value=marks.by_value)
    if audit.policy.control == "held-out" and _is_measured(audit, stage.about):
        result = _beside_held_out(audit, chosen, attack, view, stage, result)
    exposed_too = marks.exposed
    if stage.person_of is not None:
        exposed_too = np.isin(stage.person_of, stage.person_of[marks.exposed])
    others = people_among(stage.person_of, unreadable & ~exposed_too)
    most = min(float(others), sum(one.unreadable for one in account))
    return replace(result, unreadable=most), marks


def _is_measured(audit: Audit, about: About) -> bool:
    """Whether more is measured than limits read: that of places is, with the largest risk."""
    return not audit.limits_only or about.question is Question.PLACE


def _beside_held_out(
    audit: Audit, chosen: tuple[int, ...], attack: Attack, view: View, stage: Stage, result: AttackResult
) -> AttackResult:
    """Return the result with the held-out control: the same attack on people of no release."""
    why, people = "", audit.held_out
    if people is None:
        why = audit.why_not_held_out
    elif view.knowledge.located is not None or view.knowledge.complete:
        why = message("people held out of the release have no row there")
        if view.knowledge.complete:
            why = message("people held out of the release are on no list of its people")
    if why or people is None:
        return replace(result, why_no_control=why)
    seed = (*(release.name for release in view.releases), str(stage.about), attack.name)
    places = with_places(view.releases[0], people.people.visible(None), stream(audit.seed, "held out", *seed[:1]))
    outside = replace(
        audit,
        evidence=[Evidence(one.release) for one in audit.evidence],
        targets=replace(people, people=places),
        held_out=None,
    )
    there = _view(outside, chosen, stage.about, ATTRIBUTES)
    truth = _truth(outside, chosen, stage.about)
    if stage.about.question is Question.PLACE:  # every match is false
        truth = Truth.unknown(stage.about, places.n_rows, people.person_of)
    try:
        beliefs = attack.infer(there, stream(audit.seed, "held out", *seed))
    except UnmaskError as error:
        return replace(
            result, why_no_control=message("the attack on people held out did not run: {reason}", reason=str(error))
        )
    stage = replace(stage, truth=truth, cluster=None, against={"prior": there.knowledge.prior},
                    person_of=people.person_of, household_of=None)  # fmt: skip
    return with_held_out(result, measured(stage, attack, beliefs, None), stage.about)


def _alone(audit: Audit, view: View, names: tuple[str, ...], about: About, attacker: Attacker) -> dict[str, Beliefs]:
    """Return the posterior from each release alone, by random worlds; from noisy counts by their likelihood."""
    result = {}
    for r, name in enumerate(names):
        attack = catalog.attack(catalog.REFERENCE["noisy" if about.name in view.releases[r].noise else "exact"])
        rng = stream(audit.seed, name, str(about), attacker.name, attack.name)
        result[SINGLE + name] = attack.infer(view.only(r), rng)
    return result


def _truth(audit: Audit, chosen: tuple[int, ...], about: About) -> Truth | None:
    own, person_of = audit.evidence[chosen[0]].group, audit.targets.person_of
    known = audit.targets.answers.get(about.name)
    if about.question is Question.PLACE:
        groups = tuple(str(g) for g in range(audit.evidence[chosen[0]].release.n_groups))
        known = None if own is None else Truth(about, groups, np.maximum(own, -1), person_of)
    if known is None and person_of is not None:  # person keys are known even so
        return Truth.unknown(about, audit.targets.people.n_rows, person_of)
    return known


def _firm(audit: Audit, stage: Stage, beliefs: Beliefs) -> Bool:
    """Return the targets, (targets,), whose control the limits read: a value of theirs may be exposed."""
    return reaching(beliefs, audit.policy.limits.max_belief or 1.0, stage.harm)


def _control(audit: Audit, beliefs: Beliefs, chosen: tuple[int, ...], asked: Bool | None) -> tuple[Beliefs | None, str]:
    """Return the left-out control and why there is none; where it can, of the targets asked for alone, (targets,)."""
    if audit.policy.control != "left-out":
        return None, message("no control was asked for")
    own = [audit.evidence[r].group for r in chosen]
    known = [group for group in own if group is not None]
    if len(known) < len(own):
        return None, message("the own group of each person is not known, so it cannot be left out")
    if beliefs.left_out is None:
        return None, message("this attack has no left-out control")
    only = all(np.count_nonzero(audit.evidence[r].release.size) == 1 for r in chosen)
    if only and beliefs.about.question is Question.ATTRIBUTE:
        return None, message(ONLY_GROUP)
    if asked is not None and isinstance(beliefs.left_out, LeftOutControl):
        return beliefs.left_out.of_some(known, asked), ""
    return beliefs.left_out(known), ""
