"""The reference of documents is what the schemas say."""

from __future__ import annotations

from tests.docs.json_page import PAGE, written


def test_the_reference_of_documents_is_what_the_schemas_say():
    """Written anew by `python -m tests.docs.json_page`."""
    assert PAGE.read_text(encoding="utf-8") == written()
