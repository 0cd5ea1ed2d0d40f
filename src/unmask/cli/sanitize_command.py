"""`unmask sanitize`."""

from __future__ import annotations

from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, without
from unmask.cli.outputs import outputs
from unmask.wording import marked, message


@command
def sanitize(
    *,
    data: options.OptionalData = None,
    name: Annotated[
        str | None, typer.Argument(help=marked("a sanitizer, as unmask list sanitizers names them"))
    ] = None,
    settings: options.Settings = None,
    changes: groups.ChangesGroup,
    out: options.OutFolder = None,
    keep: options.Keep = None,
    key: options.Key = None,
    try_settings: Annotated[
        bool, typer.Option("--try-settings", help=marked("try other settings, too, and name the one that keeps most"))
    ] = False,
    force: options.Force = False,
    reading: Annotated[groups.ReadingGroup, without("cells")],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
    list_: Annotated[bool, typer.Option("--list", hidden=True)] = False,
) -> None:
    """Publish a table so that it meets a privacy model; the release is a folder that can be handed out.

    With --key, --set pseudonym=COL publishes person numbers as pseudonyms, and --set shift-dates=COL with --set
    shift-days=N moves all dates of a person by one number of days.
    """
    from unmask.errors import InvalidInputError

    if list_:
        from unmask.cli.catalog_commands import list_algorithms

        return list_algorithms("sanitizers")
    if data is None or name is None:
        msg = message(
            "sanitize must have a table and a sanitizer, as in: unmask sanitize people.csv mondrian --out DIR"
        )
        raise InvalidInputError(msg)
    if out is None:
        msg = message("sanitize must have a folder for the release. Write --out DIR")
        raise InvalidInputError(msg)
    from unmask.cli import answer
    from unmask.cli.published import published
    from unmask.commands.sanitizing import sanitize as run
    from unmask.files.release_files import owned_files
    from unmask.files.writing import require_free, require_free_folder

    files = outputs(out=out, keep=keep)
    require_free_folder(out, owned=owned_files, force=force)
    if "keep" in files:
        require_free(files["keep"], force=force)
    with machine.limits(), console.progress():
        made = run(data, name, set=options.pairs(settings, "--set"), key=key, **changes.given(), **reading.given())
        made.write(out, keep=keep, force=force)
        left = made.what_is_left(try_settings=try_settings)
    answer(published(made.release, out, data=data, keep=keep, reading=reading, left=str(left)))
    return None
