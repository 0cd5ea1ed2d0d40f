"""What the publisher keeps back beside a release: which input row became which published row, and the seed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unmask.arrays import Int64, frozen
from unmask.errors import InvalidInputError
from unmask.files.reading import require_file
from unmask.files.writing import write_file
from unmask.release import Publication

FORM = 1


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
        With `InvalidInputError` for a file of another kind.
    """
    path = Path(path)
    require_file(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        published = np.asarray(document["published_row"], np.int64)
        form, n_published, seed = document["unmask_keep"], int(document["published_rows"]), document.get("seed")
    except (ValueError, KeyError, TypeError, OverflowError):
        form, published, n_published, seed = None, np.zeros(0, np.int64), 0, None
    if form != FORM:
        msg = f"{path.name!r} must be what unmask sanitize --keep wrote; it is not"
        raise InvalidInputError(msg)
    return Kept(published, n_published, seed)
