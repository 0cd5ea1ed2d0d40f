"""`unmask reason`."""

from __future__ import annotations

from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, without
from unmask.cli.outputs import File, outputs, write_results
from unmask.wording import marked


@command
def reason(
    *,
    path: Annotated[
        str, typer.Argument(help=marked("a small release: a folder, a table, or QIT.csv,ST.csv")), File.SOURCE
    ],
    json: options.Json = None,
    force: options.Force = False,
    reading: Annotated[
        groups.ReadingGroup,
        without("identifier", "person_key", "household", "weight", "bins", "level", "harmless", "table"),
    ],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> None:
    """Compare ways to reason about a small release, by listing every possible world."""
    from unmask.cli import answer
    from unmask.commands.reasoning import reason as run
    from unmask.files.writing import require_free

    files = outputs(json=json)
    for file in files.values():
        require_free(file, force=force)
    with machine.limits(), console.progress():
        found = run(path, **reading.given())
        write_results(files, {"json": found.to_json}, force=force)
    if json == "-":
        answer(found.to_json().rstrip("\n"), form="json")
    else:
        answer(str(found))
