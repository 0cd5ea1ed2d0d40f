"""The attacks on one release by both attackers, each judged by the policy's limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask import catalog
from unmask.arrays import Bool
from unmask.auditing.evidence import Evidence, Targets
from unmask.auditing.findings import ATTRIBUTES, ROW, Attacker, AuditReport
from unmask.auditing.policy import Policy, Verdict, worst_of
from unmask.auditing.quick_audits import with_parameters
from unmask.auditing.scenes import Audit
from unmask.beliefs import Question
from unmask.runtime import work
from unmask.schema import Harm
from unmask.view import Attack, Requirements
from unmask.wording import marked, message

BOTH = (ATTRIBUTES, ROW)
"""The attackers that a release must withstand: one who knows quasi-identifiers, one who also knows the row."""


@dataclass(frozen=True, slots=True)
class ExposureByAttack:
    """The people exposed by one attack of one attacker, or by any of its attacks."""

    attacker: str
    attack: str  # empty: any of them, where they expose more people together than one alone
    people: float | None  # None: not known, as `why` tells
    n: float
    why: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class AttackedRelease:
    """The result of all attacks on a release: the worst verdict, the people exposed by each, and who they are."""

    verdict: Verdict
    why: tuple[str, ...]
    exposed: tuple[ExposureByAttack, ...]
    marks: Bool  # (targets,) exposed by some attack; never in a report
    largest_risk: float | None = None  # of re-identification; None without a limit on it

    @property
    def most(self) -> float:
        """The people exposed by some attack, of the attacker who exposes most."""
        return max((one.people for one in self.exposed if one.people is not None), default=0.0)


@dataclass(frozen=True, slots=True)
class PolicyJudge:
    """What every release is attacked with, and how it is judged."""

    policy: Policy
    attacks: Sequence[Attack]
    harm: Mapping[str, Harm]
    seed: int

    def attack(
        self, evidence: Evidence, targets: Targets, *, only: frozenset[tuple[str, str]] | None = None
    ) -> AttackedRelease:
        """Attack a release; `only` names pairs of attacker and attack that suffice until it withstands these.

        A verdict on some of the attacks is no verdict on the release.
        """
        reports = []
        with work.keeping():  # what attacks learn from a release is the same for both attackers
            for attacker in BOTH:
                wanted = [one for one in self.attacks if only is None or (attacker.name, one.name) in only]
                if wanted:
                    reports.append((attacker, self._report(evidence, targets, attacker, wanted)))
        verdict, why = worst_of((report.verdict, _by(attacker, _why(report))) for attacker, report in reports)
        marks = np.zeros(targets.people.n_rows, bool)
        for _, report in reports:
            if report.exposed is not None:
                marks |= report.exposed
        risks = [report.largest_risk for _, report in reports if self.policy.limits.max_risk is not None]
        return AttackedRelease(
            verdict, why, tuple(one for _, report in reports for one in exposures(report)), marks,
            max((risk for risk in risks if risk is not None), default=None),
        )  # fmt: skip

    def _report(
        self, evidence: Evidence, targets: Targets, attacker: Attacker, attacks: Sequence[Attack]
    ) -> AuditReport:
        """Return the audit of a release by one attacker, judged for that one.

        Attacks on identity, which know no row, run only where a limit or a requirement asks for them.
        """
        policy = replace(self.policy, location="row" if attacker is ROW else "attributes")
        if len(attacks) < len(self.attacks):
            policy = replace(policy, required=(), limits=replace(policy.limits, max_risk=None))
        return Audit(
            [evidence], targets, seed=self.seed, attacks=attacks, policy=policy, attackers=(attacker,), harm=self.harm,
            identity=policy.limits.max_risk is not None or len(required_on_values(policy)) < len(policy.required),
            limits_only=True, shares_parts=True,
        ).report()  # fmt: skip


def for_ranking(attacks: Sequence[Attack], rows: int) -> list[Attack]:
    """Return attacks with parameters that suffice to rank releases of a sample: the quick form where it surely runs."""
    return [with_parameters(one, _ranking(one.requirements, rows)) for one in attacks]


def _ranking(needed: Requirements, rows: int) -> Mapping[str, str | int | float]:
    is_quick = needed.quick.parameters and rows >= 2 * needed.quick.least  # whatever a sanitizer leaves out
    return needed.quick.parameters if is_quick else needed.ranking


def required_on_values(policy: Policy) -> set[str]:
    """Return the attacks on values that a policy requires: those on identity expose no value."""
    return {name.replace("_", "-") for name in policy.required} - set(catalog.attacks_on(Question.PLACE))


def exposures(report: AuditReport) -> list[ExposureByAttack]:
    """Return the people exposed by each attack that a report of one attacker judges, and by any of them together."""
    found = [
        ExposureByAttack(scene.attacker.name, one.name, one.gate.value, one.gate.n, one.gate.why)
        for scene in report.scenes
        for one in scene.results
        if one.gate is not None
    ]
    together = report.n_exposed or 0
    if found and together > max(one.people or 0.0 for one in found):
        found.append(ExposureByAttack(found[0].attacker, "", together, found[0].n))
    return found


def _why(report: AuditReport) -> Iterator[str]:
    """Yield the reasons of a verdict; of a required attack that did not run, also why it did not."""
    conditions = {one.reason: one.would_change for one in report.limits if one.limit == "required-attack"}
    for reason in report.why:
        condition = conditions.get(reason, "")
        yield message("{reason}. {condition}", reason=reason, condition=condition) if condition else reason


def _by(attacker: Attacker, why: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        message("an attacker who knows {known}: {reason}", known=message(_KNOWS[attacker.name]), reason=one)
        for one in why
    )


_KNOWS = {ATTRIBUTES.name: marked("attributes only"), ROW.name: marked("the row")}


__all__ = [
    "BOTH", "AttackedRelease", "ExposureByAttack", "PolicyJudge", "exposures", "for_ranking", "required_on_values",
]  # fmt: skip
