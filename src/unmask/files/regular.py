"""Files inside folders: each must be a regular file of its folder, so that opening it neither waits nor leads out."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

from unmask.errors import InvalidInputError, did_you_mean, quoted, shortened
from unmask.wording import message

_KINDS = (
    (stat.S_ISDIR, message("a folder")),
    (stat.S_ISFIFO, message("a pipe")),
    (stat.S_ISSOCK, message("a socket")),
    (lambda _: True, message("a device")),
)


def file_inside(folder: Path, name: str) -> Path:
    """Return the path of a regular file of a folder.

    Fails
        With `InvalidInputError` where the name or a link leads out of the folder, and where it names no file, a folder,
        a pipe, a socket or a device. A user may name a pipe directly; a folder that others made must not make us wait.
    """
    path = PurePosixPath(name)
    if "\0" in name or not path.name:
        msg = message("files of a release must have names; got {name}. Correct it", name=quoted(name))
        raise InvalidInputError(msg)
    leads = real_path(folder / path)
    if path.is_absolute() or ".." in path.parts or not leads.is_relative_to(real_path(folder)):
        msg = message(
            "files of a release must lie in its folder; {name} leads out of it. Put the file itself there",
            name=quoted(name),
        )
        raise InvalidInputError(msg)
    require_regular(folder / path)
    return folder / path


def real_path(path: Path) -> Path:
    """Return an absolute path without links; a circle of links stays, where `Path.resolve` may fail."""
    return Path(os.path.realpath(path))


def require_regular(path: Path) -> None:
    """Fail where a path of a folder's file is no regular file, or a link to none."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        if os.path.lexists(path):
            msg = message(
                "{path} in {parent} must be a file; it is a link that leads nowhere. Replace it",
                path=repr(path.name),
                parent=repr(path.parent.name),
            )
        else:
            beside = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
            msg = message(
                "{path} in {parent} must exist; there is no such file.{did_you_mean}",
                path=repr(shortened(path.name)),
                parent=repr(path.parent.name),
                did_you_mean=did_you_mean(path.name, beside),
            )
        raise InvalidInputError(msg) from error
    if not stat.S_ISREG(mode):
        kind = next(word for is_kind, word in _KINDS if is_kind(mode))
        msg = message(
            "{path} in {parent} must be a regular file; it is {kind}. Replace it by the file itself",
            path=repr(path.name),
            parent=repr(path.parent.name),
            kind=kind,
        )
        raise InvalidInputError(msg)
