"""Whatever lies in a folder of unmask is a regular file, or the command fails at once: nothing waits for a pipe."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import ROLES, Unmask, folder, people, unmask
from unmask.files.people_counts import HEAD

__all__ = ["folder", "unmask"]

ABOUT = {
    "unmask_release": 1,
    "group_column": "g",
    "regions": "regions.csv",
    "people": "people.csv",
    "columns": [
        {"name": "age", "role": "quasi-identifier", "hierarchy": "hierarchies/age.csv"},
        {"name": "ill", "role": "sensitive"},
    ],
    "files": {"README.txt": "0" * 64},
}
FILES = {
    "release.json": json.dumps(ABOUT),
    "rows.csv": "g,age\n1,20\n1,20\n",
    "regions.csv": "g,age\n1,*\n",
    "counts-ill.csv": "group,value,count\n1,flu,1\n1,cold,1\n",
    "hierarchies/age.csv": "20;*\n30;*\n",
    "people.csv": "\n".join(
        [
            ",".join(HEAD),
            ",,,2",
            "1,,,2",
            ",ill,,2",
            ",ill,flu,1",
            ",ill,cold,1",
            "1,ill,,2",
            "1,ill,flu,1",
            "1,ill,cold,1\n",
        ]
    ),
    "README.txt": "This folder is a release\n",
}
"""One release that has every kind of file."""


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(path.parent)  # the address of a socket is short
        try:
            listening.bind(path.name)
        finally:
            os.chdir(here)


FAULTS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "socket": _socket,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "link to itself": lambda path: path.symlink_to(path.name),
}


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    """Fail where a command waits."""

    def waited(*_: object) -> None:
        msg = "a command waited for a pipe"
        raise AssertionError(msg)

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def a_release(folder: Path) -> Path:
    """Write a release that has every kind of file."""
    (folder / "rel" / "hierarchies").mkdir(parents=True)
    for name, content in FILES.items():
        (folder / "rel" / name).write_text(content)
    return folder / "rel"


EACH = [
    pytest.param(name, fault, marks=[] if i % len(FAULTS) == j else [pytest.mark.sweep])
    for i, name in enumerate(FILES)
    for j, fault in enumerate(FAULTS)
]
"""Each file and each fault; a sample has one fault for each file."""

SOME = [pytest.param(fault, marks=[] if fault in {"pipe", "device"} else [pytest.mark.sweep]) for fault in FAULTS]


@pytest.mark.parametrize(("name", "fault"), EACH)
def test_a_file_of_a_release_is_a_regular_file(unmask: Unmask, folder: Path, name: str, fault: str):
    """Each file that a release may contain, and each kind of thing under its name."""
    release = a_release(folder)
    (release / name).unlink()
    FAULTS[fault](release / name)
    ran = unmask("measure", "rel")
    assert ran.code == 2, ran
    assert Path(name).name in ran.error
    assert "must" in ran.error


def test_a_link_inside_the_folder_is_followed(unmask: Unmask, folder: Path):
    """The release itself is read, also where a file of it is a link to another one."""
    release = a_release(folder)
    (release / "rows.csv").rename(release / "other.csv")
    (release / "rows.csv").symlink_to("other.csv")
    ran = unmask("measure", "rel")
    assert ran.code == 0, ran


@pytest.mark.parametrize("listed", ["../people.csv", "/etc/passwd", "a\0b", "", ".", "x" * 5000])
def test_a_listed_file_lies_in_the_folder(unmask: Unmask, folder: Path, listed: str):
    """The hashes in release.json are of files of the release, and of nothing else on this machine."""
    release = a_release(folder)
    (folder / "people.csv").write_text("mine\n")
    (release / "release.json").write_text(json.dumps(ABOUT | {"regions": listed, "files": {listed: "0" * 64}}))
    ran = unmask("measure", "rel")
    assert ran.code == 2, ran
    assert "must" in ran.error


@pytest.mark.parametrize("fault", FAULTS)
def test_hierarchies_beside_roles_are_regular_files(unmask: Unmask, folder: Path, fault: str):
    """A roles.toml is found beside the table; what it names is read without a question."""
    (folder / "people.csv").write_text(people())
    (folder / "roles.toml").write_text('[columns.age]\nhierarchy = "age.csv"\n')
    FAULTS[fault](folder / "age.csv")
    ran = unmask("sanitize", "people.csv", "mondrian", "--set", "k=3", *ROLES, "--out", "rel")
    assert ran.code == 2, ran
    assert "'age.csv'" in ran.error


@pytest.mark.parametrize("fault", SOME)
def test_files_of_a_ledger_are_regular_files(unmask: Unmask, folder: Path, fault: str):
    """Copies of releases and hashes of people in the folder beside a ledger."""
    (folder / "people.csv").write_text(people())
    (folder / "key").write_text("k" * 64)
    roles = (*ROLES, "--person-key", "id")
    assert unmask("sanitize", "people.csv", "mondrian", "--set", "k=3", *roles, "--out", "rel").code == 0
    told = ("--ledger", "l.json", "--people", "people.csv", "--key", "key", *roles)
    assert unmask("ledger", "add", "rel", "--embed", *told).code == 0
    for path in [*folder.glob("l-files/*.npy"), *folder.glob("l-files/releases/*/release.json")]:
        path.unlink()
        FAULTS[fault](path)
    ran = unmask("ledger", "list", "--ledger", "l.json")
    assert ran.code == 2, ran
    assert ".npy' must hold the 60 people that the ledger wrote" in ran.error
    assert unmask("ledger", "check", "rel", *told).code == 0  # the same release, which it reads from its own place
    assert unmask("ledger", "prune", "--ledger", "l.json").code == 0


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ["resume.json", f"definetti.{'0' * 32}.part-1.npz"])
def test_files_of_unfinished_work_are_regular_files(unmask: Unmask, folder: Path, name: str, fault: str):
    """A folder of finished parts."""
    release = a_release(folder)
    (folder / "work").mkdir()
    (folder / "work" / "resume.json").write_text('{"schema": "unmask-resume-1", "seed": 1}')
    (folder / "work" / name).unlink(missing_ok=True)
    FAULTS[fault](folder / "work" / name)
    (folder / "people.csv").write_text("age,ill\n20,flu\n30,cold\n")
    ran = unmask("attack", "definetti", "--people", "people.csv", "--release", release, "--resume", "work")
    assert ran.code == 2, ran
    assert "work" in ran.error
