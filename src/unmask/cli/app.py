"""The commands and their help: the module of each is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import typer
import typer.main

from unmask.cli.translated_help import Command, Group
from unmask.wording import marked

COMMANDS: Mapping[str, str] = {
    "demo": "demo.demo",
    "inspect": "inspect_command.inspect",
    "hierarchy": "hierarchy_command.hierarchy",
    "sanitize": "sanitize_command.sanitize",
    "harden": "harden_command.harden",
    "attack": "attack_command.attack",
    "audit": "audit_command.audit",
    "retest": "retest_command.retest",
    "dp-audit": "dp_audit_command.dp_audit",
    "measure": "measure_command.measure",
    "compare": "compare_command.compare",
    "reason": "reason_command.reason",
    "risk": "risk_command.risk",
    "ledger": "ledger_commands.ledger",
    "study": "study_command.study",
    "list": "catalog_commands.list_algorithms",
    "explain": "catalog_commands.explain",
}
"""By name of a command, in the order of the help: the module in `unmask.cli`, and its function or group in there."""


class Commands(Mapping[str, Any]):
    """The commands as Typer has them; each is made from its signature once a process, when it is asked for."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - Typer does not export the class
        """Return a command, or a group of commands."""
        return _made(name)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(COMMANDS)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(COMMANDS)


@cache
def _made(name: str) -> Any:  # noqa: ANN401 - Typer does not export the class
    module, function = COMMANDS[name].split(".")
    found = getattr(importlib.import_module(f"unmask.cli.{module}"), function)
    if not isinstance(found, typer.Typer):
        alone = _typer()
        alone.command(name, cls=Command)(found)
        found = alone
    return typer.main.get_command(found)


def _typer() -> typer.Typer:
    return typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


def _version(*, wanted: bool) -> None:
    if wanted:
        from unmask import __version__

        typer.echo(f"unmask {__version__}")
        raise typer.Exit


def _unmask(
    *,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help=marked("Print the version.")
    ),
) -> None:
    """Attack your data release before someone else does."""


@cache
def program() -> Any:  # noqa: ANN401 - Typer does not export the class
    """Return the command line as one callable."""
    app = _typer()
    app.callback(cls=Group)(_unmask)
    group: Any = typer.main.get_command(app)
    group.commands = Commands()
    return group
