"""`unmask measure`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, without
from unmask.cli.outputs import File, outputs, write_results
from unmask.wording import marked


@command
def measure(
    *,
    path: options.ReleasePath,
    rows: options.Rows = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            "--require", metavar="MODEL=VALUE", help=marked("exit 1 unless met: k=5, or t=hierarchical:0.3; repeat it")
        ),
    ] = None,
    engine: options.Engine = None,
    print_sql: options.PrintSql = None,
    ignore: options.Ignore = None,
    population: options.Population = None,
    sampled: Annotated[
        str | None,
        typer.Option(
            "--sampled", metavar="SHARE", help=marked("share of the population in it: 0.1, 10% or PEOPLE/POPULATION")
        ),
    ] = None,
    json: options.Json = None,
    people_at_risk: Annotated[
        Path | None,
        typer.Option(
            "--people-at-risk", metavar="FILE", help=marked("write the people at risk above 1/11: keys, else lines")
        ),
        File.WRITTEN,
    ] = None,
    force: options.Force = False,
    reading: Annotated[groups.ReadingGroup, without("identifier", "bins", "harmless")],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> int:
    """Measure every privacy model on a release, and the re-identification risk in its population."""
    from unmask.cli import answer
    from unmask.commands.measuring import measure as run
    from unmask.files.writing import require_free

    if print_sql is not None:
        from unmask.commands.inputs.reader import Reader
        from unmask.commands.measuring_in_engine import printed_queries
        from unmask.commands.notes import Notes

        given = reading.given()
        reader = Reader.of(given.pop("roles", None), Notes(), **given)
        answer(printed_queries(print_sql, path, reader, require or ()))
        return 0
    files = outputs(json=json, people=people_at_risk)
    for file in files.values():
        require_free(file, force=force)
    with machine.limits(), console.progress():
        found = run(
            path,
            rows=rows,
            engine=engine,
            require=require or (),
            ignore=ignore or (),
            population=population,
            sampled=sampled,
            **reading.given(),
        )
        write_results(files, {"json": found.to_json, "people": found.at_risk}, force=force)
    if json == "-":
        answer(found.to_json().rstrip("\n"), form="json")
    else:
        answer(str(found))
    return found.exit_code
