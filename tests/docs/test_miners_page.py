"""The reference of miners and rules is what the program has."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.docs.miners import PAGE, written


def test_the_reference_of_miners_is_what_the_program_has():
    """Written anew by `python -m tests.docs.miners`."""
    assert PAGE.read_text(encoding="utf-8") == written()


def test_the_example_of_the_page_runs():
    """A wide age range with the job of young people leads to a younger guess; no belief leaves the published range."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - our own page
    belief, guess = names["belief"], names["guess"]
    assert belief.sum(axis=1) == pytest.approx(1)
    assert belief[:30, 10:].sum() == 0  # shown as 20 to 29
    assert guess[90:].mean() < guess[60:90].mean()
    assert np.all((guess >= 20) & (guess <= 59))
