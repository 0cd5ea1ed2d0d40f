"""The page on architecture names each top-level place of the package, and no other: one page, true to the tree."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "unmask"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PLACES = set(re.findall(r"`((?:[a-z_]+/)*(?:[a-z_]+/|[a-z_]+\.py))`", PAGE.partition("## Where things are")[2]))


def test_each_place_exists():
    """A path of the page is a file or folder of the package."""
    assert len(PLACES) > 30
    assert [place for place in sorted(PLACES) if not (PACKAGE / place).exists() and not (ROOT / place).exists()] == []


def test_each_top_level_place_is_named():
    """Nothing is directly under the package that the page leaves out."""
    top = {f"{path.name}{'/' * path.is_dir()}" for path in PACKAGE.iterdir() if not path.name.startswith(("_", "."))}
    assert (
        sorted(top - {place if place.endswith(".py") else f"{place.split('/')[0]}/" for place in PLACES} - {"py.typed"})
        == []
    )


def test_each_large_attack_is_a_folder():
    """An attack and its mathematics stand together; the page names every such folder."""
    folders = {f"attacks/{path.parent.name}/" for path in (PACKAGE / "attacks").glob("*/attack.py")}
    assert folders
    assert sorted(folders - PLACES) == []


def test_it_is_one_page():
    """About what two screens show."""
    assert len(PAGE.splitlines()) <= 90
