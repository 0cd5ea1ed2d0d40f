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

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Attack your data release before someone else does.",
)


def _version(*, wanted: bool) -> None:
    if wanted:
        from unmask import __version__

        typer.echo(f"unmask {__version__}")
        raise typer.Exit


@app.callback()
def unmask(
    *,
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Attack your data release before someone else does."""


app.command("demo")(demo.demo)
app.command("inspect")(inspect_command.inspect)
app.command("hierarchy")(hierarchy_command.hierarchy)
app.command("sanitize")(sanitize_command.sanitize)
app.command("harden")(harden_command.harden)
app.command("attack")(attack_command.attack)
app.command("audit")(audit_command.audit)
app.command("retest")(retest_command.retest)
app.command("measure")(measure_command.measure)
app.command("compare")(compare_command.compare)
app.command("reason")(reason_command.reason)
app.command("risk")(risk_command.risk)
app.add_typer(ledger_commands.ledger, name="ledger")
app.command("study")(study_command.study)
app.command("list")(catalog_commands.list_algorithms)
app.command("explain")(catalog_commands.explain)


@cache
def program() -> Any:  # noqa: ANN401 - Typer does not export the class
    """Return the command line as one callable; it is built from the signatures once a process."""
    return typer.main.get_command(app)
