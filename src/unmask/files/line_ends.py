"""Normalization of mixed line ends: Windows, Unix and old Macintosh."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unmask.files.scratch import scratch

_BLOCK = 1 << 20


@contextmanager
def with_one_line_end(path: Path, delimiter: str) -> Iterator[Path]:
    """Yield a UTF-8 file of separated values with one kind of line end: the file itself, or a scratch copy.

    Line ends inside quotes are part of a cell, and stay as they are.
    """
    if not _are_mixed(path):
        yield path
        return
    with scratch() as room:
        yield room.copy(io.BytesIO(_unmixed(path.read_bytes(), delimiter.encode())), path.name)


def _are_mixed(path: Path) -> bool:
    """Whether a file has several kinds of line ends, inside or outside quotes."""
    windows = returns = newlines = 0
    before = b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            windows += block.count(b"\r\n") + (before == b"\r" and block.startswith(b"\n"))
            returns += block.count(b"\r")
            newlines += block.count(b"\n")
            before = block[-1:]
    return sum(n > 0 for n in (windows, returns - windows, newlines - windows)) > 1


def _unmixed(content: bytes, delimiter: bytes) -> bytes:
    begins = (
        rb"(?:\A|(?<=\xef\xbb\xbf)|(?<=[\r\n])|(?<=" + re.escape(delimiter) + rb"))"
    )  # a quote inside a cell is literal
    quoted_or_end = re.compile(begins + rb'("[^"]*(?:""[^"]*)*")|\r+\n|\r')
    return quoted_or_end.sub(lambda match: match[1] or b"\n", content)
