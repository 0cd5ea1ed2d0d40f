"""Interruption within two seconds, by a signal or at a time limit, also while compiled code runs.

Python delivers a signal to the main thread only between two bytecodes, and a kernel may run for minutes. So a second
thread receives it at once, gives the main thread a moment to clean up, and else removes unfinished files.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from unmask.commands.outcome.exit_codes import INTERRUPTED, MACHINE
from unmask.files import unfinished  # beforehand: a signal may come while anything is imported
from unmask.number_format import numeral
from unmask.visible_text import visible
from unmask.wording import marked, message, text

PATIENCE = 1.5
"""Seconds for the main thread to end."""

MESSAGE = marked("error: interrupted; nothing half-written was left")

TIMED_OUT = marked(
    "error: the work must end within {minutes} minutes (--time-limit); it did not, and nothing half-written was left"
)

_SIGNALS = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]

_ALARM = signal.SIGALRM if hasattr(signal, "SIGALRM") else None
"""The signal of a timer, where the system has one."""

_announced = threading.Event()
_requested = threading.Event()
_more: list[Callable[[], str]] = []
_ended_after: list[float] = []
"""The time limit that ended the work, in minutes; empty before."""


def watch() -> None:
    """Handle interruptions for the lifetime of the process.

    SIGTERM and SIGHUP count as well, unless `nohup` ignores the latter.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(receiver, sender), daemon=True, name="interruption").start()


def end() -> None:
    """Ignore signals from now on: all work is done, and only the interpreter has to end.

    If code that a library executes from text was interrupted, Python would end by SIGINT instead of its exit code;
    executing other code resets that.
    """
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    exec("")  # noqa: S102 - see above


def requested() -> bool:
    """Whether a signal requested the end: a library may replace the exception that this raises."""
    return _requested.is_set()


def exit_code() -> int:
    """Return the exit code of interrupted work."""
    return MACHINE if _ended_after else INTERRUPTED


@contextmanager
def ending_after(minutes: float | None) -> Iterator[None]:
    """Interrupt the work inside the `with` block after some minutes; None: never.

    Fails
        With `InvalidInputError` for a time that is not above 0.
    """
    if minutes is None:
        yield
        return
    if not 0 < minutes < float("inf"):
        from unmask.errors import InvalidInputError

        msg = message("--time-limit must be above 0 minutes, and finite; got {minutes}", minutes=numeral(minutes, "g"))
        raise InvalidInputError(msg)

    def end_now() -> None:
        _ended_after.append(minutes)
        _end_now()

    def interrupt(number: int, frame: FrameType | None) -> None:
        _ended_after.append(minutes)
        _interrupt(number, frame)

    if _ALARM is None:
        timer = threading.Timer(60 * minutes, end_now)
        timer.daemon = True
        timer.start()
        stop: Callable[[], object] = timer.cancel
    else:
        before = signal.signal(_ALARM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 60 * minutes)

        def stop() -> None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(_ALARM, before)

    try:
        yield
    finally:
        stop()


def _interrupt(_number: int, frame: FrameType | None) -> None:
    _requested.set()
    if _is_importing(frame):
        _end_now()
    unfinished.interrupt()


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being imported: initialization of compiled modules may abort the process at an exception."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def resumable(path: Path | None, *, keep: str | None = None) -> Iterator[None]:
    """Keep finished parts in a folder inside the `with` block, and name it if interrupted; `keep` as in `resuming`."""
    from unmask.commands.outcome.resuming import resuming

    with resuming(path, keep=keep) as folder:
        if folder is not None:
            _more.append(lambda: text(". Finished parts lie in {folder}", folder=folder.name) if folder.parts else "")
        try:
            yield
        except Exception:
            _more.clear()
            raise
    _more.clear()


def say() -> None:
    """Print, once, that the work was interrupted."""
    if not _announced.is_set():
        _announced.set()
        line = text(TIMED_OUT, minutes=numeral(_ended_after[0], "g")) if _ended_after else text(MESSAGE)
        print(visible(line + "".join(more() for more in _more)), file=sys.stderr, flush=True)


def _listen(receiver: socket.socket, _sender: socket.socket) -> None:  # both stay open: signals are written to one
    wanted = {int(number) for number in _SIGNALS if signal.getsignal(number) is _interrupt} | {int(_ALARM or 0)}
    while not wanted & set(receiver.recv(64)):
        pass
    time.sleep(PATIENCE)
    _end_now()


def _end_now() -> NoReturn:
    unfinished.remove_unfinished()
    say()
    os._exit(exit_code())
