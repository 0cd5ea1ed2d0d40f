"""`unmask measure`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unmask.cli import limits, options


def measure(
    path: Annotated[str, typer.Argument(help="a release: a folder, a table, or QIT.csv,ST.csv")],
    require: Annotated[
        list[str] | None,
        typer.Option(
            "--require", metavar="MODEL=VALUE", help="exit 1 unless met: k=5, or t=hierarchical:0.3; repeat it"
        ),
    ] = None,
    ignore: limits.Ignore = None,
    population: options.Population = None,
    sampled: Annotated[
        str | None,
        typer.Option("--sampled", metavar="SHARE", help="of the population: 0.1, 10% or PEOPLE/POPULATION"),
    ] = None,
    json: options.Json = None,
    people_at_risk: Annotated[
        Path | None,
        typer.Option("--people-at-risk", metavar="FILE", help="write who looks like fewer than 11: keys, else lines"),
    ] = None,
    force: options.Force = False,
    roles: options.RolesFile = None,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    insensitive: options.Insensitive = None,
    person_key: options.PersonKey = None,
    household: options.Household = None,
    weight: options.Weight = None,
    rest: options.Rest = None,
    hierarchy: options.HierarchyFile = None,
    order: options.Order = None,
    missing: options.Missing = None,
    missing_policy: options.MissingPolicy = None,
    table: options.TableOption = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
    verbose: options.Verbose = False,
) -> int:
    """Measure every privacy model on a release made by anyone, and how surely its people could be found."""
    from unmask.cli import answer
    from unmask.cli.progress import shown
    from unmask.commands.measuring_release import measure as run
    from unmask.files.writing import require_free, together, write_file

    reading = options.reading(locals())
    files = options.outputs(locals(), json=json, people=people_at_risk)
    for file in files.values():
        require_free(file, force=force)
    with shown(quiet=quiet, no_progress=no_progress, verbose=verbose):
        found = run(
            path,
            require=require or (),
            ignore=ignore or (),
            population=population,
            sampled=sampled,
            roles=roles,
            table=table,
            **reading,
        )
        with together():
            if "json" in files:
                write_file(files["json"], found.to_json(), force=force)
            if "people" in files:
                write_file(files["people"], found.at_risk(), force=force)
    answer(found.to_json().rstrip("\n") if json == "-" else str(found))
    return found.exit_code
