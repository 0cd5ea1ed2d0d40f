"""What pages say is run: every command, its exit code, and the lines of output that are shown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.docs.command_line import PAGE, written
from unmask.cli import run
from unmask.commands.outcome.exit_codes import MEANING

DOCS = Path(__file__).parents[2] / "docs"

PAGES = sorted(page for place in ("tutorial", "how-to", "attacks") for page in DOCS.glob(f"{place}/*.md"))
ELSEWHERE = {"attack-on-spark"}
"""Pages whose examples need an extra that no lock holds: `tests/warehouse/spark/test_definetti.py` runs them."""
PAGES = [page for page in PAGES if page.stem not in {"index", *ELSEWHERE}]
PAGES = [*PAGES, DOCS / "explanation" / "population-risk.md"]

_FENCE = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Command:
    """A command of a console block, and the output that is shown below it."""

    text: str
    shown: list[str] = field(default_factory=list)


def commands_in(block: str) -> Iterator[Command]:
    """Yield the commands of a console block: `$ …`, continued after a backslash or up to the END of a document."""
    lines = iter(block.splitlines())
    current: Command | None = None
    for line in lines:
        if not line.startswith("$ "):
            assert current is not None, f"a console block must begin with a command; got {line!r}"
            current.shown.append(line)
            continue
        if current is not None:
            yield current
        text = line[2:]
        while text.endswith("\\"):
            text = text[:-1] + next(lines).strip()
        if text.endswith("<<END"):
            text += "\n" + "\n".join(iter(lambda: next(lines), "END")) + "\n"
        current = Command(text)
    if current is not None:
        yield current


def assert_shown(shown: list[str], printed: str, command: str) -> None:
    """Check that lines shown in a document were printed, in this order; `...` stands for lines left out."""
    rest = iter(line.rstrip() for line in printed.splitlines())
    for line in shown:
        if line.strip() != "...":
            assert line.rstrip() in rest, f"after `{command}`, {line!r} was not printed (or not there):\n{printed}"


def play(page: Path, capsys: pytest.CaptureFixture[str]) -> int:
    """Run everything on a page in order, in the current folder; return how many blocks and commands there were."""
    names: dict[str, object] = {}
    count, code = 0, 0
    for kind, block in _FENCE.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(block, str(page), "exec"), names)  # noqa: S102 - our own document
            count += 1
            continue
        for command in commands_in(block):
            words = shlex.split(command.text.partition("\n")[0])
            if command.text == "echo $?":
                assert command.shown == [str(code)], f"{page.name}: the exit code was {code}"
                code = 0
                continue
            assert code == 0, f"{page.name}: a command before `{command.text}` ended with {code}, unannounced"
            if words[0] == "cat" and words[1] == ">":
                Path(words[2]).write_text(command.text.partition("\n")[2], encoding="utf-8")
            elif words[0] == "cat":
                assert_shown(command.shown, Path(words[1]).read_text(encoding="utf-8"), command.text)
            elif words[0] == "mkdir":
                Path(words[1]).mkdir()
            else:
                assert words[0] == "unmask", f"{page.name}: what does `{command.text}` do?"
                capsys.readouterr()
                code = run(words[1:])
                count += 1
                found = capsys.readouterr()
                assert_shown(command.shown, found.err + found.out, command.text)
    assert code == 0, f"{page.name}: the last command ended with {code}, unannounced"
    return count


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_says_happens(page: Path, tmp_path: Path, monkeypatch, capsys):
    """In an empty folder, from top to bottom; each page makes its own small data."""
    monkeypatch.chdir(tmp_path)
    assert play(page, capsys) >= 1


def test_each_page_is_listed():
    """A page of no list is a warning of `make docs`, found here without building anything."""
    for index in DOCS.glob("*/index.md"):
        trees = re.findall(r"^```\{toctree\}\n(.*?)^```$", index.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        listed = {line for tree in trees for line in tree.split()}
        pages = {page.stem for page in index.parent.glob("*.md")} - {"index"}
        assert "*" in listed or pages <= listed, f"{index}: list {sorted(pages - listed)}"


def test_there_are_pages():
    """A test that looks for nothing finds nothing wrong."""
    assert {page.stem for page in PAGES} >= {
        "first-audit", "attack-a-release-made-elsewhere", "gate-a-pipeline", "declare-roles", "read-the-report",
    }  # fmt: skip


def test_each_exit_code_is_documented():
    """The table of the reference is the table of the program."""
    text = (DOCS / "reference" / "exit-codes.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| (\d+) \| (.+?) \|$", text, re.MULTILINE))
    assert table == {str(code): meaning for code, meaning in MEANING.items()}


def test_the_reference_of_the_command_line_is_what_the_program_says():
    """Written anew by `python -m tests.docs.command_line`."""
    assert PAGE.read_text(encoding="utf-8") == written()


def test_every_option_says_what_it_does():
    """An option without help is not found."""
    assert "|  |" not in written().replace("| | |", "")
