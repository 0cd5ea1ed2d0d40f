"""Groups of options that several commands share. The order of fields is the order in `--help`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from unmask.cli import options
from unmask.cli.outputs import File, outputs
from unmask.wording import marked, message


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingGroup:
    """How tables are read, and which roles their columns have."""

    roles: Annotated[
        Path | None,
        typer.Option("--roles", metavar="FILE", help=marked("roles.toml (default: the one beside the table)")),
        File.READ,
    ] = None
    quasi: Annotated[
        list[str] | None,
        typer.Option("-q", "--quasi", metavar="COL", help=marked("a quasi-identifier; repeat the option")),
    ] = None
    sensitive: Annotated[
        list[str] | None,
        typer.Option("-s", "--sensitive", metavar="COL", help=marked("a sensitive column; repeat the option")),
    ] = None
    identifier: Annotated[
        list[str] | None,
        typer.Option(
            "--identifier", metavar="COL", help=marked("a column that identifies people; never published, never used")
        ),
    ] = None
    insensitive: Annotated[
        list[str] | None,
        typer.Option("--insensitive", metavar="COL", help=marked("a column that is published unchanged")),
    ] = None
    person_key: Annotated[
        str | None, typer.Option("--person-key", metavar="COL", help=marked("equal values mark the rows of one person"))
    ] = None
    household: Annotated[
        str | None,
        typer.Option("--household", metavar="COL", help=marked("equal values mark people who live together")),
    ] = None
    weight: Annotated[
        str | None, typer.Option("--weight", metavar="COL", help=marked("the number of people that a row represents"))
    ] = None
    rest: Annotated[
        str | None,
        typer.Option(
            "--rest", metavar="drop|insensitive", help=marked("what becomes of columns without a role (default: drop)")
        ),
    ] = None
    hierarchy: Annotated[
        list[str] | None,
        typer.Option("--hierarchy", metavar="COL=FILE", help=marked("a generalization hierarchy in ARX's form")),
        File.READ,
    ] = None
    order: Annotated[
        list[str] | None, typer.Option("--order", metavar="COL=a,b,c", help=marked("the order of a column's values"))
    ] = None
    bins: Annotated[
        list[str] | None,
        typer.Option("--bins", metavar="COL=10,20", help=marked("boundaries of intervals for a number")),
    ] = None
    level: Annotated[
        list[str] | None,
        typer.Option(
            "--level", metavar="COL=LEVEL", help=marked("the level of its hierarchy that a sensitive column shows")
        ),
    ] = None
    cells: Annotated[
        list[str] | None,
        typer.Option(
            "--cells", metavar="COL=bands|half-open|labels", help=marked("how a column's published cells are read")
        ),
    ] = None
    harmless: Annotated[
        list[str] | None,
        typer.Option("--harmless", metavar="COL=VALUE", help=marked("a value whose disclosure does no harm")),
    ] = None
    missing: Annotated[
        list[str] | None,
        typer.Option(
            "--missing", metavar="MARK", help=marked("a mark of missing values, instead of ?, NA, NULL; repeat it")
        ),
    ] = None
    missing_policy: Annotated[
        str | None,
        typer.Option(
            "--missing-policy", metavar="own|wildcard|exclude", help=marked("how a missing value counts (default: own)")
        ),
    ] = None
    table: Annotated[
        str | None,
        typer.Option("--table", metavar="NAME|SELECT", help=marked("table or query of a database; also DSN#NAME")),
    ] = None
    encoding: Annotated[
        str | None, typer.Option("--encoding", metavar="NAME", help=marked("of the table (default: detected)"))
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", metavar="CHAR", help=marked("of the table, or tab, or space (default: detected)")),
    ] = None
    decimal: Annotated[
        str | None, typer.Option("--decimal", metavar=".|,", help=marked("the decimal mark (default: detected)"))
    ] = None
    skip_lines: Annotated[
        int | None,
        typer.Option("--skip-lines", metavar="N", min=0, help=marked("lines above the table's header, like a title")),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option("--sheet", metavar="NAME|N", help=marked("of a spreadsheet (default: the only one with cells)")),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the options that were given, by the parameter of the public functions."""
        return {
            name: value for name, value in _given(self).items() if value or value == 0 or name == "table"
        }  # "" is not given

    def source(self, data: str) -> str:
        """Return a table's source as another command takes it, with the table or query of a database."""
        from unmask.files.databases.dsn import again, of_table

        return again(of_table(data, self.table))

    def again(self) -> list[str]:
        """Return the options by which the table's file is read, as words of another command."""
        given = {
            "--roles": self.roles,
            "--missing": self.missing or [], "--encoding": self.encoding, "--delimiter": self.delimiter,
            "--decimal": self.decimal, "--skip-lines": self.skip_lines, "--sheet": self.sheet,
        }  # fmt: skip
        words: list[str] = []
        for option, value in given.items():
            for one in value if isinstance(value, list) else [] if value is None else [value]:
                words += [option, str(one)]
        return words


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsGroup:
    """Attacks on a release, and their limits."""

    attack: Annotated[
        list[str] | None, typer.Option("--attack", metavar="NAME", help=marked("run this attack; repeat it"))
    ] = None
    all_: Annotated[bool, typer.Option("--all", help=marked("run every attack (the default)"))] = False
    attack_set: Annotated[
        list[str] | None,
        typer.Option("--attack-set", metavar="NAME.KEY=VALUE", help=marked("a parameter of an attack; repeat it")),
    ] = None
    policy: Annotated[
        Path | None,
        typer.Option("--policy", metavar="FILE", help=marked("policy.toml with limits; options override them")),
        File.READ,
    ] = None
    max_belief: Annotated[
        float | None,
        typer.Option(
            "--max-belief", metavar="X", help=marked("a person is exposed if a harmful value has posterior X or more")
        ),
    ] = None
    excess: Annotated[
        float | None, typer.Option("--excess", metavar="D", help=marked("and if it exceeds the control's by D or more"))
    ] = None
    tolerate: Annotated[
        str | None,
        typer.Option("--tolerate", metavar="T", help=marked("how many may be exposed: 0.01, 1% or 25 people")),
    ] = None
    location: options.Location = None

    def given(self) -> dict[str, Any]:
        """Return the options that were given, by the parameter of the public functions.

        Fails
            With `InvalidInputError` where both `--all` and `--attack` are given.
        """
        from unmask.errors import InvalidInputError

        if self.all_ and self.attack:
            msg = message("an audit must run either --all attacks or those named by --attack; got both")
            raise InvalidInputError(msg)
        found = _given(self)
        found.pop("all_", None)
        return found | {"attack_set": options.pairs(self.attack_set, "--attack-set")}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesGroup:
    """Changes of columns, before a sanitizer or of a release."""

    withhold: Annotated[
        list[str] | None,
        typer.Option("--withhold", metavar="COL", help=marked("leave a column out; repeat the option")),
    ] = None
    coarser: Annotated[
        list[str] | None,
        typer.Option(
            "--coarser",
            metavar="COL[=LEVELS]",
            help=marked("publish a quasi-identifier coarser, by its hierarchy or round ranges; repeat it"),
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the options that were given, by the parameter of the public functions."""
        return _given(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportsGroup:
    """Files that a report is written to."""

    regime: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="REGIME",
            help=marked("write evidence for ico, wp29, ema, hipaa, ehds or nist instead of the report"),
        ),
    ] = None
    html: options.Html = None
    interactive: Annotated[
        bool,
        typer.Option(
            "--interactive", help=marked("the page of --html sorts tables and shows the numbers of its charts")
        ),
    ] = False
    docx: Annotated[
        Path | None,
        typer.Option("--docx", metavar="FILE", help=marked("write the report for a word processor (extra documents)")),
        File.WRITTEN,
    ] = None
    pdf: Annotated[
        Path | None,
        typer.Option("--pdf", metavar="FILE", help=marked("write the page as PDF, printed by Chromium or Chrome")),
        File.WRITTEN,
    ] = None
    json: options.Json = None
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="FILE", help=marked("write the verdict for a pipeline")),
        File.WRITTEN,
    ] = None
    markdown: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help=marked("write a short page as Markdown")),
        File.WRITTEN,
    ] = None

    def files(self, **more: Path | None) -> dict[str, Path]:
        """Return the files to be written by the kind of report, and more of them.

        Fails
            With `InvalidInputError` for an unknown regime, or where a program that writes one of them is missing.
        """
        if self.regime is not None:
            from unmask.report.regimes import regime_named

            regime_named(self.regime)
            if (self.html or self.docx or self.pdf or self.json) is None:
                from unmask.errors import InvalidInputError

                msg = message(
                    "--for {regime} must come with a file to write. Add --docx FILE, --pdf, --html or --json",
                    regime=self.regime,
                )
                raise InvalidInputError(msg)
        if self.interactive and (self.html is None or self.regime is not None):
            from unmask.errors import InvalidInputError

            got = (
                message("none")
                if self.html is None
                else message("--for {regime}, whose page is still", regime=self.regime)
            )
            msg = message(
                "--interactive must come with the page of an audit; got {got}. Write --html FILE without --for", got=got
            )
            raise InvalidInputError(msg)
        if self.docx is not None:
            from unmask.runtime.extras import require_installed

            require_installed("docx", "--docx")
        if self.pdf is not None:
            from unmask.report.pdf import require_browser

            require_browser()
        return outputs(
            html=self.html, docx=self.docx, pdf=self.pdf, json=self.json, junit=self.junit, markdown=self.markdown,
            **more,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineGroup:
    """The share of the machine that a command may use."""

    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", metavar="N", min=1, help=marked("threads and processes at a time (default: all processors)")
        ),
    ] = None
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="SIZE", help=marked("8GB, 8GiB or 50% at most, else exit 5 (default: 75%)")),
    ] = None
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="MINUTES", help=marked("end then with exit 5 (default: none)")),
    ] = None

    @contextmanager
    def limits(self) -> Iterator[None]:
        """Limit processors, memory and time inside the `with` block."""
        from unmask.cli.interruption import ending_after
        from unmask.runtime.machine import limited

        with limited(self.jobs, self.memory), ending_after(self.time_limit):
            yield


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleGroup:
    """Output to standard error while a command runs."""

    quiet: Annotated[bool, typer.Option("--quiet", help=marked("no notes"))] = False
    no_progress: Annotated[bool, typer.Option("--no-progress", help=marked("no progress line"))] = False
    verbose: Annotated[bool, typer.Option("-v", help=marked("print the time of each step"))] = False

    def progress(self) -> AbstractContextManager[None]:
        """Show notes and progress, unless switched off, inside the `with` block."""
        from unmask.cli.progress import show_progress

        return show_progress(quiet=self.quiet, no_progress=self.no_progress, verbose=self.verbose)


def _given(group: Any) -> dict[str, Any]:  # noqa: ANN401 - a group of options
    values = {field.name: getattr(group, field.name) for field in fields(group)}
    return {name: value for name, value in values.items() if value is not None and value is not False and value != []}
