"""Sizes of memory as people write them: `8GB`, `8GiB`, `75%`."""

from __future__ import annotations

import re

from unmask.errors import InvalidInputError, quoted
from unmask.wording import message

_UNITS = {"B": 1, **{f"{prefix}B": 1000**i for i, prefix in enumerate("KMGT", 1)}}
_BINARY = {f"{prefix}IB": 1024**i for i, prefix in enumerate("KMGT", 1)}
_SIZE = re.compile(r"(\d+(?:\.\d+)?) *(%|[KMGT]?I?B)", re.IGNORECASE)


def memory_size(text: str, machine: float) -> float:
    """Return the bytes of a size; a share is of the machine's memory.

    Fails
        With `InvalidInputError` where the text is no size, no bytes, or more than the whole machine's share.

    >>> memory_size("8GB", 16e9), memory_size("1.5 GiB", 16e9), memory_size("75%", 16e9)
    (8000000000.0, 1610612736.0, 12000000000.0)
    """
    found = _SIZE.fullmatch(text.strip())
    unit = found[2].upper() if found else ""
    factor = machine / 100 if unit == "%" else float((_UNITS | _BINARY).get(unit, 0))
    amount = float(found[1]) if found else 0.0
    if amount <= 0 or not factor or (unit == "%" and amount > 100):
        msg = message("--memory must be a size like 8GB, 8GiB or 75%; got {text}", text=quoted(text))
        raise InvalidInputError(msg)
    return amount * factor


def size_text(size: float) -> str:
    """Return a number of bytes as text, with two digits at least.

    >>> size_text(512e6), size_text(2.34e9), size_text(17e9), size_text(4e13)
    ('512 MB', '2.3 GB', '17 GB', '40,000 GB')
    """
    if size < 1e9:
        return f"{size / 1e6:,.0f} MB"
    return f"{size / 1e9:.1f} GB" if size < 9.95e9 else f"{size / 1e9:,.0f} GB"
