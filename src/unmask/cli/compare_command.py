"""`unmask compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from unmask.cli import options


def compare(
    paths: Annotated[list[str], typer.Argument(metavar="PATH PATH ...", help="releases of the same table")],
    original: Annotated[
        str | None, typer.Option("--original", metavar="FILE", help="the table that all of them were made of")
    ] = None,
    html: options.Html = None,
    json: options.Json = None,
    force: options.Force = False,
    seed: options.Seed = None,
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
    """Put several releases side by side: what they give away, and what they are still good for."""
    from unmask.cli import answer
    from unmask.cli.progress import shown
    from unmask.commands.comparing import compare as run
    from unmask.files.writing import require_free, together, write_file
    from unmask.report.comparison import summary, to_html, to_json

    reading = options.reading(locals())
    files = options.outputs(locals(), html=html, json=json)
    for file in files.values():
        require_free(file, force=force)
    with shown(quiet=quiet, no_progress=no_progress, verbose=verbose):
        found = run(paths, original, seed=seed, roles=roles, **reading)
        writers = {"html": to_html, "json": to_json}
        with together():
            for kind, file in files.items():
                write_file(file, writers[kind](found.report, context=found.notes), force=force)
    if json == "-":
        answer(to_json(found.report, context=found.notes).rstrip("\n"))
    else:
        answer(summary(found.report, context=found.notes))
