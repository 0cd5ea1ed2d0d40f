"""The summary for a terminal: one screen, text before numbers."""
# Over 300 lines: all blocks of the screen share its widths and levels of detail.

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from unmask.auditing.findings import COMPLETE, AttackResult, AuditReport, ReleaseFacts, Scene
from unmask.auditing.limit_results import worst_first
from unmask.auditing.policy import Verdict
from unmask.catalog import REFERENCE
from unmask.number_format import numeral
from unmask.report import advice as sentences
from unmask.report import columns, leaks, limit_lines, scenario_scores, words
from unmask.report.limit_lines import Broken
from unmask.report.numbers import count, fraction, half_width, of_all, percent
from unmask.report.outline import (
    Chapter,
    QuestionScenes,
    alike,
    chapters,
    not_run,
    number,
    power,
    promised,
    ran,
    strength,
    strongest,
    titled,
)
from unmask.report.quick import ran_otherwise
from unmask.risk_levels import AT_RISK
from unmask.visible_text import joined
from unmask.wording import marked, plural, text

WIDTH = 80
LINES = 24
_ADVICE = 5  # lines below their title, without the number of changes that have no place
_LABEL, _RIGHT, _CONTROL, _SURE = 33, 12, 8, 18  # widths of columns; the last one has the rest


_UNKNOWN = marked("unknown")  # in place of an undefined number
_ALL_LISTED = marked("all listed")


@dataclass(frozen=True, slots=True)
class _Detail:
    """The level of detail, where the screen is too small for everything."""

    blanks: Literal["all", "chapters", "none"]
    namesakes: bool = True  # an attack with several settings
    weaker: bool = True  # attacks weaker than another one
    questions: bool = True  # all of them, else the worst of each chapter


_DETAILS = (
    _Detail("all"),
    _Detail("chapters"),
    _Detail("none"),
    _Detail("none", namesakes=False),
    _Detail("none", namesakes=False, weaker=False),
    _Detail("none", namesakes=False, weaker=False, questions=False),
)


def summary(
    report: AuditReport, *, title: str = "", context: Sequence[str] = (), footer: str = "", lines: int = LINES
) -> str:
    """Return the report of an audit as text of at most `lines` lines of 80 columns.

    If there is more, weaker attacks are dropped first, and the last line gives the number of dropped lines.
    `context` are sentences of the caller, `footer` a last line (how to get the whole report).
    """
    for detail in _DETAILS:
        screen = list(_screen(report, detail, title, context, footer))
        if len(screen) <= lines:
            break
    else:
        tail = [text("... {n} more lines: ask for a report.", n=len(screen) - lines + 1)] + ([footer] if footer else [])
        screen = screen[: lines - len(tail)] + tail
    return joined(screen)


def _screen(report: AuditReport, detail: _Detail, title: str, context: Sequence[str], footer: str) -> Iterator[str]:
    if title:
        yield from _wrapped(title)
    yield from _verdict(report, reasons=2 if detail.questions else 1)
    yield from _advice(report)
    outline, broken = chapters(report), limit_lines.broken(report)
    for i, chapter in enumerate(outline):
        if detail.blanks == "all" or (i and detail.blanks == "chapters"):
            yield ""
        yield from _chapter(chapter, detail, broken, head=i == 0)
    if detail.blanks == "all":
        yield ""
    if not detail.weaker:
        yield text("Only the strongest attacks are listed; --json or --html has all.")
    for missing, reason in _missing(outline):
        yield from _wrapped(f"{missing}: {text(reason)}", "  ", most=2)
    yield from _intruders(
        {place for c in outline for question in _questions(c, detail, broken) for _, place in _places(question)}
    )
    if any(result.control for chapter in outline for scene in chapter.scenes for result in ran(scene)):
        yield text(words.CONTROL_SENTENCES[report.policy.control])
    for sentence in context:
        yield from _wrapped(sentence)
    if footer:
        yield footer


def _missing(outline: Sequence[Chapter]) -> Iterator[tuple[str, str]]:
    """Yield the attacks that did not run, grouped by reason."""
    for chapter in outline:
        alike: dict[tuple[bool, str], list[str]] = {}
        names = _short(words.listed([facts.name for facts in chapter.releases]), 40) if len(outline) > 1 else ""
        missing = not_run(chapter)
        if elsewhere := [words.attack(one.name).title for one in missing if not one.concerned]:
            title = (
                text("For other kinds of release on {releases}", releases=names)
                if names
                else text("For other kinds of release")
            )
            yield title, ", ".join(elsewhere)
        for one in (one for one in missing if one.concerned):
            alike.setdefault((one.converged, one.reason), []).append(words.attack(one.name).title)
        for (converged, reason), titles in alike.items():
            attacks = ", ".join(dict.fromkeys(titles))
            if names:
                attacks = text("{attacks} on {releases}", attacks=attacks, releases=names)
            how = (
                text("Not run: {attacks}", attacks=attacks)
                if converged
                else text("Not converged: {attacks}", attacks=attacks)
            )
            yield how, reason


def _intruders(named: set[str]) -> Iterator[str]:
    """Yield the meaning of the words for attackers."""
    if named - {""}:
        yield text("Row known, row unknown: whether the intruder knows which row is the person's.")
    if text(_ALL_LISTED) in named:
        yield text("All listed: the intruder has a complete list of the people in the release.")


def _verdict(report: AuditReport, reasons: int) -> Iterator[str]:
    if report.verdict is Verdict.NO_LIMITS:
        yield text("No limits were given: this is what attacks found, not whether it is acceptable.")
        yield from _otherwise(report)
        return
    verdict = text(words.VERDICTS[report.verdict][0]).upper()
    if report.policy.limits.max_belief:
        verdict = text("{verdict} for {intruder}", verdict=verdict, intruder=words.judged_for(report))
    yield from _wrapped(f"{verdict}.")
    yield from _otherwise(report)
    limits = worst_first(report.limits)
    for one in limits[:reasons]:
        yield from _wrapped(f"- {text(one.state)}: {text(one.reason)}", "  ")
    if len(limits) > reasons:
        more = len(limits) - reasons
        yield plural(
            "- and {n} more result of an attack or a limit: {states}",
            "- and {n} more results of attacks or limits: {states}",
            more, n=more, states=limit_lines.counted(limits[reasons:]),
        )  # fmt: skip


def _otherwise(report: AuditReport) -> Iterator[str]:
    for sentence in ran_otherwise(report):
        yield from _wrapped(sentence, "  ")


def _advice(report: AuditReport) -> Iterator[str]:
    """Yield at most seven lines: what the best changes bring, how they are repeated, and how many more there are."""
    if sentences.changed(report):
        yield from _wrapped(sentences.changed(report), "  ")
    if report.advice is None:
        return
    advice_lines: list[str] = []
    story, missing = sentences.story(report), 0
    for i, sentence in enumerate(story):
        wrapped = _wrapped(f"- {sentence}", "  ")
        if not missing and (not i or len(advice_lines) + len(wrapped) <= _ADVICE):  # no worse one in place of a longer
            advice_lines += wrapped
        else:
            missing += i < len(report.advice.lines)
    if missing:
        advice_lines.append(
            plural(
                "- and {n} more change in --json or --html",
                "- and {n} more changes in --json or --html",
                missing,
                n=missing,
            )
        )
    if advice_lines:
        yield text("What to change (the options in brackets repeat it; attacked again):")
        yield from advice_lines


def _chapter(chapter: Chapter, detail: _Detail, broken: Broken, *, head: bool) -> Iterator[str]:
    yield from _wrapped(_heading(chapter), "  ")
    assumed = {facts.name: facts.assumption for facts in chapter.releases}
    for scene in chapter.singling_out:
        yield from _identity(scene, assumed.get(scene.about.name, ""), named=len(chapter.singling_out) > 1)
    for facts in chapter.releases:
        yield from _in_population(facts, named=len(chapter.releases) > 1)
        yield from _by_all_columns(facts, named=len(chapter.releases) > 1)
        yield from _leaks(facts, named=len(chapter.releases) > 1)
    question = _questions(chapter, detail, broken)
    for i, about in enumerate(dict.fromkeys(one.about for one in question)):
        same = [one for one in question if one.about == about]
        yield from _attribute(same, chapter, detail, broken, head=head and i == 0)


def _questions(chapter: Chapter, detail: _Detail, broken: Broken) -> tuple[QuestionScenes, ...]:
    question = chapter.inference + chapter.linkability
    if detail.questions or not question:
        return question
    worst = max(question, key=lambda one: max(map(strength, one.scenes)))
    places = {(about, releases) for _, about, releases in broken}
    return tuple(one for one in question if one is worst or (one.about.name, one.releases) in places)


def _heading(chapter: Chapter) -> str:
    made = list(dict.fromkeys(_made(facts) for facts in chapter.releases))
    names = ", ".join(_short(facts.name, 30) for facts in chapter.releases[:4])
    if len(chapter.releases) > 4:
        names = text("{names} and {n} more", names=names, n=len(chapter.releases) - 4)
    attacked = _attacked(chapter)
    return f"{names}: {'; '.join(one for one in made if one) + ', ' if any(made) else ''}{attacked}"


def _attacked(chapter: Chapter) -> str:
    """Return how many people are attacked, in how many groups of the only release."""
    targets = text(str(chapter.targets))
    if len(chapter.releases) > 1:
        return text("{people} attacked", people=targets)
    facts = chapter.releases[0]
    if not facts.suppressed_text:
        return text("{people} attacked in {groups}", people=targets, groups=facts.groups_text)
    differ = facts.unit is not chapter.targets.unit  # the release does not say which rows are of one person
    return text(
        "{people} attacked ({shown} shown in {groups}, {suppressed} suppressed)",
        people=targets,
        shown=text(facts.people_text) if differ else facts.size_text,
        groups=facts.groups_text,
        suppressed=text(facts.unit.counted(facts.suppressed)) if differ else facts.suppressed_text,
    )


def _made(facts: ReleaseFacts) -> str:
    if facts.sanitizer is None:
        return ""
    return f"{facts.sanitizer} ({words.settings(facts.parameters)})" if facts.parameters else facts.sanitizer


def _in_population(facts: ReleaseFacts, *, named: bool) -> Iterator[str]:
    found = facts.in_population
    if found is None:
        return
    highest, mean = (one.value for one in found.population)
    if highest is not None and mean is not None:
        where = f"{_short(facts.name, 20)}: " if named else ""
        found_there = text(
            "in a population of {size}: worst {worst}, mean {mean}; all tried: {named} named rightly",
            size=count(found.size.value or 0),
            worst=fraction(highest),
            mean=percent(mean),
            named=count(found.named.value or 0),
        )
        yield from _wrapped(f"  {where}{found_there}", "    ", most=2)


def _by_all_columns(facts: ReleaseFacts, *, named: bool) -> Iterator[str]:
    """Count all published columns, where one of them is unprotected."""
    audit = facts.columns
    if audit is None or audit.by_all is None:
        return
    if audit.unprotected:
        where = f"{_short(facts.name, 20)}: " if named else ""
        yield from _wrapped(f"  {where}{columns.by_all(audit)}", "    ", most=2)
    for sentence in columns.passed_over(audit):
        yield from _wrapped(f"  {sentence}", "    ", most=2)


def _leaks(facts: ReleaseFacts, *, named: bool) -> Iterator[str]:
    """Name the kinds of leaks that were detected."""
    line = "" if facts.leaks is None else leaks.summary_line(facts.leaks)
    if line:
        where = f"{_short(facts.name, 20)}: " if named else ""
        yield from _wrapped(f"  {where}{line}", "    ", most=2)


def _identity(scene: Scene, assumed: str, *, named: bool) -> Iterator[str]:
    where = f"{_short(scene.about.name, 20)}: " if named else ""
    for result, name in titled(scene):
        most, mean, many = (result.get(*what) for what in (("max-risk",), ("average-risk",), ("at-risk", AT_RISK)))
        if most.value is None or mean.value is None or many.value is None:
            continue
        limit, _ = promised(scene, "max-risk")
        worst = fraction(most.value)
        if limit is not None and not limit.vacuous:
            worst = text("{worst} (promised {limit})", worst=worst, limit=fraction(limit.limit))
        values = {
            "worst": worst,
            "mean": percent(mean.value),
            "share": percent(many.value / many.n, short=True),
        }
        line = (
            text("row named by {attack}: worst {worst}, mean {mean}, {share} at >= 1/11", **values, attack=name)
            if len(ran(scene)) > 1
            else text("row named: worst {worst}, mean {mean}, {share} at >= 1/11", **values)
        )
        yield from _wrapped(f"  {where}{line}{f' ({text(assumed)})' if assumed else ''}", "    ")


def _attribute(
    question: Sequence[QuestionScenes], chapter: Chapter, detail: _Detail, broken: Broken, *, head: bool
) -> Iterator[str]:
    scenes = [scene for one in question for scene in one.scenes]
    guess = next((scene.baseline.get("accuracy").value for scene in scenes), None)
    known = [] if guess is None else [text("guessed without the release: {share}", share=percent(guess))]
    yield from _wrapped(f"  {question[0].about}: {'; '.join([_promised(scenes), *known])}", "    ")
    if head and any(ran(scene) for scene in scenes):
        yield _row(
            "",
            text("best guess"),
            text("control"),
            text("sure >= {share}", share=percent(scenes[0].firm, short=True)),
            text("rightly"),
        )
    for one in question:
        where = "" if len(chapter.releases) == 1 else chapter.place(one)
        for scene, place in _places(one):
            yield from _scene(scene, where, place, detail, broken)
    yield from _certain(question)
    for result in ran(question[0].scenes[0]):
        for sentence in scenario_scores.sentences(result):
            yield from _wrapped(f"  {sentence}", "    ")


def _places(question: QuestionScenes) -> list[tuple[Scene, str]]:
    """Return the scenes that differ, each with the word for its intruder; one without a word where none differ."""
    if all(alike(scene, question.scenes[0]) for scene in question.scenes):
        return [(question.scenes[0], "")]
    name = {**words.PLACES, COMPLETE.name: _ALL_LISTED}
    return [(scene, text(name.get(scene.attacker.name, scene.attacker.name))) for scene in question.scenes]


def _scene(scene: Scene, where: str, place: str, detail: _Detail, broken: Broken) -> Iterator[str]:
    """Yield the attacks of a scene: however small the screen, also those that break a limit."""
    results = titled(scene)
    kept = [one for one in results if (one[0].name, scene.about.name, scene.releases) in broken]
    if not detail.namesakes:
        results = [one for one in results if one in kept or _is_strongest_namesake(one[0], scene)]
    if not detail.weaker:
        best = strongest(scene)
        results = [one for one in results if one[0] is best or one in kept]
    for result, title in results:
        right, sure, rightly = (
            result.get(*what) for what in (("accuracy",), ("exposed", scene.firm), ("exposed-rightly", scene.firm))
        )
        label = ", ".join(part for part in (title, where, place) if part)
        control = result.get("accuracy", control=True).value
        yield _row(
            f"  {_short(label, _LABEL - 2)}",
            text(_UNKNOWN) if right.value is None else f"{percent(right.value)} {half_width(right, 'share')}",
            text("none") if control is None else percent(control),
            text(_UNKNOWN) if sure.value is None else f"{of_all(sure.value, sure.n)} {half_width(sure, 'people')}",
            text(_UNKNOWN) if rightly.value is None else count(rightly.value),
        )
    if not results:
        asked = _short(", ".join(part for part in (where, place) if part) or text("this question"), 40)
        yield f"  {text('{question}: no attack ran', question=asked)}"


def _is_strongest_namesake(result: AttackResult, scene: Scene) -> bool:
    others = (other for other in ran(scene) if other.name == result.name)
    return all(power(result, scene.firm) >= power(other, scene.firm) for other in others)


def _certain(question: Sequence[QuestionScenes]) -> Iterator[str]:
    """Yield the numbers of people known with certainty: by homogeneity of one release, or only by composition."""
    for one in question:
        scene = one.scenes[0]
        best = strongest(scene)
        if best is None:
            continue
        sure, new = best.get("exposed", 1.0), best.get("exposed-new", 1.0)
        already = best.get("exposed-already", 1.0)
        if len(one.releases) > 1 and sure.value and new.value is not None and already.value is not None:
            found = text(
                "certain of {people}: {already} already by one release (homogeneity), {new} new",
                people=of_all(sure.value, sure.n),
                already=count(already.value),
                new=count(new.value),
            )
            yield from _wrapped(f"  {found}", "    ")
        plain = next((r for r in ran(scene) if r.name == REFERENCE["exact"]), None)
        if len(question) == 1 and len(one.releases) == 1 and plain is not None and number(plain, "exposed", 1.0) > 0:
            alike = plain.get("exposed", 1.0)
            found = text(
                "homogeneity: {people} are in a group that shares one value", people=of_all(alike.value or 0, alike.n)
            )
            yield f"  {found}"


def _promised(scenes: Sequence[Scene]) -> str:
    limits = [one.limit for scene in scenes for one, _ in [promised(scene, "max-belief")] if one is not None]
    added = [one.limit for scene in scenes for one, _ in [promised(scene, "gap")] if one is not None]
    if len(added) == len(scenes) and max(added, default=1.0) < 1:  # differential privacy, of all releases
        points = numeral(max(added) * 100, ".1f")
        if limits and max(limits) < 1:
            return text(
                "promised that the own record adds at most {points} points to a guess, and no belief above {limit}",
                points=points,
                limit=fraction(max(limits)),
            )
        return text("promised that the own record adds at most {points} points to a guess", points=points)
    bound = "" if max(limits, default=1.0) >= 1 else fraction(max(limits))
    known = [one.limit for scene in scenes for one, _ in [promised(scene, "firmest-belief")] if one is not None]
    if len(known) == len(scenes) and max(known, default=1.0) < 1:  # greedy grouping, if the algorithm is known
        harmful = fraction(max(known))
        if not bound:
            return text("promised of what harms at most {limit} if the algorithm is known", limit=harmful)
        return text(
            "promised at most {bound}, and of what harms at most {limit} if the algorithm is known",
            bound=bound,
            limit=harmful,
        )
    if not limits:
        return text("nothing promised")
    return text("promised at most {bound}", bound=bound) if bound else text("promised nothing")


def _row(label: str, right: str, control: str, sure: str, rightly: str) -> str:
    rest = WIDTH - _LABEL - _RIGHT - _CONTROL - _SURE
    sure = sure.strip() if len(sure.strip()) < _SURE else sure.partition(" ±")[0]
    right = right.strip() if len(label.rstrip()) + len(right.strip()) < _LABEL + _RIGHT else right.partition(" ±")[0]
    return f"{label:<{_LABEL}}{right.strip():>{_RIGHT}}{control:>{_CONTROL}}{sure:>{_SURE}}{rightly:>{rest}}"


def _wrapped(text: str, indent: str = "", most: int = 9) -> list[str]:
    lead = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text.strip(), WIDTH, initial_indent=lead, subsequent_indent=indent, max_lines=most, placeholder=" ..."
    )


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."
