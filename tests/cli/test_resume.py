"""`--resume FOLDER`: a long attack is interrupted, and goes on from the last finished chain, to the same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import unmask as package
from tests.cli.conftest import Unmask, people
from unmask.attacks.definetti import sampler
from unmask.attacks.definetti.convergence import r_hat
from unmask.cli import interruption
from unmask.commands.outcome import resuming
from unmask.files.parts import HEAD, PartsFolder

ROLES = ("-q", "sex", "-q", "job", "-s", "ill")
AUDIT = (
    "audit", "many.csv", "--sanitizer", "anatomy", "--set", "l=2", *ROLES, "--attack", "definetti",
    "--attack-set", "definetti.limit=800", "--resume", "parts", "--json",
)  # fmt: skip
SEED = 5  # with which all chains below agree
ATTACK = ("attack", "definetti", "--release", "rel", "--set", "limit=800", "--resume", "parts", "--out")


@pytest.fixture(autouse=True)
def release(unmask: Unmask, folder, monkeypatch):
    """Publish 600 people by Anatomy, and let each test be interrupted for the first time."""
    monkeypatch.setattr(interruption, "_announced", threading.Event())
    monkeypatch.setattr(interruption, "_more", [])
    monkeypatch.setattr(resuming, "fresh_seed", lambda: SEED)
    (folder / "many.csv").write_text(people(600))
    assert unmask("sanitize", "many.csv", "anatomy", "--set", "l=2", *ROLES, "--out", "rel").code == 0


@pytest.fixture
def interrupt(unmask: Unmask, monkeypatch):
    """Run a command, and interrupt it when it has finished some parts."""
    keep = PartsFolder.save

    def run(*arguments, after=4, by=KeyboardInterrupt):
        left = [None] * after
        lock = threading.Lock()

        def save(folder, work, part, arrays):
            with lock:
                if not left:
                    raise by
                left.pop()
            keep(folder, work, part, arrays)

        with monkeypatch.context() as patch:
            patch.setattr(PartsFolder, "save", save)
            return unmask(*arguments)

    return run


@pytest.mark.parametrize("command", [AUDIT, ATTACK], ids=["audit", "attack"])
def test_the_same_command_again_goes_on_to_the_same_bytes(unmask: Unmask, interrupt, command):
    """No seed was given: the one that was drawn lies with the parts, and with it all numbers are those of one run."""
    ran = interrupt(*command, "resumed.file")
    assert ran.code == 130
    assert ran.error == "error: interrupted; nothing half-written was left. Finished parts lie in parts"
    assert not Path("resumed.file").exists()
    assert len(list(Path("parts").glob("*.npz"))) == 4
    assert json.loads(Path("parts", HEAD).read_text())["seed"] == SEED
    assert f"seed {SEED} (say --seed {SEED}" in ran.err

    ran = unmask(*command, "resumed.file")
    assert ran.code == 0
    assert f"seed {SEED}, with which the work in parts was begun" in ran.err
    assert "going on from the finished parts in parts" in ran.err
    assert not Path("parts").exists()

    assert unmask(*command, "whole.file", "--seed", SEED).code == 0
    assert Path("resumed.file").read_bytes() == Path("whole.file").read_bytes()
    assert not Path("parts").exists()


def test_an_interruption_before_anything_is_finished_leaves_nothing(interrupt):
    """Nor does it speak of parts."""
    ran = interrupt(*ATTACK, "b.csv", after=0)
    assert (ran.code, ran.error) == (130, "error: interrupted; nothing half-written was left")
    assert not Path("parts").exists()


def test_another_seed_than_that_of_the_parts_is_an_error(unmask: Unmask, interrupt):
    """They are of no use for it; the parts stay."""
    interrupt(*ATTACK, "b.csv")
    ran = unmask(*ATTACK, "b.csv", "--seed", "6")
    assert ran.code == 2
    assert "seed must be 5, with which the work in 'parts' was begun; got 6. Leave --seed out" in ran.error
    assert unmask(*ATTACK, "b.csv", "--seed", "5").code == 0


def test_other_settings_begin_anew_and_leave_the_parts_where_they_are(unmask: Unmask, interrupt):
    """A note says that no time was saved."""
    interrupt(*ATTACK, "b.csv")
    ran = unmask(*ATTACK, "b.csv", "--set", "alpha=2")
    assert ran.code == 0
    assert "the parts in parts are of other data, settings or another version: beginning anew" in ran.err
    assert "4 finished parts of other work stay in parts" in ran.err
    assert "going on from the finished parts in parts" in unmask(*ATTACK, "c.csv").err


def test_a_disk_that_is_full_costs_no_finished_part(unmask: Unmask, interrupt):
    """Exit code 5: when there is room again, the same command goes on."""
    ran = interrupt(*ATTACK, "b.csv", by=MemoryError)
    assert ran.code == 5
    assert "finished parts are kept in parts: the same command goes on from them" in ran.err
    assert "going on" in unmask(*ATTACK, "b.csv").err


def test_parts_stay_until_the_result_is_written(unmask: Unmask, monkeypatch):
    """Whatever stops that."""
    monkeypatch.setattr(
        "unmask.commands.outcome.attack_result.write_beliefs", lambda *_, **__: (_ for _ in ()).throw(MemoryError)
    )
    assert unmask(*ATTACK, "b.csv").code == 5
    assert list(Path("parts").glob("*.npz"))


def test_chains_that_never_agree_leave_nothing(unmask: Unmask, monkeypatch):
    """Exit code 3, and an end: with a higher limit they would be compared at other times."""
    monkeypatch.setattr(sampler, "r_hat", lambda draws: 2 + 0 * r_hat(draws))
    ran = unmask(*ATTACK, "b.csv", "--set", "model=naive-bayes")
    assert ran.code == 3
    assert not Path("parts").exists()


@pytest.mark.parametrize(("name", "expected"), [("many.csv", "it is a file"), ("rel", "it holds other things")])
def test_a_folder_of_something_else_is_refused(unmask: Unmask, name, expected):
    """Before the work; nothing in it is touched."""
    before = sorted(Path("rel").iterdir())
    ran = unmask("attack", "definetti", "--release", "rel", "--resume", name)
    assert ran.code == 2
    assert expected in ran.error
    assert sorted(Path("rel").iterdir()) == before


def test_in_python_as_on_the_command_line(interrupt):
    """The option is called `resume`; parts go when the call has ended."""
    interrupt(*ATTACK, "b.csv")
    found = package.attack("definetti", "rel", set={"limit": 800}, resume="parts")
    assert found.seed == SEED
    assert not Path("parts").exists()
    assert package.audit(release="rel", attack="definetti", resume="parts", seed=1).exit_code == 0
    assert package.study("kifer-2009", set={"parts": "tables"}, resume="parts", seed=1).exit_code == 0
    assert not Path("parts").exists()


LARGE = "a,b,c,s\n" + "".join(
    f"a{i % 23},b{i * 7 % 19},c{i * i % 17},s{(i * 31 + i * i) % 29}\n" for i in range(20_000)
)


@pytest.mark.skipif(os.name != "posix", reason="signals and terminals as POSIX has them")
def test_ctrl_c_on_a_terminal(folder):
    """Progress is shown there; it is over within seconds, with finished rounds on the disk and nothing half-written."""
    import pty  # noqa: PLC0415 - Windows has none

    (folder / "large.csv").write_text(LARGE)
    words = (
        "audit large.csv --sanitizer anatomy --set l=3 -q a -q b -q c -s s --attack definetti "
        "--attack-set definetti.limit=10000 --seed 1 --resume parts --json r.json"
    )
    ours, theirs = pty.openpty()
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "unmask", *words.split()], stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    seen = b""
    while b"learning from all groups" not in seen or not list((folder / "parts").glob("*.round-*.npz")):
        seen += os.read(ours, 4096)
        assert process.poll() is None, seen
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert time.monotonic() - began < 6  # 2, and time for a machine that runs other tests
    seen += os.read(ours, 4096)
    os.close(ours)
    assert (process.returncode, out) == (130, b"")
    assert b"nothing half-written was left. Finished parts lie in parts" in seen
    assert not (folder / "r.json").exists()
    left = sorted(file.name for file in (folder / "parts").iterdir())
    assert left[-1] == HEAD
    assert all(name.endswith(".npz") for name in left[:-1])


def test_a_retest_goes_on_with_both_of_its_audits(unmask: Unmask, interrupt, folder):
    """The earlier release and the new one are attacked in one run: one folder keeps the parts of both."""
    assert unmask("sanitize", "many.csv", "anatomy", "--set", "l=2", *ROLES, "--out", "new").code == 0
    sampled = ("--attack", "definetti", "--attack-set", "definetti.limit=800", "--max-belief", "0.9", "--advice", "0")
    earlier = unmask("audit", "many.csv", "--release", "rel", *ROLES, *sampled, "--seed", str(SEED), "--json", "a.json")
    assert earlier.code in {0, 1}
    retest = ("retest", "a.json", "--release", "new", "--json")
    whole = unmask(*retest, "whole.json")
    ran = interrupt(*retest, "resumed.json", "--resume", "parts")
    assert (ran.code, ran.error.endswith("Finished parts lie in parts")) == (130, True)
    assert not (folder / "resumed.json").exists()
    ran = unmask(*retest, "resumed.json", "--resume", "parts")
    assert ran.code == whole.code
    assert "going on from the finished parts in parts" in ran.err
    assert (folder / "resumed.json").read_bytes() == (folder / "whole.json").read_bytes()
    assert not (folder / "parts").exists()
