"""Convert charts to SVG in a process of its own: `python -m unmask.report.converter`.

The converter holds a JavaScript engine, which ends its process if memory is short. So the report survives, and names
the missing charts.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import threading
from typing import IO, Any


class Converter:
    """A process that converts charts, one after the other, for as long as this one lives."""

    def __init__(self) -> None:
        self.missing = 0  # charts that could not be converted
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def svg(self, specification: dict[str, Any]) -> str | None:
        """Return a Vega-Lite chart as SVG; None where the machine has too little memory for it."""
        with self._lock:
            try:
                found = self._converted(specification)
            except OSError:  # no process can be started, or it has ended
                found = None
            if found is None:
                self.missing += 1
                self.close()
            return found

    def close(self) -> None:
        """End the process; the next chart begins another one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _converted(self, specification: dict[str, Any]) -> str | None:
        if self._process is None:
            if self.missing:
                return None
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        process = self._process
        if process.stdin is None or process.stdout is None:
            return None
        process.stdin.write(json.dumps(specification).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        return str(json.loads(line)) if line else None


CONVERTER = Converter()
atexit.register(CONVERTER.close)


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Convert a chart for each line, until there are no more."""
    import vl_convert  # noqa: PLC0415 - only in the process that converts

    for line in requests:
        drawn = vl_convert.vegalite_to_svg(json.loads(line), allowed_base_urls=[])
        answers.write(json.dumps(drawn).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
