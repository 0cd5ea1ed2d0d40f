"""Worker process of miners: receives training data, and then one miner after the other, until the next ones."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import warnings
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from unmask.attacks.fusion.miners import all_miners  # noqa: F401 - loads the models before the memory is counted
from unmask.attacks.fusion.miners.worker_processes import receive, send
from unmask.wording import message


def main() -> None:
    """Answer requests until the parent process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides
    warnings.simplefilter("ignore")
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output of models is no reply
    asked: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    lesson: Any = None
    fold_of: Any = None
    memory = 0
    while True:
        match pickle.loads(asked.get()):  # noqa: S301 - from our own parent
            case (lesson, fold_of, memory):
                _limit(memory)
                send(replies, pickle.dumps("ready"))
            case (miner, seed):
                send(replies, pickle.dumps(answered(miner, lesson, fold_of, seed, memory)))


def answered(miner: Any, lesson: Any, fold_of: Any, seed: int, memory: int) -> Any:  # noqa: ANN401 - of any kind
    """Return a miner's predictions, or the reason of its failure."""
    try:
        return miner.learn(lesson, fold_of, seed)
    except MemoryError:
        return message("needs more than {memory} MiB", memory=memory)
    except Exception as error:  # noqa: BLE001 - a miner may fail in any way
        first = str(error).strip().partition("\n")[0]
        return first[:160] if type(error).__module__.startswith("unmask") else f"{type(error).__name__}: {first[:160]}"


def _listen(pipe: IO[bytes], asked: queue.SimpleQueue[bytes]) -> None:
    """Queue requests; end the process at once, even during its work, if the parent process has ended."""
    while content := receive(pipe):
        asked.put(content)
    os._exit(0)


def _limit(memory: int) -> None:
    """Limit the process to so many MiB more than it uses now, if the system supports limits."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    used = 0
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmData:"):
                used = int(line.split()[1]) << 10
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (used + (memory << 20), resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
