"""The command that repeats a call of a public function: its arguments as options of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.files.databases.dsn import is_dsn, masked
from unmask.files.releases import two_paths

_NOT_REPEATED = {"resume", "key"}
"""Arguments that change no number: where finished parts are kept, and the key of hashes. It chooses people held out."""

_OBJECT = {"data": "TABLE", "policy": "policy.toml", "roles": "roles.toml"}
"""Placeholders of arguments that are objects of Python, not files."""

FILES = ("data", "release", "keep", "people", "population", "policy", "roles", "key")
"""Arguments that name files. Reports have their names without folders, which could name people or machines."""


def repeated_command(verb: str, arguments: Mapping[str, Any], seed: int | None) -> tuple[str, ...]:
    """Return the words of the command that repeats a call, with the seed that was used; files without their folders.

    >>> " ".join(repeated_command("audit", {"data": "x/a.csv", "set": {"k": 5}, "excess": 0.1, "quasi": ["age"]}, 7))
    'unmask audit a.csv --set k=5 --excess 0.1 --quasi age --seed 7'
    """
    words = ["unmask", verb]
    for name, value in arguments.items():
        chooses = name == "key" and arguments.get("control") == "held-out"
        if chooses or name not in {*_NOT_REPEATED, "seed"}:
            words += _option(name, value)
    return (*words, *(() if seed is None else ("--seed", str(seed))))


def _option(name: str, value: Any) -> Iterator[str]:  # noqa: ANN401 - an argument of any type
    """Yield the words of one argument; none where it was not given."""
    option = f"--{name.replace('_', '-')}"
    if value is None or value is False or (isinstance(value, list | tuple) and not value):
        return
    if value is True:
        yield option
    elif name == "data":
        yield _text(name, value)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            text = ",".join(map(str, one)) if isinstance(one, list | tuple) else str(one)
            yield from (option, f"{key}={_file_name(text) if name == 'hierarchy' else text}")
    else:
        for one in value if isinstance(value, list | tuple | set) else [value]:
            yield from (option, _text(name, one))


def _text(name: str, value: Any) -> str:  # noqa: ANN401 - as above
    if not isinstance(value, str | int | float | os.PathLike):
        return _OBJECT.get(name, name.upper().replace("_", "-"))
    text = str(value)
    if name == "hierarchy":
        column, equals, file = text.partition("=")
        return f"{column}{equals}{_file_name(file)}"
    return _file_name(text) if name in FILES else text


def _file_name(text: str) -> str:
    """Return the name of a file without its folder; of two tables, both; of a database, its DSN without a password."""
    if is_dsn(text):
        return masked(text)
    two = two_paths(text)
    return Path(text).name or text if two is None else ",".join(one.name for one in two)
