"""`unmask retest`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, without
from unmask.cli.outputs import File, write_results
from unmask.wording import marked


@command
def retest(
    *,
    report: Annotated[
        Path,
        typer.Argument(metavar="REPORT.json", help=marked("report of an earlier audit, written by --json")),
        File.SOURCE,
    ],
    release: options.Releases = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="FILE", help=marked("the table, where it is not where the report says, or a new one")
        ),
        File.READ,
    ] = None,
    keep: options.Kept = None,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--files",
            metavar="FOLDER",
            help=marked("folder with files of the earlier audit (default: here, then the report's)"),
        ),
        File.READ,
    ] = None,
    reports: Annotated[groups.ReportsGroup, without("regime", "interactive")],
    force: options.Force = False,
    resume: options.Resume = None,
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> int:
    """Repeat the audit of a report: what changed since, for how many people, and why."""
    from unmask.cli import answer, complain
    from unmask.cli.interruption import resumable
    from unmask.commands.retesting import retest as run
    from unmask.files.writing import require_free

    written = reports.files()
    for file in written.values():
        require_free(file, force=force)
    with machine.limits(), console.progress(), resumable(resume):
        found = run(report, release=release or [], data=data, keep=keep, files=files or ())
        contents: dict[str, Callable[[], str | bytes]] = {
            "html": found.to_html, "docx": found.to_docx, "pdf": found.to_pdf, "json": found.to_json,
            "junit": found.to_junit, "markdown": found.to_markdown,
        }  # fmt: skip
        write_results(written, contents, force=force)
    for why, _ in found.audit.failures:
        complain(why)
    if reports.json == "-":
        answer(found.to_json().rstrip("\n"), form="json")
    else:
        answer(str(found))
    return found.exit_code
