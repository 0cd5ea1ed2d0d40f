"""Data frames: what cannot be read is refused in words, not by the name of a library's exception."""

from __future__ import annotations

import pandas as pd
import pytest

from unmask.errors import InvalidInputError
from unmask.files.frames import frame_table


def test_two_columns_of_one_name_are_refused_with_a_way_out():
    """As in files."""
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"])
    with pytest.raises(InvalidInputError, match=r"must have distinct names.*; two have one name\. Rename one of them$"):
        frame_table(frame)
