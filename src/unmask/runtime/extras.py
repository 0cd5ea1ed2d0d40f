"""The libraries that come with the package's extras."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from unmask.errors import InvalidInputError
from unmask.wording import message

EXTRA_OF: Mapping[str, str] = {
    "docx": "documents",
    "fastexcel": "files",
    "lightgbm": "boost",
    "opendp": "release",
    "psycopg": "postgres",
    "pyreadstat": "files",
    "pyspark": "spark",
    "rapidfuzz": "fuzzy",
    "sklearn": "miners",
    "vl_convert": "charts",
}
"""The extra that installs each optional module."""


def why_missing(module: str) -> str:
    """Return why an optional module is missing, and how to install it; an empty text if it is installed."""
    if find_spec(module) is not None:
        return ""
    extra = EXTRA_OF[module]
    return message(
        "the extra {extra}, which is not installed. Install it: pip install 'unmask[{extra}]'",
        extra=extra,
    )


def require_installed(module: str, what: str) -> None:
    """Fail where an optional module is not installed; `what` is done with it."""
    if why := why_missing(module):
        raise InvalidInputError(message("{what} must have {why}", what=what, why=why))
