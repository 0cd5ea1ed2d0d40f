"""The report as Markdown, for a pull request."""

from __future__ import annotations

import re

from tests import reports
from unmask.auditing.policy import Verdict
from unmask.report import to_markdown


def test_verdict_story_and_table():
    """What a reviewer sees without opening anything."""
    text = to_markdown(reports.anatomy(reports.POLICY, Verdict.BROKEN, ("because",)), title="Audit of adult")
    assert text.startswith("# Audit of adult\n\n**A limit is broken.**")
    assert "| adult | occupation | knows the row | deFinetti | 1/3 | 58.5 % (58.3–58.7 %) | 25.8 % |" in text
    assert "9,773 (32 %) | 7,515 |" in text
    assert "Not run, which is not safe: intersection: needs at least 2 releases" in text


def test_every_line_of_the_table_has_its_nine_cells():
    """Also where a name holds the mark that divides cells."""
    for report in (reports.anatomy(), reports.hospitals(), reports.undefined(), reports.hostile()):
        rows = [line for line in to_markdown(report).splitlines() if line.startswith("|")]
        assert len(rows) > 2
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {10}


def test_markup_in_names_stays_text():
    """GitHub renders HTML in Markdown: a column name must not become an element, nor emphasis."""
    text = to_markdown(reports.hostile())
    assert "<script>" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
