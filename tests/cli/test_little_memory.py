"""Too little memory: exit code 5 and one line with the way out, never a killed process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROLES, people
from unmask import cli
from unmask.cli import LEAST_ADDRESSES, failure
from unmask.report.converter import MEMORY, ConversionError, Converter
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
    assert MISSING.format(cause=MEMORY) in Path("r.html").read_text()
    assert 'role="img"' not in Path("r.html").read_text()


@pytest.mark.parametrize("megabytes", [64, 256, 512, 1024, 2000])
def test_a_limit_below_what_libraries_need_is_refused_at_once(folder: Path, megabytes: int):
    """Below it some of them end the process natively, or hang."""
    (folder / "people.csv").write_text(people())
    ran = limited(megabytes << 10)
    assert (ran.returncode, ran.stderr.count("\n")) == (5, 1), ran.stderr
    assert "the limit of memory must be at least 2,048 MB" in ran.stderr
    assert "ulimit -v 2097152" in ran.stderr


BAR = {"data": {"values": [{"x": 1}]}, "mark": "bar", "encoding": {"x": {"field": "x"}}}


def mortal(folder: Path, lives: int) -> str:
    """Return a Python whose first processes are killed; it notes each start in a file."""
    program = folder / "python"
    program.write_text(
        f"#!/bin/sh\necho >> {folder}/starts\n[ $(wc -l < {folder}/starts) -gt {lives} ] || kill -9 $$\n"
        f'exec {sys.executable} "$@"\n'
    )
    program.chmod(0o700)
    return str(program)


@pytest.mark.parametrize(("lives", "drawn", "starts"), [(1, [True, True, True], 2), (9, [False, False, False], 4)])
def test_a_converter_that_ends_is_replaced_once_for_a_chart(tmp_path, monkeypatch, lives, drawn, starts):
    """The cause is that of its process; after two charts in a row the others are missing at once."""
    monkeypatch.setattr(sys, "executable", mortal(tmp_path, lives))
    converter = Converter()

    def is_drawn() -> bool:
        try:
            return converter.svg(BAR).startswith("<svg")
        except ConversionError as error:
            assert str(error) == "its converter was ended by SIGKILL"  # noqa: PT017 - some charts are drawn
            return False

    assert [is_drawn() for _ in drawn] == drawn
    assert len(converter.causes) == drawn.count(False)
    assert len((tmp_path / "starts").read_text().splitlines()) == starts
    converter.close()


def test_a_chart_that_the_converter_refuses_leaves_the_others():
    """The cause is its own message, in one line."""
    converter = Converter()
    with pytest.raises(ConversionError, match=r"^Error: Invalid specification [^\n]+$"):
        converter.svg({})
    assert converter.svg(BAR).startswith("<svg")
    converter.close()


@pytest.mark.parametrize(
    ("program", "cause"), [("/bin/false", "its converter ended with code 1"), ("/nowhere", "No such file or directory")]
)
def test_a_converter_that_does_not_start_is_the_cause(monkeypatch, program, cause):
    """As where the interpreter is gone."""
    monkeypatch.setattr(sys, "executable", program)
    with pytest.raises(ConversionError, match=cause):
        Converter().svg(BAR)


@pytest.mark.parametrize("error", [MemoryError(), ImportError("libx.so: failed to map segment from shared object")])
def test_what_memory_could_not_be_had_for_is_said(error: Exception, monkeypatch: pytest.MonkeyPatch):
    """Also where a library could not be loaded for lack of it; any other import that fails is a defect."""
    for limit, reason in ((float("inf"), "than there is. Take fewer"), (3 << 30, "than the limit of 3,072 MB. Raise")):
        monkeypatch.setattr(cli, "_limit_of_memory", lambda limit=limit: limit)
        message, code = failure(error, [])
        assert (code, f"needs more memory {reason}" in message) == (5, True), message
    assert failure(ImportError("no module named x"), [])[1] == 70
