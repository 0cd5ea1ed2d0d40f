"""What is installed: each package that is declared is imported, each that is imported declared, each file hashed."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

from unmask.runtime.extras import EXTRA_OF

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = ("requirements.lock", "runtime.lock", "base.lock")
ALL_OF_THE_USER = ("boost", "charts", "documents", "files", "fuzzy", "miners", "postgres", "release", "spark")

WITHOUT_WHEEL = ("spark",)
"""Extras in a lock of their own: PySpark is published as source alone, of 434 MB; tests are skipped without it."""

LOCKED = tuple(extra for extra in ALL_OF_THE_USER if extra not in WITHOUT_WHEEL)

MODULES = {"python-docx": "docx", "scikit-learn": "sklearn", "vl-convert-python": "vl_convert"}
"""Packages that are imported by another name."""


def normalized(requirement: str) -> str:
    """Return the name in a requirement as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[=<>~!;]", requirement, maxsplit=1)[0]).lower()


def declared(*extras: str) -> set[str]:
    """Return the packages that the project declares, with those of some extras."""
    wanted = [*PROJECT["dependencies"]]
    for extra in extras:
        wanted += PROJECT["optional-dependencies"][extra]
    return {normalized(one) for one in wanted} - {"unmask"}


def imported(place: str) -> set[str]:
    """Return the modules outside the standard library that the Python files of a folder import, wherever they do."""
    found = set()
    for file in (ROOT / place).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"unmask"}


def locked(lock: str) -> dict[str, str]:
    """Return what a lock says of each package."""
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / lock).read_text(encoding="utf-8").strip())
    return {normalized(entry): entry for entry in entries}


def test_what_is_imported_is_declared_and_what_is_declared_is_imported():
    """No package is installed that no code needs; an extra is imported only where it is asked for."""
    modules = {MODULES.get(name, name.replace("-", "_")) for name in declared(*ALL_OF_THE_USER)}
    assert modules == imported("src")


def test_each_optional_module_names_the_extra_that_installs_it():
    """What an error tells a user to install is what is missing."""
    for module, extra in EXTRA_OF.items():
        assert module in {MODULES.get(name, name) for name in declared(extra) - declared()}
    assert set(EXTRA_OF.values()) == set(ALL_OF_THE_USER)


@pytest.mark.parametrize("lock", [*LOCKS, *(f"{extra}.lock" for extra in WITHOUT_WHEEL)])
def test_each_file_of_a_lock_is_named_by_its_hash(lock):
    """One version of each package, no index, no address, and nothing that is not hashed; markers may stand there."""
    for entry in locked(lock).values():
        assert re.fullmatch(r"[a-z0-9.-]+==[^\s;]+(?: ; [^\\\n]+)?(?: \\\n    --hash=sha256:[0-9a-f]{64})+", entry)


def test_locks_hold_all_that_is_declared_at_the_same_versions():
    """`runtime.lock` is what a user with all extras has of `requirements.lock`, `base.lock` what one without has."""
    every, users, base = (locked(lock) for lock in LOCKS)
    assert declared(*LOCKED, "dev") <= every.keys()
    assert declared(*LOCKED) <= users.keys() <= every.keys()
    assert declared() <= base.keys() <= users.keys()
    assert not users.keys() & (declared("dev") - declared(*LOCKED))
    assert not base.keys() & (declared(*LOCKED) - declared())
    for name, entry in (*users.items(), *base.items()):
        assert entry.split()[0] == every[name].split()[0]


@pytest.mark.parametrize("extra", WITHOUT_WHEEL)
def test_a_lock_of_its_own_holds_an_extra_without_a_wheel(extra):
    """With what it needs; what the other locks hold, too, has the same version there."""
    own, every = locked(f"{extra}.lock"), locked("requirements.lock")
    assert declared(extra) - declared() <= own.keys()
    for name in own.keys() & every.keys():
        assert own[name].split()[0] == every[name].split()[0]


def test_make_installs_nothing_that_is_not_hashed():
    """All by the lock; the project itself without dependencies, built by what the lock has installed."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--require-hashes --only-binary :all:" in text
    for line in re.findall(r"^\t.*\bpip\b.*\b(?:install|wheel)\b.*$|^\t.*pip.*\$\(install\).*$", text, re.MULTILINE):
        complete = "$(install)" in line or "$(itself)" in line
        assert complete or ("--no-deps" in line and ("--no-index" in line or "--require-hashes" in line)), line
