"""What a file holds beside its table: authors, paths, hidden sheets, further entries. Kinds and counts, never text."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from typing import NamedTuple

import pyarrow as pa

from unmask.wording import message

_MOST_BYTES = 16 << 20  # of one part of a workbook
_PATH = re.compile(rb"(?:[A-Za-z]:(?:\\+|/)|\\\\\w|/(?:home|Users|mnt|media|srv|root|Volumes)/|file:/)")
_PROGRAMS = {
    b"", b"openpyxl", b"xlsxwriter", b"apache poi", b"microsoft excel", b"microsoft office user", b"unknown",
}  # fmt: skip
"""Authors of workbooks that are names of programs, or none."""

_STANDARD = (b"pandas", b"ARROW:", b"org.apache.", b"parquet.", b"writer.", b"geo", b"huggingface")
"""Beginnings of the keys under which programs describe the columns of a Parquet or Arrow file."""


class Embedded(NamedTuple):
    """A kind of information beside the table, and how many entries there are."""

    what: str
    n: int


def of_schema(schema: pa.Schema) -> tuple[Embedded, ...]:
    """Return what the metadata of a Parquet or Arrow file hold beside the description of its columns."""
    entries = {key: value for key, value in (schema.metadata or {}).items() if key != b"ARROW:schema"}
    own = [value for key, value in entries.items() if not key.startswith(_STANDARD)]
    found = [Embedded(message("further entries of metadata"), len(own))]
    found.append(Embedded(message("paths of files"), sum(bool(_PATH.search(value)) for value in entries.values())))
    with suppress(ValueError, TypeError, AttributeError):
        about = json.loads(entries.get(b"pandas", b"{}"))
        names = {str(column.get("field_name") or column.get("name")) for column in about.get("columns", ())}
        found.append(
            Embedded(message("names of columns that it does not hold"), len(names - set(schema.names) - {"None"}))
        )
        found.append(Embedded(message("attributes of a data frame"), len(about.get("attributes") or {})))
    return tuple(one for one in found if one.n)


def of_dictionaries(table: pa.Table) -> tuple[Embedded, ...]:
    """Return how many values an Arrow file lists that no row has, in its columns of categories."""
    unused = 0
    for column in (one for one in table.columns if pa.types.is_dictionary(one.type)):
        listed = {value for chunk in column.chunks for value in chunk.dictionary.to_pylist()}
        unused += len(listed - set(column.unique().to_pylist()))
    return (Embedded(message("values of categories that no row has"), unused),) if unused else ()


def of_workbook(content: bytes) -> tuple[Embedded, ...]:
    """Return what an Excel workbook or an OpenDocument spreadsheet holds beside the cells of its sheets."""
    if not content.startswith(b"PK"):
        return ()
    with zipfile.ZipFile(BytesIO(content)) as archive:
        names = archive.namelist()
        parts = {name: archive.read(name) for name in names if _is_described(archive, name)}
    return tuple(one for one in _of_parts(names, parts) if one.n)


def of_statistics_file(label: str | None, notes: Sequence[str]) -> tuple[Embedded, ...]:
    """Return what a file of a statistics package holds beside its variables."""
    texts = [text.encode() for text in (label or "", *notes)]
    found = (
        Embedded(message("a label of the file"), int(bool(label and label.strip()))),
        Embedded(message("notes"), sum(bool(note.strip()) for note in notes)),
        Embedded(message("paths of files"), sum(bool(_PATH.search(text)) for text in texts)),
    )
    return tuple(one for one in found if one.n)


def _is_described(archive: zipfile.ZipFile, name: str) -> bool:
    described = name.startswith("docProps/") or name in {"xl/workbook.xml", "meta.xml"}
    return described and archive.getinfo(name).file_size <= _MOST_BYTES


def _of_parts(names: Sequence[str], parts: Mapping[str, bytes]) -> Iterator[Embedded]:
    core = parts.get("docProps/core.xml", b"") + parts.get("meta.xml", b"")
    people = [*_texts(core, b"creator"), *_texts(core, b"initial-creator"), *_texts(core, b"lastModifiedBy")]
    yield Embedded(message("names of authors"), sum(text.strip().lower() not in _PROGRAMS for text in people))
    about = parts.get("docProps/app.xml", b"")
    house = [*_texts(about, b"Company"), *_texts(about, b"Manager")]
    yield Embedded(message("a company or manager"), sum(bool(text.strip()) for text in house))
    described = [text for key in (b"description", b"subject", b"keywords", b"title") for text in _texts(core, key)]
    yield Embedded(message("descriptions of the file"), sum(bool(text.strip()) for text in described))
    yield Embedded(
        message("properties of its own"), len(re.findall(rb"<property\s", parts.get("docProps/custom.xml", b"")))
    )
    book = parts.get("xl/workbook.xml", b"")
    yield Embedded(message("paths of files"), len(re.findall(rb"absPath\s[^>]*url=", book)))
    yield Embedded(message("hidden sheets"), len(re.findall(rb"\sstate=\"(?:very)?hidden\"", book, re.IGNORECASE)))
    for what, start in (
        (message("sheets with comments"), "xl/comments"),
        (message("stored copies of data behind pivot tables"), "xl/pivotCache/pivotCacheRecords"),
        (message("links to other workbooks"), "xl/externalLinks/externalLink"),
        (message("records of earlier changes"), "xl/revisions/revisionLog"),
    ):
        yield Embedded(what, sum(name.startswith(start) and name.endswith(".xml") for name in names))


def _texts(markup: bytes, name: bytes) -> list[bytes]:
    """Return the texts of the elements of a name, in any namespace."""
    return re.findall(rb"<(?:[\w-]+:)?" + name + rb"(?:\s[^>]*)?>([^<]*)</", markup)
