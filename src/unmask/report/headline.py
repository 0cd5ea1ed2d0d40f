"""The sentences below a verdict: may it be published, who is exposed, whose value is certain, what the file adds."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.auditing.findings import ROW, AttackResult, AuditReport, Scene
from unmask.auditing.policy import Verdict
from unmask.beliefs import Question
from unmask.catalog import REFERENCE
from unmask.estimate import Estimate
from unmask.report import limit_lines, words
from unmask.report.exposure import attributes, by_any, certain, exposed_by_any, judged, share_of, worst
from unmask.report.numbers import count, of_all, people, percent
from unmask.report.outline import number, ran
from unmask.report.quick import ran_otherwise
from unmask.schema import Role
from unmask.unit import Unit
from unmask.wording import marked, plural, text

FEW = 12
"""The quasi-identifiers that are listed; of more, the number is."""

_ANSWERS = {
    Verdict.WITHIN: marked("By this policy it may be published"),
    Verdict.BROKEN: marked("By this policy it may not be published as it is"),
    Verdict.NOT_DECIDED: marked("By this policy it cannot be published yet: the evidence is incomplete"),
    Verdict.NO_LIMITS: marked("Whether it may be published is not answered here: no policy was given"),
}


def headline(report: AuditReport) -> tuple[str, ...]:
    """Return the sentences, each of one idea."""
    return tuple(_sentences(report))


def _sentences(report: AuditReport) -> Iterator[str]:
    answer = text(_ANSWERS[report.verdict])
    if report.limits:
        yield text(
            "{answer}; of {checks}: {states}.",
            answer=answer,
            checks=plural("{n} check", "{n} checks", len(report.limits), n=count(len(report.limits))),
            states=limit_lines.counted(report.limits),
        )
    else:
        yield f"{answer}."
    if report.is_trial:
        yield text(
            "The release attacked here was made for this audit: it is not the one to publish. Audit that one, with "
            "--release."
        )
    yield from ran_otherwise(report)
    found = worst(judged(report, report.scenes))
    if found is None:
        yield text("Of no person is it known how sure an intruder would be: no attack ran, which is not safe.")
        return
    yield _exposed(report, found)
    yield from _insider(report)
    yield from _certain(report)
    yield from _added(*found)
    if found[0].unit is Unit.ROWS:
        yield text("Each row is counted as one person: no column was declared that tells which rows are one person's.")


def _exposed(report: AuditReport, found: tuple[Scene, AttackResult]) -> str:
    """Return how many people any attack exposes, and how many of them by their true value."""
    scene, _ = found
    total = by_any(report, found)
    many = total.people
    if many.value is None:
        return text("How many people are exposed is not defined: {why}.", why=many.why)
    surer = words.surer(report.policy) if report.policy.limits.max_belief is not None else ""
    values = {
        "people": people(many.n, scene.unit),
        "releases": words.quoted(scene.releases),
        "intruder": f"{words.who(scene.attacker)}{_columns(report, scene)}",
        "share": percent(scene.firm, short=True),
        "attributes": _sensitive(report, scene),
        "margin": surer,
    }
    if not many.value:
        return text(
            "Of {people} in {releases}, none is exposed: of none would {intruder} be {share} sure of the {attributes}, "
            "and {margin}."
            if surer
            else "Of {people} in {releases}, none is exposed: of none would {intruder} be {share} sure of the "
            "{attributes}.",
            **values,
        )
    by = text("attack: {attack}", attack=words.attack(total.attack).title)
    values |= {
        "exposed": of_all(many.value, many.n),
        "by": by if total.attack else text("by one attack or another"),
        "rightly": text("of how many rightly is not known")
        if total.rightly is None
        else text("rightly for {n}", n=count(total.rightly)),
    }
    if surer:
        return plural(
            "Of {people} in {releases}, {exposed} is exposed: {intruder} would be at least {share} sure, rightly or "
            "wrongly, of their {attributes}, and {margin} ({by}; {rightly}).",
            "Of {people} in {releases}, {exposed} are exposed: {intruder} would be at least {share} sure, rightly or "
            "wrongly, of their {attributes}, and {margin} ({by}; {rightly}).",
            many.value,
            **values,
        )
    return plural(
        "Of {people} in {releases}, {exposed} is exposed: {intruder} would be at least {share} sure, rightly or "
        "wrongly, of their {attributes} ({by}; {rightly}).",
        "Of {people} in {releases}, {exposed} are exposed: {intruder} would be at least {share} sure, rightly or "
        "wrongly, of their {attributes} ({by}; {rightly}).",
        many.value,
        **values,
    )


def _insider(report: AuditReport) -> Iterator[str]:
    """Yield how many an insider exposes, where no recipient is named and the limits are judged for another intruder."""
    if report.policy.recipient or report.policy.limits.max_belief is None or report.policy.location == ROW.name:
        return
    pairs = [
        (scene, result)
        for scene in report.scenes
        if scene.attacker == ROW and scene.about.question is Question.ATTRIBUTE
        for result in ran(scene)
    ]
    found = [(exposed_by_any(*pair), pair[0].unit) for pair in pairs]
    many, unit = max(found, key=lambda one: share_of(one[0]), default=(None, Unit.PEOPLE))
    if many is not None and (whole := report.exposed_of(ROW)) is not None:
        many = Estimate.exact(whole[0], many.n)
    if many is not None and many.value is not None and many.n and many.value >= (report.n_exposed or 0):
        yield text(
            "An intruder who also knows which row is theirs: {people} exposed ({share}). No recipient is named; among "
            "the readers of open data there is such an intruder.",
            people=people(many.value, unit), share=percent(many.value / many.n),
        )  # fmt: skip


def _sensitive(report: AuditReport, scene: Scene) -> str:
    """Return the sensitive attributes that the number is about."""
    if report.n_exposed is None:
        return scene.about.name
    return attributes(judged(report, report.scenes))


def _columns(report: AuditReport, scene: Scene) -> str:
    """Return the columns that an intruder who knows quasi-identifiers knows, in brackets."""
    if scene.attacker is ROW:
        return ""
    forms = (one for facts in report.releases for one in facts.published if one.role is Role.QUASI_IDENTIFIER)
    names = list(dict.fromkeys(one.name for one in forms))
    more = [text("{n} more", n=count(len(names) - FEW))] if len(names) > FEW else []
    return f" ({words.listed([*names[:FEW], *more])})" if names else ""


def _certain(report: AuditReport) -> Iterator[str]:
    """Yield the number of people with a certain value."""
    found = certain(report)
    if found is None:
        return
    scene, result = found
    many = result.get("exposed", 1.0).value or 0.0
    values = {"attribute": scene.about.name, "people": people(many, scene.unit)}
    if result.name == REFERENCE["exact"]:
        yield text(
            "The {attribute} of {people} would be certain: all records that fit them show the same one (homogeneity).",
            **values,
        )
    else:
        yield text("The {attribute} of {people} would be certain.", **values)


def _added(scene: Scene, result: AttackResult) -> Iterator[str]:
    """Yield how often the best guess is right before and after seeing the release, by the attack most often right."""
    result = max([result, *ran(scene)], key=lambda one: number(one, "accuracy"))
    before, after = scene.baseline.get("accuracy").value, result.get("accuracy").value
    if before is None or after is None:
        why = text(result.get("accuracy").why) or text("the truth is not known")
        yield text("How often such an intruder is right is not defined: {why}.", why=why)
        return
    outside = result.get("accuracy", control=True).value
    values = {
        "before": percent(before),
        "unit": text(scene.unit),
        "after": percent(after) + (f" ({words.attack(result.name).title})" if len(ran(scene)) > 1 else ""),
    }
    if outside is None:
        yield text(
            "The best guess without the file is right for {before} of {unit}; after seeing it for {after}.", **values
        )
    else:
        yield text(
            "The best guess without the file is right for {before} of {unit}; after seeing it for {after}. "
            "The same attack {control} is right for {share}: so much can be learned about people who are not in it.",
            **values,
            control=words.by_control(result.control_of),
            share=percent(outside),
        )
