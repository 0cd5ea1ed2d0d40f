"""`unmask reason`."""

from __future__ import annotations

from typing import Annotated

import typer

from unmask.cli import options


def reason(
    path: Annotated[str, typer.Argument(help="a small release: a folder, a table, or QIT.csv,ST.csv")],
    json: options.Json = None,
    force: options.Force = False,
    roles: options.RolesFile = None,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    insensitive: options.Insensitive = None,
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
    verbose: options.Verbose = False,
) -> None:
    """Put ways to reason about a small release side by side: who learns from it, and who cannot."""
    from unmask.cli import answer
    from unmask.cli.progress import shown
    from unmask.commands.reasoning import reason as run
    from unmask.files.writing import require_free, write_file

    reading = options.reading(locals())
    files = options.outputs(locals(), json=json)
    for file in files.values():
        require_free(file, force=force)
    with shown(quiet=quiet, no_progress=no_progress, verbose=verbose):
        found = run(path, roles=roles, **reading)
        if "json" in files:
            write_file(files["json"], found.to_json(), force=force)
    if json == "-":
        answer(found.to_json().rstrip("\n"), for_machines=True)
    else:
        answer(str(found))
