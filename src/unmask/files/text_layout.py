"""What stands around the cells of a text file: lines above the header, runs of blanks as a delimiter, row numbers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, StringIO
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO

from unmask.csv_writing import BrokenRowsError, read_rows
from unmask.files.scratch import scratch

BLANKS = " "
"""The delimiter of columns that are separated by runs of blanks."""

_QUOTED = rb'("[^"]*(?:""[^"]*)*")'
_EDGES = re.compile(rb"^[ \t]+|[ \t]+(?=\r?$)", re.MULTILINE)
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_SAMPLE = 200  # lines


@contextmanager
def without_lines(path: Path, lines: int) -> Iterator[Path]:
    """Yield a text file without its first lines: the file itself, or a scratch copy."""
    if lines <= 0:
        yield path
        return
    with scratch() as room, path.open("rb") as file:
        file.seek(_start_of_line(file, lines))
        yield room.copy(file, path.name)


def _start_of_line(file: BinaryIO, lines: int) -> int:
    """Return the number of bytes that the first lines of a file take."""
    if not os.fstat(file.fileno()).st_size:
        return 0  # an empty file cannot be mapped
    start = 0
    with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        for _ in range(lines):
            match = _LINE.match(content, start)
            start = start if match is None else match.end()
    return start


@contextmanager
def with_tabs(path: Path, separator: str) -> Iterator[tuple[Path, str]]:
    """Yield a text file and its delimiter; where that is runs of blanks, a scratch copy with tabs in their place."""
    if separator != BLANKS:
        yield path, separator
        return
    with scratch() as room:
        yield room.copy(BytesIO(_tabbed(path.read_bytes())), path.name), "\t"


def _tabbed(content: bytes) -> bytes:
    content = _EDGES.sub(b"", content)
    if b'"' not in content:
        return re.sub(rb"[ \t]+", b"\t", content)
    return re.sub(_QUOTED + rb"|[ \t]+", lambda match: match[1] or b"\t", content)


def are_blanks(path: Path) -> bool:
    """Whether all of the first lines have the same number of cells between runs of blanks, and several."""
    with path.open("rb") as file:
        lines = list(islice(file, _SAMPLE))
    if not b"".join(lines[1:2]).strip():  # the first line is a title
        return False
    rows = _rows(_tabbed(b"".join(lines)).decode(errors="replace"), "\t")
    return len(rows) > 1 and len(rows[0]) > 1 and (are_alike(rows) or have_row_numbers(rows))


def are_alike(rows: list[list[str]]) -> bool:
    """Whether all rows have the same number of cells."""
    return len({len(row) for row in rows}) == 1


def have_row_numbers(rows: list[list[str]]) -> bool:
    """Whether all rows below the header have a number more than it has names: 1, 2, 3, as R writes them."""
    below = rows[1:]
    return (
        bool(below)
        and all(len(row) == len(rows[0]) + 1 for row in below)
        and all(row[0] == str(number) for number, row in enumerate(below, 1))
    )


def first_rows(path: Path, delimiter: str) -> list[list[str]]:
    """Return the cells of the first lines that are not empty; none if they cannot be taken apart."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return _rows("".join(islice(file, _SAMPLE)), delimiter)


def _rows(text: str, delimiter: str) -> list[list[str]]:
    try:
        return [row for row in read_rows(StringIO(text, newline=""), delimiter=delimiter) if row]
    except BrokenRowsError:
        return []


def have_delimiters(path: Path, delimiters: tuple[str, ...]) -> bool:
    """Whether most lines of a text file have one of the delimiters."""
    with path.open(encoding="utf-8-sig", newline=None) as file:
        lines = [line for line in islice(file, _SAMPLE) if line.strip()]
    return any(sum(delimiter in line for line in lines) * 2 > len(lines) for delimiter in delimiters)


def title_lines(path: Path, delimiters: tuple[str, ...]) -> int:
    """Return the number of lines above the first with the most cells.

    0 where the first line has at least half of these, or as many as most lines have by one of the delimiters; in the
    second case only if not all lines agree by another delimiter, below a title: decimal commas are no delimiters.
    """
    with path.open(encoding="utf-8-sig", newline=None) as file:
        lines = [line.rstrip("\n") for line in islice(file, _SAMPLE)]
    best, most, is_header, agree = 0, 1, False, False
    for delimiter in delimiters:
        rows = [next(iter(_rows(line, delimiter)), []) for line in lines]
        widths = [sum(map(bool, row)) for row in rows]
        widest = max(widths, default=0)
        if widths and widths[0] > 1 and widths.count(widths[0]) * 2 > len(lines):
            if are_alike(list(filter(None, rows))):
                return 0
            is_header = True
        if widest > most and widths[0] * 2 <= widest:
            best, most = widths.index(widest), widest
            table = list(filter(None, rows[best:]))
            agree = len(table) > 1 and are_alike(table)
    return best if agree or not is_header else 0
