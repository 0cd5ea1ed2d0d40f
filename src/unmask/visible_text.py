r"""Text for terminals and pages, in which control characters are visible.

Names and values of data may hold characters that move the cursor of a terminal, ring its bell, break a line, or reverse
the order in which it shows letters. In text for people such a character is replaced by its notation in Python, as in
`\x1b`; all other characters, also letters of any script and their joiners, stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

CONTROLS = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
"""A class of characters: C0, C1, directions of writing, separators of lines, undecodable bytes, and what XML lacks."""

_CONTROL = re.compile(f"[{CONTROLS}]")
_RIGHT_TO_LEFT = "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_WORDS_RIGHT_TO_LEFT = re.compile(rf"[{_RIGHT_TO_LEFT}]+(?: +[{_RIGHT_TO_LEFT}]+)*")
_OPTION = re.compile(r"(?<!\S)--[a-z]")


def visible(text: str) -> str:
    r"""Return one line of text; line ends and tabs in it are of data, and become visible, too.

    >>> print(visible("job\x1b[2J\n"))
    job\x1b[2J\n
    """
    if text.isprintable():
        return text
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def isolated(text: str) -> str:
    r"""Return a sentence whose words that run from right to left do not reorder what stands around them.

    Each is put between U+2068 and U+2069. Text with an option of a command stays as it is: it is copied.

    >>> print(ascii(isolated("the \u05ea\u05d7 of 18 people")))
    'the \u2068\u05ea\u05d7\u2069 of 18 people'
    """
    if text.isascii() or _OPTION.search(text):
        return text
    return _WORDS_RIGHT_TO_LEFT.sub("\u2068\\g<0>\u2069", text)


def visible_lines(text: str) -> str:
    """Return text of several lines, whose line ends stay."""
    return joined(text.split("\n"))


def visible_strings(value: Any) -> Any:  # noqa: ANN401 - what JSON holds
    r"""Return a value of JSON with its strings as `visible` gives them, names of fields too; line ends stay.

    >>> visible_strings({"job\x1b": ["a\nb", 1]})
    {'job\\x1b': ['a\nb', 1]}
    """
    if isinstance(value, str):
        return "\n".join(map(visible, value.split("\n")))
    if isinstance(value, dict):
        return {visible_strings(key): visible_strings(item) for key, item in value.items()}
    return [visible_strings(item) for item in value] if isinstance(value, (list, tuple)) else value


def joined(lines: Iterable[str]) -> str:
    """Return lines as one text, without spaces at their ends; line ends inside a line are of data."""
    return "\n".join(visible(line.rstrip(" ")) for line in lines)


def escaped_json(text: str) -> str:
    r"""Return JSON of the same content, in which controls are written `\u001b`; its own line ends stay."""
    return _CONTROL.sub(lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)
