"""What importing loads and leaves intact: studies stay out of other commands, and no submodule hides a function."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

import unmask
from unmask.cli.app import COMMANDS

IMPORT_COMMANDS = """
import importlib, pkgutil
import unmask.cli, unmask.commands
for package in (unmask.cli, unmask.commands):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name not in ("unmask.cli.study_command", "unmask.commands.studying"):
            importlib.import_module(module.name)
"""

RUN_COMMANDS = """
from unmask import catalog
from unmask.attacks.fusion.attack import FAST
from unmask.cli import run
from unmask.attacks.fusion.miners import all_miners
for family in catalog.FAMILIES:
    for entry in catalog.entries(family).values():
        assert entry.summary and (family == "studies" or entry.kind)
for numbers in (True, False):
    all_miners.named(FAST[numbers], numbers=numbers)
    all_miners.miners(numbers=numbers)
assert run(["list"]) == run(["explain", "anatomy"]) == 0
assert run(["explain", "anatomi"]) == 2
"""

LOADED = """
import sys
papers = ("unmask.studies.", "unmask.attacks.fusion.miners.weka")
print(sorted(module for module in sys.modules if module.startswith(papers)))
"""

IMPORT_ALL = """
import importlib, pkgutil
import unmask
for module in pkgutil.walk_packages(unmask.__path__, "unmask."):
    if module.name != "unmask.__main__":
        importlib.import_module(module.name)
"""

CALL_ALL = """
import inspect
from pathlib import Path
from unmask.errors import InvalidInputError

table = "age,zip,ill\\n" + "".join(f"{20 + i},{i // 4},{'ab'[i % 2]}\\n" for i in range(8))
Path("people.csv").write_text(table)
roles = {"quasi": ["age", "zip"], "sensitive": ["ill"]}

def write_release():
    made = unmask.sanitize("people.csv", "anatomy", set={"l": 2}, **roles)
    made.write("release", keep="kept.json")
    return made

def retest():
    options = {"release": "release", "keep": "kept.json", "attack": "baseline", "seed": 1}
    unmask.audit("people.csv", **options, **roles).write_json("report.json")
    return unmask.retest("report.json")

def study():
    try:
        unmask.study("no-such-study")
    except InvalidInputError as error:
        return error

calls = {
    "sanitize": write_release,
    "audit": lambda: unmask.audit("people.csv", sanitizer="mondrian", set={"k": 2}, attack="baseline", seed=1, **roles),
    "attack": lambda: unmask.attack("random-worlds", "release", seed=1),
    "compare": lambda: unmask.compare(["release"], "people.csv", measures=["precision"], seed=1, **roles),
    "disclosure_risk": lambda: unmask.disclosure_risk("people.csv", **roles),
    "dp_audit": lambda: unmask.dp_audit("people.csv", "mondrian", set={"k": 2}, runs=20, seed=1, **roles),
    "harden": lambda: unmask.harden("people.csv", max_belief=0.9, only="mondrian", budget=0.1, seed=1, **roles),
    "hierarchy": lambda: unmask.hierarchy("age", "people.csv", intervals=[5]),
    "inspect": lambda: unmask.inspect("people.csv"),
    "ledger": lambda: unmask.ledger.add("release"),
    "measure": lambda: unmask.measure("release"),
    "reason": lambda: unmask.reason("release"),
    "retest": retest,
    "risk": lambda: unmask.risk("people.csv", **roles),
    "study": study,
}
public = {name for name in unmask.__all__ if inspect.isfunction(getattr(unmask, name))} | {"ledger"}
print("not called:", sorted(public ^ calls.keys()))
modules = {name for name in unmask.__all__ if inspect.ismodule(getattr(unmask, name))}
print("hidden:", sorted(modules - {"ledger"}))
print("no answer:", [name for name, call in calls.items() if call() is None])
"""


def run_fresh(folder: Path, *parts: str) -> str:
    """Run Python source in a fresh process; return what it prints."""
    command = [sys.executable, "-W", "ignore", "-c", "\n".join(parts)]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - our own source
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_studies_and_the_miners_of_a_paper_stay_out_of_other_commands(tmp_path):
    """Every command module but those of `study` is imported, then all algorithms are listed."""
    printed = run_fresh(tmp_path, IMPORT_COMMANDS, LOADED, RUN_COMMANDS, LOADED).splitlines()
    assert [printed[0], printed[-1]] == ["[]", "[]"]


def test_a_study_loads_studies(tmp_path):
    """The counterpart: the check above would see one."""
    listed = "from unmask import catalog\ncatalog.named('studies', 'kifer-2009').kind"
    assert "unmask.studies.kifer_2009" in run_fresh(tmp_path, listed, LOADED)


def test_every_public_function_can_be_called_after_every_submodule_is_imported(tmp_path):
    """Importing `unmask.audit`, were there such a module, would put the module in the place of the function."""
    printed = run_fresh(tmp_path, IMPORT_ALL, CALL_ALL)
    assert printed.splitlines() == ["not called: []", "hidden: []", "no answer: []"]


def test_no_submodule_has_the_name_of_a_public_function_or_a_command():
    """A command of today is a function of tomorrow: `unmask.measure`, `unmask.risk`, `unmask.ledger`."""
    submodules = {module.name for module in pkgutil.iter_modules(unmask.__path__)}
    commands = {name.replace("-", "_") for name in COMMANDS}
    assert {"audit", "attack", "measure", "risk", "hierarchy", "ledger"} <= commands
    assert not submodules & (commands | set(dir(unmask)))
