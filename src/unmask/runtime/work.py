"""Progress reports, and storage of finished parts: by context variables, off by default.

An algorithm reports its steps; the caller (such as the command line) decides whether to display them, and whether
finished parts outlive the process. Nothing here changes a result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
"""A finished part in storage: named arrays of numbers."""


class Watcher(Protocol):
    """A receiver of progress events."""

    def began(self, step: Step) -> None:
        """Handle the beginning of a step."""

    def advanced(self, step: Step) -> None:
        """Handle the progress of a step."""

    def ended(self, step: Step) -> None:
        """Handle the end of a step."""


@dataclass(eq=False)
class Step:
    """One piece of work with a title and, where it is known, a total."""

    title: str
    total: float | None
    watcher: Watcher | None
    done: float = 0.0

    def advance(self, amount: float = 1.0) -> None:
        """Report progress of the step; safe to call from another thread."""
        self.done += amount
        if self.watcher is not None:
            self.watcher.advanced(self)


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Send the progress of all work inside the `with` block to a watcher."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def unwatched() -> Iterator[None]:
    """Report no progress of the work inside the `with` block, such as the parts of one of many trials."""
    token = _watcher.set(None)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def step(title: str, total: float | None = None) -> Iterator[Step]:
    """Report a named step of work during the `with` block."""
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
    """Cache finished parts in memory inside the `with` block."""
    token = _parts.set({})
    try:
        yield
    finally:
        _parts.reset(token)


def kept(name: str, inputs: tuple[Any, ...], settings: Hashable, compute: Callable[[], T]) -> T:
    """Return the cached part of the same inputs and settings, or compute it.

    Inputs are compared by identity and kept alive, settings by value; the settings of a random part must include its
    stream. Outside of `keeping`, every part is computed again.
    """
    parts = _parts.get()
    if parts is None:
        return compute()
    key = (name, tuple(id(one) for one in inputs), settings)
    if key not in parts:
        parts[key] = (inputs, compute())
    part: T = parts[key][1]
    return part


class Store(Protocol):
    """A store of finished parts that outlives the process; called from several threads."""

    def began(self, work: str) -> None:
        """Handle the beginning of a piece of work with parts."""

    def has(self, work: str, part: str) -> bool:
        """Whether a part is stored."""

    def load(self, work: str, part: str) -> Arrays | None:
        """Return a part; None if there is no readable one."""

    def save(self, work: str, part: str, arrays: Arrays) -> None:
        """Store a part atomically."""

    def spoiled(self, work: str, part: str) -> None:
        """Handle a loaded part that is invalid."""

    def drop(self, work: str, part: str) -> None:
        """Remove a part that is not needed any more."""


_store: ContextVar[Store | None] = ContextVar("store", default=None)


@contextmanager
def stored(store: Store | None) -> Iterator[None]:
    """Store finished parts of all work inside the `with` block, and load them from there; None: keep none."""
    token = _store.set(store)
    try:
        yield
    finally:
        _store.reset(token)


@dataclass(frozen=True)
class StoredParts:
    """The stored parts of one piece of work; without a store, none."""

    work: str
    store: Store | None

    def has(self, part: str) -> bool:
        """Whether a part is stored."""
        return self.store is not None and self.store.has(self.work, part)

    def saved(
        self, part: str, compute: Callable[[], T], pack: Callable[[T], Arrays], unpack: Callable[[Arrays], T]
    ) -> T:
        """Return a stored part, or compute and store it.

        `unpack` raises `KeyError` or `ValueError` for arrays that it did not pack.
        """
        if self.store is None:
            return compute()
        arrays = self.store.load(self.work, part)
        if arrays is not None:
            try:
                return unpack(arrays)
            except (KeyError, ValueError):
                self.store.spoiled(self.work, part)
        result = compute()
        self.store.save(self.work, part, pack(result))
        return result

    def drop(self, part: str) -> None:
        """Remove a part that is not needed any more."""
        if self.store is not None:
            self.store.drop(self.work, part)


def parts_of(name: str, settings: str, inputs: Sequence[NDArray[Any]]) -> StoredParts:
    """Return the stored parts of the work with these settings and inputs, both compared by content.

    They must include everything that the result depends on, also the state of a random stream. Call it where the work
    begins: threads do not inherit context variables.
    """
    store = _store.get()
    if store is None:
        return StoredParts(name, None)
    digest = hashlib.sha256(f"{name}\0{settings}\0{np.__version__}".encode())
    for array in inputs:
        digest.update(f"\0{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    work = f"{name}.{digest.hexdigest()}"
    store.began(work)
    return StoredParts(work, store)
