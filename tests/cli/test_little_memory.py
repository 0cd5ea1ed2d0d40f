"""Too little memory: exit code 5 and one line with the way out, never a killed process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROLES, people
from unmask.cli import LEAST_ADDRESSES, failure
from unmask.report.converter import Converter
from unmask.report.figures import MISSING

pytest.importorskip("resource")

MONDRIAN = f"--sanitizer mondrian --set k=3 --seed 1 --quiet {' '.join(ROLES)}"
AUDIT = f'"{sys.executable}" -m unmask audit people.csv {MONDRIAN}'


def limited(kilobytes: int, options: str = "") -> subprocess.CompletedProcess[str]:
    """Run an audit with a limit of address space."""
    command = f"ulimit -v {kilobytes}; {AUDIT} {options}"
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)  # noqa: S603, S607 - our own commands


def test_a_report_is_written_where_charts_cannot_be_drawn(folder: Path):
    """The converter ends its process, not ours: numbers and page are there, and say what is missing."""
    (folder / "people.csv").write_text(people())
    ran = limited((LEAST_ADDRESSES >> 10) + (1 << 20), "--html r.html --json r.json")
    assert ran.returncode == 5, ran.stderr
    assert "charts could not be drawn, all else is written: too little memory. Raise its limit" in ran.stderr
    assert Path("r.json").stat().st_size > 1000
    assert MISSING in Path("r.html").read_text()
    assert 'role="img"' not in Path("r.html").read_text()


@pytest.mark.parametrize("megabytes", [64, 256, 512, 1024, 2000])
def test_a_limit_below_what_libraries_need_is_refused_at_once(folder: Path, megabytes: int):
    """Below it some of them end the process natively, or hang."""
    (folder / "people.csv").write_text(people())
    ran = limited(megabytes << 10)
    assert (ran.returncode, ran.stderr.count("\n")) == (5, 1), ran.stderr
    assert "the limit of memory must be at least 2,048 MB" in ran.stderr
    assert "ulimit -v 2097152" in ran.stderr


def test_a_converter_that_ends_is_not_asked_again(monkeypatch: pytest.MonkeyPatch):
    """One process is tried; after that each chart is missing at once."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    converter = Converter()
    assert [converter.svg({}), converter.svg({})] == [None, None]
    assert converter.missing == 2


@pytest.mark.parametrize("error", [MemoryError(), ImportError("libx.so: failed to map segment from shared object")])
def test_what_memory_could_not_be_had_for_is_said(error: Exception):
    """Also where a library could not be loaded for lack of it; any other import that fails is a defect."""
    message, code = failure(error, [])
    assert (code, "needs more memory than there is" in message) == (5, True)
    assert failure(ImportError("no module named x"), [])[1] == 70
