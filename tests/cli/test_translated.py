"""In a made-up language, where each message stands in brackets, the terminal shows no word outside of brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.report.test_translated import Brackets, outside
from unmask import catalog, wording
from unmask.cli import run
from unmask.cli.app import program
from unmask.cli.guesses import COMMANDS

NAMES = {
    *("unmask", "options", "command", "args", "file", "csv", "str", "path", "people", "data", "name", "toml", "json"),
    *("mondrian", "age", "sex", "ill", "flu", "cold", "gone", "colour", "height"),  # columns, values, what is mistyped
    *COMMANDS,
    *(word for family in ("sanitizers", "models") for name in catalog.entries(family) for word in name.split("-")),
}
"""What is typed, and what the table has."""


SAID_BY_OTHERS = {"expected", "at", "the", "end", "of", "table", "declaration", "line", "column"}
"""Words of Python's reader of TOML, whose reasons stay English."""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a table of forty people where the commands run."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + i % 10},{'fm'[i % 2]},{'flu' if i % 3 else 'cold'}" for i in range(40)]
    Path("people.csv").write_text("\n".join(["age,sex,ill", *rows]) + "\n", encoding="utf-8")
    return "people.csv"


@pytest.fixture
def brackets() -> Iterator[None]:
    """Show messages in brackets."""
    token = wording._current.set(Brackets())
    yield
    wording._current.reset(token)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    """Run a command, and return its exit code and the paragraphs that it printed."""
    code = run(list(arguments))
    shown = capsys.readouterr()
    return code, [" ".join((shown.out + shown.err).split())]


def helps() -> Iterator[tuple[str, ...]]:
    """Yield the commands that have help."""
    yield ()
    for name, command in program().commands.items():
        yield (name,)
        yield from ((name, inner) for inner in getattr(command, "commands", {}))


@pytest.mark.usefixtures("brackets")
@pytest.mark.parametrize("command", list(helps()), ids=" ".join)
def test_help_has_no_word_outside_of_messages(command, capsys):
    """Of the program, of commands and of commands in commands; what is typed stays as it is."""
    code, text = printed(capsys, *command, "--help")
    assert code == 0
    assert outside([re.sub(r"\d", "", one) for one in text], NAMES | _typed(command)) == []


def _typed(command: tuple[str, ...]) -> set[str]:
    """Return the words that help has of what is typed: names of arguments and commands, and what stands for values."""
    found = program()
    for name in command:
        found = found.commands[name]
    texts = [*(text for one in found.params for text in (one.name, one.metavar, str(one.default)) if text), *command]
    return {word for text in [*texts, *getattr(found, "commands", ())] for word in re.findall(r"[a-z]+", text.lower())}


@pytest.mark.usefixtures("brackets")
@pytest.mark.parametrize(
    "arguments",
    [
        ["measure", "gone.csv"],
        ["measure", "people.csv", "-q", "height"],
        ["measure", "people.csv", "-q", "age", "--decimal", "x"],
        ["sanitize", "people.csv", "mondrain", "-q", "age", "-s", "ill", "--out", "release"],
        ["measure", "people.csv", "--roles", "broken.toml"],
        ["measure", "people.csv", "--colour", "5"],
        ["demo", "--seed"],
        ["mesure", "people.csv"],
    ],
    ids=["no file", "no column", "a bad value", "no sanitizer", "no TOML", "no option", "no value", "no command"],
)
def test_a_refusal_has_no_word_outside_of_messages(table, arguments, capsys):
    """What is quoted is what was typed."""
    assert table
    Path("broken.toml").write_text("[columns\n", encoding="utf-8")
    code, text = printed(capsys, *arguments)
    assert code == 2
    assert outside(text, NAMES | SAID_BY_OTHERS | {"mondrain", "mesure", "broken", "seed"}) == []


@pytest.mark.usefixtures("brackets")
@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "people.csv"],
        pytest.param(
            ["measure", "people.csv", "-q", "age", "-q", "sex", "-s", "ill", "--require", "k=5"],
            marks=pytest.mark.xfail(strict=True, reason="lines on the population are not all messages yet"),
        ),
        ["audit", "people.csv", "--sanitizer", "mondrian", "--set", "k=4", "-q", "age", "-q", "sex", "-s", "ill",
         "--seed", "1", "--max-belief", "0.6"],
    ],
    ids=["inspect", "measure", "audit"],
)  # fmt: skip
def test_a_summary_on_the_terminal_has_no_word_outside_of_messages(table, arguments, capsys):
    """Answers and notes of commands."""
    assert table
    code, text = printed(capsys, *arguments)
    assert code in {0, 1}
    assert outside(text, NAMES | {"roles", "out", "report", "html"}) == []
