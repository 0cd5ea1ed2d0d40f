"""Random tables as files, from plain ones to damaged bytes."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from tests.fuzz import cells

NAMES = (
    "age", "sex", "zip", "job", "ill", "income", "date", "größe", "a b", "Age", "group", "count", "value", "person",
    "row", "x,y", 'x"y', "=1", "1", "*", "?", "", " ", "a=b", "release", "@row", "\u200b", "a" * 300, "../x",
    "x\ny", "%41", "CON",
)  # fmt: skip
SIZES = (0, 1, 2, 3, 5, 8, 13, 20, 30, 45)


@dataclass(frozen=True)
class Table:
    """A table as a file, and what is known of it."""

    path: Path
    columns: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]  # (rows, columns) as they were meant
    identifiers: tuple[str, ...] = ()  # values of the column `id`, which nothing that is written may hold
    whole: bool = False  # the file holds all rows, and nothing else

    @property
    def n(self) -> int:
        """How many rows were written."""
        return len(self.texts)

    def values(self, name: str) -> list[str]:
        """Return the values of a column."""
        return [row[self.columns.index(name)] for row in self.texts]


def plain(rng: Random, path: Path, n: int | None = None) -> Table:
    """Write a table that nothing is wrong with: an identifier, three quasi-identifiers, a sensitive column."""
    n = n or rng.choice((6, 12, 20, 30, 45))
    names = ("id", "age", "zip", "job", "ill")
    columns = [_identifiers(rng, n), *(cells.plain(rng, n) for _ in names[1:])]
    return _written(path, names, list(zip(*columns, strict=True)))


def messy(rng: Random, path: Path) -> Table:
    """Write a table as it may come from anywhere."""
    n, width = rng.choice(SIZES), rng.randrange(1, 7)
    names = ["id", *rng.sample(NAMES, width)]
    if rng.random() < 0.05:
        names[-1] = rng.choice(names)
    columns = [_identifiers(rng, n), *(cells.column(rng, n) for _ in range(width))]
    rows = list(zip(*columns, strict=True))
    if rng.random() < 0.08:
        return _in_other_form(rng, path, names, rows)
    table = _written(
        path, names, rows, rng.choice((",", ",", ",", ";", "\t", "|")), rng.choice(("\n", "\n", "\r\n", "\r"))
    )
    if rng.random() < 0.3:
        path.write_bytes(rng.choice(DAMAGES)(rng, path.read_bytes()))
        return Table(path, table.columns, table.texts, table.identifiers)
    return table


def _identifiers(rng: Random, n: int) -> list[str]:
    return [f"SECRET-{rng.getrandbits(40):010x}" for _ in range(n)]


def _written(
    path: Path, names: list[str] | tuple[str, ...], rows: list[tuple[str, ...]], delimiter: str = ",", end: str = "\n"
) -> Table:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerows([names, *rows])
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    blank = any(not "".join(row[1:]).strip() and len(row) < 2 for row in rows)
    return Table(path, tuple(names), tuple(rows), tuple(row[0] for row in rows), whole=not blank)


def _in_other_form(rng: Random, path: Path, names: list[str], rows: list[tuple[str, ...]]) -> Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    frame = pa.table([pa.array(column, pa.string()) for column in columns], names=names)
    form = rng.choice(("parquet", "arrow", "csv.gz"))
    path = path.with_name(f"{path.name.partition('.')[0]}.{form}")
    if form == "parquet":
        pa.parquet.write_table(frame, path)
    elif form == "arrow":
        pa.feather.write_feather(frame, path, compression="uncompressed")
    else:
        text = _written(path, names, rows).path.read_bytes()
        path.write_bytes(gzip.compress(text, mtime=0))
    if rng.random() < 0.4:
        path.write_bytes(rng.choice(DAMAGES)(rng, path.read_bytes()))
    return Table(path, tuple(names), tuple(rows), tuple(row[0] for row in rows))


def truncated(rng: Random, content: bytes) -> bytes:
    """Cut the end off."""
    return content[: rng.randrange(len(content) + 1)]


def flipped(rng: Random, content: bytes) -> bytes:
    """Change some bytes."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 5)) if changed else 0):
        changed[rng.randrange(len(changed))] = rng.choice((0, 10, 13, 34, 44, 255, rng.randrange(256)))
    return bytes(changed)


def inserted(rng: Random, content: bytes) -> bytes:
    """Put something odd somewhere."""
    odd = rng.choice(
        (b"\0", b'"', b"\n", b"\n\n\n", b",", b",,,,,,", b"\xff", b"\r", b"\xef\xbb\xbf", b"'", b"\x1a", b"# note\n")
    )
    place = rng.randrange(len(content) + 1)
    return content[:place] + odd + content[place:]


def encoded(rng: Random, content: bytes) -> bytes:
    """Write it in another encoding."""
    encoding = rng.choice(("latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp500"))
    return content.decode(errors="replace").encode(encoding, errors="replace")


def ragged(rng: Random, content: bytes) -> bytes:
    """Let some lines have other numbers of cells."""
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    lines[place] = rng.choice((lines[place] + b",x", lines[place].rpartition(b",")[0], b"x", b"", lines[place] * 2))
    return b"\n".join(lines)


def replaced(rng: Random, content: bytes) -> bytes:
    """Replace everything."""
    del content
    return rng.choice(
        (
            b"",
            b"\n",
            b",",
            b"\n\n\n",
            b"\0",
            b"{}",
            b"a",
            b"a\n",
            b"\xef\xbb\xbf",
            b"PK\x03\x04",
            b"PAR1",
            rng.randbytes(200),
        )
    )


DAMAGES: tuple[Callable[[Random, bytes], bytes], ...] = (truncated, flipped, inserted, encoded, ragged, replaced)
"""Ways to damage a file."""
