"""`unmask audit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unmask.cli import options

if TYPE_CHECKING:
    from unmask.commands.auditing import Audited


def audit(
    data: options.OptionalData = None,
    release: options.Releases = None,
    keep: options.Keep = None,
    sanitizer: Annotated[str | None, typer.Option("--sanitizer", help="publish the table with it, here only")] = None,
    settings: options.Settings = None,
    attack: Annotated[list[str] | None, typer.Option("--attack", help="run this attack; repeat it")] = None,
    all_: Annotated[bool, typer.Option("--all", help="run every attack (the default)")] = False,
    attack_set: Annotated[list[str] | None, typer.Option("--attack-set", metavar="NAME.KEY=VALUE")] = None,
    policy: Annotated[Path | None, typer.Option("--policy", help="policy.toml")] = None,
    max_belief: Annotated[float | None, typer.Option("--max-belief", metavar="X", help="exposed from X on")] = None,
    excess: Annotated[float | None, typer.Option("--excess", metavar="D", help="and D more than the control")] = None,
    tolerate: Annotated[str | None, typer.Option("--tolerate", metavar="T", help="0.01, 1% or 25 people")] = None,
    location: options.LocationOption = None,
    control: Annotated[str | None, typer.Option("--control", help="left-out or none")] = None,
    html: options.Html = None,
    json: options.Json = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="write the verdict for a pipeline")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="write a short page as Markdown")] = None,
    people_at_risk: Annotated[Path | None, typer.Option("--people-at-risk", help="write who is exposed")] = None,
    force: options.Force = False,
    seed: options.Seed = None,
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
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    quiet: options.Quiet = False,
    no_progress: options.NoProgress = False,
) -> int:
    """Attack a release in every way that applies, and say whether it keeps the limits."""
    from unmask.cli.progress import note, shown
    from unmask.commands.auditing import audit as run
    from unmask.errors import InvalidInputError
    from unmask.files.writing import require_free
    from unmask.report import summary, to_json
    from unmask.streams import fresh_seed

    reading = options.reading(locals())
    if all_ and attack:
        msg = "an audit must run either --all attacks or those named by --attack; got both"
        raise InvalidInputError(msg)
    releases = list(release or [])
    if data is not None and not releases and sanitizer is None and Path(data, "release.json").is_file():
        releases, data = [data], None  # a release folder where a table was expected: audit it as what it is
    if people_at_risk is not None and (data is None or (max_belief is None and policy is None)):
        msg = "--people-at-risk must come with a table and a limit: write the table, and --max-belief or --policy"
        raise InvalidInputError(msg)
    to_stdout = json == "-"
    files = {"html": html, "json": None if json is None or to_stdout else Path(json), "junit": junit,
             "markdown": markdown, "people": people_at_risk}  # fmt: skip
    for file in files.values():
        if file is not None:
            require_free(file, force=force)
    if seed is None:
        seed = fresh_seed()
        note(f"seed {seed} (say --seed {seed} to see the same numbers again)", quiet=quiet)
    with shown(wanted=not no_progress and not quiet):
        found = run(
            data, roles=roles, options=reading, release=releases, keep=keep, sanitizer=sanitizer,
            settings=options.pairs(settings, "--set"), attack=attack or (),
            attack_settings=options.pairs(attack_set, "--attack-set"), policy=policy, max_belief=max_belief,
            excess=excess, tolerate=tolerate, location=location, control=control, seed=seed,
        )  # fmt: skip
        for text in found.notes:
            note(text, quiet=quiet)
        _write(found, files, force=force)
    if to_stdout:
        typer.echo(to_json(found.report, context=found.notes))
    else:
        wrote = [str(file) for file in files.values() if file is not None]
        footer = f"Written: {', '.join(wrote)}" if wrote else "For a page to read or hand on, add --html report.html."
        typer.echo(summary(found.report, footer=footer))
    return found.exit_code


def _write(found: Audited, files: dict[str, Path | None], *, force: bool) -> None:
    """Write what was asked for; each file appears whole or not at all."""
    from unmask import report, work
    from unmask.files.writing import write_file

    writers = {
        "html": lambda: report.to_html(found.report, context=found.notes),
        "json": lambda: report.to_json(found.report, context=found.notes),
        "junit": lambda: report.to_junit(found.report),
        "markdown": lambda: report.to_markdown(found.report, context=found.notes),
        "people": lambda: _at_risk(found),
    }
    with work.step("writing"):
        for kind, file in files.items():
            if file is not None:
                write_file(file, writers[kind](), force=force)


def _at_risk(found: Audited) -> str:
    """List the exposed people, by person key where there is one, else by line."""
    exposed = found.report.exposed
    if exposed is None:
        return "person\n"
    names = found.people
    lines = [str(i) if names is None else names[i] for i, marked in enumerate(exposed) if marked]
    return "\n".join(["person", *dict.fromkeys(lines)]) + "\n"
