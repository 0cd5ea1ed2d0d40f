"""Whether the page that is being written is interactive: then marks of charts are named by their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_INTERACTIVE = ContextVar("interactive", default=False)


@contextmanager
def interaction(*, interactive: bool) -> Iterator[None]:
    """Draw charts for an interactive page, or for a still one, inside the `with` block."""
    token = _INTERACTIVE.set(interactive)
    try:
        yield
    finally:
        _INTERACTIVE.reset(token)


def is_interactive() -> bool:
    """Whether marks of charts are to be named."""
    return _INTERACTIVE.get()
