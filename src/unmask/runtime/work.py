"""Progress, and finished parts kept and reused: ambient, silent by default.

An algorithm says what it is doing; whoever started it (the command line, say) decides whether anybody sees it, and
whether finished parts outlive the process.
Nothing here changes a result.
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
"""A finished part as it is kept: named arrays of numbers."""


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
    part: T = parts[key][1]
    return part


class Store(Protocol):
    """Somebody who keeps finished parts longer than the process lives; called from several threads."""

    def began(self, work: str) -> None:
        """Hear that a piece of work begins whose parts will be asked for."""

    def has(self, work: str, part: str) -> bool:
        """Say whether a part is kept."""

    def load(self, work: str, part: str) -> Arrays | None:
        """Return a part; nothing if there is none that can be read."""

    def save(self, work: str, part: str, arrays: Arrays) -> None:
        """Keep a part: whole or not at all."""

    def spoiled(self, work: str, part: str) -> None:
        """Hear that a part that was loaded is not what it should be."""

    def drop(self, work: str, part: str) -> None:
        """Let go of a part that nobody needs any more."""


_store: ContextVar[Store | None] = ContextVar("store", default=None)


@contextmanager
def stored(store: Store) -> Iterator[None]:
    """Let finished parts of all work done inside the `with` block be kept in a store, and be taken from it."""
    token = _store.set(store)
    try:
        yield
    finally:
        _store.reset(token)


@dataclass(frozen=True)
class StoredParts:
    """The parts of one piece of work, as a store keeps them; without a store, nothing is kept."""

    work: str
    store: Store | None

    def has(self, part: str) -> bool:
        """Say whether a part is kept."""
        return self.store is not None and self.store.has(self.work, part)

    def saved(
        self, part: str, compute: Callable[[], T], pack: Callable[[T], Arrays], unpack: Callable[[Arrays], T]
    ) -> T:
        """Return a part that is kept, or compute and keep it.

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
        """Let go of a part that nobody needs any more."""
        if self.store is not None:
            self.store.drop(self.work, part)


def parts_of(name: str, settings: str, inputs: Sequence[NDArray[Any]]) -> StoredParts:
    """Return the parts of the work that is done with these settings on these inputs; both are compared by content.

    Whatever the result depends on must be among them, the state of a random stream as well. Call it where the work
    begins: a thread knows nothing of what is ambient.
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
