"""CONTRIBUTING's worked example is an attack: the catalog finds it, and it keeps the rules for all attacks."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BLOCK = re.compile(r"^ *`([^`\n]+)`:\n\n(?P<indent> *)```\w+\n(.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
"""A path that stands alone on a line, then a block: the file's content."""

CONTRACTS = ("attacks", "docstrings", "requirements")
"""The files of `tests/contracts/` that hold each attack to rules."""

OURS = 'lint.isort.known-first-party = ["tests", "unmask"]'
"""Ruff looks for the modules of a file in the tree, where those of the example are not."""

INSTALL = """
import unmask.attacks

unmask.attacks.__path__.append({folder!r})
"""
"""A plugin of pytest: the folder of attacks also lies elsewhere."""

AUDIT = """
import sys
from unmask.cli import run
assert run(["list", "attacks"]) == 0
sys.exit(run(["audit", "people.csv", "--sanitizer", "mondrian", "--set", "k=2", "-q", "age", "-s", "ill",
              "--attack", "homogeneity", "--seed", "1"]))
"""


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """Return the example's files: path in the project → content."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return {path: textwrap.dedent(body) for path, _, body in BLOCK.findall(text)}


@pytest.fixture(scope="module")
def example(files, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the example's files below a folder."""
    below = tmp_path_factory.mktemp("example")
    for path, body in files.items():
        (below / path).parent.mkdir(parents=True, exist_ok=True)
        (below / path).write_text(body, encoding="utf-8")
    (below / "worked_example.py").write_text(INSTALL.format(folder=str(below / "src/unmask/attacks")))
    return below


def python(*arguments: str, example: Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run Python where the plugin can be imported."""
    code = f"import sys; sys.path[:0] = [{str(ROOT / 'src')!r}, {str(example)!r}]; import worked_example"
    command = [sys.executable, "-c", f"{code}\n{arguments[0]}", *arguments[1:]]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - our own source


def test_the_text_names_every_file_of_an_attack(files):
    """The attack, its tests, its changelog fragment."""
    assert set(files) == {
        "src/unmask/attacks/homogeneity/__init__.py",
        "src/unmask/attacks/homogeneity/attack.py",
        "tests/attacks/test_homogeneity.py",
        "changelog.d/homogeneity.added.md",
    }


def test_it_passes_its_own_tests_and_the_contracts(example):
    """As if its files lay in the project."""
    run = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"
    own, contracts = str(example / "tests"), [f"tests/contracts/test_{name}.py" for name in CONTRACTS]
    options = ["-n", "0", "-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib", "-k", "omogeneity"]
    ran = python(run, *options, "-m", "not slow", *contracts, own, example=example)
    assert ran.returncode == 0, ran.stdout[-3000:]
    tried = re.search(r"(\d+) passed", ran.stdout)
    assert tried is not None
    assert int(tried[1]) >= 20, ran.stdout  # a few would mean that the contracts did not find it
    assert "skipped" not in ran.stdout


def test_the_command_line_lists_it_and_the_audit_runs_it(example, tmp_path):
    """A group with one value is disclosed."""
    ill = "aabbabab"
    rows = "".join(f"{20 + i},{ill[i]}\n" for i in range(8))
    (tmp_path / "people.csv").write_text(f"age,ill\n{rows}")
    ran = python(AUDIT, example=example, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"^  homogeneity +Infer a value only where", ran.stdout, re.MULTILINE)
    assert "homogeneity" in ran.stdout.partition("random-worlds")[2]


def test_it_is_formatted_and_linted_as_the_project_is(files):
    """As if its files lay in the project."""
    ruff = Path(sys.executable).parent / "ruff"
    for path in (path for path in files if path.endswith(".py")):
        for options in (("format", "--diff"), ("check", "--ignore", "INP001", "--config", OURS)):
            ran = subprocess.run(  # noqa: S603 - our own source
                [ruff, *options, "--stdin-filename", path, "-"],
                input=files[path], cwd=ROOT, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert ran.returncode == 0, ran.stdout
