"""`unmask compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, without
from unmask.cli.outputs import File, outputs, write_results
from unmask.wording import marked


@command
def compare(
    *,
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH PATH ...", help=marked("releases of the same table")), File.SOURCE
    ],
    original: Annotated[
        str | None,
        typer.Option("--original", metavar="FILE", help=marked("the table that all of them were made of")),
        File.READ,
    ] = None,
    html: options.Html = None,
    json: options.Json = None,
    force: options.Force = False,
    seed: options.Seed = None,
    reading: Annotated[
        groups.ReadingGroup, without("identifier", "person_key", "household", "weight", "bins", "harmless", "table")
    ],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> None:
    """Compare the risk and the utility of several releases of one table."""
    from unmask.cli import answer
    from unmask.commands.comparing import compare as run
    from unmask.files.writing import require_free

    files = outputs(html=html, json=json)
    for file in files.values():
        require_free(file, force=force)
    with machine.limits(), console.progress():
        found = run(paths, original, seed=seed, **reading.given())
        write_results(files, {"html": found.to_html, "json": found.to_json}, force=force)
    if json == "-":
        answer(found.to_json().rstrip("\n"), form="json")
    else:
        answer(str(found))
