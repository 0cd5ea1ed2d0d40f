"""Levels of columns as a parameter of a sanitizer: `age@1; zip@2`."""

from __future__ import annotations

from collections.abc import Mapping

from unmask.errors import InvalidInputError
from unmask.parameters import TextForm
from unmask.wording import marked, message


def level_form(word: str) -> TextForm[Mapping[str, int]]:
    """Return how the parameter `word`, a level for each column, is read and written."""

    def parse(text: str) -> dict[str, int]:
        named: dict[str, int] = {}
        for part in filter(None, (piece.strip() for piece in text.split(";"))):
            name, _, level = part.rpartition("@")
            if not name or not level.strip().isdecimal() or name.strip() in named:
                raise unreadable(word, part)
            named[name.strip()] = int(level)
        return named

    return TextForm(parse, levels_text, marked("a mapping from columns to levels"))


def levels_text(levels: Mapping[str, int]) -> str:
    """Return the levels of columns as they are written.

    >>> levels_text({"age": 1, "zip": 2})
    'age@1; zip@2'
    """
    return "; ".join(f"{name}@{level}" for name, level in levels.items())


def require_levels(word: str, levels: Mapping[str, int]) -> None:
    """Fail where a level is negative."""
    for name, level in levels.items():
        if level < 0:
            raise unreadable(word, f"{name}@{level}")


def unreadable(word: str, part: str) -> InvalidInputError:
    """Return the error of a level that cannot be read."""
    msg = message(
        "{word} must name each column once, with a level, as in age@1; zip@2; got {part}", word=word, part=repr(part)
    )
    return InvalidInputError(msg)
