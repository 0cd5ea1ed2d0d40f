"""`unmask study`."""

from __future__ import annotations

from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command
from unmask.cli.outputs import outputs, written
from unmask.wording import marked, text


@command
def study(
    *,
    name: Annotated[str | None, typer.Argument(help=marked("a study, as unmask study lists them"))] = None,
    quick: Annotated[bool, typer.Option("--quick", help=marked("fewer runs: a minute or two"))] = False,
    miners: Annotated[
        str | None, typer.Option("--miners", metavar="LIBRARY", help=marked("library of classifiers: sklearn or weka"))
    ] = None,
    settings: options.Settings = None,
    out: options.OutFolder = None,
    json: options.Json = None,
    force: options.Force = False,
    seed: options.Seed = None,
    resume: options.Resume = None,
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> None:
    """Run the experiment of a paper again, and compare its printed figures; without NAME, list the studies."""
    if name is None:
        from unmask.cli.catalog_commands import list_algorithms

        return list_algorithms("studies")
    from unmask import catalog
    from unmask.cli import answer
    from unmask.cli.interruption import resumable
    from unmask.commands.studying import study as run
    from unmask.files.writing import require_free, require_free_folder, together
    from unmask.report.study import summary

    catalog.named("studies", name)
    files = outputs(out=out, json=json)
    if "out" in files:
        require_free_folder(files["out"], force=force)
    if "json" in files:
        require_free(files["json"], force=force)
    with machine.limits(), console.progress(), resumable(resume):
        chosen = [*(settings or []), *([f"miners={miners}"] if miners else [])]
        found = run(name, quick=quick, set=options.pairs(chosen, "--set"), seed=seed)
        with together():
            if "out" in files:
                found.write(files["out"], force=force)
            if "json" in files:
                found.write_json(files["json"], force=force)
    if json == "-":
        answer(found.to_json().rstrip("\n"), form="json")
    else:
        wrote = written(*files.values()) if files else text("All figures, charts, tables: --out DIR")
        answer(summary(found.found, footer=wrote))
    return None
