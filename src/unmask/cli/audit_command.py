"""`unmask audit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unmask.cli import limits, options

if TYPE_CHECKING:
    from unmask.commands.audited import Audited


def audit(
    data: options.OptionalData = None,
    release: options.Releases = None,
    keep: options.Keep = None,
    people: options.People = None,
    sanitizer: Annotated[
        str | None, typer.Option("--sanitizer", metavar="NAME", help="publish the table with it, here only")
    ] = None,
    settings: options.Settings = None,
    attack: limits.Attacks = None,
    all_: Annotated[bool, typer.Option("--all", help="run every attack (the default)")] = False,
    attack_set: limits.AttackSet = None,
    policy: limits.PolicyFile = None,
    max_belief: limits.MaxBelief = None,
    excess: limits.Excess = None,
    tolerate: limits.Tolerate = None,
    location: options.LocationOption = None,
    complete: options.Complete = False,
    population: options.Population = None,
    control: Annotated[
        str | None,
        typer.Option("--control", metavar="left-out|none", help="what attacks are compared with (default: left-out)"),
    ] = None,
    ignore: limits.Ignore = None,
    html: options.Html = None,
    json: options.Json = None,
    junit: limits.Junit = None,
    markdown: limits.Markdown = None,
    people_at_risk: Annotated[
        Path | None,
        typer.Option("--people-at-risk", metavar="FILE", help="write who is exposed: person keys, else lines from 0"),
    ] = None,
    force: options.Force = False,
    seed: options.Seed = None,
    resume: options.Resume = None,
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
) -> int:
    """Attack a release in every way that applies, and say whether it keeps the limits."""
    from unmask.cli.interruption import resumable
    from unmask.cli.progress import shown
    from unmask.commands.auditing import audit as run
    from unmask.errors import InvalidInputError
    from unmask.files.writing import require_free

    reading = options.reading(locals())
    if all_ and attack:
        msg = "an audit must run either --all attacks or those named by --attack; got both"
        raise InvalidInputError(msg)
    if people_at_risk is not None and max_belief is None and policy is None:
        msg = "--people-at-risk must come with a limit that says who is at risk. Write --max-belief X, or --policy"
        raise InvalidInputError(msg)
    files = options.outputs(locals(), html=html, json=json, junit=junit, markdown=markdown, people=people_at_risk)
    for file in files.values():
        require_free(file, force=force)
    with shown(quiet=quiet, no_progress=no_progress, verbose=verbose), resumable(resume):
        found = run(
            data, release=release or [], keep=keep, people=people, sanitizer=sanitizer,
            set=options.pairs(settings, "--set"), attack=attack or [],
            attack_set=options.pairs(attack_set, "--attack-set"), policy=policy, max_belief=max_belief,
            excess=excess, tolerate=tolerate, location=location, complete=complete, population=population,
            control=control, ignore=ignore or (), seed=seed, roles=roles, table=table, **reading,
        )  # fmt: skip
        write_reports(found, files, force=force)
    return told(found, files, json=json)


def told(found: Audited, files: dict[str, Path], *, json: str | None) -> int:
    """Print what was found, and return what the process ends with."""
    from unmask.cli import answer, complain
    from unmask.report import summary, to_json

    for message, _ in found.failures:
        complain(message)
    if json == "-":
        answer(to_json(found.report, context=found.notes).rstrip("\n"), for_machines=True)
    else:
        wrote = f"Written: {', '.join(map(str, files.values()))}" if files else ""
        answer(summary(found.report, footer=wrote or "For a page to read or hand on, add --html report.html."))
    return found.exit_code


def write_reports(found: Audited, files: dict[str, Path], *, force: bool) -> None:
    """Write the files that were asked for: all of them or none."""
    from unmask import report, separated, work
    from unmask.files.writing import together, write_file

    writers = {
        "html": lambda: report.to_html(found.report, context=found.notes),
        "json": lambda: report.to_json(found.report, context=found.notes),
        "junit": lambda: report.to_junit(found.report),
        "markdown": lambda: report.to_markdown(found.report, context=found.notes),
        "people": lambda: "".join(separated.line([name]) for name in ("person", *found.at_risk())),
    }
    with together():
        for kind, file in files.items():
            with work.step(f"writing {file.name}"):
                write_file(file, writers[kind](), force=force)
