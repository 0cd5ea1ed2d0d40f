"""Text from data stays text in every form of report: markup, formulas, controls, directions, long cells."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import docx
import pytest

from tests import reports
from tests.report.browser import opened_browser, opened_page
from unmask.report import to_html
from unmask.report.audit_document import audit_document
from unmask.report.word_document import to_docx

TEXTS = {
    "script": "<script>document.title='run'</script>",
    "image": "<img src=x onerror=\"document.title='run'\">",
    "end of style": "</style></title><svg onload=\"document.title='run'\">",
    "formula": '=cmd()|"/c calc"!A0',
    "controls": "a\x00b\x1b[31mc\x07\r\n\x85d",
    "right to left": "\u202eevil\u2066 שלום \u2069",
    "long": "x" * 2_048,
    "template": "{{ 7 * 7 }}{% raw %}",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Open Chromium, which may reach nothing."""
    with opened_browser() as browser:
        yield browser


PLAIN = [
    pytest.param(text, False, id=f"{name}-plain", marks=[] if name == "script" else [pytest.mark.sweep])
    for name, text in TEXTS.items()
]


@pytest.mark.parametrize(
    ("text", "interactive"), [*PLAIN, *(pytest.param(text, True, id=name) for name, text in TEXTS.items())]
)
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


def test_a_name_from_right_to_left_reorders_no_sentence():
    """It stands apart in the page and in the file for a word processor; commands are copied as they are typed."""
    name = "\u05ea\u05d7\u05dc\u05d4"
    report = replace(reports.hostile({"column": name, "release": "new"}), command=("unmask", "audit", "-s", name))
    page = to_html(report)
    text = re.sub(r"<(svg|code)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert text.count(name) == text.count(f"\u2068{name}\u2069") > 5
    assert all("\u2068" not in line for line in re.findall(r"<code>(.*?)</code>", page))
    paragraphs = [one.text for one in docx.Document(io.BytesIO(to_docx(audit_document(report)))).paragraphs]
    named = [one for one in paragraphs if name in one and not one.startswith("unmask audit")]
    assert named
    assert all(f"\u2068{name}\u2069" in one for one in named)
