"""`unmask sanitize`."""

from __future__ import annotations

from typing import Annotated

import typer

from unmask.cli import options


def sanitize(
    data: options.OptionalData = None,
    name: Annotated[str | None, typer.Argument(help="a sanitizer, as unmask list sanitizers names them")] = None,
    settings: options.Settings = None,
    out: options.Out = None,
    keep: options.Keep = None,
    force: options.Force = False,
    roles: options.RolesFile = None,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    identifier: options.Identifier = None,
    insensitive: options.Insensitive = None,
    person_key: options.PersonKey = None,
    household: options.Household = None,
    weight: options.Weight = None,
    rest: options.Rest = None,
    hierarchy: options.HierarchyFile = None,
    order: options.Order = None,
    bins: options.Bins = None,
    harmless: options.Harmless = None,
    missing: options.Missing = None,
    missing_policy: options.MissingPolicy = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
    list_: Annotated[bool, typer.Option("--list", hidden=True)] = False,
) -> None:
    """Publish a table so that it meets a privacy model; the release is a folder that can be handed out."""
    from unmask.errors import InvalidInputError

    if list_:
        from unmask.cli.catalog_commands import list_algorithms

        return list_algorithms("sanitizers")
    if data is None or name is None:
        msg = "sanitize must be told a table and a sanitizer, as in: unmask sanitize people.csv mondrian --out DIR"
        raise InvalidInputError(msg)
    if out is None:
        msg = "sanitize must be told where the release goes. Write --out DIR"
        raise InvalidInputError(msg)
    from unmask.cli.progress import note, shown
    from unmask.commands.sanitizing import sanitize as run
    from unmask.files.kept import write_keep
    from unmask.files.release_folder import write_release
    from unmask.files.writing import require_free

    require_free(out, force=force)
    if keep is not None:
        require_free(keep, force=force)
    reading = options.reading(locals())
    with shown(wanted=not no_progress and not quiet):
        made = run(data, name, roles=roles, settings=options.pairs(settings, "--set"), options=reading)
        for text in made.notes:
            note(text, quiet=quiet)
        write_release(made.publication.release, out, force=force)
        if keep is not None:
            write_keep(keep, made.publication, seed=made.seed, force=force)
    release = made.publication.release
    suppressed = f", {release.n_suppressed:,} suppressed" if release.n_suppressed else ""
    typer.echo(f"{release.n_people:,.0f} people published in {release.n_groups:,} groups{suppressed}: {out}")
    typer.echo(
        f"Attack it before you hand it out: unmask audit {data} --release {out}" + (f" --keep {keep}" if keep else "")
    )
    return None
