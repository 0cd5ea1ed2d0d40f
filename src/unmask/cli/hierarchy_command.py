"""`unmask hierarchy`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, only
from unmask.cli.outputs import File, outputs
from unmask.wording import marked, message


@command
def hierarchy(
    *,
    column: Annotated[str, typer.Argument(help=marked("the column to generalize"))],
    data: options.Data,
    intervals: Annotated[
        str | None, typer.Option("--intervals", metavar="5,10,20", help=marked("widths of intervals"))
    ] = None,
    mask: Annotated[
        bool, typer.Option("--mask", help=marked("mask codes from the right: 13012, 1301*, 130**"))
    ] = False,
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="NAME", help=marked("a ready hierarchy, as unmask list presets names them")),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="FILE",
            help=marked("postcodes and their people: areas of up to 20,000 people are pooled"),
        ),
        File.READ,
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help=marked("a hierarchy in ARX's form, to be checked")),
        File.READ,
    ] = None,
    out: options.Out = None,
    check: Annotated[bool, typer.Option("--check", help=marked("only check whether it fits; exit 1 if not"))] = False,
    force: options.Force = False,
    reading: Annotated[
        groups.ReadingGroup,
        only("roles", "missing", "table", "encoding", "delimiter", "decimal", "skip_lines", "sheet"),
    ],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> int:
    """Make a generalization hierarchy for a column, or check one against it."""
    from unmask.cli import answer
    from unmask.commands.hierarchies import hierarchy as run
    from unmask.commands.notes import Notes
    from unmask.errors import InvalidInputError
    from unmask.files.writing import require_free
    from unmask.hierarchies import exact
    from unmask.visible_text import joined

    widths = None
    if intervals is not None:
        try:
            widths = [width.strip() for width in intervals.split(",")]
            for width in widths:
                exact(width)
        except ValueError:
            msg = message("intervals must be widths like 5,10,20; got {intervals}", intervals=repr(intervals))
            raise InvalidInputError(msg) from None
    for output in outputs(out=out).values():
        require_free(output, force=force)
    with machine.limits(), console.progress():
        made = run(
            column, data, intervals=widths, mask=mask, preset=preset, population=population, file=file,
            **reading.given(),
        )  # fmt: skip
        if out is not None and not check:
            made.write(out, force=force)
        if out is None and not check:
            Notes().add(*made.checked.warnings())  # the answer is the file alone
    if out is None and not check:
        answer(made.hierarchy.to_csv().rstrip("\n"), form="csv")
    else:
        answer(joined(made.checked.lines()))
    return int(check and not made.checked.fits)
