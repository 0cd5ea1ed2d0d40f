"""`unmask dp-audit`."""

from __future__ import annotations

from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, without
from unmask.cli.outputs import outputs, write_results
from unmask.wording import marked, message


@command
def dp_audit(
    *,
    data: options.OptionalData = None,
    name: Annotated[
        str | None, typer.Argument(help=marked("a sanitizer, as unmask list sanitizers names them"))
    ] = None,
    settings: options.Settings = None,
    runs: Annotated[
        int | None,
        typer.Option("--runs", metavar="N", help=marked("releases of each of the two tables (default: 1,000)")),
    ] = None,
    record: Annotated[
        int | None,
        typer.Option(
            "--record", metavar="N", help=marked("the row, from 0, that is in or not (default: one of the rarest)")
        ),
    ] = None,
    json: options.Json = None,
    force: options.Force = False,
    seed: options.Seed = None,
    reading: Annotated[groups.ReadingGroup, without("cells")],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> int:
    """Test the epsilon that a sanitizer claims: release a table often, and without a person as often.

    What happens often with the person and seldom without refutes a smaller epsilon: a true one is refuted in at most
    5 % of audits. Not refuted is not proved. Also measures the gap: how much more often a guess about the person is
    right because of the record.
    """
    from unmask.errors import InvalidInputError

    if data is None or name is None:
        msg = message("dp-audit must have a table and a sanitizer, as in: unmask dp-audit people.csv noisy-counts")
        raise InvalidInputError(msg)
    from unmask.cli import answer
    from unmask.commands.dp_auditing import dp_audit as run
    from unmask.files.writing import require_free

    files = outputs(json=json)
    for file in files.values():
        require_free(file, force=force)
    with machine.limits(), console.progress():
        found = run(
            data, name, set=options.pairs(settings, "--set"), runs=runs, record=record, seed=seed, **reading.given()
        )
        write_results(files, {"json": found.to_json}, force=force)
    answer(found.to_json().rstrip("\n"), form="json") if json == "-" else answer(str(found))
    return found.exit_code
