"""What a command has to say beside its answer: at once to whoever listens, and again in the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np

from unmask import catalog
from unmask.judging import could_not_be_compared
from unmask.known_values import known_values
from unmask.models.alpha_k import AlphaK

if TYPE_CHECKING:
    from unmask.findings import AuditReport
    from unmask.release import Release

Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard(listener: Listener) -> Iterator[None]:
    """Let a listener hear every note that is made inside the `with` block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def teller() -> Listener:
    """Return how to say something from another thread, which does not know who listens here."""
    return _listener.get() or (lambda _: None)


class Notes:
    """Sentences for the user, each said once: they come in while the work goes on, and belong in the report."""

    def __init__(self, *, silent: bool = False) -> None:
        self._texts: dict[str, None] = {}
        self._silent = silent  # nobody hears them: they were said already

    def add(self, *texts: str) -> None:
        """Say something that also belongs in the report."""
        for text in texts:
            if text not in self._texts:
                self._texts[text] = None
                self.aside(text)

    def aside(self, text: str) -> None:
        """Say something that is not for the report: a seed just drawn, or where a file lies."""
        listener = _listener.get()
        if listener is not None and not self._silent:
            listener(text)

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that belongs in the report."""
        return tuple(self._texts)


def of_algorithms(releases: Iterable[Release]) -> Iterator[str]:
    """Yield why the algorithm of a release cannot be replayed, though it tells one."""
    for release in releases:
        _, why = catalog.told_by(release)
        if why:
            yield f"{release.name}: {why}"


def of_several_values(releases: Iterable[Release]) -> Iterator[str]:
    """Yield that beliefs are about one of a person's rows, where somebody has several values."""
    for release in releases:
        for name in release.counts if release.headcount is not None else ():
            counted = known_values(release, release.schema[name])
            if counted.several:
                (alpha,) = counted.scores([AlphaK()])
                yield (
                    f"{release.name}: somebody has several values of {name}, and a belief is about the value of one "
                    f"row; that a person has a value on any row can be as likely as {np.nanmax(alpha):.3g}"
                )


def of_households(report: AuditReport) -> Iterator[str]:
    """Yield how likely somebody of a household is found, where households are known: by both readings."""
    for scene in report.scenes:
        for result in scene.results:
            found = [result.get(f"household-{how}-{what}") for how in ("largest", "any") for what in ("average", "max")]
            mean, most, mean_any, most_any = (one.value for one in found)
            if mean is not None and most is not None and mean_any is not None and most_any is not None:
                yield (
                    f"{result.name} on {' and '.join(scene.releases)}, risk of {found[0].n:,.0f} households: "
                    f"{mean:.3g} on average "
                    f"and {most:.3g} at most by the member easiest to find; {mean_any:.3g} and "
                    f"{most_any:.3g} that anybody is found (1 − Π (1 − r))"
                )


def of_unplaced(report: AuditReport) -> Iterator[str]:
    """Yield of how many people a release says nothing: nothing was found of them, which is not the same as safe."""
    for scene in report.scenes:
        for one in (one for result in scene.results for one in result.unplaced):
            looked_for = scene.attacker.name == "attributes"
            end = "nobody could be attacked" if one.everybody else "beliefs about them stay as they were"
            gone = "fit no group of" if looked_for else "are not in"
            everybody = scene.unit.counted(scene.targets.n)
            yield f"{one.people:,.0f} of {everybody} {gone} {one.release}: {end}"
            if looked_for and one.unreadable and one.misfits:
                yield could_not_be_compared(one, scene.targets)
