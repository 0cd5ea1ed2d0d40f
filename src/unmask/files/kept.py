"""What the publisher keeps back beside a release: which input row became which published row, and the seed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Int64, frozen
from unmask.errors import InvalidInputError
from unmask.files.reading import require_file
from unmask.files.writing import write_file
from unmask.release import Publication

FORM = 1

_NEEDED = ("unmask_keep", "published_row", "published_rows")


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The published row (a line of the release's rows) of each input row; negative where it was suppressed."""

    published: Int64  # (input rows,)
    n_published: int
    seed: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "published", frozen(self.published, np.int64))


def require_rows(publication: Publication) -> Int64:
    """Return the published row of each input row; fail where there is none, and nothing to be kept back."""
    if publication.row_of is None:
        msg = "a release must publish rows of people for anything to be kept back; this one does not. Leave out --keep"
        raise InvalidInputError(msg)
    return publication.row_of


def write_keep(path: str | Path, publication: Publication, *, seed: int | None = None, force: bool = False) -> None:
    """Write what is kept back; it opens the release, so it is never handed out."""
    row_of = require_rows(publication)
    document = {
        "unmask_keep": FORM,
        "warning": "This file opens the release: whoever has both knows which row is whose. Keep it apart.",
        "sanitizer": publication.release.provenance.sanitizer,
        "seed": seed,
        "published_rows": publication.release.n_rows,
        "published_row": row_of.tolist(),
        "group": publication.group_of.tolist(),
    }
    write_file(path, json.dumps(document, separators=(",", ":")) + "\n", force=force)


def read_keep(path: str | Path) -> Kept:
    """Read what was kept back.

    Fails
        With `InvalidInputError` for a file of another kind, and where it leads to rows that were not published, or two
        people to one row.
    """
    path = Path(path)
    require_file(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        form, rows, n, seed = *(document[key] for key in _NEEDED), document.get("seed")
        published = np.array(rows, None if rows else np.int64)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        form, published, n, seed = None, np.zeros(0, np.int64), 0, None
    if form != FORM or not _are_counts(n, 0 if seed is None else seed):
        msg = f"{path.name!r} must be what unmask sanitize --keep wrote; it is not"
        raise InvalidInputError(msg)
    wrong = _wrong(published, n)
    if wrong:
        msg = (
            f"{path.name!r} must lead each line of the table to a published row of its own, of {n:,}, or to -1; "
            f"{wrong}. Name the file that sanitize wrote"
        )
        raise InvalidInputError(msg)
    return Kept(published, n, seed)


def _are_counts(*numbers: object) -> bool:
    return all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in numbers)


def _wrong(published: NDArray[Any], n: int) -> str:
    """Say what is wrong with published rows; nothing where all is well."""
    if published.ndim != 1 or published.dtype.kind != "i":
        return "got something else than a list of whole numbers"
    outside = int(((published < -1) | (published >= n)).sum())
    if outside:
        return f"{outside:,} lead elsewhere"
    there = published[published >= 0]
    twice = there.size - np.unique(there).size
    return f"{twice:,} lead where others do" if twice else ""
