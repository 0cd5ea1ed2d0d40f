"""What is said of a file that cannot be read."""

from __future__ import annotations

import pytest

from unmask.errors import InvalidInputError
from unmask.files.reading import read


def error(source: str, kind: type[Exception] = InvalidInputError) -> str:
    """Return what is said, in one line, where a source cannot be read."""
    with pytest.raises(kind, match=" must ") as caught:
        read(source)
    assert "CANARY" not in str(caught.value)
    return str(caught.value)
