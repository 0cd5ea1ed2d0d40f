"""The releases of the past, so that the next one is attacked together with them.

A release that was safe alone may not be beside another one about the same people. Whoever publishes again must know
what is out already: where it lies, whether it is still what it was, who may be in both, and how much of a budget of
differential privacy is spent.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from unmask.differential_privacy.budget import Budget
from unmask.errors import InvalidInputError, OutputError
from unmask.files.claiming import claimed
from unmask.files.content_hash import content_hash
from unmask.files.ledger_json import BudgetFile, EntryFile, LedgerFile, PeopleFile, read_ledger
from unmask.files.ownership import files_in, unchanged
from unmask.files.person_hashes import HashedPeople, content_name, read_hashes, write_hashes
from unmask.files.placing import FOLDER_MODE
from unmask.files.release_folder import owned_files, write_release
from unmask.files.release_json import MadeByFile
from unmask.files.releases import read_release
from unmask.files.unfinished import remove
from unmask.files.writing import write_file
from unmask.release import Provenance, Release
from unmask.unit import Unit

_NAME = re.compile(r"[0-9a-f]{32}")

PATIENCE = 10.0
"""Seconds to wait for another run that writes the same ledger."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One release of the past."""

    name: str
    content: str  # hash of what it shows
    path: str  # of its folder, as seen from the ledger's
    people: float
    suppressed: int = 0
    provenance: Provenance = Provenance()
    budget: Budget | None = None  # of differential privacy; None: nothing bounds what it gives away
    date: dt.date | None = None  # as the publisher tells it
    embedded: bool = False  # the folder is the ledger's own copy
    shared: PeopleFile | None = None  # the people, as far as they are known by hashes

    @classmethod
    def of(cls, release: Release, path: str, *, day: dt.date | None = None) -> LedgerEntry:
        """Take down what is kept of a release."""
        return cls(
            release.name,
            content_hash(release),
            path,
            release.n_people,
            release.n_suppressed,
            release.provenance,
            Budget.of(release),
            day,
        )

    @property
    def people_text(self) -> str:
        """How many people were published; of a differentially private release nobody knows that exactly."""
        return f"{self.people:,.0f}" if self.budget is None else f"about {max(self.people, 0):,.0f}"


@dataclass(frozen=True, slots=True)
class Ledger:
    """A file that tells of past releases, and a folder beside it for their copies and for hashes of people.

    Fails
        With `InvalidInputError` for a file that is damaged, of something else, or of a newer version; with
        `OutputError` while another run writes it.
    """

    file: Path
    entries: tuple[LedgerEntry, ...] = ()

    @classmethod
    def read(cls, path: str | Path) -> Ledger:
        """Read a ledger that exists."""
        found = read_ledger(Path(path))
        return cls(Path(path), tuple(_entry(one) for one in found.releases))

    @property
    def folder(self) -> Path:
        """Where copies and hashes lie."""
        return self.file.with_name(f"{self.file.stem}-files")

    def place(self, entry: LedgerEntry) -> Path:
        """Return the folder of a release."""
        return self.file.parent / entry.path

    def release(self, entry: LedgerEntry) -> Release | None:
        """Return a release as it was published; None where it is gone, cannot be read, or shows something else now."""
        with suppress(InvalidInputError, OSError):
            found = read_release(self.place(entry), name=entry.name).release
            if content_hash(found) == entry.content:
                return found
        return None

    def state(self, entry: LedgerEntry) -> str:
        """Say whether a release still lies where it lay, and shows what it showed."""
        if not self.place(entry).exists():
            return "gone"
        return "changed" if self.release(entry) is None else "unchanged"

    def people_of(self, entry: LedgerEntry) -> HashedPeople | None:
        """Return the people of a release, where they are known by hashes."""
        if entry.shared is None:
            return None
        about = entry.shared
        return HashedPeople(read_hashes(self._hashes(about), about.n), about.nameless, about.column, about.key)

    def _hashes(self, about: PeopleFile) -> Path:
        """Return the file of a release's people: beside the ledger, or, as earlier versions wrote it, in its folder."""
        return self.file.parent / about.file if "/" in about.file else self.folder / about.file

    def same_content(self, release: Release) -> LedgerEntry | None:
        """Return the past release that shows the same."""
        content = content_hash(release)
        return next((entry for entry in self.entries if entry.content == content), None)

    def with_release(
        self,
        release: Release,
        place: Path | None,
        *,
        day: dt.date | None = None,
        people: HashedPeople | None = None,
    ) -> tuple[Ledger, LedgerEntry]:
        """Return the ledger with one release more, whose copy (where it has no `place`) and people are written."""
        embedded = place is None
        folder = self.folder / "releases" / _copy_name(release) if place is None else place
        file = ""
        if people is not None:
            _private(self.folder)
            file = write_hashes(self.folder, people.hashes).name
        entry = replace(
            LedgerEntry.of(release, _seen_from(self.file.parent, folder), day=day),
            embedded=embedded,
            shared=None if people is None else PeopleFile(
                file=f"{self.folder.name}/{file}", n=people.hashes.size, nameless=people.nameless,
                column=people.column, key=people.key,
            ),
        )  # fmt: skip
        if embedded:
            _private(self.folder, folder.parent)
            if not folder.exists() or self.release(entry) is None:
                write_release(release, folder, force=True)
            entry = replace(entry, content=content_hash(read_release(folder).release))
        return replace(self, entries=(*self.entries, entry)), entry

    @contextmanager
    def adding(self) -> Iterator[None]:
        """Remove copies and hashes that are written inside the `with` block where that fails or is interrupted."""
        before = set(self._inside())
        try:
            yield
        except BaseException:
            for path in sorted(set(self._inside()) - before, reverse=True):
                remove(path)
            raise

    def _inside(self) -> list[Path]:
        """Return the folder of copies and hashes, and what lies in it."""
        copies = self.folder / "releases"
        places = (self.folder, copies, *self.folder.glob("*.npy"), *copies.glob("*"))
        return [path for path in places if path.exists()]

    def named(self, name: str) -> LedgerEntry | None:
        """Return the release of a name."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def without(self, entry: LedgerEntry | None) -> Ledger:
        """Return the ledger without a release; its copy and its people stay until they are pruned."""
        return replace(self, entries=tuple(one for one in self.entries if one is not entry))

    def save(self) -> None:
        """Write the file, whole or not at all, for the owner only; nothing is removed."""
        document = LedgerFile(releases=tuple(_written(entry) for entry in self.entries))
        write_file(self.file, document.to_json(), force=True)

    def used(self) -> set[Path]:
        """Return the copies and hashes that the releases of this ledger need."""
        copies = {self.place(entry).resolve() for entry in self.entries if entry.embedded}
        return copies | {self._hashes(entry.shared).resolve() for entry in self.entries if entry.shared is not None}

    def unused(self) -> list[Path]:
        """Return the copies and hashes in this ledger's folder that neither it nor a ledger beside it needs.

        Only what ledgers wrote is among them, and nobody changed since: hashes named by their content, and copies of
        releases that hold nothing else.
        """
        needed = self.used()
        for other in sorted(self.file.absolute().parent.iterdir()):
            with suppress(InvalidInputError, OSError):
                if other.is_file() and other.resolve() != self.file.resolve():
                    needed |= Ledger.read(other).used()
        written = [file for file in sorted(self.folder.glob("*.npy")) if _is_named_by_content(file)]
        written += [copy for copy in sorted((self.folder / "releases").glob("*")) if _is_copy(copy)]
        return [path for path in written if path.resolve() not in needed]

    def prune(self) -> list[Path]:
        """Remove what no ledger needs any more, and return what that was."""
        found = self.unused()
        for path in found:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        return found


@contextmanager
def changing(path: str | Path) -> Iterator[Ledger]:
    """Keep other runs from writing a ledger inside the `with` block; one that does not exist begins empty."""
    path = Path(path)
    if not path.absolute().parent.is_dir():
        msg = f"ledger {str(path)!r} must lie in a folder that exists; {str(path.parent)!r} is none. Make it first"
        raise OutputError(msg)
    try:
        with claimed(path.absolute().parent, patience=PATIENCE):
            yield Ledger.read(path) if os.path.lexists(path) else Ledger(path)
    except BlockingIOError:
        msg = f"ledger {path.name!r} must not be in use by another run; it is locked. Wait, or end that run"
        raise OutputError(msg) from None


def _copy_name(release: Release) -> str:
    """Name a copy by what it shows and how it was made."""
    made_by = MadeByFile.of(release.provenance).model_dump_json()
    return content_name(f"{content_hash(release)} {made_by}".encode())


def _is_named_by_content(file: Path) -> bool:
    return _NAME.fullmatch(file.stem) is not None and content_name(file.read_bytes()) == file.stem


def _is_copy(folder: Path) -> bool:
    """Whether a folder is a copy of a release, and holds nothing that unmask did not write."""
    if _NAME.fullmatch(folder.name) is None or folder.is_symlink():
        return False
    inside = files_in(folder)
    return bool(inside) and unchanged(folder, owned_files(folder)) == inside


def _entry(found: EntryFile) -> LedgerEntry:
    provenance = found.made_by.provenance() if found.made_by else Provenance()
    unit = Unit.ROWS if provenance.relation is None else provenance.relation.unit
    budget = None if found.budget is None else Budget(found.budget.epsilon, found.budget.delta, unit=unit)
    return LedgerEntry(
        found.name, found.content, found.path, found.people, found.suppressed, provenance, budget, found.date,
        found.embedded, found.shared,
    )  # fmt: skip


def _written(entry: LedgerEntry) -> EntryFile:
    return EntryFile(
        name=entry.name,
        date=entry.date,
        path=entry.path,
        embedded=entry.embedded,
        content=entry.content,
        people=entry.people,
        suppressed=entry.suppressed,
        made_by=MadeByFile.of(entry.provenance) if entry.provenance != Provenance() else None,
        budget=None if entry.budget is None else BudgetFile(epsilon=entry.budget.epsilon, delta=entry.budget.delta),
        shared=entry.shared,
    )


def _seen_from(folder: Path, place: Path) -> str:
    """Write a path as seen from a folder, so that both can be moved together; on another drive as it is."""
    try:
        return Path(os.path.relpath(place.absolute(), folder.absolute())).as_posix()
    except ValueError:  # Windows: another drive
        return place.absolute().as_posix()


def _private(*folders: Path) -> None:
    """Make folders that only their owner can look into."""
    for folder in folders:
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        folder.chmod(FOLDER_MODE)
