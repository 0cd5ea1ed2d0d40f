"""Asking a tool: its own environment, made on demand; a process for each question, ended when it takes too long."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._peers.questions import Question

ROOT = Path(__file__).parents[2]

ENVIRONMENTS = ROOT / ".peers"

REFUSALS = ("ValueError", "InfeasibleError", "InvalidInputError", "NotImplementedError")
"""Errors by which a tool says that it will not; any other is taken for a crash."""


@dataclass(frozen=True)
class Tool:
    """A tool: its name, where it comes from, and what it can be asked."""

    name: str
    answers: frozenset[str] | None  # None: everything
    package: str | None = None  # None: this one

    @property
    def python(self) -> Path:
        """The interpreter that runs it."""
        return Path(sys.executable) if self.package is None else ENVIRONMENTS / self.name / "bin" / "python"

    @property
    def adapter(self) -> str:
        """The module that asks it."""
        return f"benchmarks._peers.{self.name.replace('-', '_')}_adapter"


@dataclass(frozen=True)
class Outcome:
    """What came of a question: a value and the seconds it took, or why there is none."""

    value: Any = None
    seconds: float | None = None
    trouble: str = ""
    refused: bool = False
    late: bool = False


@dataclass
class Installed:
    """Which tools are there, in which version, and why the others are not."""

    versions: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def install(tools: Iterable[Tool]) -> Installed:
    """Make the environments that are not there yet, by pip; one that cannot be made is said, never fatal."""
    found = Installed()
    for tool in tools:
        try:
            if tool.package is not None and not tool.python.exists():
                print(f"installing {tool.package} into {tool.python.parents[1].relative_to(ROOT)}", file=sys.stderr)
                _run([sys.executable, "-m", "venv", str(tool.python.parents[1])])
            asks = f"from importlib.metadata import version; print(version({tool.package or 'unmask'!r}))"
            try:
                found.versions[tool.name] = _run([str(tool.python), "-c", asks]).strip()
            except subprocess.CalledProcessError:
                if tool.package is None:
                    raise
                _run([str(tool.python), "-m", "pip", "install", "-q", "--disable-pip-version-check", tool.package])
                found.versions[tool.name] = _run([str(tool.python), "-c", asks]).strip()
        except (OSError, subprocess.SubprocessError) as error:
            told = getattr(error, "stderr", None) or str(error)
            found.missing[tool.name] = str(told).strip().splitlines()[-1]
    return found


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)  # noqa: S603 - ours
    return done.stdout


def ask(tool: Tool, question: Question, limit_s: float) -> Outcome:
    """Ask a question in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        table, asked, answer = (Path(folder) / name for name in ("table.csv", "asked.json", "answer.json"))
        question.data.write(table)
        asked.write_text(json.dumps({**question.told(), "csv": str(table)}), encoding="utf-8")
        command = [str(tool.python), "-W", "ignore", "-m", tool.adapter, str(asked), str(answer)]
        began = time.perf_counter()
        try:
            done = subprocess.run(  # noqa: S603 - ours
                command, capture_output=True, text=True, check=False, timeout=limit_s, cwd=ROOT
            )
        except subprocess.TimeoutExpired:
            return Outcome(seconds=time.perf_counter() - began, trouble=f"longer than {limit_s:g} s", late=True)
        if done.returncode or not answer.exists():
            return failure(done.stderr, done.returncode)
        told: Mapping[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        value = float("inf") if told["value"] == "infinite" else told["value"]
        return Outcome(value, told["seconds"])


def failure(stderr: str, code: int) -> Outcome:
    """Return why there is no answer, from the last line of a traceback."""
    last = (stderr.strip().splitlines() or [f"exit code {code}"])[-1]
    kind = last.split(":", maxsplit=1)[0].rsplit(".", maxsplit=1)[-1]
    return Outcome(trouble=last, refused=kind in REFUSALS)
