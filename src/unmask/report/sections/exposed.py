"""The section on exposed people: no one is named; how the owner gets the list, and the exposed in numbers."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from unmask.auditing.exposed_groups import ExposedGroups
from unmask.auditing.findings import AttackResult, AuditReport, Scene
from unmask.beliefs import Question
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell
from unmask.report.exposure import exposed, judged, share_of
from unmask.report.numbers import count, percent
from unmask.report.outline import ran
from unmask.report.repetition import explaining
from unmask.schema import MARKS
from unmask.unit import Unit
from unmask.wording import marked, plural, text

LEAST = 10
"""The smallest number of people that is printed for a value: the customary smallest count of statistical offices."""

MOST_VALUES = 8
"""The values that are printed; the others are put together."""

FEW = 6
"""The attacks, and the sensitive columns, that are printed."""

EXPLAINED = 3
"""The attacks whose lines of explanation are printed."""

LIST = "exposed.csv"
"""The file of the list in the line to type."""


def section(report: AuditReport) -> Section:
    """Return how many are exposed, how the list is got, and groups, attacks and values in numbers."""
    n = report.n_exposed
    if n is None:
        firm = report.policy.limits.firm
        no_limit = text(_NO_LIMIT, share=percent(firm, short=True), belief=f"{firm:g}")
        parts = [SectionPart((no_limit,))]
    elif not n:
        parts = [SectionPart((text("No one is exposed by an attack that ran, by the limits: there is no list."),))]
    else:
        parts = [*_lists(report, n), *_in_numbers(report, n)]
    return Section("exposed", text("Who is exposed"), parts=tuple(parts))


_NO_LIMIT = marked(
    "There is no list of the exposed: the audit had no limit that says who is, and {share} is only the level at which "
    "this page counts. With --max-belief {belief} and --people-at-risk FILE the owner of the data gets the list."
)
_NO_COMMAND = marked("The audit was called from Python: .at_risk() of its result returns the list.")


def _lists(report: AuditReport, n: int) -> Iterator[SectionPart]:
    """Yield the lines to type for the list, and for the explanation of one person."""
    if report.unit is Unit.PEOPLE:
        names = plural(
            "This page names no one. The list of the exposed has {n} line, with their person key. It is for the owner "
            "of the data alone, who types:",
            "This page names no one. The list of the exposed has {n} lines, each with a person key. It is for the "
            "owner of the data alone, who types:",
            n, n=count(n),
        )  # fmt: skip
    else:
        names = plural(
            "This page names no one. The list of the exposed has {n} line, the number of their row in the table (the "
            "first row is 0). It is for the owner of the data alone, who types:",
            "This page names no one. The list of the exposed has {n} lines, each the number of a row in the table "
            "(the first row is 0). It is for the owner of the data alone, who types:",
            n, n=count(n),
        )  # fmt: skip
    if not report.command:
        names = f"{text('This page names no one.')} {text(_NO_COMMAND)}"
        yield SectionPart((names,))
        return
    yield SectionPart((names,), commands=(shlex.join((*report.command, "--people-at-risk", LIST)),))
    place = {facts.name: i for i, facts in enumerate(report.releases)}
    lines = [
        explaining(report.command, name, report.policy.location, tuple(place[one] for one in releases))
        for name, releases in _exposing(report)[:EXPLAINED]
    ]
    if why := [shlex.join(one) for one in lines if one]:
        asked = text("Why one of them is exposed (KEY: a line of that list), by the attack that exposes most:")
        if len(why) > 1:
            asked = text(
                "Why one of them is exposed (KEY: a line of that list), by each attack that exposes people, first the "
                "one that exposes most:"
            )
        yield SectionPart((asked,), commands=tuple(why))
    elif report.is_trial:
        yield SectionPart(
            (
                text(
                    "Why one of them is exposed can be asked of a release that is published: unmask sanitize makes it, "
                    "and unmask attack with --explain KEY explains a person."
                ),
            )
        )


def _exposing(report: AuditReport) -> list[tuple[str, tuple[str, ...]]]:
    """Return the attacks that expose people, each with the releases of which it exposes most, that one first.

    The attack that comes first is returned in any case.
    """
    pairs = [(scene, result) for scene in _scenes(report) for result in ran(scene)]
    pairs.sort(key=lambda pair: -share_of(exposed(*pair)))
    found = [pair for pair in pairs if exposed(*pair).value] or pairs[:1]
    releases: dict[str, tuple[str, ...]] = {}
    for scene, one in found:
        releases.setdefault(one.name, scene.releases)
    return list(releases.items())


def _scenes(report: AuditReport) -> list[Scene]:
    """Return the scenes that the limits judge, about attributes."""
    return [one for one in judged(report, report.scenes) if one.about.question is Question.ATTRIBUTE]


def _in_numbers(report: AuditReport, n: int) -> Iterator[SectionPart]:
    if n < LEAST:
        yield SectionPart(
            (text("They are fewer than {least}: their groups and values are not described here.", least=LEAST),)
        )
        return
    rows = [*_by_attack(report), *map(_by_group, report.exposed_groups[:FEW]), *_by_value(report)]
    note = text(
        "The commonest values of the attack that exposes most are listed, the others put together; no number below "
        "{least} is printed. A value is counted whether it is the true one or not.",
        least=LEAST,
    )
    table = ReportTable(text("The exposed in numbers"), (text("By"), text("Exposed")), tuple(rows), texts=1, note=note)
    yield SectionPart(tables=(table,))
    if more := tuple(_about_values(report)):
        yield SectionPart(more)


def _about_values(report: AuditReport) -> Iterator[str]:
    """Yield where numbers of values exceed those of people, and where a missing value counts as one that harms."""
    for scene, result in _by_name(report):
        listed, _ = suppressed(result.exposed_by_value)
        people = exposed(scene, result).value or 0.0
        if sum(result.exposed_by_value.values()) > people + 1:
            yield text(
                "The numbers of values of {attribute} add up to more than its exposed people: of some, an intruder "
                "would be {share} sure of two values.",
                attribute=scene.about.name, share=percent(scene.firm, short=True),
            )  # fmt: skip
        for mark in (one for one in listed if one in MARKS):
            yield text(
                "“{mark}” is a missing value of {attribute}. It counts as harmful; with {option} it does not.",
                mark=mark, attribute=scene.about.name, option=f"--harmless {scene.about.name}={mark}",
            )  # fmt: skip


def _by_name(report: AuditReport) -> Iterator[tuple[Scene, AttackResult]]:
    """Yield the attack that exposes most people by each sensitive column."""
    for name in list(dict.fromkeys(scene.about.name for scene in _scenes(report)))[:FEW]:
        pairs = [(scene, one) for scene in _scenes(report) if scene.about.name == name for one in ran(scene)]
        if pairs:
            yield max(pairs, key=lambda pair: share_of(exposed(*pair)))


def _by_attack(report: AuditReport) -> Iterator[Row]:
    several = len({scene.releases for scene in _scenes(report)}) > 1
    found = [(scene, result, exposed(scene, result)) for scene in _scenes(report) for result in ran(scene)]
    found = [one for one in found if one[2].value]
    for scene, result, many in sorted(found, key=lambda one: -share_of(one[2]))[:FEW]:
        where = [scene.about.name, *([words.quoted(scene.releases)] if several else [])]
        head = TableCell(text("attack: {attack}", attack=words.attack(result.name).title), ", ".join(where))
        yield Row(head, (cell(many, "people"),))


def _by_group(one: ExposedGroups) -> Row:
    sizes = text("in groups of {size}", size=count(one.smallest))
    if one.smallest < one.largest:
        sizes = text("in groups of {smallest} to {largest}", smallest=count(one.smallest), largest=count(one.largest))
    if one.smallest < one.median < one.largest:
        sizes = text(
            "in groups of {smallest} to {largest}, half of them of at most {median}",
            smallest=count(one.smallest), largest=count(one.largest), median=count(one.median),
        )  # fmt: skip
    of = text("{n} of {all} groups", n=count(one.n), all=count(one.of)) if one.n >= LEAST else text("few groups")
    return Row(
        TableCell(text("groups with exposed people"), text("in “{release}”", release=one.release)),
        (TableCell(of, sizes),),
    )


def _by_value(report: AuditReport) -> Iterator[Row]:
    for scene, result in _by_name(report):
        listed, others = suppressed(result.exposed_by_value)
        parts = [text("“{value}”: {n}", value=value, n=count(n)) for value, n in listed.items()]
        parts += [text("other values: {n}", n=count(others))] if others else []
        if parts:
            head = TableCell(
                text("value of {attribute}", attribute=scene.about.name),
                text("attack: {attack}", attack=words.attack(result.name).title),
            )
            yield Row(head, (TableCell("; ".join(parts)),))


def suppressed(by_value: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """Return the values with at least `LEAST` people each, and the people of all others together.

    The others are at least two values with at least `LEAST` people in sum, so that none can be found by subtraction;
    where they cannot be, they have no number.

    >>> suppressed({"flu": 40, "cold": 20, "HIV": 3})
    ({'flu': 40}, 23)
    """
    ranked = sorted(by_value.items(), key=lambda one: (-one[1], one[0]))
    kept = [one for one in ranked[:MOST_VALUES] if one[1] >= LEAST]
    others = ranked[len(kept) :]
    while others and kept and (len(others) < 2 or sum(n for _, n in others) < LEAST):
        others.insert(0, kept.pop())
    together = sum(n for _, n in others)
    return dict(kept), together if together >= LEAST and len(others) > 1 else 0
