"""Suggestions for a command or option that does not exist."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from typer.exceptions import TyperException

from unmask.cli.app import COMMANDS
from unmask.errors import alternatives, did_you_mean
from unmask.wording import joined, marked, message

OTHER_WORDS = {
    "anonymize": "sanitize", "anonymise": "sanitize", "deidentify": "sanitize", "protect": "sanitize",
    "publish": "sanitize", "check": "audit", "test": "audit", "evaluate": "audit",
    "reproduce": "study", "paper": "study", "show": "explain", "describe": "explain", "info": "explain", "ls": "list",
}  # fmt: skip

SETTINGS = ("k", "l", "t", "distinct-l", "entropy-l", "max-share-l", "recursive-cl", "ties", "rule", "method")
"""Words that belong behind `--set`."""

_NO_OPTION = message("the file itself, without an option")

OTHER_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "-k": ("-q",), "-i": ("--identifier", "--insensitive"), "--qi": ("-q",), "--quasi-identifier": ("-q",),
    "--output": ("--out",), "-o": ("--out",), "--sa": ("-s",), "--threshold": ("--max-belief",),
    "--format": ("--json", "--html"), "--report": ("--html",), "--method": ("--sanitizer",), "--input": (_NO_OPTION,),
    "--verbose": ("-v",), "--data": (_NO_OPTION,),
}  # fmt: skip


_ELSEWHERE: Mapping[tuple[str, str], str] = {
    ("compare", "--release"): marked("Write unmask compare RELEASE --original TABLE"),
    ("compare", "--table"): marked("Write unmask compare RELEASE --original TABLE"),
    ("sanitize", "--seed"): marked("The seed is drawn from the system and kept secret: it could undo the release"),
}
"""What another command takes as an option, by command and option."""


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
    command = f"unmask {shlex.join([arguments[0], words[1], words[0]])}"
    return _spaced(message("Did you mean: {command}", command=command))


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
    option, command = getattr(error, "option_name", None), " ".join(arguments[:1])
    if option is not None and type(error).__name__ == "NoSuchOption":
        hint = _option(option, arguments, getattr(error, "ctx", None))
        return message("there is no option {option}.{hint}", option=option, hint=hint)
    reported = error.format_message().rstrip(".")
    if reported.startswith("No such command"):
        word = next((a for a in arguments if not a.startswith("-")), "")
        if word == "ledger":
            return message("ledger must be followed by add PATH, list, or check PATH. See unmask ledger --help")
        return message("there is no command {word}.{hint}", word=repr(word), hint=_command(word))
    if (extra := re.fullmatch(r"Got unexpected extra argument\(s\) \((.*)\)", reported, re.DOTALL)) is not None:
        return message(
            "got unexpected extra argument(s) ({words}).{hint} See unmask {command} --help",
            words=extra[1],
            hint=_extra(extra[1], arguments),
            command=command,
        )
    return message("{refusal}. See unmask {command} --help", refusal=_refusal(reported), command=command)


_REFUSALS: Mapping[str, re.Pattern[str]] = {
    marked("invalid value for {option}: {reason}"): re.compile("Invalid value for (?P<option>.*?): (?P<reason>.*)"),
    marked("missing argument {name}"): re.compile("Missing argument (?P<name>.*)"),
    marked("missing option {name}"): re.compile("Missing option (?P<name>.*)"),
    marked("option {option} requires an argument"): re.compile("Option (?P<option>.*) requires an argument"),
    marked("option {option} does not take a value"): re.compile("Option (?P<option>.*) does not take a value"),
}
"""What the parser of options refuses, by our message."""


def _refusal(reported: str) -> str:
    """Return what the parser says as a message; the reason why it refuses a value stays English."""
    for ours, pattern in _REFUSALS.items():
        if (found := pattern.fullmatch(reported)) is not None:
            return message(ours, **found.groupdict())
    return reported[:1].lower() + reported[1:]


def _command(word: str) -> str:
    other = OTHER_WORDS.get(word.casefold())
    if other is not None:
        return _or_is_it(("sanitize", "harden") if other == "sanitize" else (other,))
    return did_you_mean(word, COMMANDS) or _spaced(message("There are {commands}", commands=", ".join(COMMANDS)))


def _or_is_it(meant: Iterable[str]) -> str:
    return _spaced(message("Did you mean {names}?", names=alternatives(meant)))


def _spaced(hint: str) -> str:
    return joined(["", hint], " ")


def _extra(words: str, arguments: Sequence[str]) -> str:
    word = next(iter(words.split()), "")
    first = "".join(arguments[1:2])
    if arguments[0] == "audit" and os.path.isfile(word) and os.path.isdir(first):  # noqa: PTH112, PTH113 - of any text
        command = f"unmask audit {shlex.join([word, '--release', first])}"
        return _spaced(message("Did you mean: {command}?", command=command))
    exists = bool(word) and os.path.exists(word)  # noqa: PTH110 - of any text
    return _or_is_it([f"--release {word}"]) if exists else ""


def _option(option: str, arguments: Sequence[str], context: Any) -> str:  # noqa: ANN401 - the parser's own
    name = option.lstrip("-").replace("_", "-")
    if option.startswith("--") and name in SETTINGS:
        rest = list(arguments)
        place = next((i for i, a in enumerate(rest) if a.split("=")[0] == option), None)
        value = "VALUE"
        if place is not None:
            value = rest[place].partition("=")[2] or (rest[place + 1] if place + 1 < len(rest) else "VALUE")
        return _spaced(message("Write --set {name}={value}", name=name, value=value))
    if (elsewhere := _ELSEWHERE.get(("".join(arguments[:1]), option))) is not None:
        return _spaced(message(elsewhere))
    if option in OTHER_OPTIONS:
        return _or_is_it(OTHER_OPTIONS[option])
    command = getattr(context, "command", None)
    known = [o for p in getattr(command, "params", []) for o in p.opts if o.startswith("--")]
    return did_you_mean(option, known) or _spaced(message("See --help"))
