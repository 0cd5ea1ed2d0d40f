"""Notes on the results of audits and attacks: algorithms, several values, households, people without a group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from unmask import catalog
from unmask.auditing.judging import could_not_be_compared, how_many
from unmask.models.alpha_k import AlphaK
from unmask.models.known_values import known_values

if TYPE_CHECKING:
    from unmask.auditing.findings import AuditReport
    from unmask.release import Release


def notes_on_algorithms(releases: Iterable[Release]) -> Iterator[str]:
    """Yield why the algorithm that a release names cannot be replayed."""
    for release in releases:
        _, why = catalog.declared_sanitizer(release)
        if why:
            yield f"{release.name}: {why}"


def notes_on_several_values(releases: Iterable[Release]) -> Iterator[str]:
    """Yield that a belief is about one row of a person, where some person has several values."""
    for release in releases:
        for name in release.counts if release.headcount is not None else ():
            counted = known_values(release, release.schema[name])
            if counted.several:
                (alpha,) = counted.scores([AlphaK()])
                yield (
                    f"{release.name}: some people have several values of {name}; a belief is about the value of one "
                    f"row; that a person has a value on any row can be as likely as {np.nanmax(alpha):.3g}"
                )


def notes_on_households(report: AuditReport) -> Iterator[str]:
    """Yield the re-identification risk of households, where they are known, by both definitions."""
    for scene in report.scenes:
        for result in scene.results:
            found = [result.get(f"household-{how}-{what}") for how in ("largest", "any") for what in ("average", "max")]
            mean, most, mean_any, most_any = (one.value for one in found)
            if mean is not None and most is not None and mean_any is not None and most_any is not None:
                yield (
                    f"{result.name} on {' and '.join(scene.releases)}, risk of {found[0].n:,.0f} households: "
                    f"{mean:.3g} on average "
                    f"and {most:.3g} at most by the member easiest to find; {mean_any:.3g} and "
                    f"{most_any:.3g} of any member (1 − Π (1 − r))"
                )


def notes_on_unplaced(report: AuditReport) -> Iterator[str]:
    """Yield the number of people that fit no group of a release: no risk was measured for them."""
    for scene in report.scenes:
        for one in (one for result in scene.results for one in result.unplaced):
            looked_for = scene.attacker.name == "attributes"
            end = "no target could be attacked" if one.all_targets else "beliefs about them stay as they were"
            verbs, gone = (("fit", "fits"), "no group of") if looked_for else (("are", "is"), "not in")
            yield f"{how_many(one.people, one.partly, scene.targets, *verbs)} {gone} {one.release}: {end}"
            if looked_for and one.unreadable and one.misfits:
                yield could_not_be_compared(one, scene.targets)
