"""The audit: attackers, releases, attacks and metrics; promise beside measurement, control beside attack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from tests import stories
from unmask.attacks.baseline import Baseline
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.joint_worlds.attack import JointWorlds
from unmask.attacks.linkage.attack import Linkage
from unmask.attacks.random_worlds import RandomWorlds
from unmask.auditing.evidence import Evidence, Targets, evidence_of
from unmask.auditing.exposed_groups import ExposedGroups
from unmask.auditing.findings import ATTRIBUTES, COMPLETE, ROW, AuditReport, Scene
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.auditing.scenes import Audit
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError
from unmask.report import words
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Harm
from unmask.table import Table
from unmask.view import Requirements, View

CERTAIN = Policy(Limits(max_belief=0.9))


def ward() -> Table:
    """Return six patients: four around thirty, two around sixty who both have cancer."""
    return Table.of(
        {"age": [28, 29, 31, 33, 58, 61], "ill": ["flu", "flu", "cold", "hiv", "cancer", "cancer"]},
        quasi=["age"],
        sensitive=["ill"],
    )


def report(*groupings: list[int], table: Table | None = None, **more: object) -> AuditReport:
    """Audit releases of the ward, one for each grouping."""
    people = table or ward()
    names = ("first", "second")
    evidence = [evidence_of(stories.boxed(people, g), name) for g, name in zip(groupings, names, strict=False)]
    settings: dict[str, object] = {"seed": 1, "attacks": [RandomWorlds(), Intersection(), Linkage()], **more}
    return Audit(evidence, Targets.of(people), **settings).report()  # type: ignore[arg-type]


def scene(found: AuditReport, releases: int, attacker: str, about: str = "ill") -> Scene:
    """Return the scene with so many releases, this attacker, this question."""
    (one,) = [
        s for s in found.scenes
        if len(s.releases) == releases and s.attacker.name == attacker and str(s.about) == about
    ][:1]  # fmt: skip
    return one


# --- the story


def test_homogeneity_is_found_beside_what_was_promised_and_what_could_be_guessed():
    """Two of six have cancer for certain; the promise was vacuous; the prior would be right in a third of guesses."""
    found = scene(report([0, 0, 0, 0, 1, 1]), 1, "row")
    (worlds,) = [r for r in found.results if r.name == "random-worlds"]
    assert worlds.get("exposed", 1.0).value == 2
    assert worlds.get("exposed-rightly", 1.0).value == 2
    assert worlds.get("accuracy").value == pytest.approx((4 * 1 / 2 + 2 * 1) / 6)  # flu is the best guess of four
    (promise,) = [p for p in found.promises if p.guarantee == "l-diversity"]
    assert promise.vacuous
    assert found.baseline.get("exposed", 0.9).value == 0
    assert found.baseline.get("accuracy").value == pytest.approx((2 / 6 + 2 / 6) / 2)  # flu and cancer tie


def test_what_is_known_without_the_own_group_is_no_leak():
    """Left out: the sixties get the beliefs of their neighbors, and no person has cancer for certain."""
    (worlds,) = [r for r in scene(report([0, 0, 0, 0, 1, 1]), 1, "row").results if r.name == "random-worlds"]
    assert worlds.get("exposed", 1.0, control=True).value == 4  # the thirties are taken for sixties, all wrong
    assert worlds.get("exposed-rightly", 1.0, control=True).value == 0


def test_two_releases_are_attacked_alone_and_together_by_both_attackers():
    """A scene for each: where people are (twice), the two alone and together, by row and by attributes."""
    found = report([0, 0, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1])
    kinds = [(s.releases, str(s.about), s.attacker.name) for s in found.scenes]
    assert kinds == [
        (("first",), "@row:first", "attributes"),
        (("second",), "@row:second", "attributes"),
        *[(names, "ill", attacker) for names in (("first",), ("second",), ("first", "second"))
          for attacker in ("row", "attributes")],
    ]  # fmt: skip
    together = scene(found, 2, "row")
    (both,) = [r for r in together.results if r.name == "intersection"]
    already, new = both.get("exposed-already", 1.0).value, both.get("exposed-new", 1.0).value
    assert already is not None
    assert new is not None
    assert already + new == both.get("exposed", 1.0).value


def test_whoever_lists_everybody_holds_releases_together_by_joint_worlds():
    """One more scene, in which the intersection ignores the list; no belief of joint worlds is weaker."""
    attacks = [Intersection(rule="set"), JointWorlds()]
    found = report([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], attacks=attacks, attackers=(ROW, COMPLETE))
    listed, row = scene(found, 2, "complete"), scene(found, 2, "row")
    (joint,) = [r for r in listed.results if r.name == "joint-worlds"]
    (own,) = [r for r in row.results if r.name == "intersection"]
    assert [r.ran for r in listed.results] == [False, True]
    assert (joint.get("exposed", 1.0).value or 0) >= (own.get("exposed", 1.0).value or 0)
    assert joint.get("vulnerable").value is not None
    assert not next(r for r in row.results if r.name == "joint-worlds").ran


def test_what_did_not_run_says_why():
    """Intersection with one release; random worlds with two; linkage where a value is asked for."""
    found = report([0, 0, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1])
    alone = {r.name: r.reason for r in scene(found, 1, "row").results if not r.ran}
    assert alone == {
        "intersection": "needs at least 2 releases; this view has 1",
        "linkage": "answers questions about a place only",
    }
    assert not next(r for r in scene(found, 2, "row").results if r.name == "random-worlds").ran


# --- randomness


def test_adding_an_attack_changes_no_other_number():
    """Each attack has a stream of its own name."""
    few = scene(report([0, 0, 0, 0, 1, 1], attacks=[RandomWorlds()]), 1, "row").results[0]
    many = scene(report([0, 0, 0, 0, 1, 1], attacks=[Baseline(), RandomWorlds(), Linkage()]), 1, "row").results[1]
    assert few.measures == many.measures


# --- limits


@pytest.mark.parametrize(
    ("limits", "verdict", "code"),
    [
        (Limits(), Verdict.NO_LIMITS, 0),
        (Limits(max_belief=0.9), Verdict.BROKEN, 1),
        (Limits(max_belief=0.9, tolerate=2, tolerate_is_share=False), Verdict.WITHIN, 0),
        (Limits(max_belief=0.9, tolerate=0.33), Verdict.BROKEN, 1),
        (Limits(max_belief=0.9, tolerate=0.34), Verdict.WITHIN, 0),
        (Limits(max_belief=0.9, excess=0.5), Verdict.BROKEN, 1),
        (Limits(max_belief=0.5, tolerate=0.5), Verdict.BROKEN, 1),
        (Limits(max_risk=0.5), Verdict.WITHIN, 0),
        (Limits(max_risk=0.2), Verdict.BROKEN, 1),
    ],
)
def test_limits_are_judged_by_the_worst_attack(limits, verdict, code):
    """Two of six are believed to have cancer for certain, four to have flu with one half; groups are of 4 and 2."""
    found = report([0, 0, 0, 0, 1, 1], policy=Policy(limits, location="row"))
    assert (found.verdict, found.exit_code) == (verdict, code)


@pytest.mark.parametrize("location", ["row", "attributes"])
@pytest.mark.parametrize(
    "limits", [Limits(max_belief=0.5, excess=0.1, tolerate=1), Limits(max_belief=0.9, max_risk=0.3)]
)
def test_the_limits_are_judged_alike_without_the_other_measures(limits, location):
    """Only what no limit reads is left out."""
    policy = Policy(limits, location=location)
    whole = report([0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 1, 1], policy=policy)
    few = report([0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 1, 1], policy=policy, limits_only=True)
    assert (few.verdict, few.why, few.limits) == (whole.verdict, whole.why, whole.limits)
    assert (few.n_exposed, few.n_exposed_rightly, few.largest_risk) == (
        whole.n_exposed, whole.n_exposed_rightly, whole.largest_risk,
    )  # fmt: skip
    gates = [[one.gate for scene in found.scenes for one in scene.results] for found in (few, whole)]
    assert gates[0] == gates[1]
    of_values = [scene for scene in few.scenes if str(scene.about) == "ill"]
    assert of_values
    assert not any(one.measures for scene in of_values for one in scene.results)


def test_a_person_is_exposed_if_any_attack_exposes_them():
    """The two of sixty; no name is in the report, only the auditor's own marks."""
    found = report([0, 0, 0, 0, 1, 1], policy=replace(CERTAIN, location="row"))
    assert found.exposed is not None
    assert found.exposed.tolist() == [False] * 4 + [True] * 2


def test_a_harmless_value_exposes_nobody():
    """If cancer were harmless, nothing else is believed that firmly."""
    policy = replace(CERTAIN, location="row")
    found = report([0, 0, 0, 0, 1, 1], policy=policy, harm={"ill": Harm(frozenset({"cancer"}))})
    assert found.verdict is Verdict.WITHIN


@pytest.mark.parametrize("limit", [0.1, 0.5])
def test_a_value_with_its_own_limit_breaks_it_without_being_believed_more(limit):
    """Flu, believed with one half, breaks its own limit of 0.1 or 0.5; nobody but the two of sixty is known firmly."""
    policy = Policy(Limits(max_belief=0.9), location="row")
    harm = Harm(frozenset({"cancer"}), {"flu": limit})
    found = report([0, 0, 0, 0, 1, 1], policy=policy, harm={"ill": harm})
    (worlds,) = [r for r in scene(found, 1, "row").results if r.name == "random-worlds"]
    assert (found.verdict, worlds.gate and worlds.gate.value) == (Verdict.BROKEN, 4)
    assert f"believed with at least 0.9, or its own limit (flu {limit}), of 4 of 6" in found.why[0]
    assert [worlds.get("exposed", step).value for step in (0.5, 0.8, 1.0)] == [4, 0, 0]
    assert worlds.get("exposed-rightly", 0.8).value == 0
    assert f"Values with their own limit, in place of that one: ill: flu {limit}." in words.limits(found)


def test_limits_are_judged_where_the_policy_says():
    """Of whom only attributes are known, the same boxes say the same; another attacker's scenes do not count."""
    only_rows = report([0, 0, 0, 0, 1, 1], policy=replace(CERTAIN, location="attributes"), attackers=[ROW])
    assert only_rows.verdict is Verdict.NOT_DECIDED
    assert any("no attack ran for an intruder who knows attributes" in why for why in only_rows.why)


def test_a_required_attack_that_did_not_run_leaves_the_evidence_incomplete():
    """Not run is not safe: exit code 4."""
    lenient = Policy(Limits(max_belief=0.9, tolerate=1.0), location="row", required=("intersection",))
    found = report([0, 0, 0, 0, 1, 1], policy=lenient)
    assert (found.verdict, found.exit_code) == (Verdict.NOT_DECIDED, 4)


def test_nobody_who_could_be_matched_is_not_safe_either():
    """Two people without a key whom no group fits: 0 of 2 could be attacked, undefined, exit code 4."""
    published = stories.boxed(ward(), [0, 0, 0, 0, 1, 1])
    strangers = Table.of({"age": [90, 95], "ill": ["flu", "flu"]}, quasi=["age"], sensitive=["ill"])
    found = Audit(
        [Evidence(published.release)], Targets.of(strangers), seed=1, attacks=[RandomWorlds()], policy=CERTAIN
    ).report()
    assert (found.verdict, found.exit_code) == (Verdict.NOT_DECIDED, 4)
    assert any("0 of 2 rows could be attacked" in why for why in found.why)


# --- what the auditor does not know


def test_without_truths_beliefs_are_still_counted():
    """Correctness is unknown, but the strength of beliefs is known."""
    published = stories.boxed(ward(), [0, 0, 0, 0, 1, 1])
    targets = Targets(ward().visible(None), {})
    (one,) = (
        Audit([Evidence(published.release)], targets, seed=1, attacks=[RandomWorlds()], identity=False).report().scenes
    )
    (worlds,) = one.results
    assert one.attacker is ATTRIBUTES  # own rows are not known either
    assert worlds.get("exposed", 1.0).value == 2
    assert worlds.get("accuracy").value is None
    assert "not known, so it cannot be left out" in worlds.why_no_control


def test_no_control_is_none_and_says_so():
    """Where none was asked for."""
    found = report([0, 0, 0, 0, 1, 1], policy=Policy(control="none"))
    (worlds,) = [r for r in scene(found, 1, "row").results if r.name == "random-worlds"]
    assert worlds.control == ()
    assert worlds.why_no_control == "no control was asked for"


def test_evidence_about_others_is_refused():
    """No release at all, or own groups of other people."""
    with pytest.raises(InvalidInputError, match="at least one release; got none"):
        Audit([], Targets.of(ward()), seed=1).report()
    published = stories.boxed(ward(), [0] * 6)
    with pytest.raises(InvalidInputError, match="each of 6 targets; got 2"):
        Audit([Evidence(published.release, np.zeros(2, np.int32))], Targets.of(ward()), seed=1).report()


def test_intervals_are_wider_where_one_person_is_many_rows():
    """The same right guess six times over is one observation: by group and by person, never narrower than by group."""
    rng = np.random.default_rng(5)
    n, times = 40, 6
    table = Table.of(
        {
            "age": np.repeat(rng.integers(20, 60, n), times).tolist(),
            "ill": np.repeat(rng.choice(list("abc"), n), times).tolist(),
        },
        quasi=["age"],
        sensitive=["ill"],
    )
    people = replace(table, person_of=np.repeat(np.arange(n), times).astype(np.int32))
    wide = []
    for one in (table, people):
        publication = Mondrian(k=4).sanitize(table, rng)
        report = Audit([evidence_of(publication)], Targets.of(one), seed=1, identity=False).report()
        excess = next(r for r in report.scenes[0].results if r.name == "random-worlds").get("excess")
        assert excess.low is not None
        assert excess.high is not None
        wide.append(excess.high - excess.low)
    assert wide[1] >= wide[0] - 1e-12


def test_who_fits_no_group_has_no_risk_of_being_named():
    """A person of 99 beside six patients: the risks are of six people, or of none if none fits."""
    release = stories.boxed(ward(), [0, 0, 0, 0, 1, 1]).release
    for ages, n, most, mean in (([28, 29, 31, 33, 58, 61, 99], 6, 1 / 2, 2 / 6), ([99, 98], 0, None, None)):
        people = Table.of({"age": ages}, quasi=["age"])
        found = Audit([Evidence(release)], Targets.of(people), seed=1, attacks=[Linkage()]).report()
        (linkage,) = (r for s in found.scenes for r in s.results if r.ran and r.name == "linkage")
        largest, average, beyond = (
            linkage.get(*what) for what in (("max-risk",), ("average-risk",), ("at-risk", 1 / 5))
        )
        assert (largest.n, largest.value) == (n, most)
        assert average.value == (mean if mean is None else pytest.approx(mean))
        assert (beyond.value, beyond.n) == (n or None, n)


def test_the_exposed_are_described_by_groups_and_values():
    """Of the ward, the group of two shares a value: two people, one group of two, one value; none above 1/2."""
    publication = stories.boxed(ward(), [0, 0, 0, 0, 1, 1])
    policy = Policy(Limits(max_belief=0.9, max_risk=0.25))
    found = Audit(
        [evidence_of(publication)], Targets.of(ward()), seed=1, attacks=[Linkage(), RandomWorlds()], policy=policy
    ).report()
    assert found.n_exposed == 2
    assert found.exposed_groups == (ExposedGroups(publication.release.name, 1, 2, 2.0, 2.0, 2.0),)
    judged = next(s for s in found.scenes if s.attacker.name == "attributes" and s.about.name == "ill")
    (plain,) = (result for result in judged.results if result.ran)
    assert list(plain.exposed_by_value.values()) == [2.0]
    (linkage,) = (r for s in found.scenes for r in s.results if r.ran and r.name == "linkage")
    assert linkage.get("above-risk", 0.25).value == 2


def test_what_one_attack_cannot_read_does_not_end_the_audit():
    """It is reported as not run, with its reason; the others run."""

    @dataclass(frozen=True)
    class Refusing:
        name: ClassVar[str] = "refusing"
        worlds: ClassVar[None] = None
        requirements: ClassVar[Requirements] = Requirements()

        def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
            del view, rng
            msg = "column 'age' must hold something else"
            raise InvalidInputError(msg)

    refused, ran = scene(report([0, 0, 0, 0, 1, 1], attacks=[Refusing(), RandomWorlds()]), 1, "row").results
    assert (refused.ran, refused.reason, refused.defect) == (False, "column 'age' must hold something else", False)
    assert ran.ran
