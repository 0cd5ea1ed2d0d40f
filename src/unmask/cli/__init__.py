"""The command line: `unmask COMMAND ...`. Nothing heavy is imported until a command runs."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from unmask.commands.exit_codes import BAD_INPUT, DEFECT, DONE, INTERRUPTED, MACHINE, NOT_CONVERGED

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EMFILE, errno.ENFILE}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    from unmask.cli.interruption import watch

    watch()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name that the terminal cannot show
    code = run(sys.argv[1:] if arguments is None else list(arguments))
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the answer has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code; every failure is one line on standard error."""
    from typer.exceptions import Abort, Exit

    from unmask.cli.app import app
    from unmask.cli.guesses import COMMANDS, spelled

    if not arguments:
        run(["--help"])
        complain(f"a command must be given: one of {', '.join(COMMANDS)}")
        return BAD_INPUT
    try:
        code = app(spelled(arguments), standalone_mode=False, prog_name="unmask")
    except (Exit, Abort, KeyboardInterrupt) as ended:
        code = ended.exit_code if isinstance(ended, Exit) else INTERRUPTED
    except Exception as error:  # noqa: BLE001 - nothing may leave a traceback: it could hold data
        message, code = failure(error, arguments)
        complain(message)
    if code == INTERRUPTED:  # typer turns Ctrl-C into this code, too
        from unmask.cli.interruption import say

        say()
    return code if isinstance(code, int) else DONE


def complain(message: str) -> None:
    """Say in one line what went wrong, without credentials that an argument may hold."""
    from unmask.files.databases.dsn import masked

    print(f"error: {masked(' '.join(message.split()))}", file=sys.stderr)


def answer(text: str, *, for_machines: bool = False) -> None:
    """Print what was asked for; a reader who has gone (`| head`) changes nothing of the exit code."""
    if for_machines and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # whatever the terminal speaks
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def failure(error: Exception, arguments: Sequence[str]) -> tuple[str, int]:
    """Return what to say of an error, and its exit code."""
    from typer.exceptions import TyperException

    from unmask.cli.guesses import advice
    from unmask.errors import DatabaseError, NotConvergedError, UnmaskError, describe_defect

    if isinstance(error, TyperException):
        return advice(error, arguments), BAD_INPUT
    if isinstance(error, NotConvergedError):
        return str(error), NOT_CONVERGED
    if isinstance(error, DatabaseError):
        return str(error), MACHINE
    if isinstance(error, UnmaskError):
        cause = error.__cause__
        return str(error), MACHINE if isinstance(cause, OSError) and cause.errno in _FULL else BAD_INPUT
    if isinstance(error, MemoryError):
        return "this table needs more memory than there is. Take fewer rows, or a machine with more", MACHINE
    if isinstance(error, OSError):
        place = Path(os.fsdecode(error.filename)).name if error.filename else "a file"
        return f"{place}: {(error.strerror or 'not usable').lower()}", MACHINE if error.errno in _FULL else BAD_INPUT
    return describe_defect(error), DEFECT
