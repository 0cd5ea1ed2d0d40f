"""The publisher's private record of a release: the published row of each input row, and the seed."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Int64, frozen
from unmask.errors import InvalidInputError
from unmask.files.existence import require_file
from unmask.files.json_reading import read_json
from unmask.files.raw import Raw
from unmask.files.writing import write_file
from unmask.number_format import numeral
from unmask.release import Publication
from unmask.schema import UNKNOWN
from unmask.wording import message

FORM = 1

_NEEDED = ("unmask_keep", "published_row", "published_rows")


@dataclass(frozen=True, slots=True, eq=False)
class RowMapping:
    """The published row (a line of the release's rows) of each input row; negative: suppressed."""

    published: Int64  # (input rows,)
    n_published: int
    seed: int | None = None
    release: str | None = None  # SHA-256 over all files of the release
    columns: tuple[str, ...] = ()  # published columns of the table
    table: str | None = None  # keyed hash of these columns
    salt: str = ""  # the key, in hexadecimal digits

    def __post_init__(self) -> None:
        object.__setattr__(self, "published", frozen(self.published, np.int64))

    def require_release(self, name: str, content: str | None) -> None:
        """Fail where this record belongs to another release; `content` is the hash of the given release's files."""
        if None not in {self.release, content} and self.release != content:
            msg = message(
                "what was kept back must be about release {name}; it is about another one. Name the file that "
                "the same sanitize wrote",
                name=repr(name),
            )
            raise InvalidInputError(msg)

    def require_table(self, raw: Raw) -> None:
        """Fail where this record belongs to another table, or to this table in another order."""
        if self.table is None:
            return
        lacking = [name for name in self.columns if name not in raw.columns]
        if lacking or keyed_hash(raw, self.columns, self.salt) != self.table:
            why = (
                message("it has no column {lacking}", lacking=repr(lacking[0]))
                if lacking
                else message("{columns} differ", columns=", ".join(self.columns))
            )
            msg = message(
                "what was kept back must be about table {raw} as it was sanitized, in the same order and read in "
                "the same way; {why}. Name the table that was sanitized",
                raw=repr(raw.name),
                why=why,
            )
            raise InvalidInputError(msg)


def keyed_hash(raw: Raw, columns: Sequence[str], salt: str) -> str:
    """Return the keyed hash of some columns of a table: of their cells' values, row by row."""
    digest = hmac.new(salt.encode(), digestmod="sha256")
    for name in columns:
        column = raw[name]
        labels, place = np.unique(np.array(column.values, object), return_inverse=True)  # not padded to the longest
        codes = np.append(place.ravel(), UNKNOWN).astype("<i4")[column.codes]
        for text in (name, *labels.tolist()):
            digest.update(len(text).to_bytes(8, "little") + text.encode())
        digest.update(codes.tobytes())
    return digest.hexdigest()


def require_rows(publication: Publication) -> Int64:
    """Return the published row of each input row; fail where the release has no rows."""
    if publication.row_of is None:
        msg = message(
            "a release must publish rows of people for anything to be kept back; this one does not. Leave out --keep"
        )
        raise InvalidInputError(msg)
    return publication.row_of


def write_keep(
    path: str | Path,
    publication: Publication,
    *,
    seed: int | None = None,
    release: str | None = None,
    raw: Raw | None = None,
    force: bool = False,
) -> None:
    """Write the private record; it re-identifies the release, so it must not be published.

    `release` is the hash of the release's files, `raw` the table that was published.
    """
    row_of = require_rows(publication)
    salt = secrets.token_hex(16)
    columns = [] if raw is None else sorted(name for name in publication.release.schema.names if name in raw.columns)
    document = {
        "unmask_keep": FORM,
        "warning": "This file re-identifies the rows of the release. Store it separately.",
        "sanitizer": publication.release.provenance.sanitizer,
        "seed": seed,
        "release": release,
        "columns": columns,
        "table": None if raw is None else keyed_hash(raw, columns, salt),
        "salt": salt,
        "published_rows": publication.release.n_rows,
        "published_row": row_of.tolist(),
        "group": publication.group_of.tolist(),
    }
    write_file(path, json.dumps(document, separators=(",", ":")) + "\n", force=force)


def read_keep(path: str | Path) -> RowMapping:
    """Read the private record of a release.

    Fails
        With `InvalidInputError` for a file of another kind, and where it refers to rows that were not published, or
        twice to one row.
    """
    path = Path(path)
    try:
        document = read_json(path)
        form, rows, n, seed = *(document[key] for key in _NEEDED), document.get("seed")
        bound = (document.get("release"), document.get("table"), document.get("salt", ""))
        columns = tuple(document.get("columns", ()))
        published = np.array(rows, None if rows else np.int64)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        require_file(path)
        if error.__cause__ is not None:  # no permission, a failing disk, a repeated key
            raise
        form, published, n, seed, bound, columns = None, np.zeros(0, np.int64), 0, None, (None, None, ""), ()
    texts = all(isinstance(one, str) for one in (*columns, *(one for one in bound if one is not None)))
    if form != FORM or not _are_counts(n, 0 if seed is None else seed) or not texts:
        msg = message("{path} must be what unmask sanitize --keep wrote; it is not", path=repr(path.name))
        raise InvalidInputError(msg)
    wrong = _wrong(published, n)
    if wrong:
        msg = message(
            "{path} must lead each line of the table to a published row of its own, of {n}, or to -1; "
            "{wrong}. Name the file that sanitize wrote",
            path=repr(path.name),
            n=numeral(n),
            wrong=wrong,
        )
        raise InvalidInputError(msg)
    return RowMapping(published, n, seed, bound[0], columns, *bound[1:])


def _are_counts(*numbers: object) -> bool:
    return all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in numbers)


def _wrong(published: NDArray[Any], n: int) -> str:
    """Return what is wrong with published rows, or an empty text."""
    if published.ndim != 1 or published.dtype.kind != "i":
        return message("got something else than a list of whole numbers")
    outside = int(((published < -1) | (published >= n)).sum())
    if outside:
        return message("{outside} lead elsewhere", outside=numeral(outside))
    there = published[published >= 0]
    twice = there.size - np.unique(there).size
    return message("{twice} lead where others do", twice=numeral(twice)) if twice else ""
