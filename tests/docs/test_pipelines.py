"""The examples of pipelines: the steps of GitHub Actions and the hooks of pre-commit run as they stand."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

import unmask

FOLDER = Path(__file__).parents[2] / "examples" / "pipeline"
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "gate-a-pipeline.md"
INSTALLS = re.compile(r"python -m pip install (?:--\S+ \S+ )*unmask")


def people(n: int = 200) -> str:
    """Return an invented table."""
    lines = [f"{i},{20 + i * 7 % 50},{'fm'[i % 2]},d{i % 3},{('flu', 'cold', 'none', 'asthma')[i * 3 % 7 % 4]}"
             for i in range(n)]  # fmt: skip
    return "\n".join(["patient,age,sex,district,diagnosis", *lines]) + "\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder like a checkout: policy and roles, the table in `data`, and the commands in `bin`."""
    for name in ("policy.toml", "roles.toml"):
        shutil.copy(FOLDER / name, tmp_path)
    for name in ("data", "gate", "bin", "published"):
        (tmp_path / name).mkdir()
    (tmp_path / "data" / "people.csv").write_text(people())
    for name, module in (("unmask", "-m unmask"), ("python", "")):
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module} "$@"\n')
        program.chmod(0o755)
    return tmp_path


def run(place: Path, command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder, as a runner does."""
    source = str(Path(unmask.__file__).parents[1])
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": source, **variables}
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)  # noqa: S603


def steps(job: str) -> dict[str, str]:
    """Return the scripts of a job of the workflow, by name."""
    workflow: dict[Any, Any] = yaml.safe_load((FOLDER / "privacy-gate.yml").read_text(encoding="utf-8"))
    assert {"workflow_dispatch", "schedule"} <= set(workflow[True])  # `on` is a boolean of YAML 1.1
    assert all("run" in step or "uses" in step for step in workflow["jobs"][job]["steps"])
    return {step["name"]: step["run"] for step in workflow["jobs"][job]["steps"] if "run" in step}


def play(place: Path, job: str) -> dict[str, int]:
    """Run the steps of a job with GitHub's shell; return their exit codes."""
    variables = {"TABLE": "data/people.csv", "GATE": str(place / "gate"), "GITHUB_STEP_SUMMARY": str(place / "sum.md")}
    codes = {}
    for name, script in steps(job).items():
        if name == "Install":
            assert INSTALLS.fullmatch(script)  # needs the network: here unmask is installed already
            continue
        codes[name] = run(
            place, ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], **variables
        ).returncode
    return codes


def test_the_gate_of_github_actions_runs(place: Path):
    """A release within the limits passes, is shown, and passes when it is tested again."""
    assert play(place, "gate") == {"Publish": 0, "Audit": 0, "Show the result": 0}
    assert {path.name for path in (place / "gate").iterdir()} >= {"release", "keep.json", "audit.xml", "audit.html"}
    assert "Within the limits" in (place / "sum.md").read_text()
    assert play(place, "again") == {"Test again": 0, "Show the result": 0}
    assert "within limits, as in audit.json" in (place / "sum.md").read_text().lower()
    assert play(place, "gate")["Publish"] == 0  # the next run replaces what the last one wrote


def test_the_gate_closes(place: Path):
    """Stricter limits fail the step, and the result is shown all the same."""
    policy = place / "policy.toml"
    policy.write_text(policy.read_text().replace("max_risk = 0.2", "max_risk = 0.01"))
    assert play(place, "gate") == {"Publish": 0, "Audit": 1, "Show the result": 0}
    assert "limit is broken" in (place / "sum.md").read_text().lower()


def hooks() -> dict[str, dict[str, Any]]:
    """Return the hooks of pre-commit by their names."""
    config = yaml.safe_load((FOLDER / "pre-commit-config.yaml").read_text(encoding="utf-8"))
    return {hook["id"]: hook for repository in config["repos"] for hook in repository["hooks"]}


def test_the_hook_measures_each_published_table(place: Path):
    """Called as pre-commit does: its entry, then the files that its pattern matches."""
    hook = hooks()["published-tables"]
    for name, low in (("good", 20), ("bad", 10)):
        rows = "".join(f"{age // low * low}-{age // low * low + low - 1},f,d1,flu\n" for age in range(20, 60, 2))
        (place / "published" / f"{name}.csv").write_text(f"age,sex,district,diagnosis\n{rows}")
    files = [f"published/{name}.csv" for name in ("good", "bad")]
    assert all(re.search(hook["files"], file) for file in files)
    entry = shlex.split(hook["entry"])
    assert run(place, [*entry, files[0]]).returncode == 0
    (place / "published" / "bad.csv").write_text("age,sex,district,diagnosis\n23,f,d1,flu\n24,m,d1,cold\n")
    assert run(place, [*entry, *files]).returncode == 1
    assert run(place, [*entry, *reversed(files)]).returncode == 1


def test_a_table_of_people_is_not_committed():
    """The pattern of the hook that always fails."""
    pattern = hooks()["no-tables-of-people"]["files"]
    for file in ("people.csv", "data/people-2026.parquet", "keep.json", "out/keep3.json"):
        assert re.search(pattern, file)
    for file in ("published/spring.csv", "roles.toml", "docs/people.md"):
        assert not re.search(pattern, file)


def test_the_page_shows_both_examples():
    """Included from the files that run here."""
    text = PAGE.read_text(encoding="utf-8")
    for name in ("privacy-gate.yml", "pre-commit-config.yaml", "policy.toml", "roles.toml"):
        assert f"../../examples/pipeline/{name}" in text
