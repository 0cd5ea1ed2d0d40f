"""`unmask risk`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, without
from unmask.cli.outputs import File, outputs, write_results
from unmask.wording import marked, message, text


@command
def risk(
    *,
    data: options.Data,
    dictionary: Annotated[
        list[str] | None,
        typer.Option(
            "--dictionary", metavar="FILE", help=marked("a table that an attacker may hold; repeat it (default: DATA)")
        ),
        File.READ,
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option("--weights", metavar="FILE", help=marked("weights.toml: how bad each disclosure is")),
        File.READ,
    ] = None,
    disclose: Annotated[
        int | None,
        typer.Option("--disclose", metavar="K", help=marked("choose K attributes of each record to disclose")),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            metavar="min-risk|exact|bayes|minimax|total|per-attribute",
            help=marked("how they are chosen (default: exact; bayes for several dictionaries)"),
        ),
    ] = None,
    always: Annotated[
        list[str] | None,
        typer.Option("--always", metavar="COL", help=marked("disclosed of each record, among the K; repeat")),
    ] = None,
    prior: Annotated[
        str, typer.Option("--prior", metavar="uniform|P,P,...", help=marked("probability of each dictionary"))
    ] = "uniform",
    compare: Annotated[
        list[str] | None,
        typer.Option(
            "--compare",
            metavar="COL=HOW",
            help=marked("folded, prefix:3, jaro:0.9, within:2, days:7, contains; repeat it"),
        ),
    ] = None,
    selection: Annotated[
        str | None,
        typer.Option(
            "--selection", metavar="COL", help=marked("of dictionaries: probability that an entry is selected")
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help=marked("publish what --disclose K chose, a release folder")),
        File.FOLDER,
    ] = None,
    keep: options.Keep = None,
    html: options.Html = None,
    json: options.Json = None,
    people_at_risk: Annotated[
        Path | None,
        typer.Option(
            "--people-at-risk", metavar="FILE", help=marked("write the people with most of the risk: keys, else lines")
        ),
        File.WRITTEN,
    ] = None,
    force: options.Force = False,
    reading: Annotated[
        groups.ReadingGroup, without("hierarchy", "order", "bins", "level", "cells", "harmless", "missing_policy")
    ],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> None:
    """Compute the decision-theoretic disclosure risk of a table, and choose which attributes to disclose."""
    from typing import cast

    from unmask.cli import answer
    from unmask.cli.published import published
    from unmask.commands.risking import NOTHING_CHOSEN
    from unmask.commands.risking import disclosure_risk as run
    from unmask.decision_risk.selection import Name
    from unmask.errors import InvalidInputError
    from unmask.files.release_files import owned_files
    from unmask.files.writing import require_free, require_free_folder, together

    if out is not None and disclose is None:
        raise InvalidInputError(NOTHING_CHOSEN)
    if keep is not None and out is None:
        msg = message("what is kept back must be of a release that is published; got --keep alone. Write --out FOLDER")
        raise InvalidInputError(msg)
    files = outputs(out=out, keep=keep, html=html, json=json, people=people_at_risk)
    for kind, file in files.items():
        if kind == "out":
            require_free_folder(file, owned=owned_files, force=force)
        else:
            require_free(file, force=force)
    named = None if rule is None else cast("Name", rule.replace("_", "-").casefold())
    with machine.limits(), console.progress():
        found = run(
            data,
            dictionary or [],
            weights=weights,
            disclose=disclose,
            rule=named,
            always=always or [],
            prior=prior,
            compare=compare or [],
            selection=selection,
            curve=html is not None or json is not None,
            **reading.given(),
        )
        with together():
            made = None if out is None else found.write(out, keep=keep, force=force)
            reports = {"html": found.to_html, "json": found.to_json, "people": found.at_risk}
            write_results({kind: files[kind] for kind in reports if kind in files}, reports, force=force)
    footer = "" if files else text("A page with the plot: --html FILE; the numbers: --json FILE")
    if made is not None and out is not None:
        footer = published(made.release, out, data=data, keep=keep, reading=reading)
    if json == "-":
        answer(found.to_json().rstrip("\n"), form="json")
    else:
        answer(found.summary(footer))
