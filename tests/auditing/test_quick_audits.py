"""Quick audits: the form of an attack follows from the number of people, and what is left out is not safe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from tests import reports, stories
from unmask.attacks.definetti.attack import LEAST_PEOPLE, DeFinetti
from unmask.attacks.random_worlds import RandomWorlds
from unmask.auditing.evidence import Targets, evidence_of
from unmask.auditing.findings import AttackResult, AuditReport
from unmask.auditing.limit_results import LimitState
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.auditing.quick_audits import in_quick_form, without_quick_form
from unmask.auditing.scenes import Audit
from unmask.errors import Inapplicable
from unmask.outcome import Outcome
from unmask.release import Release
from unmask.report.attack_notes import notes_of
from unmask.report.headline import headline
from unmask.report.markdown import to_markdown
from unmask.report.plain import summary
from unmask.report.quick import quick_sentence, ran_otherwise
from unmask.sanitizers.anatomy import Anatomy
from unmask.table import Table
from unmask.view import QuickForm, Requirements

LIMITS = Limits(max_belief=0.9)


@dataclass(frozen=True)
class Slow(RandomWorlds):
    """An attack that a quick audit tries for at most five people in a release."""

    name: ClassVar[str] = "slow"
    requirements: ClassVar[Requirements] = Requirements(quick=QuickForm(most=5))


def people(rows: int) -> Table:
    """Return people whose illness depends on their age."""
    rng = np.random.default_rng(1)
    age = rng.integers(20, 80, rows)
    ill = [
        ("flu", "cold", "hiv", "cancer")[(a // 20 + i) % 4] for a, i in zip(age, rng.integers(0, 2, rows), strict=True)
    ]
    return Table.of({"age": age.tolist(), "ill": ill}, quasi=["age"], sensitive=["ill"])


def anatomized(rows: int) -> Release:
    """Return groups of people by Anatomy."""
    return Anatomy(l=2).sanitize(people(rows), np.random.default_rng(0)).release


def audited(rows: int, **more: Any) -> AuditReport:
    """Audit groups of three by an attack that is slow, and by random worlds."""
    table = people(rows)
    made = stories.boxed(table, [i // 3 for i in range(rows)])
    settings: dict[str, Any] = {"seed": 1, "attacks": [RandomWorlds(), Slow()], "policy": Policy(LIMITS), **more}
    return Audit([evidence_of(made, "first")], Targets.of(table), **settings).report()


def test_the_form_follows_from_the_number_of_people():
    """One person fewer, and deFinetti samples as in any audit."""
    enough, few = anatomized(LEAST_PEOPLE), anatomized(LEAST_PEOPLE - 1)
    assert in_quick_form(DeFinetti(), [enough]) == DeFinetti(tier="fast")
    assert in_quick_form(DeFinetti(), [few]) == DeFinetti()
    assert in_quick_form(DeFinetti(), [enough, few]) == DeFinetti()


def test_parameters_that_were_chosen_stay():
    """Another form would not be the attack that was asked for."""
    chosen = DeFinetti(chains=5)
    assert in_quick_form(chosen, [anatomized(LEAST_PEOPLE)]) is chosen


def test_a_quick_audit_runs_the_quick_form_and_says_so():
    """The settings of the result are those that ran; without `quick` nothing changes."""
    made = Anatomy(l=2).sanitize(people(LEAST_PEOPLE), np.random.default_rng(0))
    audit = Audit(
        [evidence_of(made, "first")], Targets.of(people(LEAST_PEOPLE)), seed=1, attacks=[DeFinetti()], quick=True
    )
    found = audit.report()
    ran = [result for scene in found.scenes for result in scene.results if result.ran]
    assert ran
    assert {result.settings["tier"] for result in ran} == {"fast"}
    assert "deFinetti ran in quick form" in quick_sentence(found)


def test_another_model_than_the_first_is_named():
    """In a sentence for the screen and the page; without one, there is nothing to say."""
    found = audited(3)
    assert not list(ran_otherwise(found))
    scene = next(one for one in found.scenes if any(result.ran for result in one.results))
    weak = [replace(one, outcome=Outcome(fallback="chains must agree")) if one.ran else one for one in scene.results]
    (sentence,) = ran_otherwise(replace(found, scenes=(replace(scene, results=tuple(weak)),)))
    assert sentence.endswith(f"gave no answer for {scene.releases[0]}; another one took its place.")
    assert notes_of(next(one for one in weak if one.ran))["not the first model"] == "chains must agree"


def test_what_is_left_out_is_listed_with_the_way_out():
    """It is neither an attack for other releases nor one that found nobody."""
    found = audited(6, quick=True)
    (result,) = {r.reason: r for scene in found.scenes for r in scene.results if r.inapplicable is Inapplicable.QUICK}
    assert result == "a quick audit tries it for at most 5 people in a release; got 6. Leave --quick out"
    assert "slow left out, which is not safe" in quick_sentence(found)


@pytest.mark.parametrize(("rows", "quick"), [(3, True), (6, False)], ids=["few people", "not quick"])
def test_nothing_else_is_left_out(rows: int, *, quick: bool):
    """The rule concerns quick audits of more people only."""
    found = audited(rows, quick=quick)
    assert not any(r.inapplicable is Inapplicable.QUICK for scene in found.scenes for r in scene.results)
    assert {r.name for scene in found.scenes for r in scene.results if r.ran} == {"random-worlds", "slow"}


def test_a_required_attack_that_is_left_out_leaves_the_verdict_open():
    """Not attacked is not safe; the same release with the attack is within the limits."""
    policy = Policy(Limits(max_belief=1.0, tolerate=6.0, tolerate_is_share=False), required=("slow",))
    assert audited(6, policy=policy).verdict is Verdict.WITHIN
    found = audited(6, policy=policy, quick=True)
    assert found.verdict is Verdict.NOT_DECIDED
    (one,) = (limit for limit in found.limits if limit.state is LimitState.NOT_DECIDED)
    assert "Leave --quick out" in one.would_change


@pytest.mark.parametrize("write", [lambda r: " ".join(headline(r)), to_markdown, summary], ids=["page", "md", "screen"])
def test_every_report_says_that_it_was_quick(write: Any):
    """Also where every attack ran as ever; other reports do not."""
    report = reports.anatomy(reports.POLICY, Verdict.BROKEN, ("because",))
    assert "This audit was quick" in write(replace(report, quick=True))
    assert "quick" not in write(report)


def test_an_attack_that_fails_in_quick_form_only_is_left_out():
    """Another kind of inapplicability stays what it is: --quick changes nothing there."""
    lacking = AttackResult("slow", {}, ran=False, reason="needs more", inapplicable=Inapplicable.LACKING)
    found = without_quick_form(lacking)
    assert found.inapplicable is Inapplicable.QUICK
    assert found.reason == "in quick form: needs more, or leave --quick out"
    for other in (Inapplicable.QUESTION, Inapplicable.RELEASES, Inapplicable.FORM):
        assert without_quick_form(replace(lacking, inapplicable=other)).inapplicable is other
