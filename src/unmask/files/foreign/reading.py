"""Read a file of another program in a second process: a damaged or hostile one may end its reader natively."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.ipc

from unmask.errors import InvalidInputError, ResourceError
from unmask.files.formats import FileKind, Format
from unmask.runtime.extras import require_installed
from unmask.wording import message

_PROCESS = "unmask.files.foreign.process"
_OF_MEMORY = (b"MemoryError", b"memory allocation", b"bad_alloc", b"out of memory", b"Unable to allocate")

METADATA = b"unmask"
"""The key of the schema's metadata that holds what the other process detected, as JSON."""

REFUSED = 3
"""The exit code of a process that wrote a message for the user in place of a table."""


DAMAGED = 4
"""The exit code of a process whose library could not read the file."""


class DamagedError(Exception):
    """A library could not read a file."""


class Foreign(NamedTuple):
    """The cells of a file, and what its reader detected."""

    table: pa.Table
    about: Mapping[str, Any]


def read_foreign(path: Path, name: str, form: Format, **options: str | int | None) -> Foreign:
    """Read a file of a spreadsheet or a statistics package.

    Fails
        With `InvalidInputError` where the extra is not installed, and where the file is damaged or locked by a
        password; with `ResourceError` where it does not fit into memory.
    """
    module = "fastexcel" if form.kind is FileKind.WORKBOOK else "pyreadstat"
    require_installed(module, message("{name}, being {form},", name=repr(name), form=form.name))
    request = json.dumps({"name": name, "kind": form.kind, **options})
    search = os.pathsep.join(place for place in sys.path if place)
    with path.open("rb") as file:
        process = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", _PROCESS, request],
            stdin=file,
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONPATH": search, "PYTHONSAFEPATH": "1"},
        )
    if process.returncode == REFUSED:
        raise InvalidInputError(process.stdout.decode())
    if process.returncode and any(sign in process.stderr for sign in _OF_MEMORY):
        msg = message(
            "{name} must fit into memory to be read; it does not. Save it as CSV or Parquet, with fewer cells",
            name=repr(name),
        )
        raise ResourceError(msg)
    if process.returncode == DAMAGED or process.returncode < 0:
        msg = message(
            "{name} must be complete; it is {form}, and cut off or damaged. Save it again, or as CSV",
            name=repr(name),
            form=form.name,
        )
        raise InvalidInputError(msg)
    if process.returncode:
        raise RuntimeError(f"the process that reads {form.kind} files ended with code {process.returncode}")
    table = pa.ipc.open_stream(process.stdout).read_all()
    return Foreign(table.replace_schema_metadata(), json.loads(table.schema.metadata[METADATA]))
