"""Text from data stays text in every form of report: markup, formulas, controls, directions, long cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests import reports
from tests.report.browser import opened_browser, opened_page
from unmask.report import to_html

TEXTS = {
    "script": "<script>document.title='run'</script>",
    "image": "<img src=x onerror=\"document.title='run'\">",
    "end of style": "</style></title><svg onload=\"document.title='run'\">",
    "formula": '=cmd()|"/c calc"!A0',
    "controls": "a\x00b\x1b[31mc\x07\r\n\x85d",
    "right to left": "\u202eevil\u2066 שלום \u2069",
    "long": "x" * 10_240,
    "template": "{{ 7 * 7 }}{% raw %}",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Open Chromium, which may reach nothing."""
    with opened_browser() as browser:
        yield browser


@pytest.mark.parametrize("interactive", [False, True])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_column_of_any_name_runs_nothing(text, interactive, browser, tmp_path):
    """No request, no console message, no dialog, no other title, no overflow on a telephone; controls are visible."""
    page = to_html(reports.hostile({"column": text, "release": text}), interactive=interactive)
    assert not {"\x00", "\x1b", "\x07", "\u202e", "\u2066"} & set(page)
    assert "{{ 7 * 7 }}" in page or "7 *" not in text
    with opened_page(browser, page, tmp_path, 400) as opened:
        opened.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
        assert opened.title() != "run"
        assert opened.evaluate("document.querySelectorAll('img, iframe, form, [onload], [onerror]').length") == 0
        assert opened.evaluate("document.querySelectorAll('script').length") == interactive
        assert opened.evaluate("document.documentElement.scrollWidth") <= 400
