"""`unmask attack`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unmask.cli import options


def attack(
    name: Annotated[str | None, typer.Argument(help="an attack, as unmask list attacks names them")] = None,
    release: options.Releases = None,
    people: options.People = None,
    truth: Annotated[
        Path | None, typer.Option("--truth", help="what is true of the people; the attack never sees it")
    ] = None,
    location: options.LocationOption = None,
    prior: Annotated[str, typer.Option("--prior", help="release, uniform or a file: value,probability")] = "release",
    complete: options.Complete = False,
    population: options.Population = None,
    settings: options.Settings = None,
    out: options.Out = None,
    json: options.Json = None,
    force: options.Force = False,
    seed: options.Seed = None,
    roles: options.RolesFile = None,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    insensitive: options.Insensitive = None,
    person_key: options.PersonKey = None,
    rest: options.Rest = None,
    hierarchy: options.HierarchyFile = None,
    order: options.Order = None,
    missing: options.Missing = None,
    missing_policy: options.MissingPolicy = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
    list_: Annotated[bool, typer.Option("--list", hidden=True)] = False,
) -> None:
    """Attack releases as an outsider would, and write what is then believed of each person."""
    from unmask.errors import InvalidInputError

    if list_:
        from unmask.cli.catalog_commands import list_algorithms

        return list_algorithms("attacks")
    if name is None:
        msg = "attack must be told which, as in: unmask attack random-worlds --release DIR. See unmask list attacks"
        raise InvalidInputError(msg)
    from unmask.cli.progress import note, shown
    from unmask.commands.attacking import attack as run
    from unmask.files.beliefs import write_beliefs
    from unmask.files.writing import require_free, write_file
    from unmask.report import summary, to_json
    from unmask.streams import fresh_seed

    reading = options.reading(locals())
    files = [file for file in (out, None if json in {None, "-"} else Path(str(json))) if file is not None]
    for file in files:
        require_free(file, force=force)
    if seed is None:
        seed = fresh_seed()
        note(f"seed {seed} (say --seed {seed} to see the same numbers again)", quiet=quiet)
    with shown(wanted=not no_progress and not quiet):
        found = run(
            name, release or [], people=people, truth=truth, location=location, prior=prior, complete=complete,
            population=population, settings=options.pairs(settings, "--set"), roles=roles, options=reading, seed=seed,
        )  # fmt: skip
        for text in found.notes:
            note(text, quiet=quiet)
        if out is not None:
            write_beliefs(found.beliefs, out, people=found.names, force=force)
        if json not in {None, "-"}:
            write_file(Path(str(json)), to_json(found.report, context=found.notes), force=force)
    if json == "-":
        typer.echo(to_json(found.report, context=found.notes))
    else:
        wrote = f"Written: {', '.join(str(file) for file in files)}" if files else "Add --out beliefs.csv to keep them."
        typer.echo(summary(found.report, footer=wrote))
    return None
