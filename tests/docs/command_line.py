"""Writes docs/reference/command-line.md from the program itself: `python -m tests.docs.command_line` does it anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unmask.cli.app import program

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "command-line.md"

HEAD = """# The command line

The program generates this page; a test compares the two.

Names of algorithms and options may be written with `-` or `_`.
Results go to standard output; notes, progress and errors go to standard error.
An error is one line that begins with `error:`; see [exit codes](exit-codes.md).
`unmask` writes only files that an option names; files appear whole or not at all, and only their owner can read them.
`--force` replaces only what unmask wrote.
"""


def written() -> str:
    """Return the page."""
    return HEAD + "".join(_command(name, command) for name, command in _commands())


def _commands() -> Iterator[tuple[str, Any]]:
    for name, command in program().commands.items():
        inner = getattr(command, "commands", {})
        yield from ((f"{name} {word}", one) for word, one in inner.items()) if inner else ((name, command),)


def _command(name: str, command: Any) -> str:
    shown = [one for one in command.params if not getattr(one, "hidden", False) and one.name != "help"]
    arguments = [one for one in shown if one.param_type_name == "argument"]
    usage = " ".join(
        ["unmask", name, *(one.name.upper() if one.required else f"[{one.name.upper()}]" for one in arguments)]
    )
    rows = [f"| `{one.name.upper()}` | {_text(one.help)} |" for one in arguments]
    rows += [f"| `{_text(_option(one))}` | {_text(one.help)} |" for one in shown if one.param_type_name == "option"]
    table = ["| | |", "| --- | --- |", *rows] if rows else []
    return "\n".join(["", f"## {usage}", "", command.help.strip(), "", *table, ""])


def _option(option: Any) -> str:
    name = ", ".join(sorted(option.opts, key=len))
    if option.is_flag:
        return name
    assert option.metavar, f"{name} must say what its value is"
    return f"{name} {option.metavar}"


def _text(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
