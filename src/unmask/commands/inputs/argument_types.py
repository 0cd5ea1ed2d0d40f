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

from unmask.errors import InvalidInputError, quoted
from unmask.wording import message

_ACCEPTED: Mapping[object, tuple[type | tuple[type, ...], str]] = {
    float: (Real, "a number"),
    int: (Integral, "a whole number"),
    bool: ((bool, np.bool_), "True or False"),
    str: (str, "text"),
    Path: (os.PathLike, "a file name"),
    Mapping: (Mapping, 'a mapping like {"name": value}'),
    type(None): (type(None), "None"),
}
"""The accepted types of an annotation, and the words for it."""


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
                words=" or ".join(dict.fromkeys(_words(hint))),
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


def _words(hint: Any) -> list[str]:  # noqa: ANN401 - any annotation
    """Return the accepted types as words; None, which is the default, is not named."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in {typing.Union, types.UnionType}:
        alternatives = [one for one in inner if one is not type(None) and not (one is str and Path in inner)]
        return [word for one in alternatives for word in _words(one)]
    kind = hint if origin is None else origin
    if kind in _ACCEPTED:
        return [_ACCEPTED[kind][1]]
    if origin is typing.Literal:
        return ["text"]
    if origin is None:
        return [hint.__name__ if isinstance(hint, type) else str(hint)]
    of_what = {"text": "texts", "a number": "numbers", "a file name": "file names"}
    parts = dict.fromkeys(of_what.get(word, word) for word in _words(inner[0]))
    return [f"a list of {' or '.join(parts)}"]
