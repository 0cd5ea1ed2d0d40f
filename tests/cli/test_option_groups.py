"""Each option is declared once: commands list groups of options, and get one typed object for each group."""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import pytest
import typer
from typer.testing import CliRunner

from unmask import cli
from unmask.cli.app import program
from unmask.cli.command import command, only, without
from unmask.cli.outputs import File, require_apart
from unmask.errors import InvalidInputError, OutputError

COMMANDS = {
    f"{name} {word}".strip(): one.callback
    for name, command in program().commands.items()
    for word, one in getattr(command, "commands", {"": command}).items()
}

SEVERAL_MEANINGS = {
    "--people", "--keep", "--truth",  # what they are of differs: an attack, a ledger's entry, a ledger's check
    "--force",  # in `ledger add`: an entry, not a file
    "--out",  # in `risk`: only with --disclose
    "--people-at-risk",  # who is at risk differs
    "--population",  # in `hierarchy`: people by postcode
    "--prior",  # of values, or of dictionaries
    "--quick",  # of an audit: quick forms of attacks; of a study: fewer runs
    "--list", "--version",
}  # fmt: skip

NAMES_A_FILE = ("FILE", "PATH", "FOLDER", "DIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """A group of two options."""

    color: Annotated[str, typer.Option("--color")] = "black"
    files: Annotated[list[str] | None, typer.Option("--files"), File.READ] = None


def run(function: Any, *arguments: str) -> Any:
    """Return what a function printed as a command."""
    one = typer.Typer()
    one.command()(command(function))
    result = CliRunner().invoke(one, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output.strip()


def write(
    *,
    name: Annotated[str, typer.Argument()],
    ink: Ink,
    out: Annotated[Path | None, typer.Option("--out"), File.WRITTEN] = None,
) -> None:
    """Print what there is to write."""
    typer.echo(f"{name} {ink.color} {ink.files} {out}")


def test_a_command_gets_an_object_for_each_group():
    """The group is filled from its options; what is not given has the default of its declaration."""
    assert run(write, "a") == "a black None None"
    assert run(write, "a", "--color", "red", "--files", "b", "--files", "c") == "a red ['b', 'c'] None"


def test_a_command_may_have_some_options_of_a_group():
    """An option that is left out is none of the command, and keeps its default."""

    def plain(*, ink: Annotated[Ink, without("color")]) -> None:
        typer.echo(ink.color)

    def same(*, ink: Annotated[Ink, only("files")]) -> None:
        typer.echo(ink.color)

    for function in (plain, same):
        assert run(function) == "black"
        assert list(inspect.signature(command(function)).parameters) == ["files"]


def test_slips_in_a_declaration_are_errors():
    """An option that the group does not have, or that a command has twice, is found when the command is made."""

    def unknown(*, ink: Annotated[Ink, without("colour")]) -> None:
        """Take nothing."""

    def twice(*, color: Annotated[str, typer.Option("--color")] = "", ink: Ink) -> None:
        """Take a color twice."""

    with pytest.raises(TypeError, match="must name options of the group; got colour"):
        command(unknown)
    with pytest.raises(TypeError, match="twice has 'color' twice"):
        command(twice)


def test_outputs_are_apart_from_inputs_of_all_groups(tmp_path):
    """Before the command runs; also where the input is in a group, or the output is a folder around it."""
    read = tmp_path / "a.csv"
    read.touch()
    with pytest.raises(InvalidInputError, match=r"output 'a\.csv' must be another file than the input 'a\.csv'"):
        run(write, "x", "--files", f"age={read}", "--out", str(read))
    with pytest.raises(InvalidInputError, match=r"must not be a folder that holds the input 'a\.csv'"):
        run(write, "x", "--files", str(read), "--out", str(tmp_path))


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_file_is_written_into_a_folder_that_unmask_wrote(name, tmp_path, monkeypatch):
    """It would be handed out with the release. A folder may be there, and a file in a folder that others wrote."""
    for owner, content in {
        "release/release.json": '{"unmask_release": 1, "columns": []}',
        "study/unmask-files.json": '{"schema": "unmask-files-1", "files": {}}',
        "others/release.json": "{}",
        "others/unmask-files.json": "{}",
    }.items():
        (tmp_path / owner).parent.mkdir(exist_ok=True)
        (tmp_path / owner).write_text(content)
    (tmp_path / "release" / "hierarchies").mkdir()
    (tmp_path / "link").symlink_to("release")
    monkeypatch.chdir(tmp_path / "release")
    parameters = inspect.signature(COMMANDS[name]).parameters
    marks = {one.name: get_args(one.annotation)[1:] for one in parameters.values()}
    nothing = dict.fromkeys(parameters)
    written, folders = (
        [key for key, marked in marks.items() if kind in marked] for kind in (File.WRITTEN, File.FOLDER)
    )
    for option in written:
        for place in ("release", "release/hierarchies", "study", "link", "."):
            where = Path("a.csv") if place == "." else tmp_path / place / "a.csv"
            with pytest.raises(OutputError, match=r"'a\.csv' must lie outside of folders that unmask writes"):
                COMMANDS[name](**nothing | {option: where})
        require_apart(nothing | {option: tmp_path / "others" / "a.csv"}, marks)
    for folder in folders:
        require_apart(nothing | {folder: tmp_path / "release" / "inner"}, marks)
        for option in written:
            with pytest.raises(OutputError, match=r"got a place in 'new'"):
                COMMANDS[name](**nothing | {folder: tmp_path / "new", option: tmp_path / "new" / "keep.json"})


def test_each_option_is_declared_once():
    """No name of an option stands in two declarations, unless it means something else in each."""
    places = defaultdict(list)
    for file in sorted(Path(cli.__path__[0]).glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "typer.Option":
                names = [one.value for one in node.args if isinstance(one, ast.Constant)]
                for name in names:
                    if isinstance(name, str) and name.startswith("-"):
                        places[name].append(f"{file.name}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1 and name not in SEVERAL_MEANINGS} == {}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_option_that_names_a_file_says_whether_it_is_read_or_written(name):
    """Else an output could replace an input unseen. A folder of finished parts is both."""
    for one in inspect.signature(COMMANDS[name]).parameters.values():
        option = next((m for m in get_args(one.annotation)[1:] if isinstance(m, typer.models.OptionInfo)), None)
        if option is not None and (option.metavar or "").split("|")[-1].split("=")[-1] in NAMES_A_FILE:
            marked = [mark for mark in get_args(one.annotation) if isinstance(mark, File)]
            assert len(marked) == 1 or one.name == "resume", one.name
