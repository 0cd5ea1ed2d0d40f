"""The findings as sentences, for readers who will not read a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unmask.auditing.findings import AttackResult, AuditReport, Scene
from unmask.auditing.limit_results import LimitResult, LimitState
from unmask.estimate import Estimate
from unmask.report import words
from unmask.report.numbers import chance, count, fraction, of_all, people, percent
from unmask.report.outline import Chapter, QuestionScenes, chapters, promised, ran, strength, strongest
from unmask.risk_levels import AT_RISK


def story(report: AuditReport) -> list[list[str]]:
    """Return a paragraph for each chapter, as sentences: the first is the conclusion."""
    return [list(_paragraph(chapter, report)) for chapter in chapters(report)]


def _paragraph(chapter: Chapter, report: AuditReport) -> Iterator[str]:
    if not any(ran(scene) for scene in chapter.scenes):
        names = words.listed([facts.name for facts in chapter.releases])
        yield f"Of {names} nothing is known: no attack could be run."
        yield words.NOT_SAFE
        return
    question = [one for one in chapter.linkability or chapter.inference if any(ran(scene) for scene in one.scenes)]
    if question:
        worst = max(question, key=lambda one: max(strength(scene) for scene in _judged_first(one, report)[:1]))
        scenes = _judged_first(worst, report)
        yield from _composed(scenes[0], worst) if len(worst.releases) > 1 else _inferred(scenes, worst.releases[0])
        yield from _others(chapter, report, strongest(scenes[0]))
    places = [scene for scene in chapter.singling_out if ran(scene)]
    if places:
        yield from _named(max(places, key=_risk))


def _judged_first(question: QuestionScenes, report: AuditReport) -> list[Scene]:
    """Return the scenes that ran: of the intruder whom the policy names first, then the stronger.

    Of equals, the intruder with less knowledge comes first.
    """
    judged = report.policy.location if report.policy.limits.max_belief is not None else ""
    scenes = sorted((scene for scene in reversed(question.scenes) if ran(scene)), key=strength, reverse=True)
    return sorted(scenes, key=lambda scene: scene.attacker.name != judged)


def _inferred(scenes: Sequence[Scene], release: str) -> Iterator[str]:
    """Yield what an intruder would believe after seeing one release, then the other intruders."""
    yield _believed(scenes[0], release)
    yield from _beside(scenes[0])
    for scene in scenes[1:]:
        best = strongest(scene)
        sure = None if best is None else best.get("exposed", scene.firm).value
        right = None if best is None else best.get("accuracy").value
        if sure is not None and right is not None:
            who = _capital(words.who(scene.attacker))
            many = people(sure, scene.unit)
            yield f"{who} would be that sure of {many}; the best guess would be right for {percent(right)}."


def _believed(scene: Scene, release: str) -> str:
    best = strongest(scene)
    if best is None:
        return ""
    firmly, who = percent(scene.firm, short=True), words.who(scene.attacker)
    sure, rightly = best.get("exposed", scene.firm), best.get("exposed-rightly", scene.firm)
    what, by = scene.about.name, words.attack(best.name).title
    if sure.value is None:
        return f"What an attack on {release} would find of {what} is not defined: {sure.why}."
    all_people = people(sure.n, scene.unit)
    if sure.value == 0:
        return f"Of {all_people} in {release}, {who} would be {firmly} sure of nobody's {what} ({by})."
    true = "" if rightly.value is None else f"; {count(rightly.value)} times rightly"
    many = of_all(sure.value, sure.n)
    exposed = None if best.gate is None else best.gate.value
    if exposed is None:
        would = f"{who} would be at least {firmly} sure of the {what} of {many}"
        return f"Of {all_people} in {release}, {would}{true} ({by})."
    are = f"{of_all(exposed, sure.n)} {'is' if exposed == 1 else 'are'} exposed" if exposed else "nobody is exposed"
    if exposed and scene.n_exposed is not None and scene.n_exposed > exposed:
        are = f"{of_all(scene.n_exposed, sure.n)} are exposed by some attack, {count(exposed)} by {by} alone"
    if exposed == sure.value:
        would = f"{who} would be at least {firmly} sure of their {what}"
        return f"Of {all_people} in {release}, {are}: {would}{true} ({by})."
    control = words.by_control(best.control_of)
    surer = f"and clearly surer than {control}" if exposed else f"but nearly as sure {control}"
    return (
        f"Of {all_people} in {release}, {are}: after seeing it, {who} would be at least {firmly} sure of their {what}, "
        f"{surer}. That sure of {many}, surer than the control or not{true} ({by})."
    )


def _beside(scene: Scene) -> Iterator[str]:
    """Return the prior, the control and the guaranteed bound as text."""
    best = strongest(scene)
    guess = scene.baseline.get("accuracy").value
    right = None if best is None else best.get("accuracy").value
    if best is None or guess is None or right is None:
        return
    control = best.get("accuracy", control=True).value
    outside = "" if control is None else f"{words.by_control(best.control_of)} {percent(control)}, "
    yield (f"The best guess is right for {percent(right)} of {scene.unit}; {outside}without the file {percent(guess)}.")
    strict, _ = promised(scene, "max-belief")
    if strict is not None:
        if strict.vacuous:
            yield "Theory guarantees nothing here: in some group all people share a value."
        else:
            yield f"Guaranteed was that no value is believed with more than {fraction(strict.limit)}."


def _composed(scene: Scene, question: QuestionScenes) -> Iterator[str]:
    """Yield the disclosure by several releases together."""
    best = strongest(scene)
    if best is None:
        return
    certain = best.get("exposed", 1.0)
    if certain.value is not None:
        everywhere = "both" if len(question.releases) == 2 else "all of"
        many = of_all(certain.value, certain.n) if certain.value else people(0, scene.unit)
        yield (
            f"Of the {people(certain.n, scene.unit)} in {everywhere} {words.listed(question.releases)}, "
            f"{words.who(scene.attacker)} and holds the releases together would be certain of the "
            f"{question.about.name} of {many}{_split(best) if certain.value else ''}."
        )
    sure, rightly = best.get("exposed", scene.firm), best.get("exposed-rightly", scene.firm)
    if sure.value and scene.firm < 1:
        true = "" if rightly.value is None else f", {count(rightly.value)} times rightly"
        firmly = percent(scene.firm, short=True)
        yield f"The intruder would be at least {firmly} sure of {people(sure.value, scene.unit)}{true}."
    yield from _beside(scene)


def _split(best: AttackResult) -> str:
    already, new = best.get("exposed-already", 1.0).value, best.get("exposed-new", 1.0).value
    if already is None or new is None:
        return ""
    return f"; {count(already)} already from one release alone (homogeneity), {count(new)} only by composition"


def _others(chapter: Chapter, report: AuditReport, first: AttackResult | None) -> Iterator[str]:
    """Yield the other attacks that break a limit, so that none is missing from the text."""
    names = {facts.name for facts in chapter.releases}
    found = [
        f"{words.attack(one.attack).title} on {one.about or 'the row'} in {words.listed(one.releases)}{_many(one)}"
        for one in report.limits
        if one.state is LimitState.BROKEN and one.attack and one.about and names & set(one.releases)
        and not (first and one.attack == first.name and _value(one.measured) == _value(first.gate))
    ]  # fmt: skip
    if found:
        yield f"{words.listed(found)} {'breaks' if len(found) == 1 else 'break'} the limit as well."


def _many(one: LimitResult) -> str:
    value = _value(one.measured)
    return "" if value is None else f" ({count(value)} exposed)"


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _named(scene: Scene) -> Iterator[str]:
    best = strongest(scene)
    if best is None:
        return
    most, mean, many = (best.get(*what) for what in (("max-risk",), ("average-risk",), ("at-risk", AT_RISK)))
    if most.value is None or mean.value is None or many.value is None:
        return
    stand = "stands" if many.value in {0, 1} else "stand"
    yield (
        f"Matching quasi-identifiers with {scene.about.name} identifies the right row with a chance of "
        f"{percent(mean.value)} on average and of {chance(most.value)} for the person at highest risk; "
        f"{people(many.value, scene.unit)} {stand} at 1/11 (0.09) or above."
    )


def _risk(scene: Scene) -> tuple[float, float]:
    best = strongest(scene)
    values = (None, None) if best is None else (best.get("max-risk").value, best.get("average-risk").value)
    return (-1.0 if values[0] is None else values[0], -1.0 if values[1] is None else values[1])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
