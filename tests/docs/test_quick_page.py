"""The page on quick audits: its table is what the attacks declare."""

from __future__ import annotations

import pytest

from tests.docs import quick_page
from unmask.view import QuickForm


def test_the_table_is_what_attacks_declare():
    """A rule that changes in the code changes on the page: python -m tests.docs.quick_page writes it anew."""
    assert quick_page.written() == quick_page.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (QuickForm(), "as in every audit"),
        (QuickForm({"tier": "fast"}, least=5000), "with `tier=fast`, where every release has at least 5,000 people"),
        (QuickForm(most=9000), "left out, where a release has more than 9,000 people"),
    ],
    ids=["as ever", "another form", "left out"],
)
def test_a_rule_is_described(form: QuickForm, words: str):
    """Each kind of rule has its sentence."""
    assert quick_page.described(form) == words
