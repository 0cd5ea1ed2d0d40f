"""`unmask audit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command
from unmask.cli.outputs import File, outputs, write_results, written
from unmask.wording import marked, message, text

if TYPE_CHECKING:
    from unmask.commands.outcome.audit_result import Audited


@command
def audit(
    *,
    data: options.OptionalData = None,
    release: options.Releases = None,
    rows: options.Rows = None,
    engine: options.Engine = None,
    print_sql: options.PrintSql = None,
    keep: options.Kept = None,
    people: options.People = None,
    sanitizer: Annotated[
        str | None,
        typer.Option("--sanitizer", metavar="NAME", help=marked("publish the table with it, for this audit only")),
    ] = None,
    settings: options.Settings = None,
    limits: groups.LimitsGroup,
    quick: Annotated[
        bool,
        typer.Option("--quick", help=marked("attacks in quick forms, chosen by the number of people; less advice")),
    ] = False,
    complete: options.Complete = False,
    population: options.Population = None,
    control: Annotated[
        str | None,
        typer.Option(
            "--control",
            metavar="left-out|held-out|none",
            help=marked("what attacks are compared with (default: left-out)"),
        ),
    ] = None,
    ignore: options.Ignore = None,
    key: options.Key = None,
    changes: groups.ChangesGroup,
    leave_out_exposed: Annotated[
        bool,
        typer.Option(
            "--leave-out-exposed", help=marked("leave out the groups of exposed people, and attack the rest again")
        ),
    ] = False,
    also_known: Annotated[
        list[str] | None,
        typer.Option(
            "--also-known", metavar="COL", help=marked("a published column that the attacker knows as well; repeat it")
        ),
    ] = None,
    advice: Annotated[
        int | None,
        typer.Option(
            "--advice",
            metavar="N",
            min=0,
            help=marked("after a broken limit, measure N changes (default: by size; 0: none)"),
        ),
    ] = None,
    out: options.OutFolder = None,
    out_keep: Annotated[
        Path | None,
        typer.Option(
            "--out-keep", metavar="FILE", help=marked("secret: the mapping of rows to those of the changed release")
        ),
        File.WRITTEN,
    ] = None,
    reports: groups.ReportsGroup,
    people_at_risk: Annotated[
        Path | None,
        typer.Option(
            "--people-at-risk", metavar="FILE", help=marked("write the exposed people: person keys, else lines from 0")
        ),
        File.WRITTEN,
    ] = None,
    force: options.Force = False,
    seed: options.Seed = None,
    resume: options.Resume = None,
    reading: groups.ReadingGroup,
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> int:
    """Run every attack that applies on a release, and judge the release against limits."""
    from unmask.cli.interruption import resumable
    from unmask.commands.auditing import audit as run
    from unmask.errors import InvalidInputError
    from unmask.files.release_files import owned_files
    from unmask.files.writing import require_free, require_free_folder, together

    judged = limits.given()
    if print_sql is not None:
        from unmask.cli import answer
        from unmask.commands.auditing_in_engine import printed_audit

        answer(printed_audit(print_sql, data, release or [], {**judged, **reading.given()}))
        return 0
    if quick and limits.all_:
        msg = message("an audit must be --quick or run --all attacks; got both")
        raise InvalidInputError(msg)
    if people_at_risk is not None and limits.max_belief is None and limits.policy is None:
        msg = message(
            "--people-at-risk must come with a limit that says who is at risk. Write --max-belief X, or --policy"
        )
        raise InvalidInputError(msg)
    if people_at_risk is not None and engine is not None:
        msg = message("--engine must come without --people-at-risk: who is exposed stays in the engine. Leave one out")
        raise InvalidInputError(msg)
    files = reports.files(people=people_at_risk)
    for file in (*files.values(), *([] if out_keep is None else [out_keep])):
        require_free(file, force=force)
    if out is None and out_keep is not None:
        msg = message(
            "--out-keep must come with --out DIR, the folder of the changed release; got none. Write --out DIR"
        )
        raise InvalidInputError(msg)
    if out is not None and (sanitizer or also_known or not (changes.withhold or changes.coarser or leave_out_exposed)):
        msg = message(
            "--out must come with a --release that is changed by --withhold, --coarser or "
            "--leave-out-exposed, and without --also-known. For a table write unmask sanitize with the same "
            "options"
        )
        raise InvalidInputError(msg)
    if out is not None:
        require_free_folder(out, owned=owned_files, force=force)
    with machine.limits(), console.progress(), resumable(resume):
        found = run(
            data, release=release or [], rows=rows, engine=engine, keep=keep, people=people, sanitizer=sanitizer,
            set=options.pairs(settings, "--set"), complete=complete, population=population, control=control,
            ignore=ignore or (), key=key, seed=seed, leave_out_exposed=leave_out_exposed, also_known=also_known or (),
            advice=advice, quick=quick, **changes.given(), **judged, **reading.given(),
        )  # fmt: skip
        with together():
            write_reports(found, files, reports, force=force)
            if out is not None:
                found.write_release(out, keep=out_keep, force=force)
    return print_report(found, outputs(out=out, **files, keep=out_keep), reports)


def print_report(found: Audited, files: Mapping[str, Path], reports: groups.ReportsGroup) -> int:
    """Print the report and what was written, by name, and return the exit code."""
    from unmask.cli import answer, complain
    from unmask.report import summary

    for why, _ in found.failures:
        complain(why)
    if reports.json == "-":
        made = found if reports.regime is None else found.for_regime(reports.regime)
        answer(made.to_json().rstrip("\n"), form="json")
    else:
        page = text("For a page to read or hand on, add --html report.html.")
        answer(summary(found.report, footer=written(*files.values()) if files else page))
    return found.exit_code


def write_reports(found: Audited, files: dict[str, Path], reports: groups.ReportsGroup, *, force: bool) -> None:
    """Write the requested files: all of them or none."""
    from unmask import csv_writing

    written = found if reports.regime is None else found.for_regime(reports.regime)
    page = partial(found.to_html, interactive=True) if reports.interactive else written.to_html
    contents: dict[str, Callable[[], str | bytes]] = {
        "html": page, "docx": written.to_docx, "pdf": written.to_pdf, "json": written.to_json,
        "junit": found.to_junit, "markdown": found.to_markdown,
        "people": lambda: "".join(csv_writing.line([name]) for name in ("person", *found.at_risk())),
    }  # fmt: skip
    write_results(files, contents, force=force)
