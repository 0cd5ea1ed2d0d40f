"""Options that mean the same in every command."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

_DATA = "a table: csv, tsv, parquet, arrow, or a database, as in sqlite:///FILE#TABLE; - reads CSV from standard input"
Data = Annotated[str, typer.Argument(help=_DATA)]
OptionalData = Annotated[str | None, typer.Argument(help=_DATA)]
TableOption = Annotated[
    str | None, typer.Option("--table", metavar="NAME|SELECT", help="of a database: a table, or a query; also DSN#NAME")
]
RolesFile = Annotated[
    Path | None, typer.Option("--roles", metavar="FILE", help="roles.toml; one beside the table is found by itself")
]
Quasi = Annotated[
    list[str] | None, typer.Option("-q", "--quasi", metavar="COL", help="a quasi-identifier; repeat the option")
]
Sensitive = Annotated[
    list[str] | None, typer.Option("-s", "--sensitive", metavar="COL", help="a sensitive column; repeat the option")
]
Identifier = Annotated[
    list[str] | None, typer.Option("--identifier", metavar="COL", help="never published, never used")
]
Insensitive = Annotated[list[str] | None, typer.Option("--insensitive", metavar="COL", help="published as it is")]
PersonKey = Annotated[str | None, typer.Option("--person-key", metavar="COL", help="says which rows are one person's")]
Household = Annotated[str | None, typer.Option("--household", metavar="COL", help="says who lives together")]
Weight = Annotated[str | None, typer.Option("--weight", metavar="COL", help="how many people a row stands for")]
Rest = Annotated[
    str | None,
    typer.Option("--rest", metavar="drop|insensitive", help="what becomes of columns without a role (default: drop)"),
]
HierarchyFile = Annotated[
    list[str] | None, typer.Option("--hierarchy", metavar="COL=FILE", help="a hierarchy, ARX form")
]
Order = Annotated[list[str] | None, typer.Option("--order", metavar="COL=a,b,c", help="the order of a column's values")]
Bins = Annotated[list[str] | None, typer.Option("--bins", metavar="COL=10,20", help="put a number into intervals")]
Harmless = Annotated[
    list[str] | None, typer.Option("--harmless", metavar="COL=VALUE", help="a value whose disclosure does no harm")
]
Missing = Annotated[
    list[str] | None,
    typer.Option("--missing", metavar="MARK", help="counts as missing, instead of ?, NA, NULL; repeat it"),
]
MissingPolicy = Annotated[
    str | None,
    typer.Option("--missing-policy", metavar="own|wildcard|exclude", help="how a missing value counts (default: own)"),
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", metavar="NAME", help="of the table; detected where not given")
]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", metavar="CHAR", help="of the table; detected where not given")
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", metavar=".|,", help="the decimal mark; detected where not given")
]

Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="a setting of the algorithm, as in --set k=5")
]
Releases = Annotated[
    list[str] | None,
    typer.Option("--release", metavar="PATH", help="a release folder, a table, or QIT.csv,ST.csv; repeat the option"),
]
People = Annotated[str | None, typer.Option("--people", metavar="FILE", help="a table of the people to be attacked")]
LocationOption = Annotated[
    str | None,
    typer.Option("--location", metavar="attributes|row", help="what the intruder knows; limits are judged for it"),
]
Complete = Annotated[bool, typer.Option("--complete", help="the people listed are all the people of the release")]
Population = Annotated[str | None, typer.Option("--population", metavar="FILE", help="a table of the population")]
Out = Annotated[Path | None, typer.Option("--out", metavar="PATH", help="where the result is written")]
Keep = Annotated[
    Path | None, typer.Option("--keep", metavar="FILE", help="what is kept back: which row became which, and the seed")
]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="write a page that a person can read")]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE", help="write the numbers; - for standard output")]
Force = Annotated[bool, typer.Option("--force", help="replace what unmask itself wrote there before")]
Seed = Annotated[int | None, typer.Option("--seed", metavar="N", help="drawn and printed where not given")]
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume", metavar="FOLDER", help="keep finished parts here, and go on from those of an interrupted run"
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="no notes")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="no progress line")]
Verbose = Annotated[bool, typer.Option("-v", help="say how long each step took")]


READING = (
    "quasi", "sensitive", "identifier", "insensitive", "person_key", "household", "weight", "rest", "hierarchy",
    "order", "bins", "harmless", "missing", "missing_policy", "encoding", "delimiter", "decimal",
)  # fmt: skip


def reading(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Pick the options about reading from a command's parameters; those not given are left out."""
    return {key: parameters[key] for key in READING if parameters.get(key)}


INPUTS = (
    "data", "path", "paths", "original", "release", "people", "truth", "keep", "roles", "policy", "population", "prior",
    "dictionary", "weights", "hierarchy", "scenario", "key", "file",
)  # fmt: skip


def outputs(parameters: Mapping[str, Any], **files: Path | str | None) -> dict[str, Path]:
    """Return the files and folders to be written, by the name of their option; `-` is none.

    `parameters` are those of the command: what it reads is among them.

    Fails
        With `InvalidInputError` where two are the same, where one is an input or a folder that holds an input, and
        where one is an option: the name of the file was forgotten.
    """
    from unmask.errors import InvalidInputError

    written = {Path(file).resolve() for file in files.values() if file not in {None, "-"} and file is not None}
    for name in (name for name in INPUTS if name not in files):
        for path in _paths(parameters.get(name)):
            over = next((out for out in written if path.resolve().is_relative_to(out)), None)
            if over is not None:
                where = "be another file than" if over == path.resolve() else "not be a folder that holds"
                msg = f"output {over.name!r} must {where} the input {path.name!r}. Choose another name for the output"
                raise InvalidInputError(msg)

    given = {name: Path(file) for name, file in files.items() if file not in {None, "-"} and file is not None}
    for file in given.values():
        if str(file).startswith("--"):
            msg = f"an output must be a file name; got the option {str(file)!r}. Write the name before it"
            raise InvalidInputError(msg)
    places = [file.absolute() for file in given.values()]
    if len(set(places)) < len(places):
        twice = next(file for i, file in enumerate(given.values()) if file.absolute() in places[:i])
        msg = f"outputs must be different files; got {str(twice)!r} twice. Rename one"
        raise InvalidInputError(msg)
    return given


def _paths(value: object) -> Iterator[Path]:
    """Yield the files and folders that the value of an option names: also `COLUMN=FILE` and `QIT.csv,ST.csv`."""
    for text in value if isinstance(value, (list, tuple)) else [value]:
        parts = {str(text), *str(text).split("=", 1)[1:], *str(text).split(",")}
        yield from (Path(part) for part in sorted(parts) if text is not None and part and os.path.lexists(part))


def pairs(texts: list[str] | None, option: str) -> dict[str, str]:
    """Read KEY=VALUE options."""
    from unmask.errors import InvalidInputError

    result: dict[str, str] = {}
    for text in texts or []:
        key, equals, value = text.partition("=")
        if not equals or not key:
            msg = f"{option} must be written KEY=VALUE; got {text!r}"
            raise InvalidInputError(msg)
        name = key.strip().replace("_", "-")
        if name in result:
            msg = f"{option} must give each setting once; got {name} twice. Keep one of them"
            raise InvalidInputError(msg)
        result[name] = value
    return result
