"""The command line: `unmask COMMAND ...`. Nothing heavy is imported until a command runs."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence

DONE, BROKEN, BAD_INPUT, NOT_CONVERGED, NOT_ENOUGH_EVIDENCE, MACHINE, DEFECT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 70, 130
"""What each exit code means; the worst wins."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code; every failure is one line on standard error."""
    from typer.exceptions import Exit

    from unmask.cli.app import app

    try:
        code = app(arguments, standalone_mode=False, prog_name="unmask")
    except Exit as exit_:
        return exit_.exit_code
    except BrokenPipeError:
        return DONE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - nothing may leave a traceback: it could hold data
        message, code = failure(error, arguments)
        line = " ".join(message.split())
        print(f"error: {line}", file=sys.stderr)
    return code if isinstance(code, int) else DONE


def failure(error: BaseException, arguments: Sequence[str]) -> tuple[str, int]:
    """Return what to say of an error, and its exit code."""
    from typer.exceptions import Abort, TyperException

    from unmask.cli.guesses import advice
    from unmask.errors import NotConvergedError, UnmaskError

    if isinstance(error, (KeyboardInterrupt, Abort)):
        return "interrupted; nothing half-written was left", INTERRUPTED
    if isinstance(error, TyperException):
        return advice(error, arguments), BAD_INPUT
    if isinstance(error, UnmaskError):
        return str(error), NOT_CONVERGED if isinstance(error, NotConvergedError) else BAD_INPUT
    if isinstance(error, MemoryError):
        return "this table needs more memory than there is. Take fewer rows, or a machine with more", MACHINE
    if isinstance(error, OSError):
        full = error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EIO}
        return f"{error.filename or 'a file'}: {error.strerror or 'not usable'}", MACHINE if full else BAD_INPUT
    return _defect(error), DEFECT


def _defect(error: BaseException) -> str:
    """Name a defect of ours by its place in the code: an unforeseen message could quote a record."""
    import traceback

    from unmask import __version__

    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if "unmask" in f.filename.replace("\\", "/").split("/")
    ]
    place = "?"
    if frames:
        path = frames[-1].filename.replace("\\", "/").rsplit("/unmask/", 1)[-1]
        place = f"{path}:{frames[-1].lineno}"
    return (
        f"a defect of unmask {__version__}: {type(error).__name__} at {place}. "
        f"Please report this line and the command (it holds no data) to the project's issue tracker"
    )
