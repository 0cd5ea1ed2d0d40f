"""HIPAA Safe Harbor for the published columns of releases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.files.release_folder import release_table
from unmask.inspection.published_identifiers import safe_harbor_of
from unmask.report.regimes.published_identifiers import PublishedColumn


def published_identifiers(releases: Sequence[ReadRelease]) -> tuple[PublishedColumn, ...]:
    """Return each published column of the releases, with the kind of identifier that it seems to hold."""
    return tuple(column for one in releases for column in _of_release(one))


def _of_release(one: ReadRelease) -> Iterator[PublishedColumn]:
    table = release_table(one.release)
    if not table.num_rows:
        return
    raw = Raw.from_arrow(table, one.release.name)
    lines = next((unused.column.codes.size for unused in one.unused.values()), 0)
    yield from _columns(raw, one.release.person_key)
    if lines:
        beside = {name: unused.column for name, unused in one.unused.items()}
        yield from _columns(replace(raw, columns=beside, n_rows=lines))


def _columns(raw: Raw, person_key: str | None = None) -> Iterator[PublishedColumn]:
    for name, found in safe_harbor_of(raw, person_key).items():
        yield PublishedColumn(raw.name, name, found)
