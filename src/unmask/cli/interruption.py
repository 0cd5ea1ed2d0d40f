"""Ctrl-C within two seconds, also while compiled code runs that does not look up.

Python hands a signal to the main thread only between two of its own steps, and a kernel may run for minutes. So a
second thread hears of it at once. It leaves the main thread a moment to clean up as usual, and else cleans up itself.
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

from unmask.commands.outcome.exit_codes import INTERRUPTED
from unmask.files import unfinished  # beforehand: a signal may come while anything is imported

PATIENCE = 1.5
"""Seconds for the main thread to end by itself."""

MESSAGE = "error: interrupted; nothing half-written was left"

_SIGNALS = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]

_announced = threading.Event()
_requested = threading.Event()
_more: list[Callable[[], str]] = []


def watch() -> None:
    """Begin to listen for interruptions, for as long as the process lives.

    A request to terminate is one as well, and so is a terminal that closes, unless `nohup` asked to ignore that.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(receiver, sender), daemon=True, name="interruption").start()


def end() -> None:
    """Ignore signals from now on: all is done, and only the interpreter is left to be ended.

    Where code that some library executes from text was interrupted, Python would end itself by SIGINT instead of
    giving its exit code; executing something else makes it forget that.
    """
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    exec("")  # noqa: S102 - see above


def requested() -> bool:
    """Whether a signal has asked for the end: a library may turn the exception that this raises into another one."""
    return _requested.is_set()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    _requested.set()
    unfinished.interrupt()


@contextmanager
def resumable(path: Path | None) -> Iterator[None]:
    """Keep finished parts in a folder inside the `with` block, and tell of them if it is interrupted."""
    from unmask.commands.outcome.resuming import resuming

    with resuming(path) as folder:
        if folder is not None:
            _more.append(lambda: f". Finished parts lie in {folder.name}" if folder.parts else "")
        try:
            yield
        except Exception:
            _more.clear()
            raise
    _more.clear()


def say() -> None:
    """Tell the user, once, that the work was interrupted."""
    if not _announced.is_set():
        _announced.set()
        print(MESSAGE + "".join(more() for more in _more), file=sys.stderr, flush=True)


def _listen(receiver: socket.socket, sender: socket.socket) -> None:
    wanted = {int(number) for number in _SIGNALS if signal.getsignal(number) is _interrupt}
    while not wanted & set(receiver.recv(64)):
        pass
    time.sleep(PATIENCE)
    unfinished.remove_unfinished()
    say()
    del sender  # kept open until now: signals are written to it
    os._exit(INTERRUPTED)
