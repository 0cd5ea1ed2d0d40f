"""A TOML reader with one-line errors."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from unmask.errors import InvalidInputError, system_reason
from unmask.files.existence import require_file
from unmask.wording import message


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Fails
        With `InvalidInputError` where the file does not exist or cannot be read.
    """
    require_file(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        reason = f"{str(error)[:1].lower()}{str(error)[1:]}"
    except UnicodeDecodeError:
        reason = message("it is no UTF-8. Save it as UTF-8")
    except RecursionError:
        reason = message("brackets stand in each other too deeply")
    except ValueError:
        reason = message("a number has too many digits")
    except OSError as error:
        msg = message(
            "{path} must be a readable file; {error}",
            path=repr(path.name),
            error=system_reason(error),
        )
        raise InvalidInputError(msg) from error
    msg = message("{path} must be valid TOML; {reason}", path=repr(path.name), reason=reason)
    raise InvalidInputError(msg)
