"""What every adapter does: read a question from a file, answer it, write answer and time to another.

Nothing here but the standard library, since it runs in the environments of the peers too.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Asked = Mapping[str, Any]
"""A question, as `questions.Question.told` writes it."""


def as_it_is(value: Any) -> Any:
    """Show an answer that JSON can hold already."""
    return value


@dataclass(frozen=True)
class Prepared:
    """A question that was read: what answers it, which is timed, and what writes the answer down, which is not."""

    call: Callable[[], Any]
    show: Callable[[Any], Any] = as_it_is


Answering = Callable[[Asked], Prepared]

AGAIN_S = 0.3
"""Short calls are repeated for so long, and the best time counts: the first call warms up, so there is a second."""

LONG_S = 5.0
"""A call that took longer is not repeated: warming up is a small part of it."""

MOST_CALLS = 20


def serve(answers: Mapping[str, Answering]) -> None:
    """Answer the question in the first file named on the command line, into the second."""
    asked = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    prepared = answers[asked["what"]](asked)
    value, seconds = timed(prepared.call)
    document = {"value": plain(prepared.show(value)), "seconds": seconds}
    Path(sys.argv[2]).write_text(json.dumps(document), encoding="utf-8")


def timed(answer: Callable[[], Any]) -> tuple[Any, float]:
    """Return the answer, and the best of the times it took."""
    best, total = math.inf, 0.0
    for repeated in range(MOST_CALLS):
        begin = time.perf_counter()
        value = answer()
        took = time.perf_counter() - begin
        best, total = min(best, took), total + took
        if total > AGAIN_S and (repeated or took > LONG_S):
            break
    return value, best


def plain(value: Any) -> Any:
    """Return a value that JSON can hold: undefined is null, infinite is a word."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(one) for one in value]
    if value is None or isinstance(value, (str, bool)):
        return value
    number = float(value)
    if math.isnan(number):
        return None
    return "infinite" if math.isinf(number) else number
