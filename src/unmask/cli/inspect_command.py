"""`unmask inspect`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, only
from unmask.cli.outputs import File, outputs, write_results
from unmask.wording import marked, text


@command
def inspect(
    *,
    data: options.Data,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help=marked("write the proposals as a roles.toml")),
        File.WRITTEN,
    ] = None,
    html: options.Html = None,
    json: options.Json = None,
    force: options.Force = False,
    reading: Annotated[
        groups.ReadingGroup, only("missing", "table", "encoding", "delimiter", "decimal", "skip_lines", "sheet")
    ],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> None:
    """Propose the role of each column, and draft a roles.toml."""
    from unmask.cli import answer
    from unmask.commands.inspecting import inspect as run
    from unmask.files.writing import require_free

    files = outputs(out=out, html=html, json=json)
    for file in files.values():
        require_free(file, force=force)
    with machine.limits(), console.progress():
        made = run(data, **reading.given())
        write_results(files, {"out": made.to_toml, "html": made.to_html, "json": made.to_json}, force=force)
    if json == "-":
        answer(made.to_json().rstrip("\n"), form="json")
        return
    answer(str(made))
    answer(
        text("written: {out}; check it, then unmask sanitize and audit read it", out=out.name)
        if out
        else _way_on(data, reading)
    )


def _way_on(data: str, reading: groups.ReadingGroup) -> str:
    source = "DATA" if data == "-" else reading.source(data)
    return text(
        "draft the roles: {value}",
        value=shlex.join(["unmask", "inspect", source, *reading.again(), "--out", "roles.toml"]),
    )
