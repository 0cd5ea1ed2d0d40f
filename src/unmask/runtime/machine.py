"""The share of the machine that this process may use: processors and memory.

Where the system limits the data of a process, an allocation beyond the share fails with `MemoryError`, and the system
ends no process. Work that would need more is refused before it begins, by its estimate.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from unmask.errors import CostlyError, InvalidInputError, ResourceError
from unmask.runtime.memory_size import memory_size, size_text
from unmask.wording import message

LEAST = 512_000_000
"""The smallest share of memory, in bytes: measured, 240 MB are resident once all libraries are loaded."""

DEFAULT = "75%"
"""The default share of memory."""

WAY_OUT = message("Write a larger --memory, or take fewer rows or columns")

_BEYOND_BY_PROCESSOR = 16 << 20
"""Bytes that threads of a processor reserve and never use: stacks of 8 MiB, of two libraries."""

_BEYOND = 128 << 20
"""Bytes that libraries reserve and never use: measured, 55 MB with two processors."""

_CONTAINER = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_NO_ROOM = ("Cannot allocate memory", "cannot allocate memory", "failed to map segment", "can't start new thread")


@dataclass(frozen=True, slots=True)
class Share:
    """The processors that work at a time, and bytes of memory; infinite where the machine's memory is unknown."""

    processors: int
    memory: float


class _Process:
    """The share of this process; all its threads have the same one."""

    share: Share | None = None


def share() -> Share:
    """Return the share of this process."""
    return _Process.share or Share(_processors(), memory_size(DEFAULT, _machine_memory()))


def processors() -> int:
    """Return how many threads or processes may work at a time."""
    return share().processors


def duckdb_settings() -> dict[str, str | bool | int | float | list[str]]:
    """Return the settings of a DuckDB connection within the share."""
    here = share()
    memory = "1024TB" if here.memory == float("inf") else f"{int(here.memory / 1000)}KB"
    return {"threads": here.processors, "memory_limit": memory}


@contextmanager
def limited(jobs: int | None = None, memory: str | None = None) -> Iterator[None]:
    """Limit the process to a share of the machine inside the `with` block; None: all processors, 75 % of the memory.

    Fails
        With `InvalidInputError` for a size that is none or below `LEAST`, with `ResourceError` where work inside the
        block runs out of memory.
    """
    size = memory_size(memory or DEFAULT, _machine_memory())
    if memory is not None and size < LEAST:
        msg = message(
            "--memory must be at least {most} for the libraries that unmask loads; got {memory}",
            most=size_text(LEAST),
            memory=memory,
        )
        raise InvalidInputError(msg)
    before, _Process.share = _Process.share, Share(jobs or _processors(), size)
    try:
        with _data_limited(size):
            yield
    except Exception as error:
        if is_out_of_memory(error) and size != float("inf"):
            msg = message(
                "this work must fit into {most} of memory; it does not. {way_out}",
                most=size_text(size),
                way_out=WAY_OUT,
            )
            raise ResourceError(msg) from error
        raise
    finally:
        _Process.share = before


def require_memory(subject: str, size: float, way_out: str = WAY_OUT) -> None:
    """Refuse work whose estimated memory, in bytes, exceeds the share.

    Fails
        With `CostlyError`, which names both.
    """
    most = share().memory
    if size > most:
        msg = message(
            "{subject} must fit into {most} of memory; it would need about {size}. {way_out}",
            subject=subject,
            most=size_text(most),
            size=size_text(size),
            way_out=way_out,
        )
        raise CostlyError(msg)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that the process may take no more memory."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException":  # the second is DuckDB's
        return True
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    return isinstance(error, ImportError | RuntimeError) and any(words in str(error) for words in _NO_ROOM)


def _processors() -> int:
    """Return the number of processors that the system lets this process use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _machine_memory() -> float:
    """Return the bytes of the machine's memory, or of the container's; infinite where they are unknown."""
    found = [float("inf")]
    with suppress(AttributeError, ValueError, OSError):  # Windows has no sysconf
        found.append(float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    for path in _CONTAINER:
        with suppress(OSError, ValueError):  # `max` is no limit
            found.append(float(path.read_text(encoding="ascii")))
    return min(found)


@contextmanager
def _data_limited(size: float) -> Iterator[None]:
    """Let allocations beyond a size fail inside the `with` block, where the system can; reserved bytes do not count."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        yield
        return
    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = size + _reserved() + _BEYOND + _BEYOND_BY_PROCESSOR * _processors()
    lower = [limit for limit in (before, most) if limit != resource.RLIM_INFINITY]
    if wanted >= min(lower, default=sys.maxsize):
        yield
        return
    resource.setrlimit(resource.RLIMIT_DATA, (int(wanted), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, most))


def _reserved() -> int:
    """Return the bytes of data that this process has reserved and not used so far; 0 where the system hides them."""
    with suppress(OSError, ValueError, KeyError):
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        sizes = {line.split(":")[0]: line.split()[1] for line in lines if line.endswith("kB")}
        return max(int(sizes["VmData"]) - int(sizes["RssAnon"]), 0) << 10
    return 0
