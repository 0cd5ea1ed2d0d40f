"""Commands whose help is looked up in the reader's language when it is shown.

Help texts of options are `marked` where they are declared, and the docstrings of commands are in the template of
messages; so are the few words that Typer adds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from typing import Any, TypeVar

from typer.core import TyperCommand, TyperGroup

from unmask.wording import marked, text

C = TypeVar("C", TyperCommand, TyperGroup)

_FRAME: Mapping[str, re.Pattern[str]] = {
    marked("Usage: "): re.compile(r"^Usage: "),
    marked("Arguments:"): re.compile(r"^Arguments:$", re.MULTILINE),
    marked("Options:"): re.compile(r"^Options:$", re.MULTILINE),
    marked("Commands:"): re.compile(r"^Commands:$", re.MULTILINE),
    marked("[default:"): re.compile(r"\[default:"),
    marked("[required]"): re.compile(r"\[required\]$", re.MULTILINE),
    marked("Show this message and exit."): re.compile(r"Show this message and exit\.$", re.MULTILINE),
}
"""What Typer adds to help, and where it stands."""


class Command(TyperCommand):
    """A command with its help in the reader's language."""

    def get_help(self, ctx: Any) -> str:  # noqa: ANN401 - Typer does not export the class
        """Return the help."""
        return _framed(TyperCommand.get_help(_translated(self), ctx))

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the beginning of the help."""
        return TyperCommand.get_short_help_str(_translated(self), limit)


class Group(TyperGroup):
    """A group of commands with its help in the reader's language."""

    def get_help(self, ctx: Any) -> str:  # noqa: ANN401 - Typer does not export the class
        """Return the help."""
        return _framed(TyperGroup.get_help(_translated(self), ctx))

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the beginning of the help."""
        return TyperGroup.get_short_help_str(_translated(self), limit)


def _translated(command: C) -> C:
    """Return a command with its own help, and that of its options, in the reader's language."""
    made = copy(command)
    made.help = text(command.help or "")
    made.options_metavar = text(marked("[OPTIONS]"))
    if isinstance(made, TyperGroup):
        made.subcommand_metavar = text(marked("COMMAND [ARGS]..."))
    made.params = [copy(one) for one in command.params]
    for one in made.params:
        one.help = text(one.help or "")  # type: ignore[attr-defined]
    return made


def _framed(help_text: str) -> str:
    for words, place in _FRAME.items():
        help_text = place.sub(lambda _, words=words: text(words), help_text)  # type: ignore[misc]
    return help_text
