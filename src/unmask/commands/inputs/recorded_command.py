"""The arguments of an audit, from the words of the command that its report records."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unmask.errors import InvalidInputError
from unmask.wording import message

_NUMBERS: Mapping[str, Callable[[str], Any]] = {
    "max_belief": float,
    "excess": float,
    "seed": int,
    "skip_lines": int,
    "advice": int,
}
_PAIRS = ("set", "attack_set")
_SEVERAL = {
    "release", "attack", "ignore", "quasi", "sensitive", "identifier", "insensitive", "hierarchy", "order", "bins",
    "level", "cells", "harmless", "missing", "withhold", "coarser", "also_known",
}  # fmt: skip


def arguments_of(command: Sequence[str], function: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments of a public function that a command stands for, by parameter.

    >>> def audit(data=None, *, release=(), set=None, max_belief=None, complete=False): ...
    >>> arguments_of("unmask audit a.csv --release r --set k=5 --max-belief 0.5 --complete".split(), audit)
    {'data': 'a.csv', 'release': ['r'], 'set': {'k': '5'}, 'max_belief': 0.5, 'complete': True}

    Fails
        With `InvalidInputError` for a word that this version does not know.
    """
    known, found = inspect.signature(function).parameters, dict[str, Any]()
    words = iter(command[2:])
    for word in words:
        if not word.startswith("--"):
            found["data"] = word
            continue
        name = word[2:].replace("-", "_")
        if name not in known:
            msg = message(
                "the command of the report must have options of this version; got {word}. Run the audit anew", word=word
            )
            raise InvalidInputError(msg)
        if known[name].default is False:
            found[name] = True
        else:
            _add(found, name, next(words, ""))
    return found


def _add(found: dict[str, Any], name: str, value: str) -> None:
    if name in _PAIRS:
        key, _, text = value.partition("=")
        found.setdefault(name, {})[key] = text
    elif name in _SEVERAL:
        found.setdefault(name, []).append(value)
    else:
        found[name] = _NUMBERS.get(name, str)(value)
