"""Types of the optional arguments of public functions, checked against their annotations."""

from __future__ import annotations

import inspect
import os
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from unmask.errors import InvalidInputError, alternatives, quoted
from unmask.wording import marked, message

_ACCEPTED: Mapping[object, tuple[type | tuple[type, ...], str]] = {
    float: (Real, marked("a number")),
    int: (Integral, marked("a whole number")),
    bool: ((bool, np.bool_), marked("True or False")),
    str: (str, marked("text")),
    Path: (os.PathLike, marked("a file name")),
    Mapping: (Mapping, marked('a mapping like {"name": value}')),
    type(None): (type(None), marked("None")),
}
"""The accepted types of an annotation, and the words for it."""

_SEVERAL: Mapping[object, str] = {
    float: marked("numbers"), str: marked("texts"), Path: marked("file names"),
}  # fmt: skip
"""The words for several of a type."""


def require_types(function: Callable[..., Any], signature: inspect.Signature, given: Mapping[str, object]) -> None:
    """Check the arguments that have a default value: the others may be of any type, or have their own checks.

    Fails
        With `InvalidInputError` for the first that is of another type than its annotation.
    """
    for name, value in given.items():
        parameter = signature.parameters[name]
        if value is parameter.default or parameter.default is inspect.Parameter.empty:
            continue
        hint = _hints(function)[name]
        if not _fits(value, hint):
            what = quoted(value) if isinstance(value, (str, int, float)) else type(value).__name__
            msg = message(
                "{name} must be {words}; got {what}",
                name=name,
                words=alternatives(dict.fromkeys(_words(hint))),
                what=what,
            )
            raise InvalidInputError(msg)


@cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    return typing.get_type_hints(function)


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401 - any annotation
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in {typing.Union, types.UnionType}:
        return any(_fits(value, one) for one in inner)
    kind = hint if origin is None else origin
    if kind in _ACCEPTED:
        return isinstance(value, _ACCEPTED[kind][0])
    if origin is typing.Literal:
        return isinstance(value, str)  # its words have their own check
    if origin is None:
        return hint is Any or not isinstance(hint, type) or isinstance(value, hint)
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


def _words(hint: Any, *, several: bool = False) -> list[str]:  # noqa: ANN401 - any annotation
    """Return the accepted types as words; None, which is the default, is not named."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in {typing.Union, types.UnionType}:
        named = [one for one in inner if one is not type(None) and not (one is str and Path in inner)]
        return [word for one in named for word in _words(one, several=several)]
    kind = str if origin is typing.Literal else hint if origin is None else origin
    if kind in _ACCEPTED:
        return [message(_SEVERAL[kind] if several and kind in _SEVERAL else _ACCEPTED[kind][1])]
    if origin is None:
        return [hint.__name__ if isinstance(hint, type) else str(hint)]
    parts = dict.fromkeys(_words(inner[0], several=True))
    return [message("a list of {parts}", parts=alternatives(parts))]
