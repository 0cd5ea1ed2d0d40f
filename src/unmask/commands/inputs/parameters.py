"""Parameters that several public functions share: documented once, and checked by name and type."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import ParamSpec, TypeVar

from unmask.commands.inputs.argument_types import require_types
from unmask.commands.inputs.parameter_descriptions import SHARED
from unmask.commands.results import PublishedResult, Result
from unmask.errors import InvalidInputError, did_you_mean
from unmask.wording import message

P = ParamSpec("P")
T = TypeVar("T")


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
    got = message("a file") if isinstance(name, str) else type(name).__name__
    msg = message(
        "{what} must be given by its name; got {got}. Did you mean {example}?", what=what, got=got, example=example
    )
    raise InvalidInputError(msg)


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
