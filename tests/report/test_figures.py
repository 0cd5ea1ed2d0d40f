"""Charts as static SVG: named by the page they stand on, labeled for readers who can't see them."""

from __future__ import annotations

import re
from itertools import pairwise

import altair as alt
from hypothesis import given
from hypothesis import strategies as st

from unmask.report import figures


def clipped() -> alt.Chart:
    """Return a chart that needs a name inside its picture: what is drawn outside is cut off."""
    rows = alt.InlineData(values=[{"x": 1, "y": 2}, {"x": 3, "y": 1}])
    chart: alt.Chart = alt.Chart(rows).mark_line(clip=True).encode(x="x:Q", y="y:Q")
    return chart


def test_the_converter_numbers_names_and_we_rename_them():
    """Drawn a second time, the converter's own names have counted up; ours say chart and place, and stay."""
    first = figures.svg(clipped(), "chapter-1", "a line")
    assert re.search(r'id="chapter-1-0"', first)
    assert re.search(r"url\(#chapter-1-0\)", first)
    assert figures.svg(clipped(), "chapter-1", "a line") == first
    assert figures.svg(clipped(), "chapter-2", "a line") == first.replace("chapter-1", "chapter-2")


def test_a_label_is_one_attribute_whatever_it_says():
    """Quotes and angle brackets in a column's name must not end the attribute."""
    drawn = figures.svg(clipped(), "c", '"><script>&')
    assert 'aria-label="&quot;>&lt;script>&amp;"' in drawn
    assert "<script" not in drawn


def test_controls_in_data_do_not_end_the_converter():
    """It writes SVG, which has no escape characters: a column's name with one would leave all later charts out."""
    named = alt.Chart(alt.InlineData(values=[{"x": "\x1b[2Ja\x00\udc80", "y": 2}])).mark_bar().encode(x="x:N", y="y:Q")
    assert r"\x1b[2Ja\x00" in figures.svg(named.properties(title="b\x07"), "c", "a bar")
    assert figures.svg(clipped(), "c", "a line").startswith("<svg")


def test_panels_put_intruders_side_by_side_and_attacks_below():
    """Two attacks by two intruders: each row of panels is one attack, so that the eye compares intruders."""
    steps = ("1/2", "1")
    rows = [
        {"attack": attack, "intruder": who, "step": step, "kind": figures.RIGHT, "share": 0.5, "rank": 0}
        for who in ("knows", "guesses")
        for attack in ("first", "second")
        for step in steps
    ]
    panels = figures.ladder(rows, steps).to_dict()
    assert panels["facet"]["sort"] == ["first · knows", "first · guesses", "second · knows", "second · guesses"]
    assert panels["columns"] == 2


def test_attacks_are_told_apart_by_shape_and_color():
    """Neighbors differ in both, for readers who don't see colors and for black and white print."""
    looks = [figures.attack_look(i) for i in range(6)]
    assert len(set(looks)) == 6
    assert all(a[0] != b[0] and a[1] != b[1] for a, b in pairwise(looks))


@given(rows=st.lists(st.tuples(st.floats(0, 3), st.floats(0, 1)), min_size=2, max_size=6))
def test_axes_of_losses_end_near_the_data(rows):
    """All points are inside, and the largest takes more than half of its axis, however small it is."""
    drawn = [{"release": str(i), "kept": loss, "risk": risk} for i, (loss, risk) in enumerate(rows)]
    encoding = figures.risk_utility(drawn, guess=None, x="error", y="risk", is_loss=True).to_dict()["layer"][0][
        "encoding"
    ]
    for axis, field, least in (("x", "kept", 0.001), ("y", "risk", 0.001)):
        first, last = encoding[axis]["scale"]["domain"]
        most = max(row[field] for row in drawn)
        assert first == 0
        assert most <= last <= max(least, 1.7 * most)
