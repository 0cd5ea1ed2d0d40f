"""A JSON reader with one-line errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from unmask.errors import InvalidInputError
from unmask.files.existence import require_file


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Read a JSON file in UTF-8, with or without a byte order mark.

    Fails
        With `InvalidInputError` where the file is missing or cannot be read: other encodings, broken or too deeply
        nested JSON, NaN, infinity, or numbers of thousands of digits.
    """
    require_file(path)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=_refuse)
    except json.JSONDecodeError as error:
        reason = f"it breaks at line {error.lineno}"
    except UnicodeError:
        reason = "it is no UTF-8. Save it as UTF-8"
    except RecursionError:
        reason = "brackets stand in each other too deeply"
    except ValueError as error:
        reason = str(error) if isinstance(error, _NoNumberError) else "a number has too many digits"
    except OSError as error:
        raise InvalidInputError.unreadable(repr(path.name), error) from error
    msg = f"{path.name!r} must be valid JSON; {reason}"
    raise InvalidInputError(msg)


class _NoNumberError(ValueError):
    """A word that Python's reader accepts as a number and JSON does not: NaN, Infinity."""


def _refuse(word: str) -> float:
    msg = f"{word} is no number"
    raise _NoNumberError(msg)
