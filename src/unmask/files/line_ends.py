"""Line ends and quotes of separated values: one kind of line end, quotes around whole cells."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unmask.errors import InvalidInputError
from unmask.files.scratch import scratch
from unmask.wording import message

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
    quoted_or_end = re.compile(_quoted(delimiter) + rb"|\r+\n|\r")
    return quoted_or_end.sub(lambda match: match[1] or b"\n", content)


def require_whole_quotes(path: Path, name: str, delimiter: str) -> None:
    """Fail where a UTF-8 file of separated values has a quote that does not enclose a whole cell.

    Then each record closes the quotes that it opens, and none can swallow the records after it.
    """
    content, sign = path.read_bytes(), delimiter.encode()
    ends = rb"(?=[\r\n]|\Z|" + re.escape(sign) + rb")"
    if b'"' in content and b'"' in re.sub(_quoted(sign) + ends, b"", content):
        msg = message(
            "{name} must have quotes around whole cells only, and doubled inside, where noise is added; "
            "another one could enclose other records. Quote that cell, or give the right --delimiter",
            name=repr(name),
        )
        raise InvalidInputError(msg)


def _quoted(delimiter: bytes) -> bytes:
    """Return the pattern of a quoted cell, a group; a quote inside a cell is literal."""
    begins = rb"(?:\A|(?<=\xef\xbb\xbf)|(?<=[\r\n])|(?<=" + re.escape(delimiter) + rb"))"
    return begins + rb'("[^"]*(?:""[^"]*)*")'
