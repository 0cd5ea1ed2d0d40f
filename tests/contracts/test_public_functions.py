"""Public functions mirror the command line: explicit keyword parameters, each described, with the same defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from typer.main import get_command

import unmask
from unmask.cli.app import app
from unmask.commands import ledger_check, ledgers
from unmask.errors import InvalidInputError

OF_COMMAND: dict[str, Any] = {
    "attack": unmask.attack,
    "audit": unmask.audit,
    "compare": unmask.compare,
    "hierarchy": unmask.hierarchy,
    "inspect": unmask.inspect,
    "ledger add": ledgers.add,
    "ledger check": ledger_check.check,
    "measure": unmask.measure,
    "reason": unmask.reason,
    "risk": unmask.risk,
    "sanitize": unmask.sanitize,
    "study": unmask.study,
}

ONLY_ON_THE_COMMAND_LINE = {
    "html", "json", "junit", "markdown", "people_at_risk", "quiet", "no_progress", "verbose", "list_", "help",
}  # fmt: skip
"""How results are written and shown: methods of the result."""

OTHERWISE = {
    "settings": "set",
    ("measure", "path"): "source",
    ("reason", "path"): "release",
    ("compare", "paths"): "releases",
    ("attack", "out"): None, ("hierarchy", "out"): None, ("inspect", "out"): None,
    ("risk", "out"): None, ("sanitize", "out"): None,
    ("study", "out"): None,
    ("risk", "keep"): None, ("sanitize", "keep"): None,
    ("attack", "force"): None, ("audit", "force"): None, ("compare", "force"): None, ("hierarchy", "force"): None,
    ("inspect", "force"): None,
    ("ledger check", "force"): None, ("measure", "force"): None, ("reason", "force"): None, ("risk", "force"): None,
    ("sanitize", "force"): None, ("study", "force"): None,
    ("audit", "all_"): None,  # every attack is the default
    ("hierarchy", "check"): None,  # `.checked` of the result
    ("study", "miners"): None,  # `set={"miners": …}`
}  # fmt: skip
"""The parameter for an option of another name; None for what a method of the result does."""


def options_of(name: str) -> list[Any]:
    """Return the arguments and options of a command."""
    command: Any = get_command(app)
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
