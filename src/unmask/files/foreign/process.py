"""The process that reads one file of another program: from standard input, to an Arrow stream on standard output."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress

import pyarrow as pa
import pyarrow.ipc

from unmask.errors import InvalidInputError
from unmask.files.foreign.reading import DAMAGED, METADATA, REFUSED, DamagedError
from unmask.files.formats import FileKind
from unmask.runtime.imports import refuse_pandas

_MOST_MEMORY = 8 << 30  # bytes; a sheet that claims all cells of its format would take far more


def main() -> None:
    """Read the file as the first argument requests, and end the process."""
    _limit_memory()
    refuse_pandas()
    request = json.loads(sys.argv[1])
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # native readers may print
    with answer:
        try:
            if request["kind"] == FileKind.WORKBOOK:
                from unmask.files.foreign.workbooks import read_workbook  # noqa: PLC0415 - one of two libraries

                table, about = read_workbook(sys.stdin.buffer, request["name"], request["sheet"])
            else:
                from unmask.files.foreign.statistics_files import read_statistics_file  # noqa: PLC0415

                form = FileKind(request["kind"])
                table, about = read_statistics_file(sys.stdin.buffer, request["name"], form, request["encoding"])
        except InvalidInputError as error:
            answer.write(str(error).encode())
            answer.flush()
            os._exit(REFUSED)
        except BaseException as error:
            if isinstance(error, DamagedError) or type(error).__name__ == "PanicException":  # of Rust, not importable
                os._exit(DAMAGED)
            raise
        table = table.replace_schema_metadata({METADATA: json.dumps(about).encode()})
        with pa.ipc.new_stream(answer, table.schema) as stream:
            stream.write_table(table)
    os._exit(0)  # native readers may crash when they are unloaded


def _limit_memory() -> None:
    """Limit the memory of the process, if the system supports limits."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on Windows

        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = min(_MOST_MEMORY, pages * 3 // 4)
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard < 0 else min(most, hard), hard))


if __name__ == "__main__":
    main()
