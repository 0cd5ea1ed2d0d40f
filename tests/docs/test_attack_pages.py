"""Each attack has a page: its idea, assumptions and paper as its docstring has them, an example, and what stops it."""

from __future__ import annotations

import re

import pytest

from tests.docs.attack_pages import PARTS, PLACE, index, written
from unmask import catalog


@pytest.mark.parametrize("attack", catalog.entries("attacks"))
def test_each_attack_has_a_page_of_all_parts(attack):
    """Written anew by `python -m tests.docs.attack_pages`; the example is run by test_docs.py."""
    text = (PLACE / f"{attack}.md").read_text(encoding="utf-8")
    assert text == written(attack)
    _, *parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    assert tuple(parts[::2]) == PARTS
    assert all(part.strip() for part in parts[1::2])
    assert "\n$ unmask " in parts[PARTS.index("Example") * 2 + 1]


def test_the_index_lists_every_attack():
    """And nothing that is no attack."""
    assert (PLACE / "index.md").read_text(encoding="utf-8") == index()
    assert {page.stem for page in PLACE.glob("*.md")} == {"index", *catalog.entries("attacks")}
