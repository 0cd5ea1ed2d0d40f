"""Public functions mirror the command line: explicit keyword parameters, each described, with the same defaults."""

from __future__ import annotations

import inspect
import re
import typing
from pathlib import Path
from typing import Any

import pytest

import unmask
from unmask.cli.app import COMMANDS, program
from unmask.commands.inputs.reading_options import ReadingOptions
from unmask.errors import InvalidInputError

OF_COMMAND: dict[str, Any] = {
    "attack": unmask.attack,
    "audit": unmask.audit,
    "compare": unmask.compare,
    "dp-audit": unmask.dp_audit,
    "harden": unmask.harden,
    "hierarchy": unmask.hierarchy,
    "inspect": unmask.inspect,
    "ledger add": unmask.ledger.add,
    "ledger check": unmask.ledger.check,
    "ledger list": unmask.ledger.list,
    "ledger prune": unmask.ledger.prune,
    "measure": unmask.measure,
    "reason": unmask.reason,
    "retest": unmask.retest,
    "risk": unmask.risk,
    "sanitize": unmask.sanitize,
    "study": unmask.study,
}

ONLY_ON_THE_COMMAND_LINE = {
    "html", "interactive", "docx", "pdf", "json", "junit", "markdown", "regime", "people_at_risk", "quiet",
    "no_progress", "verbose", "list_", "help", "memory", "time_limit",
}  # fmt: skip
"""How results are written and shown: methods of the result. Limits of a process, which a session has of its own."""

OTHERWISE = {
    "settings": "set",
    "jobs": None,  # of the process
    ("harden", "jobs"): "jobs",
    ("measure", "path"): "source",
    ("reason", "path"): "release",
    ("compare", "paths"): "releases",
    ("attack", "out"): None, ("hierarchy", "out"): None, ("inspect", "out"): None,
    ("audit", "out"): None, ("audit", "out_keep"): None, ("risk", "out"): None, ("sanitize", "out"): None,
    ("harden", "out"): None,
    ("study", "out"): None,
    ("risk", "keep"): None, ("sanitize", "keep"): None, ("harden", "keep"): None, ("harden", "force"): None,
    ("attack", "force"): None, ("audit", "force"): None, ("compare", "force"): None, ("hierarchy", "force"): None,
    ("inspect", "force"): None, ("dp-audit", "force"): None,
    ("ledger check", "force"): None,
    ("measure", "print_sql"): None,  # nothing is measured
    ("audit", "print_sql"): None,  # nothing is attacked
    ("ledger list", "force"): None, ("measure", "force"): None, ("reason", "force"): None,
    ("retest", "force"): None, ("risk", "force"): None,
    ("sanitize", "force"): None, ("study", "force"): None,
    ("sanitize", "try_settings"): None,  # of the result's `what_is_left`
    ("audit", "all_"): None,  # every attack is the default
    ("hierarchy", "check"): None,  # `.checked` of the result
    ("study", "miners"): None,  # `set={"miners": …}`
}  # fmt: skip
"""The parameter for an option of another name; None for what a method of the result does."""


ONLY_IN_PYTHON = {
    ("sanitize", "seed"): "for tests: the command draws a secret seed, which only --keep writes",
    ("harden", "seed"): "for tests: the command draws a secret seed, which only --keep writes",
    ("risk", "curve"): "the command computes the curve where a report shows it",
    ("compare", "keep"): "a mapping of files by release",
    ("compare", "held_out"): "people of no release, for measures of learning",
    ("compare", "measures"): "a choice among all measures, which the command computes",
    ("compare", "queries"): "a parameter of one measure",
    ("compare", "target"): "a parameter of one measure",
}
"""By command and parameter: why the command line has no such option."""

READING = set(ReadingOptions.__annotations__)
"""Parameters of every function that reads a table, so that one mapping of roles fits all; a command lacks those that
would change nothing."""


def options_of(name: str) -> list[Any]:
    """Return the arguments and options of a command."""
    command = program()
    for word in name.split():
        command = command.commands[word]
    return list(command.params)


def plain(default: object) -> object:
    """Return a default as both write it: what is not given is None, and so are no values at all."""
    return None if default in ((), [], None) else str(default)


@pytest.mark.parametrize("name", OF_COMMAND)
def test_parameters_are_explicit_and_described(name):
    """Completion and `help()` show every parameter with its type, its default and what it does."""
    function = OF_COMMAND[name]
    found = inspect.signature(function).parameters.values()
    assert all(one.kind is not inspect.Parameter.VAR_KEYWORD for one in found)
    assert all(one.annotation is not inspect.Parameter.empty for one in found)
    lines = (inspect.getdoc(function) or "").splitlines()
    for one in found:
        assert lines[lines.index(one.name) + 1].startswith("    "), one.name


@pytest.mark.parametrize("name", OF_COMMAND)
def test_every_option_has_a_parameter_with_its_default(name):
    """The same word, and the same where it is not given."""
    known = inspect.signature(OF_COMMAND[name]).parameters
    for option in options_of(name):
        if option.name in ONLY_ON_THE_COMMAND_LINE:
            continue
        parameter = OTHERWISE.get((name, option.name), OTHERWISE.get(option.name, option.name))
        if parameter is None:
            continue
        assert parameter in known
        if not option.required and known[parameter].default is not inspect.Parameter.empty:
            assert plain(option.default) == plain(known[parameter].default), parameter


@pytest.mark.parametrize("name", OF_COMMAND)
def test_an_unknown_keyword_says_what_was_meant(name):
    """A slip of the pen is answered as on the command line."""
    *_, last = inspect.signature(OF_COMMAND[name]).parameters
    with pytest.raises(InvalidInputError, match=rf"option must be one of .* got '{last}s'\. Did you mean '{last}'"):
        OF_COMMAND[name](**{f"{last}s": 1})


def test_british_spelling_and_parameters_of_an_algorithm_are_recognized():
    """`sanitiser=`, and `k=4` beside the options."""
    audit, sanitize = OF_COMMAND["audit"], OF_COMMAND["sanitize"]
    with pytest.raises(InvalidInputError, match=r"got 'sanitiser'\. Did you mean 'sanitizer'\?"):
        audit("people.csv", sanitiser="mondrian")
    with pytest.raises(InvalidInputError, match=r"got 'k'\. A parameter of the algorithm is written set=\{'k': …\}"):
        sanitize("people.csv", "mondrian", k=4)
    with pytest.raises(AttributeError, match=r"no attribute 'sanitise'\. Did you mean 'sanitize'\?"):
        unmask.sanitise  # type: ignore[attr-defined]  # noqa: B018 - the attribute is looked up


@pytest.mark.parametrize(
    ("name", "right"),
    [("sanitize", "mondrian"), ("attack", "random-worlds"), ("hierarchy", "age")],
)
def test_swapped_arguments_are_recognized(name, right, tmp_path):
    """The name of an algorithm or a column, and the data, as an object or as a file."""
    file = tmp_path / "people.csv"
    file.write_text("age,ill\n30,flu\n")
    for data in ({"age": [30]}, str(file)):
        given = [right, data] if name == "sanitize" else [data, right]
        with pytest.raises(InvalidInputError, match=rf"must be given by its name; got .*\. Did you mean {name}\("):
            OF_COMMAND[name](*given)


def test_each_function_has_its_command_and_each_command_its_function():
    """Commands that list, explain or show something have none: the catalog and `help` do that."""
    commands = set(COMMANDS) - {"demo", "explain", "help", "list", "ledger"}
    assert commands | {f"ledger {one}" for one in unmask.ledger.__all__} == set(OF_COMMAND)


@pytest.mark.parametrize("name", OF_COMMAND)
def test_a_docstring_is_complete(name):
    """A summary line, every parameter in the order of the signature, and how the function fails; a typed result."""
    function = OF_COMMAND[name]
    lines = (inspect.getdoc(function) or "").splitlines()
    assert re.fullmatch(r"[A-Z].{20,115}\.", lines[0])
    section = lines[lines.index("Parameters") + 2 : lines.index("Fails")]
    assert [line for line in section if line and not line.startswith(" ")] == list(
        inspect.signature(function).parameters
    )
    assert lines[lines.index("Fails") + 1].startswith("    With `")
    assert typing.get_type_hints(function)["return"] is not None


@pytest.mark.parametrize("name", OF_COMMAND)
def test_a_parameter_is_an_option_of_the_command(name):
    """The same words the other way round; exceptions have a reason."""
    options = {OTHERWISE.get((name, one.name), OTHERWISE.get(one.name, one.name)) for one in options_of(name)}
    for parameter in inspect.signature(OF_COMMAND[name]).parameters:
        if (name, parameter) in ONLY_IN_PYTHON:
            assert parameter not in options, "no exception is needed"
        else:
            assert parameter in options | READING


def test_type_checkers_see_the_public_names():
    """The stub has the names that the package imports on first use."""
    stub = Path(unmask.__file__).with_name("__init__.pyi").read_text(encoding="utf-8")
    assert sorted(re.findall(r" as (\w+)$", stub, re.MULTILINE)) == sorted(set(dir(unmask)) - {"__version__"})
    namespace: dict[str, object] = {}
    exec(stub, namespace)  # noqa: S102 - our own stub
    assert all(namespace[name] is getattr(unmask, name) for name in dir(unmask) if name != "__version__")


def test_the_reference_documents_every_public_name():
    """The package as a whole, and the functions of the ledger, a module that is imported on first use."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert ".. automodule:: unmask\n   :members:\n   :inherited-members:\n" in page
    assert sorted(re.findall(r"autofunction:: unmask::ledger\.(\w+)$", page, re.MULTILINE)) == sorted(
        unmask.ledger.__all__
    )
