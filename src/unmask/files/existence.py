"""Whether the files that a user names exist; imports no reader, so that a wrong name is refused at once."""

from __future__ import annotations

import os
from pathlib import Path

from unmask.errors import InvalidInputError, MissingFileError, did_you_mean
from unmask.files.databases.dsn import is_dsn, masked
from unmask.wording import message


def require_source(source: object) -> None:
    """Fail where a source is the name of one file or folder, and there is none; a DSN, a pair or `-` is left alone."""
    if not isinstance(source, (str, Path)):
        return
    text = str(source)
    if (
        text
        and text != "-"
        and not is_dsn(text)
        and not any(mark in text for mark in ",=\0")
        and not Path(text).exists()
    ):
        require_file(Path(text))


def require_file(path: Path) -> None:
    """Fail where the file does not exist, and suggest a similar name."""
    name = masked(str(path))  # may be a mistyped DSN
    if path.is_dir():
        msg = message("{name} must be a file; it is a folder. Name a file in it", name=repr(name))
        raise InvalidInputError(msg)
    if not path.exists():
        beside = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
        raise MissingFileError(
            message("{name} must exist; there is no such file.", name=repr(name)), did_you_mean(path.name, beside)
        )


def is_release_folder(path: str | Path) -> bool:
    """Whether a path is a folder with a release.json, of whatever kind."""
    return not is_dsn(path) and os.path.lexists(Path(path, "release.json"))
