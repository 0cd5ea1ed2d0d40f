"""The command line in process: arguments in, exit code and both outputs back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from unmask.cli import run


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The last line on standard error, which must be the only error."""
        lines = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, self.err
        assert self.err.splitlines()[-1] == lines[0]
        assert "Traceback" not in self.err
        return lines[0]


Unmask = Callable[..., Ran]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def unmask(folder: Path, capsys: pytest.CaptureFixture[str]) -> Unmask:
    """Return the command line as a function."""
    del folder

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        found = capsys.readouterr()
        return Ran(code, found.out, found.err)

    return call


def people(n: int = 60, *, key: str = "u") -> str:
    """Return a small table as CSV: a person key, four attributes, a diagnosis; no person in it is real."""
    ills = ("flu", "flu", "asthma", "cold")
    lines = [
        f"{key}{i},{20 + i % 17},{'MF'[i % 2]},0{1000 + i % 7},{('clerk', 'nurse', 'smith')[i % 3]},{ills[(i * 7) % 4]}"
        for i in range(n)
    ]
    return "\n".join(["id,age,sex,zip,job,ill", *lines]) + "\n"


@pytest.fixture
def table(folder: Path) -> Path:
    """Write the small table."""
    path = folder / "people.csv"
    path.write_text(people())
    return path.relative_to(folder)


ROLES = ("-q", "age", "-q", "sex", "-q", "zip", "-s", "ill")
MONDRIAN = ("--sanitizer", "mondrian", "--set", "k=3", *ROLES, "--seed", "1")


@pytest.fixture
def release(unmask: Unmask, table: Path) -> Path:
    """Publish the small table by Mondrian; what is kept back lies in keep.json."""
    assert (
        unmask("sanitize", table, "mondrian", "--set", "k=3", *ROLES, "--out", "rel", "--keep", "keep.json").code == 0
    )
    return Path("rel")
