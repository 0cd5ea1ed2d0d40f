"""Convert charts to SVG, and SVG to PNG, in a process of its own: `python -m unmask.report.converter`.

The converter holds a JavaScript engine, which ends its process if memory is short. So the report survives, and names
the missing charts.
"""

from __future__ import annotations

import atexit
import base64
import errno
import json
import signal
import subprocess
import sys
import threading
from typing import IO, Any

from unmask.errors import shortened
from unmask.runtime.extras import why_missing
from unmask.wording import marked, message

MEMORY = marked("too little memory")
"""The cause where the process ended under a limit of memory."""

_PATIENCE = 2
"""Charts in a row that may end their processes; after them all others are missing at once."""


class ConversionError(Exception):
    """A chart could not be converted; the text is the cause."""


class Converter:
    """A process that converts charts, one after the other, for as long as this one lives."""

    def __init__(self) -> None:
        self.causes: list[str] = []  # of the charts that could not be converted
        self.left_out = 0  # charts, where the converter is not installed
        self._lost = 0  # charts in a row that ended their processes
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def svg(self, specification: dict[str, Any]) -> str:
        """Return a Vega-Lite chart as SVG.

        Fails
            With `ConversionError` where the chart cannot be converted.
        """
        return self._converted({"chart": specification}, "svg")

    def png(self, svg: str, scale: float) -> bytes:
        """Return an SVG picture as PNG, with `scale` pixels for each of its units.

        Fails
            With `ConversionError` where the picture cannot be converted.
        """
        return base64.b64decode(self._converted({"svg": svg, "scale": scale}, "png"))

    def _converted(self, request: dict[str, Any], form: str) -> str:
        """Return the answer to a request; a process that ends is replaced once for each request.

        Fails
            With `ConversionError` where that one ends, too, the converter refuses the request, or is not installed.
        """
        if missing := why_missing("vl_convert"):
            self.left_out += 1
            raise ConversionError(message("charts need {missing}", missing=missing))
        with self._lock:
            if self._lost >= _PATIENCE:
                raise self._missing(self.causes[-1])
            for _ in range(2):
                try:
                    answer = self._answer(request)
                except BrokenPipeError:
                    cause = self.close()
                    continue
                except OSError as error:
                    cause = (
                        MEMORY
                        if error.errno == errno.ENOMEM
                        else message("its converter does not start: {reason}", reason=error.strerror)
                    )
                    continue
                self._lost = 0
                if form in answer:
                    return str(answer[form])
                raise self._missing(shortened(answer["error"]))
            self._lost = _PATIENCE if cause == MEMORY else self._lost + 1
            raise self._missing(cause)

    def close(self) -> str:
        """End the process, and return how it ended; the next chart begins another one."""
        process, self._process = self._process, None
        if process is None:
            return ""
        process.kill()
        process.communicate()
        return _end(process.returncode)

    def _missing(self, cause: str) -> ConversionError:
        self.causes.append(cause)
        return ConversionError(cause)

    def _answer(self, request: dict[str, Any]) -> dict[str, str]:
        """Return what the process answers; start it first if there is none.

        Fails
            With `BrokenPipeError` where it ends, with `OSError` where none can be started.
        """
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise BrokenPipeError
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line.endswith(b"\n"):
            process.wait()
            raise BrokenPipeError
        answer: dict[str, str] = json.loads(line)
        return answer


def _end(code: int) -> str:
    """Return how a process ended, by its exit status; negative is a signal."""
    if code and _is_limited():
        return MEMORY
    if code < 0:
        return message("its converter was ended by {signal}", signal=signal.Signals(-code).name)
    return message("its converter ended with code {code}", code=code)


def _is_limited() -> bool:
    """Whether the address space of this process, and of its converter, is limited."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


CONVERTER = Converter()
atexit.register(CONVERTER.close)


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Convert a chart or a picture for each line, until there are no more."""
    import vl_convert  # noqa: PLC0415 - only in the process that converts

    for line in requests:
        request = json.loads(line)
        try:
            if "svg" in request:
                picture = vl_convert.svg_to_png(request["svg"], scale=request["scale"])
                answer = {"png": base64.b64encode(picture).decode()}
            else:
                answer = {"svg": vl_convert.vegalite_to_svg(request["chart"], allowed_base_urls=[])}
        except ValueError as error:
            answer = {"error": str(error).partition("\n    at ")[0].rpartition("\n")[2]}  # without its stack
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
