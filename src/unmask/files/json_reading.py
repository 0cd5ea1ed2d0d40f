"""A JSON reader with one-line errors."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

from unmask.errors import InvalidInputError, quoted, shortened
from unmask.files.existence import require_file
from unmask.wording import message


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Read a JSON file in UTF-8, with or without a byte order mark.

    Fails
        With `InvalidInputError` where the file is missing or cannot be read: other encodings, broken or too deeply
        nested JSON, a repeated key, NaN, infinity, or numbers beyond float64 or of thousands of digits.
    """
    require_file(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
        return json.loads(text, parse_constant=_refuse, parse_float=_number, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        reason = message("it breaks at line {lineno}", lineno=error.lineno)
    except UnicodeError:
        reason = message("it is no UTF-8. Save it as UTF-8")
    except RecursionError:
        reason = message("brackets stand in each other too deeply")
    except _RefusedError as error:
        msg = message("{path} must be valid JSON; {error}", path=repr(path.name), error=str(error))
        raise InvalidInputError(msg) from error
    except ValueError:
        reason = message("a number has too many digits")
    except OSError as error:
        raise InvalidInputError.unreadable(repr(path.name), error) from error
    msg = message("{path} must be valid JSON; {reason}", path=repr(path.name), reason=reason)
    raise InvalidInputError(msg)


class _RefusedError(ValueError):
    """A number or an object that Python's reader accepts, and we do not."""


def _refuse(word: str) -> float:
    msg = message("{word} is no number", word=shortened(word))
    raise _RefusedError(msg)


def _number(numeral: str) -> float:
    number = float(numeral)
    return number if math.isfinite(number) else _refuse(numeral)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of some keys and values; other readers may take the first of two values, or the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        msg = message("key {twice} stands twice in one object. Remove one", twice=quoted(twice))
        raise _RefusedError(msg)
    return found
