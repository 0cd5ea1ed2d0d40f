"""Ctrl-C: soon, one line, exit code 130, and nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

if os.name != "posix":
    pytest.skip("signals are sent as POSIX has them", allow_module_level=True)

SOON = 6.0  # seconds: 2, and time for a machine that runs other tests
PATIENCE = 120.0

UNINTERRUPTIBLE = """
import hashlib, sys
from pathlib import Path
from unmask.cli import interruption
from unmask.files.writing import writing
interruption.watch()
with writing(Path("out.csv")) as file:
    file.write(b"half of it")
    print("ready", file=sys.stderr, flush=True)
    while True:
        try:
            hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 2_000_000_000)
        except KeyboardInterrupt:  # had it come before the call, we would be here
            continue
"""


def wait_for(process: subprocess.Popen[str], text: str) -> None:
    """Read standard error until a line with some text appears."""
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return
    raise AssertionError(f"the process ended without saying {text!r}")


def interrupted(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str, str]:
    """Send a signal; return the exit code and what was said after it."""
    began = time.monotonic()
    process.send_signal(how)
    out, err = process.communicate(timeout=PATIENCE)
    assert time.monotonic() - began < SOON
    return process.returncode, out, err


def started(*arguments: str, folder: Path) -> subprocess.Popen[str]:
    """Start Python in a folder."""
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, *arguments], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.parametrize("how", [pytest.param(signal.SIGINT, marks=pytest.mark.sweep), signal.SIGTERM])
def test_ctrl_c_in_the_middle_of_an_attack(tmp_path, how):
    """While four chains of deFinetti run in threads of their own; a request to terminate counts as an interruption."""
    lines = [f"a{i % 23},b{i * 7 % 19},c{i * i % 17},s{(i * 31 + i * i) % 29}" for i in range(20_000)]
    (tmp_path / "people.csv").write_text("a,b,c,s\n" + "\n".join(lines) + "\n")
    command = [
        "audit",
        "people.csv",
        "--sanitizer",
        "anatomy",
        "--set",
        "l=3",
        "-q",
        "a",
        "-q",
        "b",
        "-q",
        "c",
        "-s",
        "s",
    ]
    more = [
        "--attack",
        "definetti",
        "--attack-set",
        "definetti.limit=100000",
        "--html",
        "out.html",
        "-v",
        "--seed",
        "1",
    ]
    process = started("-m", "unmask", *command, *more, folder=tmp_path)
    wait_for(process, "not the one to publish")
    time.sleep(0.5)
    code, out, err = interrupted(process, how)
    assert code == 130
    assert err.splitlines()[-1] == "error: interrupted; nothing half-written was left"
    assert err.count("error:") == 1
    assert "Traceback" not in err
    assert out == ""
    assert [p.name for p in tmp_path.iterdir()] == ["people.csv"]


def test_ctrl_c_while_compiled_code_does_not_look_up(tmp_path):
    """Python would hear of it in minutes; a thread that listens removes what is half-written, and ends the process."""
    process = started("-c", UNINTERRUPTIBLE, folder=tmp_path)
    wait_for(process, "ready")
    time.sleep(0.5)  # from saying so to being inside the compiled call
    assert len(list(tmp_path.iterdir())) == 1
    code, out, err = interrupted(process, signal.SIGINT)
    assert (code, out, err) == (130, "", "error: interrupted; nothing half-written was left\n")
    assert list(tmp_path.iterdir()) == []


EXECUTED = """
import os, signal, time
from unmask import cli
cli.run = lambda _: exec("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)")
cli.main(["list"])
"""


def test_an_interruption_of_executed_text_keeps_the_exit_code(tmp_path):
    """Imports execute text (dataclasses do); Python would then end itself by SIGINT."""
    process = started("-c", EXECUTED, folder=tmp_path)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, "", "error: interrupted; nothing half-written was left\n")


def test_no_exception_is_raised_while_a_module_is_imported(tmp_path):
    """Some compiled modules abort the process at an exception in their initialization; one file is half-written."""
    (tmp_path / "compiled.py").write_text(
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\nexcept KeyboardInterrupt:\n    os.abort()\n"
    )
    script = (
        "from pathlib import Path\nfrom unmask.cli import interruption\nfrom unmask.files.writing import writing\n"
        "interruption.watch()\nwith writing(Path('out.csv')) as file:\n    file.write(b'half')\n    import compiled\n"
    )
    process = started("-c", script, folder=tmp_path)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, "", "error: interrupted; nothing half-written was left\n")
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".py" and path.name != "__pycache__"] == []
