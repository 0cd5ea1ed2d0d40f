"""Parameters that several public functions share: documented once, and checked by name and type."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import ParamSpec, TypeVar

from unmask.commands.inputs.argument_types import require_types
from unmask.commands.results import PublishedResult, Result
from unmask.errors import InvalidInputError, did_you_mean
from unmask.wording import message

P = ParamSpec("P")
T = TypeVar("T")

SHARED: Mapping[str, str] = {
    "roles": "Roles of columns: a `roles.toml`, or `Roles`. By default the `roles.toml` beside the table.\n"
    "Parameters below override it.",
    "table": "Table or query to read, where the source is a database.",
    "quasi": "Quasi-identifiers: columns that an attacker may know.",
    "sensitive": "Sensitive columns: their values must not be inferred.",
    "identifier": "Columns that identify a person by themselves. They are never published and never used.",
    "insensitive": "Columns that are published unchanged.",
    "person_key": "Column whose equal values mark the rows of one person. By default each row is one person.",
    "household": "Column whose equal values mark people who live together.",
    "weight": "Column with the number of people that a row represents.",
    "rest": "What becomes of columns without a role: `drop` (default) or `insensitive`.",
    "hierarchy": 'Files of generalization hierarchies in ARX\'s form, by column: `{"age": "age.csv"}`.',
    "order": 'Values of a column, lowest first, by column: `{"grade": "low,mid,high"}`.',
    "bins": 'Boundaries of intervals for a numeric column, by column: `{"age": "20,40,60"}`.',
    "level": 'Level of its hierarchy at which a sensitive column is published, by column: `{"diagnosis": "block"}`.',
    "cells": 'How published cells are read: `bands`, `half-open` or `labels`, by column: `{"age": "bands"}`.',
    "harmless": 'Value whose disclosure does no harm, by column: `{"diagnosis": "none"}`.',
    "missing": "Marks that count as missing. By default an empty cell, `?`, `NA` and `NULL`.",
    "missing_policy": "How a missing value matches: `own` (default; a value of its own), `wildcard` or `exclude`.",
    "encoding": "Encoding of the table. By default detected.",
    "delimiter": "Delimiter of the table. By default detected.",
    "decimal": "Decimal mark of the table, `.` or `,`. By default detected.",
    "skip_lines": "Number of lines above the header of the table, of text or a spreadsheet. By default detected.",
    "sheet": "Sheet of a spreadsheet: its name, or its number from 1. By default the only one with cells.",
    "release": "Releases to attack, each a release folder, a table, `QIT.csv,ST.csv`, a data frame, or a result of\n"
    "`sanitize`.",
    "keep": "File with the mapping of rows to published rows, as `sanitize` writes it.",
    "people": "Table of the people to attack.",
    "complete": "Whether these people are all the people of the release, so that the attacker may have a full list.",
    "population": "Table of the population that the people of the release come from.",
    "set": 'Parameters of the algorithm, by name: `{"k": 5, "order": ["zip", "age"]}`. Text is read as by `--set`.',
    "attack": "Attacks to run, by name. By default every attack that applies.",
    "attack_set": 'Parameters of attacks: `{"definetti.rounds": 50}`.',
    "policy": "Limits: a `policy.toml`, or a `Policy`. Parameters below override it.",
    "max_belief": "Probability from 0 to 1. A person is exposed if a harmful value has this posterior or a higher one.",
    "excess": "Probability from 0 to 1 by which the posterior must also exceed that of the left-out control.",
    "tolerate": 'Largest share or number of exposed people: `0.01`, `"1%"` or `"25 people"`.',
    "location": "What the attacker knows: `attributes` of each person, or the person's `row`.",
    "ignore": "Published columns that need not count as known to the attacker.",
    "seed": "Non-negative integer for reproducible numbers. By default drawn, and reported in the notes.",
    "resume": "Folder that keeps finished parts until the work is done. Work that was interrupted continues from it.",
    "ledger": "File of the ledger.",
    "key": "File with the secret key under which person keys, or input files, are hashed. Keep it elsewhere.",
}
"""Description by parameter. A function that means something else by a name describes it in its own docstring."""


def public(function: Callable[P, T]) -> Callable[P, T]:
    """Complete the docstring of a public function, and check the names of keywords.

    Descriptions of shared parameters are added to its section `Parameters`, in the order of the signature. Where a
    data frame is passed, or a release made of one, the result makes its data frames in the same library.

    Fails
        The function raises `InvalidInputError` for an unknown keyword, naming the one that was probably meant, and for
        an optional argument of another type, naming its parameter.
    """
    signature = inspect.signature(function)
    known = signature.parameters

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in known:
                raise _unknown(name, known)
        require_types(function, signature, kwargs)
        found = function(*args, **kwargs)
        library = _library((*args, *kwargs.values()))
        return replace(found, library=library) if isinstance(found, Result) and library is not None else found

    checked.__doc__ = completed(function.__doc__ or "", list(known))
    return checked


def _unknown(name: str, known: Iterable[str]) -> InvalidInputError:
    """Return the error of an unknown keyword: with a suggestion, or how a parameter of the algorithm is given."""
    error = InvalidInputError.unknown_name("option", name, known)
    if "set" not in known or did_you_mean(name, known):
        return error
    return InvalidInputError(
        message("{error} A parameter of the algorithm is written set={{{name}: …}}", error=error, name=repr(name))
    )


def require_name(what: str, name: object, data: object, example: str) -> str:
    """Return the name of an algorithm or a column.

    Fails
        With `InvalidInputError` where the name and the data stand in each other's place.
    """
    if isinstance(name, str) and (not isinstance(data, str) or Path(data).exists() or not Path(name).exists()):
        return name
    msg = message(
        "{what} must be given by its name; got {isinstance}",
        what=what,
        isinstance="a file" if isinstance(name, str) else type(name).__name__,
    )
    raise InvalidInputError(message("{msg}. Did you mean {example}?", msg=msg, example=example))


def _library(values: Iterable[object]) -> str | None:
    """Return the library of the first data frame among some arguments, else of a result; None where there is none."""
    given = [one for value in values for one in (value if isinstance(value, (list, tuple)) else (value,))]
    frames = [one for one in given if hasattr(one, "columns")]
    if not frames:
        return next((one.library for one in given if isinstance(one, PublishedResult) and one.library), None)
    from unmask.files.frames import library_of  # noqa: PLC0415 - no command needs the library of data frames

    return next(filter(None, map(library_of, frames)), None)


def completed(text: str, names: list[str]) -> str:
    """Return a docstring whose section `Parameters` describes all parameters, in order."""
    lines = inspect.cleandoc(text).splitlines()
    start, end = lines.index("Parameters") + 2, lines.index("Fails")
    own = dict(_described(lines[start:end]))
    body = [line for name in names for line in (name, *(own.get(name) or SHARED[name].splitlines()))]
    return "\n".join([*lines[:start], *(line if line in names else f"    {line}" for line in body), "", *lines[end:]])


def _described(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the parameters that a section describes, each with the lines of its description."""
    starts = [i for i, line in enumerate(lines) if line and not line.startswith(" ")]
    for start, end in pairwise([*starts, len(lines)]):
        yield lines[start], [line.strip() for line in lines[start + 1 : end] if line]
