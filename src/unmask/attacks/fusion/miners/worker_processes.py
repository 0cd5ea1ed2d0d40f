"""Worker processes of miners, with limits of time and memory, so that a failure affects one miner only."""

from __future__ import annotations

import atexit
import os
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any, ClassVar

from unmask.arrays import Int32
from unmask.attacks.fusion.miners.predictions import MinerPrediction
from unmask.attacks.fusion.miners.training_data import Lesson
from unmask.number_format import numeral
from unmask.wording import message

STARTING = 120.0  # seconds to start a process
_FRAME = struct.Struct("!Q")
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


class FailedError(Exception):
    """Failure of a miner, with a short reason."""


class Processes:
    """The running processes, so that all can be ended together, and the limits of each."""

    def __init__(self, seconds: float, memory: int) -> None:
        self.seconds, self.memory = seconds, memory  # memory in MiB
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._over = False

    def start(self, command: Sequence[str], **settings: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401 - of Popen
        """Start a process."""
        with self._lock:
            if self._over:
                raise FailedError(message("was interrupted"))
            settings.setdefault("stderr", subprocess.DEVNULL)
            process: subprocess.Popen[bytes] = subprocess.Popen(command, **settings)  # noqa: S603 - our own command
            self._running.add(process)
        return process

    def adopt(self, process: subprocess.Popen[bytes]) -> None:
        """Count a running process among these, to be ended with them."""
        with self._lock:
            self._running.add(process)
            if self._over:
                process.kill()

    def release(self, process: subprocess.Popen[bytes]) -> None:
        """Count a process no longer: it stays when these are ended."""
        with self._lock:
            self._running.discard(process)

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a process, and wait for its end."""
        _end(process)
        self.release(process)

    def close(self) -> None:
        """Kill all processes, and start no other."""
        with self._lock:
            self._over, running = True, list(self._running)
        for process in running:
            process.kill()  # its reader sees the end of the pipe, and ends it

    def reap(self) -> None:
        """Wait for the killed processes."""
        for process in list(self._running):
            self.end(process)

    def output_of(self, command: Sequence[str], seconds: float) -> tuple[bytes, int]:
        """Return a program's output, error output included, and its exit code.

        Fails
            With `FailedError` if it takes longer.
        """
        process = self.start(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            written, _ = process.communicate(timeout=max(seconds, 0.001))
        except subprocess.TimeoutExpired:
            raise FailedError(self.too_slow) from None
        finally:
            self.end(process)
        return written, int(process.returncode)

    @property
    def too_slow(self) -> str:
        """The reason of a miner that takes too long."""
        return message("took longer than {seconds} s", seconds=numeral(self.seconds, "g"))


class Workers:
    """Python processes with the same training data; each trains one miner at a time, and a dead one is replaced.

    Processes that are kept wait for other training data until this program ends: most of their start is imports.
    """

    _waiting: ClassVar[list[tuple[str, subprocess.Popen[bytes]]]] = []  # with their module search path

    def __init__(self, lesson: Lesson, fold_of: Int32, processes: Processes) -> None:
        self._known = pickle.dumps((lesson, fold_of, processes.memory))
        self._processes = processes
        self._idle: list[subprocess.Popen[bytes]] = []

    def learn(self, miner: Any, seed: int) -> MinerPrediction:  # noqa: ANN401 - any object with a miner's methods
        """Train a miner in one of the processes; called from several threads.

        Fails
            With `FailedError` if it raises an error, takes too long or too much memory, or ends its process.
        """
        try:
            asked = pickle.dumps((miner, seed))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise FailedError(message("cannot be sent to another process")) from error
        try:
            process = self._idle.pop()
        except IndexError:
            process = self._begun()
        reply = self._answer(process, asked, self._processes.seconds)
        if isinstance(reply, MinerPrediction):
            self._idle.append(process)
            return reply
        if isinstance(reply, str) and reply:
            self._idle.append(process)
            raise FailedError(reply)
        self._processes.end(process)
        if reply is None:
            raise FailedError(self._processes.too_slow)
        raise FailedError(
            message("took its process down, perhaps by using more than {memory} MiB", memory=self._processes.memory)
        )

    def keep(self) -> None:
        """Keep the idle processes for other training data."""
        for process in self._idle:
            self._processes.release(process)
            self._waiting.append((_search_path(), process))
        self._idle = []

    @classmethod
    def end_waiting(cls) -> None:
        """End the processes that wait."""
        while cls._waiting:
            _end(cls._waiting.pop()[1])

    @classmethod
    def forget_waiting(cls) -> None:
        """Leave the processes that wait to the parent of this process: they answer to one only."""
        cls._waiting.clear()

    def _begun(self) -> subprocess.Popen[bytes]:
        with suppress(IndexError):
            while True:
                path, process = self._waiting.pop()
                self._processes.adopt(process)
                if path == _search_path() and self._answer(process, self._known, STARTING) == "ready":
                    return process
                self._processes.end(process)
        environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": _search_path()}
        process = self._processes.start(
            [sys.executable, "-P", "-m", "unmask.attacks.fusion.miners._worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        if self._answer(process, self._known, STARTING) != "ready":
            self._processes.end(process)
            raise FailedError(message("no process could be started for it"))
        return process

    def _answer(self, process: subprocess.Popen[bytes], asked: bytes, seconds: float) -> Any:  # noqa: ANN401 - any reply
        """Return the reply; None after the time limit, an empty string if the process has ended."""
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            send(_pipe(process.stdin), asked)
            reply = receive(_pipe(process.stdout))
        except OSError:
            reply = b""
        finally:
            timer.cancel()
        if reply:
            return pickle.loads(reply)  # noqa: S301 - from our own process
        return None if late.is_set() else ""


atexit.register(Workers.end_waiting)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Workers.forget_waiting)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.wait()


def _search_path() -> str:
    return os.pathsep.join(os.path.abspath(place) for place in sys.path)  # noqa: PTH100 - `` is the current folder


def send(pipe: IO[bytes], content: bytes) -> None:
    """Write one message."""
    pipe.write(_FRAME.pack(len(content)) + content)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """Return one message; an empty one if the other process has ended."""
    head = pipe.read(_FRAME.size)
    if len(head) < _FRAME.size:
        return b""
    (size,) = _FRAME.unpack(head)
    content = pipe.read(size)
    return content if len(content) == size else b""


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise OSError("the process has no pipe")
    return pipe
