"""The command line: `unmask COMMAND ...`. Nothing heavy is imported until a command runs."""

from __future__ import annotations

import io
import logging
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from unmask.commands.outcome.exit_codes import BAD_INPUT, DEFECT, DONE, INTERRUPTED, MACHINE, NOT_CONVERGED, worst
from unmask.compiled_code import VARIABLE
from unmask.number_format import numeral
from unmask.runtime.imports import refuse_pandas, reserve_no_memory
from unmask.runtime.machine import is_out_of_memory
from unmask.wording import joined, marked, message, text

_NO_MEMORY = marked("this table needs more memory than there is. Take fewer rows, or a machine with more")

_LIMITED = marked("this work needs more memory than the limit of {limit} MB. Raise it (ulimit -v), or take fewer rows")

LEAST_ADDRESSES = 2 << 30
"""Bytes of address space below which nothing is begun: measured, 1.4 GiB are enough for a small audit on two cores."""

LONGEST_LINE = 1000
"""Characters of a line on standard error: names of columns may have any length, and be any number."""

_lost: list[bool] = []
"""Answers that could not be printed: for each, whether it was machine-readable content of standard output."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    from unmask.cli import interruption

    try:
        interruption.watch()
        keep_warnings_from_terminal()
        refuse_pandas()
        reserve_no_memory()
        _open_streams()
        _say_what_is_kept()
        _warn_of_passwords(sys.argv[1:] if arguments is None else arguments)
        code = run(sys.argv[1:] if arguments is None else list(arguments)) if _room() else MACHINE
        code = _flushed(_drawn(code))
        interruption.end()
    except BaseException as error:
        if not (isinstance(error, KeyboardInterrupt) or interruption.requested()):
            raise
        interruption.say()
        interruption.end()
        code = interruption.exit_code()
    sys.exit(code)


def keep_warnings_from_terminal() -> None:
    """Silence library warnings on standard error: users get notes, and warnings quote paths.

    Nor does Python where an interruption comes while it can raise nothing: a second thread ends the process then.
    Asking Python for warnings (`-W`, PYTHONWARNINGS) shows them all the same.
    """
    if not sys.warnoptions:
        warnings.showwarning = lambda *_, **__: None
        logging.getLogger().addHandler(logging.NullHandler())
        sys.unraisablehook = lambda _: None


def _say_what_is_kept() -> None:
    """Note that compiled code cannot be cached: then every command is slow."""
    from unmask.compiled_code import CacheFolder
    from unmask.files.unfinished import remove_at_the_end

    if CacheFolder.folder is not None:
        remove_at_the_end(CacheFolder.folder)
        print(
            text(
                "compiled code cannot be kept here, so every command compiles anew: set {variable} to a folder "
                "of yours",
                variable=VARIABLE,
            ),
            file=sys.stderr,
        )


def _warn_of_passwords(arguments: Sequence[str]) -> None:
    """Note that an argument contains a password, which all users of the machine can read."""
    if not any("://" in one for one in arguments) or "--quiet" in arguments:
        return
    from unmask.files.databases.dsn import masked

    if any(masked(one) != one for one in arguments if "://" in one):
        print(
            text(
                "a password among the arguments can be read by every user of this machine: leave it to "
                "~/.pgpass, or the whole DSN to a variable, written env:NAME"
            ),
            file=sys.stderr,
        )


def _open_streams() -> None:
    """Let standard streams that are closed lead nowhere: else the next file to be opened would take their place."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(handle, True)
    os.close(handle)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as the process lives
    if sys.stdout is None:
        sys.stdout = _Closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name outside the terminal's encoding


def _limit_of_memory() -> float:
    """Return the limit of this process's memory in bytes; infinite without one."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return float("inf")
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return float("inf") if limit == resource.RLIM_INFINITY else limit


def _room(least: int = LEAST_ADDRESSES) -> bool:
    """Whether the process may take enough memory for the libraries that it loads: some end it natively otherwise."""
    limit = _limit_of_memory()
    if limit >= least:
        return True
    complain(
        message(
            "the limit of memory must be at least {least} MB for the libraries that unmask loads; it is "
            "{limit} MB. Raise it: ulimit -v {kilobytes}",
            least=numeral(least >> 20),
            limit=numeral(int(limit) >> 20),
            kilobytes=least >> 10,
        )
    )
    return False


def _drawn(code: int) -> int:
    """Return the exit code after all is written: 5 where charts are missing."""
    charts = sys.modules.get("unmask.report.converter")
    if charts is None:
        return code
    if charts.CONVERTER.left_out:
        from unmask.runtime.extras import why_missing

        missing = why_missing("vl_convert")
        print(
            text(
                "{left_out} charts are left out: charts need {missing}",
                left_out=charts.CONVERTER.left_out,
                missing=missing,
            ),
            file=sys.stderr,
        )
    if not charts.CONVERTER.causes:
        return code
    causes = charts.CONVERTER.causes
    way_out = message("Raise its limit (ulimit -v)" if charts.MEMORY in causes else "Run it again")
    complain(
        message(
            "{n} charts could not be drawn, all else is written: {causes}. {way_out}, or take --json alone",
            n=len(causes),
            causes="; ".join(dict.fromkeys(causes)),
            way_out=way_out,
        )
    )
    return worst([code, MACHINE])


def _flushed(code: int) -> int:
    """Return the exit code after standard output was flushed: 5 where the only copy of an answer was lost."""
    _print("")
    if not _lost:
        return code
    from unmask.files.placing import any_placed

    if any_placed() and not any(_lost):
        return code
    complain(
        message("standard output must be writable for the answer; it is closed or full. Name a file by --json or --out")
    )
    return worst([code, MACHINE])


class _Closed(io.StringIO):
    """Standard output that is closed."""

    def flush(self) -> None:
        """Fail where something was written."""
        if self.tell():
            raise OSError


def _print(text: str, *, for_machines: bool = False) -> None:
    """Print text; a reader who has gone (`| head`) changes nothing, text that cannot be printed is noted."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            _lost.append(for_machines)
        if isinstance(sys.stdout, _Closed):
            sys.stdout.seek(0)
        else:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code; every failure is one line on standard error."""
    from typer.exceptions import Abort, Exit

    from unmask.cli.app import COMMANDS, program
    from unmask.cli.guesses import spelled

    if not arguments:
        run(["--help"])
        complain(message("a command must be given: one of {commands}", commands=", ".join(COMMANDS)))
        return BAD_INPUT
    arguments = spelled(arguments)
    try:
        code = program()(arguments, standalone_mode=False, prog_name="unmask")
    except (Exit, Abort, KeyboardInterrupt) as ended:
        code = ended.exit_code if isinstance(ended, Exit) else INTERRUPTED
    except Exception as error:  # noqa: BLE001 - nothing may leave a traceback: it could hold data
        from unmask.cli.interruption import requested

        why, code = ("", INTERRUPTED) if requested() else failure(error, arguments)
        if why:
            complain(why)
    if code == INTERRUPTED:  # typer turns Ctrl-C into this code, too
        from unmask.cli.interruption import exit_code, say

        say()
        code = exit_code()
    return code if isinstance(code, int) else DONE


def complain(why: str) -> None:
    """Print an error in one line, without credentials of an argument."""
    from unmask.errors import shortened
    from unmask.files.databases.dsn import masked
    from unmask.visible_text import visible

    line = shortened(visible(masked(" ".join(text(why).split()))), LONGEST_LINE)
    print(text("error: {line}", line=line), file=sys.stderr)


def answer(text: str, *, form: Literal["text", "json", "csv"] = "text") -> None:
    """Print the answer of a command: text and JSON without control characters, CSV as it is unless on a terminal."""
    from unmask.visible_text import escaped_json, visible_lines

    if form != "text" and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # whatever the terminal speaks
    if form == "json":
        text = escaped_json(text)
    elif form == "text" or sys.stdout.isatty():
        text = visible_lines(text)
    _print(text + "\n", for_machines=form != "text")


def _lack(error: Exception) -> str | None:
    """Return the missing resource of the machine, where an error is about one."""
    if is_out_of_memory(error):
        limit = _limit_of_memory()
        return message(_NO_MEMORY) if limit == float("inf") else message(_LIMITED, limit=numeral(int(limit) >> 20))
    if isinstance(error, RuntimeError) and "no locator available" in str(error):
        return message(
            "compiled code must have a folder to lie in; there is none. Set {variable} to a folder of yours",
            variable=VARIABLE,
        )
    return None


def failure(error: Exception, arguments: Sequence[str]) -> tuple[str, int]:
    """Return the message of an error, and its exit code."""
    from typer.exceptions import TyperException

    from unmask.cli.guesses import advice, swapped
    from unmask.errors import (
        DatabaseError,
        MissingFileError,
        NotConvergedError,
        ResourceError,
        UnmaskError,
        describe_defect,
    )
    from unmask.files.scratch import FULL

    if isinstance(error, TyperException):
        return advice(error, arguments), BAD_INPUT
    if isinstance(error, NotConvergedError):
        return str(error), NOT_CONVERGED
    if isinstance(error, (DatabaseError, ResourceError)):
        return str(error), MACHINE
    if isinstance(error, MissingFileError):
        hint = swapped(arguments)
        return joined([error.message, hint], "") if hint else str(error), BAD_INPUT
    if isinstance(error, UnmaskError):
        cause = error.__cause__
        return str(error), MACHINE if isinstance(cause, OSError) and cause.errno in FULL else BAD_INPUT
    if (lack := _lack(error)) is not None:
        return lack, MACHINE
    if isinstance(error, OSError):
        place = Path(os.fsdecode(error.filename)).name if error.filename else message("a file")
        reason = error.strerror.lower() if error.strerror else message("not usable")
        return joined([place, reason], ": "), MACHINE if error.errno in FULL else BAD_INPUT
    return describe_defect(error), DEFECT
