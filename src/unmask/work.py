"""Progress, and finished parts kept and reused: ambient, silent by default.

An algorithm says what it is doing; whoever started it (the command line, say) decides whether anybody sees it.
Nothing here changes a result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Watcher(Protocol):
    """Somebody who wants to know how far the work has come."""

    def began(self, step: Step) -> None:
        """Hear that a step has begun."""

    def advanced(self, step: Step) -> None:
        """Hear that a step has come further."""

    def ended(self, step: Step) -> None:
        """Hear that a step is over."""


@dataclass(eq=False)
class Step:
    """One piece of work with a title and, where it is known, a total."""

    title: str
    total: float | None
    watcher: Watcher | None
    done: float = 0.0

    def advance(self, amount: float = 1.0) -> None:
        """Say that some more of the step is done; safe to call from another thread."""
        self.done += amount
        if self.watcher is not None:
            self.watcher.advanced(self)


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Let a watcher hear of all work done inside the `with` block."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def step(title: str, total: float | None = None) -> Iterator[Step]:
    """Name a piece of work while it is being done."""
    current = Step(title, total, _watcher.get())
    if current.watcher is not None:
        current.watcher.began(current)
    try:
        yield current
    finally:
        if current.watcher is not None:
            current.watcher.ended(current)


_parts: ContextVar[dict[Hashable, tuple[tuple[Any, ...], Any]] | None] = ContextVar("parts", default=None)


@contextmanager
def keeping() -> Iterator[None]:
    """Keep finished parts inside the `with` block, so that whoever needs one again has it at once."""
    token = _parts.set({})
    try:
        yield
    finally:
        _parts.reset(token)


def kept(name: str, inputs: tuple[Any, ...], settings: Hashable, compute: Callable[[], T]) -> T:
    """Return a part that was computed before from the same inputs and settings, or compute it.

    Inputs are compared by identity and held on to, settings by value: a random part must name its stream among them.
    Outside of `keeping`, every part is computed anew.
    """
    parts = _parts.get()
    if parts is None:
        return compute()
    key = (name, tuple(id(one) for one in inputs), settings)
    if key not in parts:
        parts[key] = (inputs, compute())
    found: T = parts[key][1]
    return found
