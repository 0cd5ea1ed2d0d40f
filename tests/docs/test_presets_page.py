"""The reference of ready hierarchies is what the program has."""

from __future__ import annotations

from tests.docs.presets import PAGE, written


def test_the_reference_of_presets_is_what_the_program_has():
    """Written anew by `python -m tests.docs.presets`."""
    assert PAGE.read_text(encoding="utf-8") == written()
