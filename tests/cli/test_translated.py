"""In a made-up language, where each message stands in brackets, the terminal shows no word outside of brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import unmask
from tests.report.test_translated import Brackets, Seen, outside
from unmask import catalog, wording
from unmask.attacks.definetti.attribute_contributions import explained
from unmask.cli import run
from unmask.cli.app import COMMANDS, program
from unmask.commands.explaining.explained import AttributeFactors, BeliefVariant, Explained, MatchedGroup
from unmask.documents.published_schemas import read_schema, schema_files
from unmask.wording import message

NAMES = {
    *("unmask", "options", "command", "args", "file", "csv", "str", "path", "people", "data", "name", "toml", "json"),
    *("mondrian", "age", "sex", "ill", "flu", "cold", "gone", "colour", "height"),  # columns, values, what is mistyped
    "equal",  # a value of a parameter
    *COMMANDS,
    *(
        word
        for family in ("sanitizers", "models", "attacks")
        for name in catalog.entries(family)
        for word in name.split("-")
    ),
}
"""What is typed, and what the table has."""


SAID_BY_OTHERS = {"expected", "at", "the", "end", "of", "table", "declaration", "line", "column"}
"""Words of Python's reader of TOML, whose reasons stay English."""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a table of forty people where the commands run."""
    monkeypatch.chdir(tmp_path)
    return write_people()


def write_people() -> str:
    """Write a table of forty people."""
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


ROLES = ("-q", "age", "-q", "sex", "-s", "ill")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a table, two releases of it, and the report of an audit."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_people()
        for k in (4, 8):
            made = ("--set", f"k={k}", "--out", f"k{k}", "--keep", f"keep{k}.json")
            assert run(["sanitize", "people.csv", "mondrian", *ROLES, *made]) == 0
        audit = ["audit", "people.csv", "--release", "k4", "--keep", "keep4.json", *ROLES, "--seed", "1"]
        assert run([*audit, "--attack", "random-worlds", "--max-belief", "0.6", "--json", "report.json"]) == 1
    return folder


SUMMARIES = {
    "inspect": ["inspect", "people.csv"],
    "measure": ["measure", "people.csv", *ROLES, "--require", "k=5"],
    "measure in a population": ["measure", "people.csv", *ROLES, "--sampled", "10%"],
    "measure by a population": ["measure", "people.csv", *ROLES, "--population", "people.csv"],
    "sanitize": ["sanitize", "people.csv", "mondrian", "--set", "k=8", *ROLES, "--out", "new", "--try-settings"],
    "audit": ["audit", "people.csv", "--sanitizer", "mondrian", "--set", "k=4", *ROLES, "--seed", "1", "--max-belief",
              "0.6"],
    "compare": ["compare", "k4", "k8", "--original", "people.csv", "--seed", "1"],
    "attack on rows": ["attack", "linkage", "--release", "k4", "--people", "people.csv", "-q", "age", "-q", "sex",
                       "--seed", "1", "--explain", "3"],
    "attack on two releases": ["attack", "intersection", "--release", "k4", "--release", "k8", "--people", "people.csv",
                               *ROLES, "--seed", "1", "--explain", "3"],
    "risk": ["risk", "people.csv", *ROLES],
    "risk of a choice": ["risk", "people.csv", *ROLES, "--dictionary", "people.csv", "--disclose", "1"],
    "retest": ["retest", "report.json"],
    "retest of another release": ["retest", "report.json", "--release", "k8", "--keep", "keep8.json"],
    "list": ["list", "attacks"],
    "explain": ["explain", "linkage"],
}  # fmt: skip


WRITTEN = {
    *("roles", "out", "report", "html", "keep", "new"),  # files and options that are named
    *("belief", "trees", "logistic", "exact"),  # of a limit, of learners, of a rule
    *("pitman", "zayatz", "slide", "negative", "binomial", "copula", "poisson", "mixture"),
}
"""Names in summaries."""


@pytest.mark.usefixtures("brackets")
@pytest.mark.parametrize("arguments", SUMMARIES.values(), ids=SUMMARIES)
def test_a_summary_on_the_terminal_has_no_word_outside_of_messages(finished, arguments, monkeypatch, capsys):
    """Answers and notes of commands."""
    monkeypatch.chdir(finished)
    code, text = printed(capsys, *arguments)
    assert code in {0, 1}
    assert outside(text, NAMES | WRITTEN) == []


@pytest.mark.usefixtures("brackets")
def test_a_refusal_of_a_command_has_no_word_outside_of_messages(finished, monkeypatch, capsys):
    """Of what needs releases and reports."""
    monkeypatch.chdir(finished)
    for arguments in (
        ["compare", "k4", "gone"],
        ["attack", "gone", "--release", "k4"],
        ["attack", "fusion", "--release", "k4", "--seed", "1"],
        ["attack", "random-worlds", "--release", "k4", "--seed", "1", "--explain", "99"],
        ["risk", "people.csv", "-q", "age", "--disclose", "9"],
        ["retest", "people.csv"],
        ["retest", "report.json", "--keep", "keep8.json"],
        ["sanitize", "people.csv", "mondrian", "--set", "k=1000", *ROLES, "--out", "none"],
    ):
        code, text = printed(capsys, *arguments)
        assert (code, outside(text, NAMES | WRITTEN)) == (2, []), arguments


@pytest.mark.usefixtures("brackets")
def test_documents_are_listed_and_explained_in_messages(capsys):
    """Names of documents, of their fields and of files stay as they are."""
    files, fields = schema_files(), read_schema("weights-1")["properties"]
    names = {word for name in (*files, *map(str, files.values()), *fields) for word in re.findall(r"[a-z]+", name)}
    for arguments in (["list", "schemas"], ["explain", "weights.toml"]):
        code, text = printed(capsys, *arguments)
        assert (code, outside(text, NAMES | names)) == (0, [])


@pytest.mark.usefixtures("brackets")
def test_a_page_of_a_retest_has_no_word_outside_of_messages(finished, monkeypatch):
    """Its title, and what changed, beside the page of the audit."""
    monkeypatch.chdir(finished)
    found = unmask.retest("report.json", release="k8", keep="keep8.json")
    seen = Seen(found.to_html())
    assert any("k8" in one and "⟦ tested again: ⟧" in one for one in seen.texts)
    changed = [*found._changes(), *found.to_markdown().splitlines()[:1], repr(found)]
    assert outside(changed, NAMES | {"retested", "report"}) == []


@pytest.mark.usefixtures("brackets")
def test_an_explanation_has_no_word_outside_of_messages():
    """With all that it can have; values of data stay as they are, even where they are words of a message."""
    groups = (
        MatchedGroup("k4", "0", {"age": "20-24"}, 12, 0.75, {f"v{i}": 2.0 for i in range(8)}, noisy=True),
        MatchedGroup("k4", "1", {}, 1, 0.25),
    )
    why = explained(["age", "sex"], [np.array([0.9, 0.1]), np.array([0.5, 0.5])], ("none", "flu"),
                    np.array([0.5, 0.5]), np.array([0.95, 0.05]), 0)  # fmt: skip
    factors = (AttributeFactors("k4", why), AttributeFactors("k8", why, exact=False))
    one = Explained(
        "3", "ill", "none", 0.5, 0.9, attributes={"age": "people", "sex": message("missing")}, groups=groups,
        fitting={"k4": 9, "k8": 0}, possible=(1, 2), variants=(BeliefVariant(message("the group's list alone"), 0.5),),
        miners={"tree": message("predicts a cell with {value}", value="none")}, factors=factors,
    )  # fmt: skip
    assert "age people, sex ⟦missing⟧" in str(one)
    assert outside([" ".join(str(one).split())], NAMES | {"none", "tree"}) == []
