"""The pictures of the ladder are drawn from what its page shows."""

from __future__ import annotations

import re

import pytest

from tests.docs.ladder_figures import FIGURES, IMAGES, PAGE, beliefs


@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_says_what_the_page_shows(name):
    """As many certain salaries and halves, under the panels' titles; and a label for screen readers."""
    page, picture = PAGE.read_text(encoding="utf-8"), (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert f"../images/{name}.svg" in page
    shown = [one["p"] for file in FIGURES[name] for one in beliefs(page, file)]
    drawn = re.findall(r">(1|\d/\d)<", picture)
    assert [drawn.count(said) for said in ("1", "1/2", "1/4")] == [shown.count(p) for p in (1.0, 0.5, 0.25)]
    assert len(drawn) == len(shown)
    assert 'aria-label="How firmly each salary is believed' in picture
    for title in FIGURES[name].values():
        assert title.replace("'", "&apos;") in picture or title in picture


def test_the_last_picture_is_the_studys():
    """The bound, by l and the size of the group."""
    assert "../images/ladder-bound.svg" in PAGE.read_text(encoding="utf-8")
    assert 'aria-label="p(b1), how firmly' in (IMAGES / "ladder-bound.svg").read_text(encoding="utf-8")
