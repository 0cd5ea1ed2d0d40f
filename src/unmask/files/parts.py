"""A checkpoint folder from which an interrupted run resumes: private, and removed when the work is done.

A part's name is a hash of everything that it depends on (data, parameters, version), so no other part is mistaken for
it. A part is written atomically and holds numbers only: reading it executes nothing.
"""

from __future__ import annotations

import json
import os
import re
import stat
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

import numpy as np

from unmask import __version__
from unmask.errors import OutputError
from unmask.files.claiming import claim
from unmask.files.json_reading import read_json
from unmask.files.placing import FOLDER_MODE
from unmask.files.regular import real_path
from unmask.files.writing import enclosing_folder, write_file, writing
from unmask.runtime.work import Arrays
from unmask.wording import message

HEAD = "resume.json"

_FORM = 1
_WARNING = message(
    "These files hold inferences about people. They are removed when the work is done; remove the "
    "folder if you do not want to resume it."
)

_NAME = r"[a-z-]+\.[0-9a-f]{32}\.[a-z0-9-]+\.npz"
_PART = re.compile(_NAME)
_UNFINISHED = re.compile(rf"\.({re.escape(HEAD)}|{_NAME})\.[\w-]+")


class PartsFolder:
    """A folder of finished parts of unfinished work.

    Fails
        With `OutputError` where the folder holds other files, belongs to another user, or is in use.
    """

    def __init__(self, path: str | Path, tell: Callable[[str], None]) -> None:
        self.name = str(path)
        self.path = real_path(Path(path))
        self.seed: int | None = None  # works begun in this process
        self._tell = tell
        self._noted: set[str] = set()
        self._lock = threading.Lock()
        self._begun: list[str] = []  # prefixes of the names of parts
        with self._explained():
            self._stays = self.path.is_dir() and not any(self.path.iterdir())
            self._open()

    @property
    def parts(self) -> list[Path]:
        """The finished parts of any work."""
        return sorted(path for path in self.path.glob("*.npz") if _PART.fullmatch(path.name))

    def keep_seed(self, seed: int) -> None:
        """Store the seed of the work, so that a resumed run uses the same."""
        document = {"schema": f"unmask-resume-{_FORM}", "warning": _WARNING, "version": __version__, "seed": seed}
        write_file(self.path / HEAD, json.dumps(document, indent=1) + "\n", force=True)
        self.seed = seed

    def close(self, *, finished: bool, keep: str | None = None) -> None:
        """Remove the parts of finished work, and the folder if it is empty; `keep` names work whose parts stay."""
        with self._explained():
            for part in self.parts if finished else ():
                if part.name.startswith(tuple(self._begun)) and part.name.partition(".")[0] != keep:
                    part.unlink(missing_ok=True)
            left = len(self.parts)
            if not left:
                (self.path / HEAD).unlink(missing_ok=True)
                with suppress(OSError):  # another process has put a file there
                    if not self._stays:
                        self.path.rmdir()
        if left and finished and keep is None:
            self._say(message("{left} finished parts of other work stay in {name}", left=left, name=self.name))
        if self._handle is not None:
            os.close(self._handle)

    def began(self, work: str) -> None:
        """Record that work begins, and note whether it resumes from finished parts."""
        start = self._path(work, "").name.removesuffix(".npz")
        kind = start.partition(".")[0] + "."
        first = not any(begun.startswith(kind) for begun in self._begun)
        self._begun.append(start)
        if any(part.name.startswith(start) for part in self.parts):
            self._say(message("going on from the finished parts in {name}", name=self.name))
        elif first and any(part.name.startswith(kind) for part in self.parts):
            self._say(
                message(
                    "the parts in {name} are of other data, settings or another version: beginning anew", name=self.name
                )
            )

    def has(self, work: str, part: str) -> bool:
        """Whether a part is stored."""
        return self._path(work, part).is_file()

    def load(self, work: str, part: str) -> Arrays | None:
        """Return a part; None if there is none, or if it is damaged."""
        path = self._path(work, part)
        if not path.is_file():
            return None
        try:
            if zipfile.is_zipfile(path):
                with np.load(path, allow_pickle=False) as kept:
                    return {name: kept[name] for name in kept.files}
        except (OSError, ValueError, KeyError, EOFError, AttributeError, MemoryError, zipfile.BadZipFile, zlib.error):
            pass
        self.spoiled(work, part)
        return None

    def save(self, work: str, part: str, arrays: Arrays) -> None:
        """Store a part atomically."""
        with writing(self._path(work, part)) as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]

    def spoiled(self, work: str, part: str) -> None:
        """Remove an invalid part; it is computed again."""
        path = self._path(work, part)
        path.unlink(missing_ok=True)
        self._say(message("a part in {name} is damaged, and computed anew: {path}", name=self.name, path=path.name))

    def drop(self, work: str, part: str) -> None:
        """Remove a part that is not needed any more."""
        self._path(work, part).unlink(missing_ok=True)

    def _path(self, work: str, part: str) -> Path:
        digest = sha256(f"{_FORM} {__version__} {work}".encode()).hexdigest()[:32]
        return self.path / f"{work.partition('.')[0]}.{digest}.{part}.npz"

    def _say(self, text: str) -> None:
        with self._lock:
            if text not in self._noted:
                self._noted.add(text)
                self._tell(text)

    def _open(self) -> None:
        """Create the folder, or check its content."""
        if os.path.lexists(self.path) and not self.path.is_dir():
            self._refuse(message("must be a folder; it is a file. Choose another name"))
        if not self.path.parent.is_dir():
            self._refuse(message("must lie in a folder that exists. Make that one first"))
        if enclosing_folder(self.path):
            self._refuse(
                message("must lie outside of releases and other folders that unmask writes. Choose another place")
            )
        self.path.mkdir(mode=FOLDER_MODE, exist_ok=True)
        names = sorted(path.name for path in self.path.iterdir())
        unfinished = [name for name in names if _UNFINISHED.fullmatch(name)]  # left by a killed process
        rest = [name for name in names if name not in unfinished]
        if rest and (HEAD not in rest or not all(name == HEAD or _PART.fullmatch(name) for name in rest)):
            self._refuse(
                message("must be empty, or hold nothing but finished parts; it holds other things. Choose another")
            )
        self._handle = self._claimed()
        self.path.chmod(FOLDER_MODE)
        for name in unfinished:
            (self.path / name).unlink(missing_ok=True)
        odd = [name for name in rest if not stat.S_ISREG((self.path / name).lstat().st_mode)]
        if odd:
            self._refuse(
                message("must hold regular files; {odd} is none. Remove the folder to begin anew", odd=repr(odd[0]))
            )
        if HEAD in rest:
            self.seed = self._seed_of(self.path / HEAD)

    def _claimed(self) -> int | None:
        """Lock the folder for the lifetime of the process, where the system has locks."""
        try:
            return claim(self.path)
        except BlockingIOError:
            self._refuse(message("must not be in use by another run; it is. Wait, or choose another"))

    def _seed_of(self, head: Path) -> int:
        try:
            document = read_json(head)
            form, seed = document["schema"], document["seed"]
        except (ValueError, KeyError, TypeError):
            form = seed = None
        if form != f"unmask-resume-{_FORM}" or type(seed) is not int or seed < 0:
            self._refuse(
                message(
                    "must have a {head} that this version wrote; it has another. Remove the folder to begin anew",
                    head=HEAD,
                )
            )
        return int(seed)

    def _refuse(self, requirement: str) -> NoReturn:
        msg = message("--resume {name} {requirement}", name=repr(self.name), requirement=requirement)
        raise OutputError(msg)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn an error of the operating system into a one-line `OutputError`."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or type(error).__name__
            msg = message(
                "--resume {name} must be a folder that you own and may write to; {reason}",
                name=repr(self.name),
                reason=reason.lower(),
            )
            raise OutputError(msg) from error
