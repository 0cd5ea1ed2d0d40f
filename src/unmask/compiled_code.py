"""The cache folder of compiled kernels.

Numba caches them beside the source or in the user's cache folder, and refuses to compile if both are read-only, as for
a user without a home in containers and system services. Then they are cached for the lifetime of the process, in a
private folder, since its content is executed.
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
    """The cache folder of compiled code; None: numba's own choice."""

    folder: Path | None = None


def keep_compiled_code() -> Path | None:
    """Create and return a private cache folder if numba has none, else None; it is removed at exit."""
    if (
        os.environ.get(VARIABLE)
        or CacheFolder.folder is not None
        or _is_writable(Path(__file__).parent / "__pycache__")
    ):
        return CacheFolder.folder
    if _is_writable(Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "numba"):  # noqa: PTH111 - as numba does, also without a home
        return None
    with suppress(OSError):  # no writable place: numba raises an error
        CacheFolder.folder = Path(tempfile.mkdtemp(prefix="unmask-kernels-"))
        os.environ[VARIABLE] = str(CacheFolder.folder)
        atexit.register(shutil.rmtree, CacheFolder.folder, ignore_errors=True)
    return CacheFolder.folder


def _is_writable(folder: Path) -> bool:
    """Whether a folder is writable, or can be created."""
    existing = next((path for path in (folder, *folder.parents) if path.exists()), None)
    return existing is not None and existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
