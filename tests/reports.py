"""Hand-made reports for tests of the report: their numbers are examples, not measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from unmask.auditing.findings import (
    ATTRIBUTES,
    ROW,
    Attacker,
    AttackMeasure,
    AttackResult,
    AuditReport,
    ReleaseFacts,
    Scene,
)
from unmask.auditing.limit_results import LimitResult, LimitState
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.auditing.published_forms import ColumnForm
from unmask.beliefs import About
from unmask.errors import Inapplicable
from unmask.estimate import Estimate, Source
from unmask.guarantees.guarantee import Promise
from unmask.schema import Role

STEPS = (1 / 20, 1 / 11, 1 / 10, 1 / 5, 1 / 3, 1 / 2, 0.8, 0.9, 1.0)

POLICY = Policy(Limits(max_belief=0.8, tolerate=0.01), location="row")

PEOPLE = 30162
SHARED = 5000


def number(value: float, n: float, half: float = 0.0, source: Source = "monte carlo") -> Estimate:
    """Return an exact number, or one that is uncertain by ± half."""
    return Estimate(value, value - half, value + half, n, source if half else "exact")


def beliefs_about(
    right: float,
    believed: Sequence[float],
    rightly: Sequence[float],
    n: float = PEOPLE,
    *,
    half: float = 0.0,
    more: Sequence[AttackMeasure] = (),
) -> tuple[AttackMeasure, ...]:
    """Return the measures of an attack on an attribute; people at each step of the ladder."""
    return (
        AttackMeasure("accuracy", None, number(right, n, half), higher_is_worse=True),
        AttackMeasure("brier", None, number(1 - right, n), higher_is_worse=False),
        AttackMeasure("belief-change", None, number(right / 2, n), higher_is_worse=True),
        *(
            AttackMeasure("exposed", step, number(people, n, 20 * bool(half) * (people > 0)), higher_is_worse=True)
            for step, people in zip(STEPS, believed, strict=True)
        ),
        *(
            AttackMeasure("exposed-rightly", step, number(people, n), higher_is_worse=True)
            for step, people in zip(STEPS, rightly, strict=True)
        ),
        *more,
    )


def ran(
    name: str, measures: tuple[AttackMeasure, ...], control: tuple[AttackMeasure, ...] = (), **more: object
) -> AttackResult:
    """Return the result of an attack that ran."""
    settings = {key: value for key, value in more.items() if key in {"rule", "background", "local-weight"}}
    rest = {key: value for key, value in more.items() if key not in settings}
    return AttackResult(name, settings, ran=True, measures=measures, control=control, **rest)  # type: ignore[arg-type]


def not_run(
    name: str, reason: str, *, converged: bool = True, inapplicable: Inapplicable | None = None
) -> AttackResult:
    """Return the result of an attack that did not run."""
    return AttackResult(name, {}, ran=False, reason=reason, converged=converged, inapplicable=inapplicable)


def guess(n: float = PEOPLE) -> AttackResult:
    """Return the guess without the release."""
    return ran("baseline", beliefs_about(0.134, [n, n, n, 0, 0, 0, 0, 0, 0], [n * 0.9] + [0] * 8, n))


def scene(
    attacker: Attacker,
    *results: AttackResult,
    releases: tuple[str, ...] = ("adult",),
    about: About | None = None,
    promises: tuple[Promise, ...] = (),
    n: int = PEOPLE,
) -> Scene:
    """Return a scene about occupation."""
    return Scene(releases, about or About.attribute("occupation"), attacker, n, 14, promises, guess(n), results)


def places(name: str, worst: float, mean: float, at_risk: Sequence[float], n: int, promised: float | None) -> Scene:
    """Return a scene of linkage."""
    measures = (
        AttackMeasure("max-risk", None, number(worst, n), higher_is_worse=True),
        AttackMeasure("average-risk", None, number(mean, n), higher_is_worse=True),
        *(AttackMeasure("at-risk", s, number(v, n), higher_is_worse=True) for s, v in zip(STEPS, at_risk, strict=True)),
        AttackMeasure("accuracy", None, number(mean, n), higher_is_worse=True),
    )
    promises = (Promise("k-anonymity", "max-risk", promised, "members look alike"),) if promised else ()
    linkage = ran("linkage", measures, why_no_control="this attack has no left-out control", background="pooled")
    return scene(
        ATTRIBUTES, linkage, not_run("random-worlds", "answers questions about an attribute only"),
        releases=(name,), about=About.place(name), promises=promises, n=n,
    )  # fmt: skip


def facts(name: str, groups: int, people: float, smallest: float, made: str, **parameters: object) -> ReleaseFacts:
    """Return the facts of a release."""
    return ReleaseFacts(name, groups, people, smallest, people / groups, 1.5 * people / groups, 0, made, parameters)


def anatomy(policy: Policy = Policy(), verdict: Verdict = Verdict.NO_LIMITS, why: tuple[str, ...] = ()) -> AuditReport:  # noqa: B008
    """Return an audit of one bucketized release: deFinetti beats the promise where the row is known."""
    promise = (Promise("l-diversity", "max-belief", 1 / 3, "assignments in a group are equally likely"),)
    n = float(PEOPLE)
    control = beliefs_about(0.258, [n, n, n, 2098, 29, 0, 0, 0, 0], [n, n, n, 880, 15, 0, 0, 0, 0])
    plain = beliefs_about(1 / 3, [n, n, n, n, n, 0, 0, 0, 0], [n, n, n, n, n, 0, 0, 0, 0])
    learned = beliefs_about(
        0.585, [n, n, n, n, n, 18230, 9773, 7102, 0], [n, n, n, n, 22511, 13006, 7515, 5790, 0], half=0.002,
        more=(AttackMeasure("excess", None, number(0.321, n, 0.006, "people"), higher_is_worse=True),),
    )  # fmt: skip
    vague = beliefs_about(0.261, [n, n, n, 2140, 31, 0, 0, 0, 0], [n, n, n, 1002, 22, 0, 0, 0, 0])
    vaguer = beliefs_about(0.263, [n, n, n, 5311, 402, 12, 0, 0, 0], [n, n, n, 2611, 180, 6, 0, 0, 0], half=0.001)
    alone = not_run("intersection", "needs at least 2 releases; this view has 1")
    gate = number(9773, n, 20) if policy.limits.given else None
    return AuditReport(
        (facts("adult", 10054, n, 3, "anatomy", l=3, ties="random"),),
        (
            places("adult", 1.0, 0.0039, [404, 180, 147, 43, 34, 19, 7, 7, 7], PEOPLE, None),
            scene(
                ROW, ran("random-worlds", plain, control, curve=((1 / 3, 1 / 3, n),)),
                ran("definetti", learned, control, curve=((0.4, 0.38, 1e4), (0.6, 0.59, 1e4), (0.95, 0.9, 10162.0)),
                    notes={"r-hat": 1.004, "iterations": 2000}, gate=gate), alone, promises=promise,
            ),
            scene(ATTRIBUTES, ran("random-worlds", vague, control), ran("definetti", vaguer, control), alone,
                  promises=promise),
        ),
        policy, verdict, why, 7, PEOPLE, limits=limits_for(verdict, why),
    )  # fmt: skip


def limits_for(verdict: Verdict, why: Sequence[str]) -> tuple[LimitResult, ...]:
    """Return a limit on beliefs for each reason, in the state of the verdict."""
    state = next((one for one in LimitState if one.verdict is verdict), LimitState.KEPT)
    return tuple(
        LimitResult(
            "max-belief", state, reason, "at most 301 of 30,162 people are exposed", 0.8, number(9773, PEOPLE), 301,
            "definetti", "row", "occupation", ("adult",), "Kept if 9,472 fewer people were exposed",
        )
        for reason in why
    )  # fmt: skip


def hospitals() -> AuditReport:
    """Return an audit of two overlapping releases: together they disclose more than each alone."""
    n = float(SHARED)
    control = beliefs_about(0.28, [n, n, n, 4800, 3300, 1100, 180, 50, 40], [n, n, n, 2300, 1200, 450, 90, 40, 35], n)
    single = beliefs_about(0.41, [n, n, n, 4935, 3548, 1256, 185, 59, 58], [n, n, n, 3293, 1960, 800, 166, 59, 58], n)
    split = tuple(
        AttackMeasure(name, step, number(people, n), higher_is_worse=True)
        for step, already, new in ((0.5, 1650, 771), (0.8, 247, 284), (1.0, 94, 173))
        for name, people in (("exposed-already", already), ("exposed-new", new))
    )
    possible = (
        AttackMeasure("effective-anonymity", None, number(4.2, n), higher_is_worse=False),
        AttackMeasure("effective-anonymity-before", None, number(4.92, n), higher_is_worse=False),
        AttackMeasure("anonymity-drop", None, number(0.72, n), higher_is_worse=True),
        AttackMeasure("vulnerable", None, number(2825, n), higher_is_worse=True),
    )
    both = beliefs_about(
        0.464, [n, n, n, 4989, 4139, 2216, 495, 291, 267], [n, n, n, 3725, 2483, 1380, 441, 286, 267], n,
        more=(*split, *possible),
    )  # fmt: skip
    rough = beliefs_about(
        0.328, [n, n, n, 3806, 2519, 1256, 267, 267, 267], [n, n, n, 3806, 2519, 1256, 267, 267, 267], n, more=split
    )
    exact = not_run("definetti", "needs exact quasi-identifiers beside groups; release 'hospital-1' shows boxes")
    names = ("hospital-1", "hospital-2")
    vacuous = (Promise("l-diversity", "max-belief", 1.0, "nothing", vacuous=True),)
    scenes = [places(name, 0.2, 0.107, [3775, 3243, 3085, 598, 0, 0, 0, 0, 0], SHARED, 0.2) for name in names]
    for name in names:
        scenes += [
            scene(who, ran("random-worlds", single, control), exact, releases=(name,), promises=vacuous, n=SHARED)
            for who in (ROW, ATTRIBUTES)
        ]
    bayes, set_ = (
        ran("intersection", measures, control, **{"rule": rule, "local-weight": 20.0})
        for measures, rule in ((both, "bayes"), (rough, "set"))
    )
    scenes += [scene(who, bayes, set_, exact, releases=names, n=SHARED) for who in (ROW, ATTRIBUTES)]
    return AuditReport(
        tuple(facts(name, 1913, 17581.0, 5, "mondrian", k=5) for name in names),
        tuple(scenes), Policy(), Verdict.NO_LIMITS, (), 7, SHARED,
    )  # fmt: skip


def nothing_ran() -> AuditReport:
    """Return an audit in which nothing could be tried."""
    report = anatomy()
    only = scene(
        ATTRIBUTES,
        not_run("definetti", "chains differ by 4 points; raise the limit of 4,000 iterations", converged=False),
        not_run("intersection", "needs at least 2 releases; this view has 1"),
    )
    why = ("definetti did not converge on adult",)
    limits = limits_for(Verdict.NOT_DECIDED, why)
    return AuditReport(report.releases, (only,), POLICY, Verdict.NOT_DECIDED, why, 7, PEOPLE, limits=limits)


def undefined() -> AuditReport:
    """Return an audit of people without a known truth."""
    unknown = Estimate.undefined("the truth is known for no target", 12)
    measures = (
        AttackMeasure("accuracy", None, unknown, higher_is_worse=True),
        *(AttackMeasure("exposed", step, number(3, 12), higher_is_worse=True) for step in STEPS),
        *(AttackMeasure("exposed-rightly", step, unknown, higher_is_worse=True) for step in STEPS),
    )
    only = scene(
        ATTRIBUTES, ran("random-worlds", measures, why_no_control="the own group of each person is not known"), n=15
    )
    report = anatomy()
    return AuditReport(report.releases, (only,), Policy(), Verdict.NO_LIMITS, (), None, 15)


def large(quasi: int, sensitive: int, releases: int) -> AuditReport:
    """Return an audit of wide releases: each sensitive column of each release, for two attackers, and all together."""
    base = anatomy()
    columns = tuple(
        ColumnForm(f"attribute {i}", Role.QUASI_IDENTIFIER, f"ranges in {i} % of rows", "ranges") for i in range(quasi)
    )
    columns += tuple(ColumnForm(f"secret {i}", Role.SENSITIVE, "exact values") for i in range(sensitive))
    names = [f"release {i}" for i in range(releases)]
    made = tuple(replace(base.releases[0], name=name, published=columns, withheld=()) for name in names)
    about = [About.attribute(f"secret {i}") for i in range(sensitive)]
    scenes = [replace(base.scenes[0], releases=(name,), about=About.place(name)) for name in names]
    for place in [*((name,) for name in names), tuple(names)]:
        scenes += [replace(one, releases=place, about=which) for which in about for one in base.scenes[1:]]
    return replace(base, releases=made, scenes=tuple(scenes))


def hostile(names: Mapping[str, str] | None = None) -> AuditReport:
    """Return an audit of a column and a release whose names are markup."""
    bad = "<script>alert(1)</script>\"'|*`&"
    named = {"release": bad, "column": bad} | dict(names or {})
    n = float(PEOPLE)
    plain = beliefs_about(0.5, [n] * 6 + [40, 30, 20], [n] * 6 + [30, 20, 20])
    promise = (Promise("l-diversity", "max-belief", 0.5, bad),)
    both = scene(
        ROW, ran("random-worlds", plain, plain, notes={bad: bad}, curve=((0.5, 0.5, n),)), not_run("definetti", bad),
        releases=(named["release"],), about=About.attribute(named["column"]), promises=promise,
    )  # fmt: skip
    which = places(named["release"], 0.5, 0.1, [9, 8, 7, 6, 5, 4, 3, 2, 1], PEOPLE, 0.5)
    made = (facts(named["release"], 3, n, 2, bad, **{bad: bad}),)
    limits = limits_for(Verdict.BROKEN, (bad,))
    return AuditReport(made, (which, both), POLICY, Verdict.BROKEN, (bad,), 7, PEOPLE, limits=limits)
