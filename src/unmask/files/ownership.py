"""Recognition of files that unmask wrote; only these are ever replaced or removed.

A file is recognized by a mark at its beginning or end. In a folder, the files are those that its manifest lists
(`files` of release.json, or unmask-files.json) and whose content is unchanged.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from unmask.files.json_reading import read_json

MANIFEST = "unmask-files.json"
"""The manifest of a folder that is not a release."""

_SCHEMA = "unmask-files-1"

_SIGNS = (
    b'"schema": "unmask-',
    b'"unmask_keep"',
    b'<meta name="generator" content="unmask',
    b'<testsuites name="unmask',
    b"Higher is worse in every column. unmask ",
    b"Written by unmask ",
)
"""Marks of a file that unmask wrote, within its first or last kilobyte."""

_FIRST_LINES = (
    b"person,attribute,value,probability,error\n",
    b"person,row,attribute,value,probability,error\n",
    b"person,loss,chance,entries,dictionary\n",
    b"person,prosecutor,journalist,suda2,dis\n",
    b"person\n",
)
"""Header lines of CSV files that unmask writes."""

_NEAR = 1024

Digests = Mapping[str, str | None]
"""Path inside a folder → SHA-256 of the content that was written; None where it was not recorded."""


def is_ours(path: Path) -> bool:
    """Whether unmask wrote the file, or it is empty; False for links and devices."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(_NEAR)
        file.seek(-min(_NEAR, path.stat().st_size), os.SEEK_END)
        end = file.read()
    return not start or start.startswith(_FIRST_LINES) or any(sign in start or sign in end for sign in _SIGNS)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder, by its path inside."""
    return {name: digest(folder / name) for name in files_in(folder)}


def files_in(folder: Path) -> list[str]:
    """Return the paths inside a folder of all files and links, sorted."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
    )


def write_manifest(folder: Path) -> None:
    """Write the manifest of a folder: its files with their hashes."""
    document = {"schema": _SCHEMA, "files": digests(folder)}
    (folder / MANIFEST).write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def listed_files(folder: Path) -> Digests:
    """Return the files that a folder's unmask-files.json lists; without one, those with the mark of unmask."""
    path = folder / MANIFEST
    if path.is_symlink() or not path.is_file():
        return {name: None for name in files_in(folder) if is_ours(folder / name)}
    try:
        document = read_json(path)
        listed = {str(name): str(content) for name, content in document["files"].items()}
        return listed | {MANIFEST: None} if document["schema"] == _SCHEMA else {}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def unchanged(folder: Path, listed: Digests) -> list[str]:
    """Return the listed files whose content is unchanged."""
    return [
        name
        for name in files_in(folder)
        if name in listed
        and (path := folder / name).is_file()
        and not path.is_symlink()
        and (listed[name] is None or digest(path) == listed[name])
    ]
