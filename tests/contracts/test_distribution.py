"""What is released: one version, the same bytes from the same commit, tried with each Python that is supported."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import unmask

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def build(source: Path, out: Path, umask: int) -> dict[str, str]:
    """Build the sdist and the wheel; return the hash of each file."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1800000000"}
    ran = subprocess.run(  # noqa: S603 - the build tool of the lock
        command, cwd=source, env=environment, umask=umask, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in out.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Build a release from the project: its folder, and the hash of each file."""
    out = tmp_path_factory.mktemp("dist")
    return out, build(ROOT, out, umask=0o022)


def test_building_again_from_the_sdist_gives_the_same_bytes(built, tmp_path):
    """Elsewhere, with other permissions and times of files: all that the wheel needs is in the sdist."""
    out, hashes = built
    with tarfile.open(next(out.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / f"unmask-{unmask.__version__}"
    for number, path in enumerate(sorted(source.rglob("*"))):
        path.chmod(path.stat().st_mode & 0o700)
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    assert build(source, tmp_path / "again", umask=0o077) == hashes


def test_the_wheel_holds_the_package_and_nothing_else(built):
    """Tables, templates, the marker of types; no compiled kernel, no test, no scratch file."""
    out, _ = built
    with zipfile.ZipFile(next(out.glob("*.whl"))) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    assert {name.partition("/")[0] for name in names} == {"unmask"}
    assert {"unmask/py.typed", "unmask/datasets/adult.csv.gz", "unmask/report/templates/page.html.j2"} <= set(names)
    kinds = {re.sub(r"^.*?(\.[a-z0-9.]+)$", r"\1", name.rpartition("/")[2]) for name in names}
    assert kinds == {".py", ".pyi", ".typed", ".csv.gz", ".txt", ".schema.json", ".html.j2", ".css", ".js", ".pot"}


def test_the_version_stands_in_one_place(built):
    """`unmask.__version__`: the build reads it, the program prints it, no other file repeats it."""
    assert PROJECT["dynamic"] == ["version"]
    assert set(built[1]) == {f"unmask-{unmask.__version__}-py3-none-any.whl", f"unmask-{unmask.__version__}.tar.gz"}
    ran = subprocess.run([sys.executable, "-m", "unmask", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"unmask {unmask.__version__}\n"
    code = [ROOT / "pyproject.toml", ROOT / "Makefile", *(ROOT / "src").rglob("*.py")]
    assert [file.name for file in code if f'"{unmask.__version__}"' in file.read_text()] == ["__init__.py"]


def test_the_wheel_is_tried_with_each_python_that_is_supported():
    """`.ci/smoke` names the versions of the classifiers and of `requires-python`."""
    supported = re.findall(r":: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    tried = re.search(r"^for version in (.+); do$", (ROOT / ".ci/smoke").read_text(encoding="utf-8"), re.MULTILINE)
    assert tried is not None
    assert tried[1].split() == supported
    last = int(supported[-1].partition(".")[2])
    assert PROJECT["requires-python"] == f">={supported[0]},<3.{last + 1}"
