"""The figure of what noise leaves is drawn from the table of its page."""

from __future__ import annotations

from tests.docs.noise_figure import FIGURE, KINDS, PAGE, rows


def test_the_table_has_a_gap_for_each_epsilon_and_number_of_releases():
    """Two releases never help less than one, and no gap is above its ceiling: what the page says."""
    found = {(row["epsilon"], row["kind"]): row for row in rows()}
    assert len(found) == 5 * 2
    for epsilon in ("exact", "5", "1", "0.5", "0.1"):
        one, two = (found[epsilon, kind] for kind in KINDS)
        assert float(one["gap"]) <= float(two["gap"])
        assert float(one["low"]) <= float(one["ceiling"])


def test_the_figure_is_on_the_page():
    """It exists, with a label for screen readers."""
    assert FIGURE.name in PAGE.read_text(encoding="utf-8")
    assert 'aria-label="How much more often' in FIGURE.read_text(encoding="utf-8")
