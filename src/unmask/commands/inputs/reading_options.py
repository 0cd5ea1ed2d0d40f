"""Options about reading tables and releases, as every command has them, and the kinds of sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, cast

from unmask.commands.results import PublishedResult
from unmask.files.existence import is_release_folder
from unmask.files.published import ReadRelease
from unmask.files.roles import Assignments
from unmask.release import Publication, Release

Source: TypeAlias = str | Path | Any
"""A file, `-` for standard input, a DSN with what is read of the database (`sqlite:///people.db#register`), or a data
frame (pandas, Polars, Arrow, a mapping of columns). A release may also be a result of `sanitize`, a `Publication` or a
`Release`."""

Settings: TypeAlias = Mapping[str, Any]
"""Settings of an algorithm, as `--set KEY=VALUE` gives them."""


class ReadingOptions(TypedDict, total=False):
    """Options of every command that reads a table, called as on the command line."""

    quasi: str | Iterable[str]
    sensitive: str | Iterable[str]
    identifier: str | Iterable[str]
    insensitive: str | Iterable[str]
    person_key: str | None
    household: str | None
    weight: str | None
    rest: str | None
    hierarchy: Assignments
    order: Assignments
    bins: Assignments
    level: Assignments
    cells: Assignments
    harmless: Assignments
    missing: str | Iterable[str]
    missing_policy: str | None
    encoding: str | None
    delimiter: str | None
    decimal: str | None
    skip_lines: int | None
    sheet: str | None
    rows: str | None  # of releases


_LISTS = (
    "quasi",
    "sensitive",
    "identifier",
    "insensitive",
    "hierarchy",
    "order",
    "bins",
    "level",
    "cells",
    "harmless",
    "missing",
)


def given_of(options: ReadingOptions) -> ReadingOptions:
    """Return the options that were given; a single text counts as a list of one."""
    found = {k: [v] if isinstance(v, str) and k in _LISTS else v for k, v in options.items() if v is not None}
    return cast("ReadingOptions", {key: value for key, value in found.items() if not _is_empty(value)})


def several(sources: Source | Sequence[Source]) -> list[Source]:
    """Return one source, or a list of them, as a list."""
    return list(map(as_release, sources)) if isinstance(sources, (list, tuple)) else [as_release(sources)]


def as_release(source: Source) -> Source:
    """Return the release of a publication or of a result of `sanitize`; any other source as it is."""
    return source.release if isinstance(source, (Publication, PublishedResult)) else source


def is_folder(source: Source | None) -> bool:
    """Whether a source is a release folder."""
    return isinstance(source, (str, Path)) and is_release_folder(source)


def is_release(source: Source | None) -> bool:
    """Whether a source is a release folder, or a release in memory."""
    return is_folder(source) or isinstance(as_release(source), (Release, ReadRelease))


def _is_empty(value: Any) -> bool:  # noqa: ANN401 - the value of an option
    return isinstance(value, (list, tuple, dict)) and not value
