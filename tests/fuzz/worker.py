"""Many cases, in a process that may hang or die: `python -m tests.fuzz.worker KIND SEED FIRST FOLDER MODE`.

For each call it writes a line before and a line after, so that its parent knows which one it was.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import sys
from dataclasses import asdict
from itertools import count
from pathlib import Path

from tests.fuzz.running import run_case

SECONDS = 60
"""Of processor time that a call about a tiny file may take."""

MEMORY = 12 << 30


def main() -> None:
    """Run cases until the parent has enough of them."""
    kind, seed, first, folder, mode = sys.argv[1:]
    report = os.fdopen(os.dup(1), "w")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    faulthandler.register(signal.SIGXCPU, chain=True)  # a hang: where it is, and the end
    for number in count(int(first)):
        for arguments, code, faults in run_case(kind, int(seed), number, Path(folder), apart=mode == "apart"):
            _allow(SECONDS)
            found = {"number": number, "arguments": arguments, "code": code, "faults": [asdict(one) for one in faults]}
            print(json.dumps(found), file=report, flush=True)
        print(json.dumps({"number": number, "done": True}), file=report, flush=True)


def _allow(seconds: int) -> None:
    """Let this process use so much more processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds, hard))


if __name__ == "__main__":
    main()
