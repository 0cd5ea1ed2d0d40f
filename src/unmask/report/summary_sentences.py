"""The findings as sentences, for readers who will not read a table."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.auditing.findings import AttackResult, AuditReport, Scene
from unmask.report import words
from unmask.report.numbers import chance, count, fraction, of_all, people, percent
from unmask.report.outline import FIRM, Chapter, QuestionScenes, chapters, promised, ran, strength, strongest
from unmask.risk_levels import AT_RISK

_FIRMLY = f"{FIRM * 100:.0f} %"


def story(report: AuditReport) -> list[list[str]]:
    """Return a paragraph for each chapter, as sentences: the first is the conclusion."""
    return [list(_paragraph(chapter)) for chapter in chapters(report)]


def _paragraph(chapter: Chapter) -> Iterator[str]:
    if not any(ran(scene) for scene in chapter.scenes):
        names = words.listed([facts.name for facts in chapter.releases])
        yield f"Of {names} nothing is known: no attack could be run."
        yield words.NOT_SAFE
        return
    question = [one for one in chapter.linkability or chapter.inference if any(ran(scene) for scene in one.scenes)]
    if question:
        worst = max(question, key=lambda one: max(strength(scene) for scene in one.scenes))
        yield from _composed(worst) if len(worst.releases) > 1 else _inferred(worst)
    places = [scene for scene in chapter.singling_out if ran(scene)]
    if places:
        yield from _named(max(places, key=_risk))


def _inferred(question: QuestionScenes) -> Iterator[str]:
    """Yield the posterior of attackers from one release: the stronger first; of equals, the one with less knowledge."""
    scenes = sorted((scene for scene in reversed(question.scenes) if ran(scene)), key=strength, reverse=True)
    yield _believed(scenes[0], question.releases[0])
    yield from _beside(scenes[0])
    for scene in scenes[1:]:
        best = strongest(scene)
        sure = None if best is None else best.get("exposed", FIRM).value
        right = None if best is None else best.get("accuracy").value
        if sure is not None and right is not None:
            who = _capital(words.who(scene.attacker))
            many = people(sure, scene.unit)
            yield f"{who} would be that sure of {many}; the best guess would be right for {percent(right)}."


def _believed(scene: Scene, release: str) -> str:
    best = strongest(scene)
    if best is None:
        return ""
    sure, rightly = best.get("exposed", FIRM), best.get("exposed-rightly", FIRM)
    what, by, who = scene.about.name, words.attack(best.name).title, words.who(scene.attacker)
    if sure.value is None:
        return f"What an attack on {release} would find of {what} is not defined: {sure.why}."
    all_people = people(sure.n, scene.unit)
    if sure.value == 0:
        no_people = people(0, scene.unit)
        return (
            f"Of {all_people} in {release}, {no_people}: {who} would not be {_FIRMLY} sure of anyone's {what} ({by})."
        )
    true = "" if rightly.value is None else f"; {count(rightly.value)} times rightly"
    return (
        f"Of {all_people} in {release}, {of_all(sure.value, sure.n)}: {who} would be at least {_FIRMLY} sure of "
        f"their {what}{true} ({by})."
    )


def _beside(scene: Scene) -> Iterator[str]:
    """Return the prior, the control and the guaranteed bound as text."""
    best = strongest(scene)
    guess = scene.baseline.get("accuracy").value
    right = None if best is None else best.get("accuracy").value
    if best is None or guess is None or right is None:
        return
    control = best.get("accuracy", control=True).value
    left_out = "" if control is None else f"{percent(control)} with the person's own group left out, "
    of_all_right = f"{percent(right)} of {scene.unit}"
    yield f"The best guess is right for {of_all_right}; {left_out}{percent(guess)} without the release."
    strict, _ = promised(scene, "max-belief")
    if strict is not None:
        if strict.vacuous:
            yield "Theory guarantees nothing here: in some group all people share a value."
        else:
            yield f"Promised was that no value is believed with more than {fraction(strict.limit)}."


def _composed(question: QuestionScenes) -> Iterator[str]:
    """Yield the disclosure by several releases together."""
    scene = max(reversed(question.scenes), key=strength)
    best = strongest(scene)
    if best is None:
        return
    certain = best.get("exposed", 1.0)
    if certain.value is not None:
        everywhere = "both" if len(question.releases) == 2 else "all of"
        yield (
            f"Of the {people(certain.n, scene.unit)} in {everywhere} {words.listed(question.releases)}, "
            f"{of_all(certain.value, certain.n)}: {words.who(scene.attacker)} and holds the releases together would be "
            f"certain of their {question.about.name}{_split(best)}."
        )
    sure, rightly = best.get("exposed", FIRM), best.get("exposed-rightly", FIRM)
    if sure.value:
        true = "" if rightly.value is None else f", {count(rightly.value)} times rightly"
        yield f"The intruder would be at least {_FIRMLY} sure of {people(sure.value, scene.unit)}{true}."
    yield from _beside(scene)


def _split(best: AttackResult) -> str:
    already, new = best.get("exposed-already", 1.0).value, best.get("exposed-new", 1.0).value
    if already is None or new is None:
        return ""
    return f"; {count(already)} already from one release alone (homogeneity), {count(new)} only by composition"


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
