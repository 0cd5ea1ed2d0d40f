"""Notes of a command: printed at once to the listener, and repeated in the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send every note made inside the `with` block to a listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def current_listener() -> Listener:
    """Return the listener, for another thread, which has a context of its own."""
    return _listener.get() or (lambda _: None)


class Notes:
    """Sentences for the user, each once: printed during the work, and repeated in the report."""

    def __init__(self, *, silent: bool = False) -> None:
        self._texts: dict[str, None] = {}
        self._silent = silent  # not printed, since they were printed before

    def add(self, *texts: str) -> None:
        """Print sentences that also belong in the report."""
        for text in texts:
            if text not in self._texts:
                self._texts[text] = None
                self.aside(text)

    def aside(self, text: str) -> None:
        """Print a sentence that is not for the report: a seed just drawn, or the place of a file."""
        listener = _listener.get()
        if listener is not None and not self._silent:
            listener(text)

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that belongs in the report."""
        return tuple(self._texts)
