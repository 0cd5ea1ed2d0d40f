"""Output to standard error while a command works: notes, and on a terminal a progress line."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from unmask.cli import LONGEST_LINE
from unmask.commands.notes import listening
from unmask.compiled_code import Compilation
from unmask.errors import shortened
from unmask.runtime import work
from unmask.visible_text import visible
from unmask.wording import message, text

PATIENCE = 2.0
"""Seconds before progress is shown."""

WIDTH = 78


class Screen:
    """Notes, finished steps in verbose mode, and one progress line that is overwritten."""

    def __init__(self, *, quiet: bool, progress: bool, verbose: bool) -> None:
        self.quiet, self.progress, self.verbose = quiet, progress, verbose
        self.lock = threading.Lock()
        self.steps: list[tuple[work.Step, float]] = []  # with their beginnings
        self.since = time.monotonic()
        self.last_drawn = 0.0
        self.width = 0

    def note(self, sentence: str) -> None:
        """Print a note."""
        if not self.quiet:
            with self.lock:
                self._clear()
                print(shortened(visible(text(sentence)), LONGEST_LINE), file=sys.stderr)

    def began(self, step: work.Step) -> None:
        """Show the new step."""
        with self.lock:
            self.steps.append((step, time.monotonic()))
            self._show(force=True)

    def advanced(self, step: work.Step) -> None:
        """Show the progress, a few times a second at most."""
        del step
        with self.lock:
            self._show(force=False)

    def ended(self, step: work.Step) -> None:
        """Return to the surrounding step; print the finished one in verbose mode only."""
        with self.lock:
            beginning = next((since for one, since in self.steps if one is step), time.monotonic())
            self.steps = [(one, since) for one, since in self.steps if one is not step]
            if self.verbose:
                self._clear()
                print(f"{visible(text(step.title))}: {time.monotonic() - beginning:.1f} s", file=sys.stderr)
            if not self.steps:
                self._clear()

    def clear(self) -> None:
        """Clear the progress line."""
        with self.lock:
            self._clear()

    def _show(self, *, force: bool) -> None:
        now = time.monotonic()
        early, recent = now - self.since < PATIENCE, now - self.last_drawn < 0.2
        if not self.progress or not self.steps or early or (recent and not force):
            return
        self.last_drawn = now
        step = self.steps[-1][0]
        done = f" {min(step.done / step.total, 1):4.0%}" if step.total else ""
        self._write(f"{text(step.title)}{done}  ({now - self.since:.0f} s)")

    def _clear(self) -> None:
        if self.width:
            self._write("")

    def _write(self, line: str) -> None:
        line = visible(line)[:WIDTH]
        sys.stderr.write("\r" + line.ljust(self.width) + ("\r" if not line else ""))
        sys.stderr.flush()
        self.width = len(line)


@contextmanager
def show_progress(*, quiet: bool = False, no_progress: bool = False, verbose: bool = False) -> Iterator[None]:
    """Show notes, and progress if standard error is a terminal, inside the `with` block."""
    progress = not no_progress and not quiet and sys.stderr.isatty()
    screen = Screen(quiet=quiet, progress=progress, verbose=verbose)
    with ExitStack() as stack:
        stack.callback(screen.clear)
        stack.enter_context(listening(screen.note))
        if progress or verbose:
            stack.enter_context(work.watched(screen))
            Compilation.reported = partial(work.step, message("compiling, once"))
        yield
