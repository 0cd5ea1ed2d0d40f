"""Controls of data are visible in text for people, and JSON keeps its content."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from unmask.visible_text import escaped_json, joined, visible, visible_lines

BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

any_text = st.text(st.characters(codec=None) | st.sampled_from(["\x1b", "\x07", "\x9b", "\n", "\t", *BIDIRECTIONAL]))


def is_control(letter: str) -> bool:
    """Whether a letter is a control, a separator of lines, half a character, or a direction of writing."""
    return unicodedata.category(letter) in {"Cc", "Zl", "Zp", "Cs"} or letter in BIDIRECTIONAL


@given(any_text)
def test_a_line_holds_no_control_and_all_its_other_letters(text):
    """Each control is written as in Python; the result is read back by Python's rules if no backslash was there."""
    line = visible(text)
    assert not any(map(is_control, line))
    others = [letter for letter in text if not is_control(letter)]
    assert [letter for letter in line if not letter.isascii()] == [one for one in others if not one.isascii()]
    if text.isascii() and "\\" not in text:
        assert line.encode().decode("unicode_escape") == text


@given(st.lists(any_text, min_size=1))
def test_lines_end_where_we_end_them(lines):
    """A line end inside a line is of data, and breaks nothing."""
    assert len(joined(lines).split("\n")) == len(lines)


@given(any_text)
def test_text_of_lines_changes_once(text):
    """Visible text stays as it is when it passes the edge."""
    assert visible_lines(visible_lines(text)) == visible_lines(text)
    assert visible(visible(text)) == visible(text)


@given(st.dictionaries(any_text, any_text))
def test_json_has_the_same_content(content):
    """Escapes of JSON stand for the same characters, and no control of data is left."""
    text = escaped_json(json.dumps(content, ensure_ascii=False, indent=1))
    assert json.loads(text) == content
    assert not any(is_control(letter) for letter in text.replace("\n", ""))


def test_words_of_all_scripts_stay():
    """Joiners and spaces are part of words."""
    for text in (
        "naïve",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "👩\u200d⚕️",
        "日本\u3000語",
        "12\u00a0000",
    ):
        assert visible(text) == text
