"""A changed release, which can be written as a folder, with the mapping of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unmask.arrays import Int64
from unmask.errors import InvalidInputError
from unmask.files.kept_back import write_keep
from unmask.files.raw import Raw
from unmask.files.release_folder import write_release
from unmask.files.writing import together
from unmask.release import Publication, Release
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class ChangedFolder:
    """A changed release, the row of each person of its original, and that table as it was read."""

    release: Release
    row_of: Int64 | None = None  # (original rows,) None: not known
    raw: Raw | None = None

    def write(self, out: str | Path, *, keep: str | Path | None = None, force: bool = False) -> None:
        """Write the release, and the mapping where asked for: both or neither.

        Fails
            With `InvalidInputError` where the rows of people are not known, or dates are shifted.
        """
        if self.release.date_shifts:
            msg = message(
                "a changed release must not hold shifted dates to be written; it does. Sanitize the table again"
            )
            raise InvalidInputError(msg)
        if keep is not None and self.row_of is None:
            msg = message(
                "the row of each person must be known for a mapping of the changed release. Write --keep FILE"
            )
            raise InvalidInputError(msg)
        with together():
            content = write_release(self.release, out, force=force)
            if keep is not None:
                write_keep(keep, Publication(self.release, self.row_of), release=content, raw=self.raw, force=force)
