"""Fuzz by hand.

`python -m tests.fuzz KIND CALLS [SEED]` runs a session (KIND-apart: as processes); `python -m tests.fuzz --replay KIND
SEED NUMBER FOLDER` runs one case again, and leaves its files in a folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.fuzz.cases import KINDS
from tests.fuzz.running import run_case
from tests.fuzz.session import Session


def main() -> None:
    """Run a session, or one case."""
    if sys.argv[1] == "--replay":
        kind, seed, number, folder = sys.argv[2:]
        for arguments, code, found in run_case(kind, int(seed), int(number), Path(folder)):
            print(*map(repr, arguments), code)
            print(*found, sep="\n")
        return
    kind, calls, *rest = sys.argv[1:]
    if kind.removesuffix("-apart") not in KINDS:
        sys.exit(f"KIND must be one of {', '.join(KINDS)}, each with -apart or without; got {kind!r}")
    session = Session(kind.removesuffix("-apart"), int(rest[0]) if rest else 1, apart=kind.endswith("-apart"))
    session.run(calls=int(calls))
    for (command, code), n in sorted(session.codes.items()):
        print(f"{command:.20} {code}: {n}")
    print(f"{session.calls} calls, {session.cases} cases, {len(session.faults)} faults", *session.faults, sep="\n")


if __name__ == "__main__":
    main()
