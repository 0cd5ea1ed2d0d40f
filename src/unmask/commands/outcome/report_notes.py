"""Notes on the results of audits and attacks: algorithms, several values, households, people without a group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from unmask import catalog
from unmask.auditing.judging import could_not_be_compared, how_many, is_one_row
from unmask.errors import enumerated
from unmask.models.alpha_k import AlphaK
from unmask.models.known_values import known_values
from unmask.number_format import numeral
from unmask.wording import counted, joined, message

if TYPE_CHECKING:
    from unmask.auditing.findings import AuditReport, Unplaced
    from unmask.release import Release
    from unmask.unit import Count
    from unmask.wording import Message


def notes_on_algorithms(releases: Iterable[Release]) -> Iterator[str]:
    """Yield why the algorithm that a release names cannot be replayed."""
    for release in releases:
        _, why = catalog.declared_sanitizer(release)
        if why:
            yield joined([release.name, why], ": ")


def notes_on_several_values(releases: Iterable[Release]) -> Iterator[str]:
    """Yield that a belief is about one row of a person, where some person has several values."""
    for release in releases:
        for name in release.counts if release.headcount is not None else ():
            counted = known_values(release, release.schema[name])
            if counted.several:
                (alpha,) = counted.scores([AlphaK()])
                yield message(
                    "{release}: some people have several values of {attribute}; a belief is about the value of one "
                    "row; that a person has a value on any row can be as likely as {chance}",
                    release=release.name,
                    attribute=name,
                    chance=numeral(np.nanmax(alpha), ".3g"),
                )


def notes_on_households(report: AuditReport) -> Iterator[str]:
    """Yield the re-identification risk of households, where they are known, by both definitions."""
    for scene in report.scenes:
        for result in scene.results:
            found = [result.get(f"household-{how}-{what}") for how in ("largest", "any") for what in ("average", "max")]
            mean, most, mean_any, most_any = (one.value for one in found)
            if mean is not None and most is not None and mean_any is not None and most_any is not None:
                yield message(
                    "{attack} on {releases}, risk of {n} households: {mean} on average and {most} at most by the "
                    "member easiest to find; {mean_any} and {most_any} of any member (1 − Π (1 − r))",
                    attack=result.name,
                    releases=enumerated(scene.releases),
                    n=numeral(found[0].n, ",.0f"),
                    mean=numeral(mean, ".3g"),
                    most=numeral(most, ".3g"),
                    mean_any=numeral(mean_any, ".3g"),
                    most_any=numeral(most_any, ".3g"),
                )


def notes_on_unplaced(report: AuditReport) -> Iterator[str]:
    """Yield the number of people that fit no group of a release: no risk was measured for them."""
    for scene in report.scenes:
        for one in (one for result in scene.results for one in result.unplaced):
            looked_for = scene.attacker.name == "attributes"
            end = message("beliefs about them stay as they were")
            if one.all_targets:
                end = message("no target could be attacked")
            yield _unplaced(one, scene.targets, end, looked_for=looked_for)
            if looked_for and one.unreadable and one.misfits:
                yield could_not_be_compared(one, scene.targets)


def _unplaced(one: Unplaced, among: Count, end: Message, *, looked_for: bool) -> Message:
    people = how_many(one.people, one.partly, among)
    n = 1 if is_one_row(one.people, one.partly) else 2
    values = {"people": people, "release": one.release, "consequence": end}
    if looked_for:
        return counted(
            "{people} fits no group of {release}: {consequence}", "{people} fit no group of {release}: {consequence}",
            n, **values,
        )  # fmt: skip
    return counted(
        "{people} is not in {release}: {consequence}", "{people} are not in {release}: {consequence}", n, **values
    )
