"""Single options that several commands have; groups of options are in `groups`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unmask.cli.outputs import File
from unmask.wording import marked, message

_DATA = marked(
    "a table: csv, tsv, parquet, arrow, or a database, as in sqlite:///FILE#TABLE; - reads CSV from standard input"
)
Data = Annotated[str, typer.Argument(help=_DATA), File.SOURCE]
OptionalData = Annotated[str | None, typer.Argument(help=_DATA), File.SOURCE]
ReleasePath = Annotated[
    str, typer.Argument(help=marked("a release: a folder, a table, or QIT.csv,ST.csv")), File.SOURCE
]

Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help=marked("a parameter of the algorithm, as in --set k=5")),
]
Releases = Annotated[
    list[str] | None,
    typer.Option(
        "--release", metavar="PATH", help=marked("a release folder, a table, or QIT.csv,ST.csv; repeat the option")
    ),
    File.SOURCE,
]
People = Annotated[
    str | None, typer.Option("--people", metavar="FILE", help=marked("a table of the people to attack")), File.READ
]
Location = Annotated[
    str | None,
    typer.Option(
        "--location", metavar="attributes|row", help=marked("what the attacker knows; limits apply to this attacker")
    ),
]
Complete = Annotated[
    bool, typer.Option("--complete", help=marked("the people listed are all the people of the release"))
]
Population = Annotated[
    str | None, typer.Option("--population", metavar="FILE", help=marked("a table of the population")), File.READ
]
Rows = Annotated[
    str | None,
    typer.Option(
        "--rows", metavar="people|synthetic", help=marked("what rows of the release are (default: as it declares)")
    ),
]
Engine = Annotated[
    str | None,
    typer.Option("--engine", metavar="NAME", help=marked("count where the data live: duckdb, postgresql or spark")),
]
PrintSql = Annotated[
    str | None,
    typer.Option("--print-sql", metavar="DIALECT", help=marked("print the queries for a warehouse, and run nothing")),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="COL", help=marked("a published column that need not count as known; repeat it")),
]
_KEEP = typer.Option(
    "--keep", metavar="FILE", help=marked("secret: the mapping of rows to published rows, and the seed")
)
Kept = Annotated[Path | None, _KEEP, File.READ]
Keep = Annotated[Path | None, _KEEP, File.WRITTEN]
Key = Annotated[
    Path | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help=marked("the secret under which person keys, or input files, are hashed; keep it elsewhere"),
    ),
    File.READ,
]
_OUT = typer.Option("--out", metavar="PATH", help=marked("where the result is written"))
Out = Annotated[Path | None, _OUT, File.WRITTEN]
OutFolder = Annotated[Path | None, _OUT, File.FOLDER]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help=marked("write the report as a page")), File.WRITTEN
]
Json = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help=marked("write the numbers; - for standard output")),
    File.WRITTEN,
]
Force = Annotated[bool, typer.Option("--force", help=marked("replace what unmask itself wrote there before"))]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help=marked("for the same numbers again (default: drawn and printed)")),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume", metavar="FOLDER", help=marked("keep finished parts here, and continue an interrupted run from them")
    ),
]


def pairs(texts: list[str] | None, option: str) -> dict[str, str]:
    """Read KEY=VALUE options."""
    from unmask.errors import InvalidInputError

    result: dict[str, str] = {}
    for text in texts or []:
        key, equals, value = text.partition("=")
        if not equals or not key:
            msg = message("{option} must be written KEY=VALUE; got {text}", option=option, text=repr(text))
            raise InvalidInputError(msg)
        name = key.strip().replace("_", "-")
        if name in result:
            msg = message(
                "{option} must give each setting once; got {name} twice. Keep one of them", option=option, name=name
            )
            raise InvalidInputError(msg)
        result[name] = value
    return result
