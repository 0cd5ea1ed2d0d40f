"""`unmask harden`."""

from __future__ import annotations

from typing import Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command
from unmask.cli.command import only as only_of
from unmask.cli.outputs import outputs, write_results, written
from unmask.number_format import numeral
from unmask.wording import marked, message, text


@command
def harden(
    *,
    data: options.Data,
    out: options.OutFolder = None,
    keep: options.Keep = None,
    limits: Annotated[groups.LimitsGroup, only_of("policy", "max_belief", "excess", "tolerate")],
    suppression: Annotated[
        str | None,
        typer.Option(
            "--suppression", metavar="SHARE", help=marked("how many may be left out: 0.05 or 5% (default: 5%)")
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help=marked("try this sanitizer; repeat it (default: all that suit)")),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option("--budget", metavar="MINUTES", help=marked("time for the search (default: 10)")),
    ] = None,
    ignore: options.Ignore = None,
    html: options.Html = None,
    json: options.Json = None,
    force: options.Force = False,
    resume: options.Resume = None,
    reading: groups.ReadingGroup,
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> int:
    """Search for the release that passes a policy and keeps most; write it, with the attacks on it as evidence.

    Every candidate is attacked by every attack that applies, by an attacker who knows attributes and by one who also
    knows the row. The budget decides how many candidates are tried, and nothing else.
    """
    from unmask.cli import answer, complain
    from unmask.cli.interruption import resumable
    from unmask.commands.hardening import MINUTES, PARTS
    from unmask.commands.hardening import harden as run
    from unmask.errors import InvalidInputError
    from unmask.files.release_files import owned_files
    from unmask.files.writing import require_free, require_free_folder, together

    if out is None:
        msg = message("harden must have a folder for the release. Write --out DIR")
        raise InvalidInputError(msg)
    files = outputs(html=html, json=json)
    require_free_folder(out, owned=owned_files, force=force)
    for file in (*files.values(), *outputs(keep=keep).values()):
        require_free(file, force=force)
    minutes = MINUTES if budget is None else budget
    if machine.time_limit is not None and machine.time_limit <= minutes:
        msg = message(
            "--time-limit must be above --budget, {minutes} minutes, which ends with a result; got {time_limit}. "
            "Write a smaller --budget",
            minutes=numeral(minutes, "g"),
            time_limit=numeral(machine.time_limit, "g"),
        )
        raise InvalidInputError(msg)
    judged = {name: value for name, value in limits.given().items() if name != "attack_set"}
    with machine.limits(), console.progress(), resumable(resume, keep=PARTS):
        found = run(
            data, **judged, suppression=suppression, only=only or (), budget=budget, jobs=machine.jobs,
            ignore=ignore or (), **reading.given(),
        )  # fmt: skip
        with together():
            if found.sanitized is not None:
                found.write(out, keep=keep, force=force)
                found = found.released_at(out, keep=keep)
            write_results(files, {"html": found.to_html, "json": found.to_json}, force=force)
    if found.report.ran_out:
        complain(
            message(
                "a release that passes must be found within the budget of {minutes} minutes; none was. Write a "
                "larger --budget, with --resume FOLDER to go on",
                minutes=numeral(found.report.minutes, "g"),
            )
        )
    if json == "-":
        answer(found.to_json().rstrip("\n"), form="json")
        return found.exit_code
    from unmask.report.hardening import summary

    made = [*outputs(out=out, keep=keep).values()] if found.sanitized is not None else []
    made += files.values()
    footer = written(*made) if made else text("Nothing written.")
    answer(summary(found.report, footer=footer))
    return found.exit_code
