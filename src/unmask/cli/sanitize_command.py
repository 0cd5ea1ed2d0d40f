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
    table: options.TableOption = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
    verbose: options.Verbose = False,
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
    from unmask.cli import answer
    from unmask.cli.progress import shown as progress
    from unmask.cli.published import published
    from unmask.commands.sanitizing import sanitize as run
    from unmask.files.databases.dsn import again, of_table
    from unmask.files.release_folder import owned_files
    from unmask.files.writing import require_free, require_free_folder

    reading = options.reading(locals())
    files = options.outputs(locals(), out=out, keep=keep)
    require_free_folder(out, owned=owned_files, force=force)
    if "keep" in files:
        require_free(files["keep"], force=force)
    with progress(quiet=quiet, no_progress=no_progress, verbose=verbose):
        made = run(data, name, set=options.pairs(settings, "--set"), roles=roles, table=table, **reading)
        made.write(out, keep=keep, force=force)
    answer(published(made.release, out, data=again(of_table(data, table)), keep=keep, person_key=person_key))
    return None
