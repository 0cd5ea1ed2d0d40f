"""`unmask ledger add`, `list` and `check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unmask.cli import groups, options
from unmask.cli.command import command, only, without
from unmask.cli.outputs import File, outputs, write_results
from unmask.cli.translated_help import Command, Group
from unmask.number_format import numeral
from unmask.wording import marked, plural, text

if TYPE_CHECKING:
    from unmask.commands.outcome.ledger_results import LedgerListing

ledger = typer.Typer(
    name="ledger",
    cls=Group,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help=marked("Keep a ledger of past releases, so that the next one is attacked together with them."),
)

_LEDGER = typer.Option("--ledger", metavar="FILE", help=marked("the ledger (default: ledger.json)"), show_default=False)
_Ledger = Annotated[Path, _LEDGER, File.READ]
_HERE = Path("ledger.json")


@ledger.command("add", cls=Command)
@command
def add(
    *,
    path: options.ReleasePath,
    ledger: Annotated[Path, _LEDGER, File.WRITTEN] = _HERE,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help=marked("its name in the ledger"))] = None,
    date: Annotated[
        str | None, typer.Option("--date", metavar="YYYY-MM-DD", help=marked("when it was published"))
    ] = None,
    embed: Annotated[
        bool, typer.Option("--embed", help=marked("keep a copy of the release beside the ledger"))
    ] = False,
    people: Annotated[
        str | None,
        typer.Option("--people", metavar="FILE", help=marked("a table of the people in it; only hashes are kept")),
        File.READ,
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="FILE", help=marked("the mapping of rows, which marks suppressed people")),
        File.READ,
    ] = None,
    key: options.Key = None,
    force: Annotated[bool, typer.Option("--force", help=marked("replace the ledger's entry of this release"))] = False,
    reading: Annotated[groups.ReadingGroup, without("identifier", "household", "weight", "bins", "harmless", "table")],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> None:
    """Record a published release: location, content hash, method, and keyed hashes of the people it contains."""
    from unmask.cli import answer
    from unmask.commands.ledgers import add as run
    from unmask.visible_text import joined

    with machine.limits(), console.progress():
        made = run(
            path, ledger=ledger, name=name, date=date, embed=embed, people=people, keep=keep, key=key, force=force,
            **reading.given(),
        )  # fmt: skip
    entry, n = made.entry, len(made.ledger.entries)
    who = text("; {n} people as hashes", n=numeral(entry.shared.n)) if entry.shared is not None else ""
    copy = text("; a copy is kept") if entry.embedded else ""
    added = text(
        "{entry}: {people_text} people published{who}{copy}",
        entry=entry.name,
        people_text=text(entry.people_text),
        who=who,
        copy=copy,
    )
    then = plural(
        "{ledger} has {n} release. Before the next one: unmask ledger check PATH --ledger {ledger}",
        "{ledger} has {n} releases. Before the next one: unmask ledger check PATH --ledger {ledger}",
        n,
        ledger=ledger,
        n=n,
    )
    answer(joined([added, then]))


@ledger.command("list", cls=Command)
@command
def list_releases(
    *,
    ledger: _Ledger = _HERE,
    json: options.Json = None,
    force: options.Force = False,
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> None:
    """List past releases: methods, whether they are unchanged, and how many people they share."""
    from unmask.cli import answer
    from unmask.commands.ledgers import listed
    from unmask.files.writing import require_free
    from unmask.visible_text import joined

    files = outputs(json=json)
    for file in files.values():
        require_free(file, force=force)
    with machine.limits(), console.progress():
        found = listed(ledger=ledger)
        write_results(files, {"json": found.to_json}, force=force)
    if json == "-":
        answer(found.to_json().rstrip("\n"), form="json")
    else:
        answer(joined(_lines(found)))


@ledger.command("prune", cls=Command)
@command
def prune(*, ledger: _Ledger = _HERE, console: Annotated[groups.ConsoleGroup, only("quiet")]) -> None:
    """Remove copies and hashes that no ledger in this folder needs."""
    from unmask.cli import answer
    from unmask.commands.ledgers import prune as run
    from unmask.visible_text import joined

    removed = run(ledger=ledger)
    if not console.quiet:
        answer(joined(text("removed {path}", path=path) for path in removed) or text("nothing to remove"))


@ledger.command("check", cls=Command)
@command
def check(
    *,
    path: options.ReleasePath,
    ledger: _Ledger = _HERE,
    people: options.People = None,
    truth: Annotated[
        str | None,
        typer.Option("--truth", metavar="FILE", help=marked("the table that it was made of: targets and true values")),
        File.READ,
    ] = None,
    keep: options.Kept = None,
    key: options.Key = None,
    limits: Annotated[groups.LimitsGroup, without("all_")],
    max_epsilon: Annotated[
        float | None,
        typer.Option("--max-epsilon", metavar="E", help=marked("of all releases that may share people, added up")),
    ] = None,
    max_delta: Annotated[
        float | None,
        typer.Option("--max-delta", metavar="D", help=marked("of all releases that may share people, added up")),
    ] = None,
    reports: groups.ReportsGroup,
    force: options.Force = False,
    seed: options.Seed = None,
    reading: Annotated[groups.ReadingGroup, without("identifier", "household", "weight", "bins", "table")],
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> int:
    """Attack a new release together with past ones that may share its people, and add up privacy budgets."""
    from unmask.cli.audit_command import print_report, write_reports
    from unmask.commands.ledger_check import check as run
    from unmask.files.writing import require_free

    files = reports.files()
    for file in files.values():
        require_free(file, force=force)
    with machine.limits(), console.progress():
        found = run(
            path, ledger=ledger, people=people, truth=truth, keep=keep, key=key, max_epsilon=max_epsilon,
            max_delta=max_delta, seed=seed, **limits.given(), **reading.given(),
        )  # fmt: skip
        write_reports(found, files, reports, force=force)
    return print_report(found, files, reports)


def _lines(found: LedgerListing) -> list[str]:
    """Return a ledger as a table, and below it the numbers of people in pairs of releases."""
    head = (text("release"), text("date"), text("made by"), text("people"), "ε", "δ", text("folder"))
    rows = [head]
    for entry, state in zip(found.ledger.entries, found.states, strict=True):
        rows.append((
            entry.name,
            entry.date.isoformat() if entry.date else "-",
            entry.provenance.sanitizer or text("unknown"),
            text(entry.people_text),
            "-" if entry.budget is None else text(numeral(entry.budget.epsilon, "g")),
            "-" if entry.budget is None else text(numeral(entry.budget.delta, "g")),
            text("copy, {state}", state=text(state)) if entry.embedded else text(state),
        ))  # fmt: skip
    wide = [max(len(row[i]) for row in rows) for i in range(len(head))]
    right = {3, 4, 5}
    lines = [
        "  ".join(
            f"{cell:>{w}}" if i in right else f"{cell:{w}}" for i, (cell, w) in enumerate(zip(row, wide, strict=True))
        )
        for row in rows
    ]
    for (a, b), shared in found.shared.items():
        n = text("unknown") if shared.n is None else text(numeral(shared.n))
        counted = f"{n} ({text(shared.why)})" if shared.why else n
        lines.append(text("In both {a} and {b}: {n}", a=a, b=b, n=counted))
    having, spent = found.spent()
    if having:
        total = plural(
            "ε of {n} release adds up to {epsilon}, δ to {delta}, for a person in it ({neighbors})",
            "ε of {n} releases adds up to {epsilon}, δ to {delta}, for a person in all of them ({neighbors})",
            having,
            n=having,
            epsilon=numeral(spent.epsilon, "g"),
            delta=numeral(spent.delta, "g"),
            neighbors=spent.neighbors,
        )
        lines.append(total)
        lines += [
            text(
                "{entry} declares ε {epsilon} where {words}: twice that is counted",
                entry=entry.name,
                epsilon=numeral(entry.provenance.epsilon or 0.0, "g"),
                words=relation.words,
            )
            for entry in found.ledger.entries
            if (relation := entry.provenance.relation) is not None and relation.change == "add-remove"
        ]
    return [line.rstrip() for line in lines]
