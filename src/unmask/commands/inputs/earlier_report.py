"""An earlier report of an audit, as `--json` wrote it, and the files that its command names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.commands.inputs.recorded_command import arguments_of
from unmask.documents import audit as audit_document
from unmask.documents import retest as retest_document
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import is_dsn
from unmask.files.json_reading import read_json
from unmask.files.releases import two_paths

_SOURCES = ("data", "release", "people", "population", "keep", "policy", "roles")


@dataclass(frozen=True, slots=True, eq=False)
class EarlierReport:
    """A report, and the arguments of its audit: paths are where they exist now."""

    name: str
    document: Mapping[str, Any]
    arguments: Mapping[str, Any]
    missing: tuple[str, ...] = ()  # sources that are not there

    @classmethod
    def read(cls, path: Path, function: Any) -> EarlierReport:  # noqa: ANN401 - `unmask.audit`
        """Read a report of `unmask audit`, or of an earlier retest.

        Fails
            With `InvalidInputError` where it is another file, or was written without the command that repeats it.
        """
        document = read_json(path)
        if isinstance(document, dict) and document.get("schema") == retest_document.SCHEMA:
            document = document.get("audit")
        if not isinstance(document, dict) or document.get("schema") != audit_document.SCHEMA:
            msg = f"{path.name!r} must be a report of unmask audit, written by --json; it is none"
            raise InvalidInputError(msg)
        command = document.get("command")
        if not command:
            msg = f"{path.name!r} must hold the command of its audit; it has none. Run the audit anew, with --json FILE"
            raise InvalidInputError(msg)
        arguments, missing = _located(arguments_of(command, function), path.parent)
        return cls(path.name, document, arguments, tuple(missing))


def _located(arguments: dict[str, Any], beside: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments with sources where they exist, and those that do not: here first, then beside the report."""
    missing: list[str] = []
    for name in _SOURCES:
        value = arguments.get(name)
        if value is None:
            continue
        several = value if isinstance(value, list) else [value]
        where = [_place(str(one), beside) for one in several]
        missing += [str(one) for one, place in zip(several, where, strict=True) if place is None]
        found = [str(one) if place is None else place for one, place in zip(several, where, strict=True)]
        arguments[name] = found if isinstance(value, list) else found[0]
    return arguments, missing


def _place(text: str, beside: Path) -> str | None:
    if is_dsn(text):
        return text
    return next((candidate for candidate in _candidates(text, beside) if _exists(candidate)), None)


def _candidates(text: str, beside: Path) -> Iterator[str]:
    yield text
    yield str(beside / text)
    if "," in text:
        yield ",".join(str(beside / part) for part in text.split(","))


def _exists(text: str) -> bool:
    return Path(text).exists() or two_paths(text) is not None
