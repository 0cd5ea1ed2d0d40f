"""Random files, options, release folders and texts written by hand: no call may break what `checks.py` promises.

`UNMASK_FUZZ_SECONDS` is how long all of it may take, `UNMASK_FUZZ_SEED` what it is drawn from.
"""

from __future__ import annotations

import os

import pytest

from tests.fuzz.cases import KINDS
from tests.fuzz.session import Session

if os.name != "posix":
    pytest.skip("processes are limited as POSIX has it", allow_module_level=True)

SECONDS = float(os.environ.get("UNMASK_FUZZ_SECONDS", "60"))
SEED = int(os.environ.get("UNMASK_FUZZ_SEED", "1"))
CALLS, APART = 10_000, 500
"""Commands that are run in all, and how many of these as processes of their own."""


def report(session: Session) -> str:
    """Write the faults of a session, each once, with how to see it again."""
    distinct = {(one.what, *one.arguments[:1], one.err.strip()[-80:]): one for one in session.faults}
    return f"{len(session.faults)} faults in {session.calls} calls\n" + "\n".join(map(str, distinct.values()))


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_of_calls_keeps_all_promises(kind: str):
    """As many as there is time for; the same ones each time."""
    session = Session(kind, SEED).run(seconds=SECONDS / len(KINDS))
    assert not session.faults, report(session)
    assert session.calls


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_calls_keep_all_promises(kind: str):
    """Also of seeds that no sample has."""
    session = Session(kind, SEED + 1).run(calls=(CALLS - APART) / len(KINDS))
    assert not session.faults, report(session)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_processes_keep_all_promises(kind: str):
    """What a shell would get: exit codes, streams and temporary files included."""
    session = Session(kind, SEED + 2, apart=True).run(calls=APART / len(KINDS))
    assert not session.faults, report(session)
