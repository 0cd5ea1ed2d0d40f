"""The commands and their help: what each does is imported when it runs."""

from __future__ import annotations

from functools import cache
from typing import Any

import typer
import typer.main

from unmask.cli import (
    attack_command,
    audit_command,
    catalog_commands,
    compare_command,
    demo,
    dp_audit_command,
    harden_command,
    hierarchy_command,
    inspect_command,
    ledger_commands,
    measure_command,
    reason_command,
    retest_command,
    risk_command,
    sanitize_command,
    study_command,
)
from unmask.cli.translated_help import Command, Group
from unmask.wording import marked

app = typer.Typer(
    cls=Group,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help=marked("Attack your data release before someone else does."),
)


def _version(*, wanted: bool) -> None:
    if wanted:
        from unmask import __version__

        typer.echo(f"unmask {__version__}")
        raise typer.Exit


@app.callback()
def unmask(
    *,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help=marked("Print the version.")
    ),
) -> None:
    """Attack your data release before someone else does."""


app.command("demo", cls=Command)(demo.demo)
app.command("inspect", cls=Command)(inspect_command.inspect)
app.command("hierarchy", cls=Command)(hierarchy_command.hierarchy)
app.command("sanitize", cls=Command)(sanitize_command.sanitize)
app.command("harden", cls=Command)(harden_command.harden)
app.command("attack", cls=Command)(attack_command.attack)
app.command("audit", cls=Command)(audit_command.audit)
app.command("retest", cls=Command)(retest_command.retest)
app.command("dp-audit", cls=Command)(dp_audit_command.dp_audit)
app.command("measure", cls=Command)(measure_command.measure)
app.command("compare", cls=Command)(compare_command.compare)
app.command("reason", cls=Command)(reason_command.reason)
app.command("risk", cls=Command)(risk_command.risk)
app.add_typer(ledger_commands.ledger, name="ledger", cls=Group)
app.command("study", cls=Command)(study_command.study)
app.command("list", cls=Command)(catalog_commands.list_algorithms)
app.command("explain", cls=Command)(catalog_commands.explain)


@cache
def program() -> Any:  # noqa: ANN401 - Typer does not export the class
    """Return the command line as one callable; it is built from the signatures once a process."""
    return typer.main.get_command(app)
