"""The reference of miners and rules is what the program has."""

from __future__ import annotations

from tests.docs.miners import PAGE, written


def test_the_reference_of_miners_is_what_the_program_has():
    """Written anew by `python -m tests.docs.miners`."""
    assert PAGE.read_text(encoding="utf-8") == written()
