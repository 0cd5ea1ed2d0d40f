"""`unmask attack`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, without
from unmask.cli.outputs import File, outputs, written
from unmask.wording import marked, message, text


@command
def attack(
    *,
    name: Annotated[str | None, typer.Argument(help=marked("an attack, as unmask list attacks names them"))] = None,
    release: options.Releases = None,
    rows: options.Rows = None,
    people: options.People = None,
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth", metavar="FILE", help=marked("the true values of the people or rows; no attack sees them")
        ),
        File.READ,
    ] = None,
    keep: options.Kept = None,
    scenario: Annotated[
        Path | None,
        typer.Option(
            "--scenario", metavar="FILE", help=marked("scenario.toml: what guesses of fusion are worth to an attacker")
        ),
        File.READ,
    ] = None,
    location: options.Location = None,
    prior: Annotated[
        str,
        typer.Option(
            "--prior",
            metavar="release|uniform|FILE",
            help=marked("belief before the attack; a file has value,probability"),
        ),
        File.READ,
    ] = "release",
    complete: options.Complete = False,
    settings: options.Settings = None,
    explain: Annotated[
        list[str] | None,
        typer.Option("--explain", metavar="KEY", help=marked("explain the beliefs about this person; repeat it")),
    ] = None,
    out: options.Out = None,
    html: options.Html = None,
    json: options.Json = None,
    force: options.Force = False,
    seed: options.Seed = None,
    resume: options.Resume = None,
    reading: Annotated[groups.ReadingGroup, without("household", "weight", "bins", "table")],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
    list_: Annotated[bool, typer.Option("--list", hidden=True)] = False,
) -> None:
    """Run one attack on releases, and write the attacker's beliefs about each target."""
    from unmask.errors import InvalidInputError

    if list_:
        from unmask.cli.catalog_commands import list_algorithms

        return list_algorithms("attacks")
    if name is None:
        msg = message("attack must have the name of an attack; got none. See unmask list attacks")
        raise InvalidInputError(msg)
    from unmask.cli import answer
    from unmask.cli.interruption import resumable
    from unmask.commands.attacking import attack as run
    from unmask.files.writing import require_free, together
    from unmask.report import summary

    files = outputs(out=out, html=html, json=json)
    for file in files.values():
        require_free(file, force=force)
    with machine.limits(), console.progress(), resumable(resume):
        found = run(
            name, release or [], rows=rows, people=people, truth=truth, keep=keep, scenario=scenario, location=location,
            prior=prior, complete=complete, set=options.pairs(settings, "--set"),
            explain=explain or (), seed=seed, **reading.given(),
        )  # fmt: skip
        with together():
            if "out" in files:
                found.write(files["out"], force=force)
            if "html" in files:
                found.write_html(files["html"], force=force)
            if "json" in files:
                found.write_json(files["json"], force=force)
    if json == "-":
        answer(found.to_json().rstrip("\n"), form="json")
    else:
        wrote = written(*files.values()) if files else text("Add --out beliefs.csv to keep them.")
        answer("\n".join([summary(found.report, footer=wrote), *(f"\n{one}" for one in found.explained)]))
    return None
