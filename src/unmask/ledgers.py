"""The ledger of past releases, so that the next one is attacked together with them.

A release that is safe alone may not be safe beside another one about the same people. The ledger records each past
release: location, content hash, people as keyed hashes, and the budget of differential privacy.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from unmask.differential_privacy.budget import Budget
from unmask.errors import InvalidInputError, OutputError
from unmask.files.claiming import claimed
from unmask.files.content_hash import content_hash
from unmask.files.existence import is_release_folder
from unmask.files.ledger_json import BudgetFile, EntryFile, LedgerFile, PeopleFile, read_ledger
from unmask.files.ownership import files_in, unchanged
from unmask.files.person_hashes import CONTENT_NAME, HashedPeople, content_name, read_hashes, write_hashes
from unmask.files.placing import FOLDER_MODE
from unmask.files.regular import real_path
from unmask.files.release_files import owned_files
from unmask.files.release_folder import write_release
from unmask.files.release_json import MadeByFile
from unmask.files.releases import read_release
from unmask.files.unfinished import remove
from unmask.files.writing import write_file
from unmask.number_format import numeral
from unmask.release import Provenance, Release
from unmask.unit import Unit
from unmask.wording import marked, message

PATIENCE = 10.0
"""Seconds to wait for another run that writes the same ledger."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One release of the past."""

    name: str
    content: str  # hash of the published content
    path: str  # of its folder, as seen from the ledger's
    people: float
    suppressed: int = 0
    provenance: Provenance = Provenance()
    budget: Budget | None = None  # of differential privacy; None: not differentially private
    date: dt.date | None = None  # declared by the publisher
    embedded: bool = False  # the folder is the ledger's own copy
    shared: PeopleFile | None = None  # keyed hashes of the people, where recorded

    @classmethod
    def of(cls, release: Release, path: str, *, day: dt.date | None = None) -> LedgerEntry:
        """Return the ledger entry of a release."""
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
        """The number of people as text; approximate for a differentially private release."""
        if self.budget is None:
            return numeral(self.people, ",.0f")
        return message("about {n}", n=numeral(max(self.people, 0), ",.0f"))


@dataclass(frozen=True, slots=True)
class Ledger:
    """A file that lists past releases, and a folder beside it for their copies and for hashes of people.

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
        """Return a release as it was published; None where it is missing, unreadable, or has other content."""
        with suppress(InvalidInputError, OSError):
            if not is_release_folder(self.place(entry)):
                return None
            found = read_release(self.place(entry), name=entry.name).release
            if content_hash(found) == entry.content:
                return found
        return None

    def state(self, entry: LedgerEntry) -> str:
        """Return "unchanged", "changed" or "gone"."""
        if not self.place(entry).exists():
            return marked("gone")
        return marked("changed") if self.release(entry) is None else marked("unchanged")

    def people_of(self, entry: LedgerEntry) -> HashedPeople | None:
        """Return the hashed people of a release, where recorded."""
        if entry.shared is None:
            return None
        about = entry.shared
        hashes = read_hashes(self._hashes(about), about.n, entry.name)
        return HashedPeople(hashes, about.nameless, about.column, about.key)

    def _hashes(self, about: PeopleFile) -> Path:
        """Return the file of a release's people: beside the ledger, or, as earlier versions wrote it, in its folder."""
        return self.file.parent / about.file if "/" in about.file else self.folder / about.file

    def same_content(self, release: Release) -> LedgerEntry | None:
        """Return the past release with the same content."""
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
        """Return the folder of copies and hashes, and its content."""
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
        copies = {real_path(self.place(entry)) for entry in self.entries if entry.embedded}
        return copies | {real_path(self._hashes(entry.shared)) for entry in self.entries if entry.shared is not None}

    def unused(self) -> list[Path]:
        """Return the copies and hashes in this ledger's folder that neither it nor a ledger beside it needs.

        Only unchanged files that ledgers wrote are among them: hashes named by their content, and copies of releases
        that hold nothing else.
        """
        needed = self.used()
        for other in sorted(self.file.absolute().parent.iterdir()):
            with suppress(InvalidInputError, OSError):
                if other.is_file() and real_path(other) != real_path(self.file):
                    needed |= Ledger.read(other).used()
        written = [file for file in sorted(self.folder.glob("*.npy")) if _is_named_by_content(file)]
        written += [copy for copy in sorted((self.folder / "releases").glob("*")) if _is_copy(copy)]
        return [path for path in written if real_path(path) not in needed]

    def prune(self) -> list[Path]:
        """Remove files that no ledger needs, and return their paths."""
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
        msg = message(
            "ledger {path} must lie in a folder that exists; {parent} is none. Make it first",
            path=repr(str(path)),
            parent=repr(str(path.parent)),
        )
        raise OutputError(msg)
    try:
        with claimed(path.absolute().parent, patience=PATIENCE):
            yield Ledger.read(path) if os.path.lexists(path) else Ledger(path)
    except BlockingIOError:
        msg = message(
            "ledger {path} must not be in use by another run; it is locked. Wait, or end that run", path=repr(path.name)
        )
        raise OutputError(msg) from None


def _copy_name(release: Release) -> str:
    """Return the name of a copy: a hash of content and method."""
    made_by = MadeByFile.of(release.provenance).model_dump_json()
    return content_name(f"{content_hash(release)} {made_by}".encode())


def _is_named_by_content(file: Path) -> bool:
    return (
        CONTENT_NAME.fullmatch(file.stem) is not None
        and file.is_file()
        and content_name(file.read_bytes()) == file.stem
    )


def _is_copy(folder: Path) -> bool:
    """Whether a folder is a copy of a release, and holds nothing that unmask did not write."""
    if CONTENT_NAME.fullmatch(folder.name) is None or folder.is_symlink():
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
    """Return a path relative to a folder, so that both can be moved together; absolute on another drive."""
    try:
        return Path(os.path.relpath(place.absolute(), folder.absolute())).as_posix()
    except ValueError:  # Windows: another drive
        return place.absolute().as_posix()


def _private(*folders: Path) -> None:
    """Create folders that only their owner can read."""
    for folder in folders:
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        folder.chmod(FOLDER_MODE)
