"""TOML files: read, or refused in one line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from unmask.errors import InvalidInputError
from unmask.files.reading import require_file


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Fails
        With `InvalidInputError` where there is none, or it cannot be read.
    """
    require_file(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        msg = f"{path.name!r} must be valid TOML; {str(error)[:1].lower()}{str(error)[1:]}"
        raise InvalidInputError(msg) from None
    except RecursionError:
        msg = f"{path.name!r} must be valid TOML; brackets stand in each other too deeply"
        raise InvalidInputError(msg) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or "it is not").lower() if isinstance(error, OSError) else "it is no UTF-8"
        msg = f"{path.name!r} must be a readable file; {reason}"
        raise InvalidInputError(msg) from error
