"""Suggestions for a command or option that does not exist."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from typer.exceptions import TyperException

from unmask.errors import did_you_mean

COMMANDS = (
    "demo",
    "inspect",
    "hierarchy",
    "sanitize",
    "harden",
    "attack",
    "audit",
    "retest",
    "measure",
    "compare",
    "reason",
    "risk",
    "ledger",
    "study",
    "list",
    "explain",
)

OTHER_WORDS = {
    "anonymize": "sanitize", "anonymise": "sanitize", "deidentify": "sanitize", "protect": "sanitize",
    "publish": "sanitize", "check": "audit", "test": "audit", "evaluate": "audit",
    "reproduce": "study", "paper": "study", "show": "explain", "describe": "explain", "info": "explain", "ls": "list",
}  # fmt: skip

SETTINGS = ("k", "l", "t", "distinct-l", "entropy-l", "max-share-l", "recursive-cl", "ties", "rule", "method")
"""Words that belong behind `--set`."""

OTHER_OPTIONS = {
    "-k": "-q", "-i": "--identifier or --insensitive", "--qi": "-q", "--quasi-identifier": "-q",
    "--output": "--out", "-o": "--out", "--sa": "-s", "--threshold": "--max-belief", "--format": "--json or --html",
    "--report": "--html", "--method": "--sanitizer", "--input": "the file itself, without an option",
    "--verbose": "-v", "--data": "the file itself, without an option",
}  # fmt: skip


def spelled(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with `-` for `_` in the names of long options, and help by its long name.

    >>> spelled(["audit", "--max_belief=0.5", "my_file.csv", "--", "--as_it_is"])
    ['audit', '--max-belief=0.5', 'my_file.csv', '--', '--as_it_is']
    >>> spelled(["help", "audit"]), spelled(["audit", "-h"])
    (['audit', '--help'], ['audit', '--help'])
    """
    if arguments[:1] == ["help"]:
        return [*arguments[1:], "--help"]
    return list(_spelled(arguments))


def swapped(arguments: Sequence[str]) -> str:
    """Return a hint where a table and the name of a sanitizer or a column stand in the wrong order; else nothing.

    >>> swapped(["sanitize", "mondrian", "."]), swapped(["sanitize", ".", "mondrian"])
    (' Did you mean: unmask sanitize . mondrian', '')
    """
    words = list(arguments[1:3])
    order = {"sanitize": [False, True], "hierarchy": [True, False]}.get("".join(arguments[:1]))
    if [os.path.exists(word) for word in words] != order:  # noqa: PTH110 - of any text
        return ""
    return f" Did you mean: unmask {shlex.join([arguments[0], words[1], words[0]])}"


def _spelled(arguments: Sequence[str]) -> Iterator[str]:
    ended = False
    for argument in arguments:
        ended = ended or argument == "--"
        if argument == "-h" and not ended:
            yield "--help"
            continue
        name, equals, value = argument.partition("=")
        yield name.replace("_", "-") + equals + value if argument.startswith("--") and not ended else argument


def advice(error: TyperException, arguments: Sequence[str]) -> str:
    """Return the message of a usage error, with the way out."""
    option = getattr(error, "option_name", None)
    if option is not None and type(error).__name__ == "NoSuchOption":
        return f"there is no option {option}.{_option(option, arguments, getattr(error, 'ctx', None))}"
    message = error.format_message().rstrip(".")
    if message.startswith("No such command"):
        word = next((a for a in arguments if not a.startswith("-")), "")
        if word == "ledger":
            return "ledger must be followed by add PATH, list, or check PATH. See unmask ledger --help"
        return f"there is no command {word!r}.{_command(word)}"
    if message.startswith("Got unexpected extra argument"):
        hint = _extra(message, arguments)
        return f"{message[:1].lower()}{message[1:]}.{hint} See unmask {' '.join(arguments[:1])} --help"
    return f"{message[:1].lower()}{message[1:]}. See unmask {' '.join(arguments[:1])} --help"


def _command(word: str) -> str:
    other = OTHER_WORDS.get(word.casefold())
    if other == "sanitize":
        return " Did you mean sanitize or harden?" if "harden" in COMMANDS else " Did you mean sanitize?"
    return f" Did you mean {other}?" if other else did_you_mean(word, COMMANDS) or f" There are {', '.join(COMMANDS)}"


def _extra(message: str, arguments: Sequence[str]) -> str:
    word = next(iter(message.rpartition("(")[2].rstrip(")").split()), "")
    first = "".join(arguments[1:2])
    if arguments[0] == "audit" and os.path.isfile(word) and os.path.isdir(first):  # noqa: PTH112, PTH113 - of any text
        return f" Did you mean: unmask audit {shlex.join([word, '--release', first])}?"
    return f" Did you mean --release {word}?" if word and os.path.exists(word) else ""  # noqa: PTH110 - of any text


def _option(option: str, arguments: Sequence[str], context: Any) -> str:  # noqa: ANN401 - the parser's own
    name = option.lstrip("-").replace("_", "-")
    if option.startswith("--") and name in SETTINGS:
        rest = list(arguments)
        place = next((i for i, a in enumerate(rest) if a.split("=")[0] == option), None)
        value = "VALUE"
        if place is not None:
            value = rest[place].partition("=")[2] or (rest[place + 1] if place + 1 < len(rest) else "VALUE")
        return f" Write --set {name}={value}"
    if option in OTHER_OPTIONS:
        return f" Did you mean {OTHER_OPTIONS[option]}?"
    command = getattr(context, "command", None)
    known = [o for p in getattr(command, "params", []) for o in p.opts if o.startswith("--")]
    return did_you_mean(option, known) or " See --help"
