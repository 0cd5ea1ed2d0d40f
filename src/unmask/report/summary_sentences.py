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
from unmask.wording import plural, text


def story(report: AuditReport) -> list[list[str]]:
    """Return a paragraph for each chapter, as sentences: the first is the conclusion."""
    return [list(_paragraph(chapter, report)) for chapter in chapters(report)]


def _paragraph(chapter: Chapter, report: AuditReport) -> Iterator[str]:
    if not any(ran(scene) for scene in chapter.scenes):
        names = words.listed([facts.name for facts in chapter.releases])
        yield text("Of {names} nothing is known: no attack could be run.", names=names)
        yield text(words.NOT_SAFE)
        return
    question = [one for one in chapter.linkability or chapter.inference if any(ran(scene) for scene in one.scenes)]
    if question:
        worst = max(question, key=lambda one: max(strength(scene) for scene in _judged_first(one, report)[:1]))
        scenes = _judged_first(worst, report)
        if len(worst.releases) > 1:
            yield from _composed(scenes[0], worst)
        else:
            is_whole = len(report.releases) == 1
            yield from _inferred(scenes, worst.releases[0], report.exposed_of(scenes[0].attacker), is_whole=is_whole)
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


def _inferred(
    scenes: Sequence[Scene], release: str, total: tuple[int, int | None] | None, *, is_whole: bool
) -> Iterator[str]:
    """Yield what an intruder would believe after seeing one release, then the other intruders.

    `total` are the people whom any attack of the first intruder exposes, by whatever attribute; of this release alone
    if it is the whole of the audit (`is_whole`).
    """
    yield _believed(scenes[0], release, 0 if total is None else total[0], is_whole=is_whole)
    yield from _beside(scenes[0])
    for scene in scenes[1:]:
        best = strongest(scene)
        sure = None if best is None else best.get("exposed", scene.firm).value
        right = None if best is None else best.get("accuracy").value
        if sure is not None and right is not None:
            who = words.capitalized(words.who(scene.attacker))
            many = people(sure, scene.unit)
            yield text(
                "{intruder} would be that sure of {people}; the best guess would be right for {share}.",
                intruder=who,
                people=many,
                share=percent(right),
            )


def _believed(scene: Scene, release: str, total: int, *, is_whole: bool) -> str:
    best = strongest(scene)
    if best is None:
        return ""
    sure, rightly = best.get("exposed", scene.firm), best.get("exposed-rightly", scene.firm)
    what = scene.about.name
    if sure.value is None:
        return text(
            "What an attack on {release} would find of {attribute} is not defined: {why}.",
            release=release,
            attribute=what,
            why=text(sure.why),
        )
    attack = words.attack(best.name).title
    values = {
        "all": people(sure.n, scene.unit),
        "release": release,
        "intruder": words.who(scene.attacker),
        "share": percent(scene.firm, short=True),
        "attribute": what,
        "attack": attack,
    }
    if sure.value == 0:
        return text(
            "Of {all} in {release}, {intruder} would be {share} sure of nobody's {attribute} ({attack}).", **values
        )
    many = of_all(sure.value, sure.n)
    if rightly.value is not None:
        many_rightly = text("{people}; {n} times rightly", people=many, n=count(rightly.value))
        what_rightly = text("{attribute}; {n} times rightly", attribute=what, n=count(rightly.value))
    else:
        many_rightly, what_rightly = many, what
    exposed = None if best.gate is None else best.gate.value
    if exposed is None:
        return text(
            "Of {all} in {release}, {intruder} would be at least {share} sure of the {attribute} of {people} "
            "({attack}).",
            **values,
            people=many_rightly,
        )
    are = _exposed(scene, sure.n, exposed, total, attack, is_whole=is_whole)
    if exposed == sure.value:
        return text(
            "Of {all} in {release}, {exposed}: {intruder} would be at least {share} sure of their {attribute} "
            "({attack}).",
            **values | {"attribute": what_rightly},
            exposed=are,
        )
    control = words.by_control(best.control_of)
    return text(
        "Of {all} in {release}, {exposed}: after seeing it, {intruder} would be at least {share} sure of their "
        "{attribute}, {surer}. That sure of {people}, surer than the control or not{rightly} ({attack}).",
        **values,
        exposed=are,
        surer=text("and clearly surer than {control}", control=control)
        if exposed
        else text("but nearly as sure {control}", control=control),
        people=many,
        rightly="" if rightly.value is None else text("; {n} times rightly", n=count(rightly.value)),
    )


def _exposed(scene: Scene, n: float, alone: float, total: int, attack: str, *, is_whole: bool) -> str:
    """Return how many of n people are exposed: `alone` by one attack, `total` by any, by whatever attribute."""
    if total > max(scene.n_exposed or 0, alone):
        on = {"attack": attack, "attribute": scene.about.name}
        if is_whole:
            return text(
                "{all} are exposed by some attack, {n} by {attack} on {attribute} alone",
                all=of_all(total, n), n=count(alone), **on,
            )  # fmt: skip
        return plural(
            "{n} is exposed by {attack} on {attribute}", "{n} are exposed by {attack} on {attribute}", alone,
            n=of_all(alone, n), **on,
        )  # fmt: skip
    if not alone:
        return text("nobody is exposed")
    if scene.n_exposed is not None and scene.n_exposed > alone:
        return text(
            "{all} are exposed by some attack, {n} by {attack} alone",
            all=of_all(scene.n_exposed, n), n=count(alone), attack=attack,
        )  # fmt: skip
    return plural("{n} is exposed", "{n} are exposed", alone, n=of_all(alone, n))


def _beside(scene: Scene) -> Iterator[str]:
    """Return the prior, the control and the guaranteed bound as text."""
    best = strongest(scene)
    guess = scene.baseline.get("accuracy").value
    right = None if best is None else best.get("accuracy").value
    if best is None or guess is None or right is None:
        return
    control = best.get("accuracy", control=True).value
    values = {"share": percent(right), "unit": text(scene.unit), "guess": percent(guess)}
    if control is None:
        yield text("The best guess is right for {share} of {unit}; without the file {guess}.", **values)
    else:
        yield text(
            "The best guess is right for {share} of {unit}; {control} {outside}, without the file {guess}.",
            **values,
            control=words.by_control(best.control_of),
            outside=percent(control),
        )
    strict, _ = promised(scene, "max-belief")
    if strict is not None:
        if strict.vacuous:
            yield text("Theory guarantees nothing here: in some group all people share a value.")
        else:
            yield text("Guaranteed was that no value is believed with more than {limit}.", limit=fraction(strict.limit))


def _composed(scene: Scene, question: QuestionScenes) -> Iterator[str]:
    """Yield the disclosure by several releases together."""
    best = strongest(scene)
    if best is None:
        return
    certain = best.get("exposed", 1.0)
    if certain.value is not None:
        both = len(question.releases) == 2
        many = of_all(certain.value, certain.n) if certain.value else people(0, scene.unit)
        values = {
            "all": people(certain.n, scene.unit),
            "releases": words.listed(question.releases),
            "intruder": words.who(scene.attacker),
            "attribute": question.about.name,
            "people": many + (_split(best) if certain.value else ""),
        }
        yield text(
            "Of the {all} in both {releases}, {intruder} and holds the releases together would be certain of the "
            "{attribute} of {people}."
            if both
            else "Of the {all} in all of {releases}, {intruder} and holds the releases together would be certain of "
            "the {attribute} of {people}.",
            **values,
        )
    sure, rightly = best.get("exposed", scene.firm), best.get("exposed-rightly", scene.firm)
    if sure.value and scene.firm < 1:
        values = {"share": percent(scene.firm, short=True), "people": people(sure.value, scene.unit)}
        if rightly.value is None:
            yield text("The intruder would be at least {share} sure of {people}.", **values)
        else:
            yield text(
                "The intruder would be at least {share} sure of {people}, {n} times rightly.",
                **values,
                n=count(rightly.value),
            )
    yield from _beside(scene)


def _split(best: AttackResult) -> str:
    already, new = best.get("exposed-already", 1.0).value, best.get("exposed-new", 1.0).value
    if already is None or new is None:
        return ""
    return text(
        "; {already} already from one release alone (homogeneity), {new} only by composition",
        already=count(already),
        new=count(new),
    )


def _others(chapter: Chapter, report: AuditReport, first: AttackResult | None) -> Iterator[str]:
    """Yield the other attacks that break a limit, so that none is missing from the text."""
    names = {facts.name for facts in chapter.releases}
    found = [
        text(
            "{attack} on {attribute} in {releases}", attack=words.attack(one.attack).title,
            attribute=one.about or text("the row"), releases=words.listed(one.releases),
        ) + _many(one)
        for one in report.limits
        if one.state is LimitState.BROKEN and one.attack and one.about and names & set(one.releases)
        and not (first and one.attack == first.name and _value(one.measured) == _value(first.gate))
    ]  # fmt: skip
    if found:
        yield plural(
            "{attacks} breaks the limit as well.",
            "{attacks} break the limit as well.",
            len(found),
            attacks=words.listed(found),
        )


def _many(one: LimitResult) -> str:
    value = _value(one.measured)
    return "" if value is None else f" ({text('{n} exposed', n=count(value))})"


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _named(scene: Scene) -> Iterator[str]:
    best = strongest(scene)
    if best is None:
        return
    most, mean, many = (best.get(*what) for what in (("max-risk",), ("average-risk",), ("at-risk", AT_RISK)))
    if most.value is None or mean.value is None or many.value is None:
        return
    yield plural(
        "Matching quasi-identifiers with {release} identifies the right row with a chance of {mean} on average and of "
        "{worst} for the person at highest risk; {people} stands at 1/11 (0.09) or above.",
        "Matching quasi-identifiers with {release} identifies the right row with a chance of {mean} on average and of "
        "{worst} for the person at highest risk; {people} stand at 1/11 (0.09) or above.",
        many.value or 1,
        release=scene.about.name,
        mean=percent(mean.value),
        worst=chance(most.value),
        people=people(many.value, scene.unit),
    )


def _risk(scene: Scene) -> tuple[float, float]:
    best = strongest(scene)
    values = (None, None) if best is None else (best.get("max-risk").value, best.get("average-risk").value)
    return (-1.0 if values[0] is None else values[0], -1.0 if values[1] is None else values[1])
