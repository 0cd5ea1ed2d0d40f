"""Find a place where compiled kernels can be kept, before any of them is compiled.

Numba keeps them beside the source or in the user's cache folder, and refuses to compile where it can write to neither:
a read-only installation of a user without a home, as in containers and system services. There they are kept for as
long as the process lives, in a folder that nobody else can write to, since what lies in it is executed.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"


class CacheFolder:
    """Where compiled code is kept, where that is not numba's own choice."""

    folder: Path | None = None


def keep_compiled_code() -> Path | None:
    """Make a private folder for compiled code where there is no other place, and return it; it is removed at exit."""
    if (
        os.environ.get(VARIABLE)
        or CacheFolder.folder is not None
        or _is_writable(Path(__file__).parent / "__pycache__")
    ):
        return CacheFolder.folder
    if _is_writable(Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "numba"):  # noqa: PTH111 - as numba does, also without a home
        return None
    with suppress(OSError):  # no place at all: numba says so
        CacheFolder.folder = Path(tempfile.mkdtemp(prefix="unmask-kernels-"))
        os.environ[VARIABLE] = str(CacheFolder.folder)
        atexit.register(shutil.rmtree, CacheFolder.folder, ignore_errors=True)
    return CacheFolder.folder


def _is_writable(folder: Path) -> bool:
    """Whether a folder can be written to, or made."""
    existing = next((path for path in (folder, *folder.parents) if path.exists()), None)
    return existing is not None and existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
