"""Progress on standard error: only on a terminal, and only for work that takes a while."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from unmask import work

PATIENCE = 2.0
"""Seconds before anything is shown."""


class Line:
    """One line on a terminal that is written over as the work goes on."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.steps: list[work.Step] = []
        self.since = time.monotonic()
        self.shown = 0.0
        self.width = 0

    def began(self, step: work.Step) -> None:
        """Show the new step."""
        with self.lock:
            self.steps.append(step)
            self._show(force=True)

    def advanced(self, step: work.Step) -> None:
        """Show how far it has come, a few times a second at most."""
        del step
        with self.lock:
            self._show(force=False)

    def ended(self, step: work.Step) -> None:
        """Go back to the step around it."""
        with self.lock:
            if step in self.steps:
                self.steps.remove(step)
            if not self.steps:
                self._write("")

    def _show(self, *, force: bool) -> None:
        now = time.monotonic()
        if not self.steps or now - self.since < PATIENCE or (now - self.shown < 0.2 and not force):
            return
        self.shown = now
        step = self.steps[-1]
        done = f" {min(step.done / step.total, 1):4.0%}" if step.total else ""
        self._write(f"{step.title}{done}  ({now - self.since:.0f} s)")

    def _write(self, text: str) -> None:
        text = text[:78]
        sys.stderr.write("\r" + text.ljust(self.width) + ("\r" if not text else ""))
        sys.stderr.flush()
        self.width = len(text)


@contextmanager
def shown(*, wanted: bool = True) -> Iterator[None]:
    """Show progress inside the `with` block, if it is wanted and standard error is a terminal."""
    if not wanted or not sys.stderr.isatty():
        yield
        return
    line = Line()
    with work.watched(line):
        try:
            yield
        finally:
            line._write("")  # noqa: SLF001 - our own line


def note(text: str, *, quiet: bool = False) -> None:
    """Say something beside the answer."""
    if not quiet:
        print(text, file=sys.stderr)
