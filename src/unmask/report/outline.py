"""The outline of a report: chapters of related releases, their questions, attackers side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unmask.auditing.findings import AttackMeasure, AttackResult, AuditReport, ReleaseFacts, Scene
from unmask.beliefs import About, Question
from unmask.errors import Inapplicable
from unmask.estimate import Estimate
from unmask.guarantees.guarantee import Promise
from unmask.report import words
from unmask.unit import Count
from unmask.wording import text


@dataclass(frozen=True, slots=True)
class QuestionScenes:
    """The scenes of one question to one set of releases, one for each attacker."""

    releases: tuple[str, ...]
    about: About
    scenes: tuple[Scene, ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """Related releases, with their scenes by the regulators' three risks."""

    releases: tuple[ReleaseFacts, ...]
    singling_out: tuple[Scene, ...]  # which row is whose?
    inference: tuple[QuestionScenes, ...]  # which value, from one release?
    linkability: tuple[QuestionScenes, ...]  # which value, from several?

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """All scenes, in the order of the chapter."""
        return self.singling_out + tuple(
            scene for question in self.inference + self.linkability for scene in question.scenes
        )

    @property
    def targets(self) -> Count:
        """The number of targets."""
        return max((scene.targets for scene in self.scenes), key=lambda count: count.rows, default=Count(0, 0))

    def place(self, question: QuestionScenes) -> str:
        """Return a short name of a question's releases: "together" where these are all of the chapter."""
        if len(question.releases) == 1:
            return question.releases[0]
        rest = [facts.name for facts in self.releases if facts.name not in question.releases]
        if len(rest) < len(question.releases) - 1:
            return text("all but {releases}", releases=text(" and ").join(rest)) if rest else text("together")
        return " + ".join(question.releases)


def chapters(report: AuditReport) -> tuple[Chapter, ...]:
    """Divide a report into chapters."""
    part = {facts.name: i for i, facts in enumerate(report.releases)}
    for scene in report.scenes:
        joined = {part[name] for name in scene.releases}
        part = {name: min(joined) if number in joined else number for name, number in part.items()}
    found = []
    for number in sorted(set(part.values())):
        scenes = [scene for scene in report.scenes if part[scene.releases[0]] == number]
        places = tuple(scene for scene in scenes if scene.about.question is Question.PLACE)
        question = tuple(_by_question([scene for scene in scenes if scene.about.question is not Question.PLACE]))
        found.append(
            Chapter(
                tuple(facts for facts in report.releases if part[facts.name] == number),
                places,
                tuple(one for one in question if len(one.releases) == 1),
                tuple(one for one in question if len(one.releases) > 1),
            )
        )
    return tuple(found)


def _by_question(scenes: Sequence[Scene]) -> Iterator[QuestionScenes]:
    for key in dict.fromkeys((scene.releases, scene.about) for scene in scenes):
        yield QuestionScenes(*key, tuple(scene for scene in scenes if (scene.releases, scene.about) == key))


def titled(scene: Scene) -> list[tuple[AttackResult, str]]:
    """Return the attacks that ran, with their titles, in the order of `words.ATTACKS`."""
    known = list(words.ATTACKS)
    both = list(zip(scene.results, words.labels(scene.results), strict=True))
    return sorted(
        ((result, name) for result, name in both if result.ran),
        key=lambda pair: known.index(pair[0].name) if pair[0].name in known else len(known),
    )


def ran(scene: Scene) -> list[AttackResult]:
    """Return the attacks that ran, in the same order."""
    return [result for result, _ in titled(scene)]


def promised(scene: Scene, metric: str) -> tuple[Promise | None, str]:
    """Return the strictest bound on a metric, and the guarantees that give it."""
    about = [promise for promise in scene.promises if promise.metric == metric]
    if not about:
        return None, ""
    best = min(about, key=lambda promise: promise.limit)
    by = [promise.guarantee for promise in about if promise.limit <= best.limit * (1 + 1e-9)]
    return best, words.listed(by)


def number(result: AttackResult, metric: str, threshold: float | None = None) -> float:
    """Return a measure, -1 where it is not defined: to compare attacks by."""
    value = result.get(metric, threshold).value
    return -1.0 if value is None else value


def power(result: AttackResult, firm: float) -> tuple[float, float, float, float]:
    """Return the strength of an attack: people exposed, or believed firmly; accuracy; re-identification risk."""
    gate = -1.0 if result.gate is None or result.gate.value is None else result.gate.value
    return gate, number(result, "exposed", firm), number(result, "accuracy"), number(result, "max-risk")


def taken(measures: Sequence[AttackMeasure], metric: str) -> Estimate | None:
    """Return a measure without a threshold; None where it was not taken, which is not the same as undefined."""
    return next((one.estimate for one in measures if one.metric == metric and one.threshold is None), None)


def alike(scene: Scene, other: Scene) -> bool:
    """Whether two attackers have equal measures, so that one of them suffices in the report."""
    ours, theirs = ran(scene), ran(other)
    return len(ours) == len(theirs) and all(
        a.name == b.name and a.settings == b.settings and _same(a.measures, b.measures) and _same(a.control, b.control)
        for a, b in zip(ours, theirs, strict=True)
    )


def _same(ours: Sequence[AttackMeasure], theirs: Sequence[AttackMeasure]) -> bool:
    return len(ours) == len(theirs) and all(
        (a.metric, a.threshold) == (b.metric, b.threshold)
        and math.isclose(_value(a), _value(b), rel_tol=1e-6, abs_tol=1e-6)
        for a, b in zip(ours, theirs, strict=True)
    )


def _value(measure: AttackMeasure) -> float:
    return -1.0 if measure.estimate.value is None else measure.estimate.value


def strongest(scene: Scene) -> AttackResult | None:
    """Return the strongest attack that ran."""
    return max(ran(scene), key=lambda result: power(result, scene.firm), default=None)


def strength(scene: Scene) -> tuple[float, float, float, float]:
    """Return how strong the strongest attack is, to compare scenes by."""
    best = strongest(scene)
    return (-1.0,) * 4 if best is None else power(best, scene.firm)


_ELSEWHERE: dict[Inapplicable | None, int] = {Inapplicable.QUESTION: 2, Inapplicable.RELEASES: 1}
"""Rank of reasons of inapplicability: a higher one is specific to the scene, so another scene's is preferred."""


@dataclass(frozen=True, slots=True)
class NotRun:
    """An attack that ran nowhere in a chapter, and why."""

    name: str
    reason: str
    converged: bool
    concerned: bool = True  # False: the attack is for other questions, or releases of another number or form


def not_run(chapter: Chapter) -> list[NotRun]:
    """Return the attacks that ran on none of a chapter's questions, with the most informative reason.

    The least informative reason is that an attack answers another kind of question, then that it needs another number
    of releases; a defect is the most informative one.
    """
    done = {result.name for scene in chapter.scenes for result in ran(scene)}
    missing: dict[str, list[AttackResult]] = {}
    for scene in chapter.scenes:
        for result in scene.results:
            if result.name not in done:
                missing.setdefault(result.name, []).append(result)
    found = []
    for name, results in missing.items():
        best = min(results, key=lambda one: (not one.defect, one.converged, _ELSEWHERE.get(one.inapplicable, 0)))
        elsewhere = best.inapplicable in {Inapplicable.QUESTION, Inapplicable.RELEASES, Inapplicable.FORM}
        found.append(NotRun(name, best.reason, best.converged, not elsewhere))
    return found
