"""What a person reads, in the reader's language: every sentence passes `text` or `plural`.

A message is written in English where it is used, with named places for what differs, as in `text("{n} people", n=3)`.
Catalogs of translations (gettext, a folder per language below `locale/`) are looked up by the English message: a
message without a translation is still read. Numbers are formatted before they are put in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations, translation
from pathlib import Path

from unmask.errors import InvalidInputError

DOMAIN = "unmask"
"""The name of the catalogs' files."""

FOLDER = Path(__file__).parent / "locale"
"""The catalogs: `LANGUAGE/LC_MESSAGES/unmask.mo`, and the template `unmask.pot` of all messages."""

SOURCE_LANGUAGE = "en"

_current: ContextVar[NullTranslations | None] = ContextVar("translations", default=None)


def text(message: str, /, **values: object) -> str:
    """Return a message in the reader's language, with `values` in its named places.

    >>> text("{n} of {people} people are exposed", n=3, people=12)
    '3 of 12 people are exposed'
    """
    translations = _current.get()
    sentence = message if translations is None else translations.gettext(message)
    return sentence.format_map(values) if values else sentence


def plural(one: str, many: str, n: float, /, **values: object) -> str:
    """Return the form of a message that agrees with the number `n`, with `values` in its named places.

    >>> plural("{n} person is exposed", "{n} people are exposed", 1, n="1")
    '1 person is exposed'
    """
    translations = _current.get()
    if translations is None:
        sentence = one if n == 1 else many
    else:
        sentence = translations.ngettext(one, many, 1 if n == 1 else max(int(n), 2))
    return sentence.format_map(values) if values else sentence


def marked(message: str, /) -> str:
    """Return a message as it is, marked for the catalogs: a constant, which `text` translates where it is shown."""
    return message


@contextmanager
def language(name: str) -> Iterator[None]:
    """Show messages in a language inside the block, for this thread or task alone.

    Fails with `InvalidInputError` for a language without a catalog.
    """
    token = _current.set(_catalog(name))
    try:
        yield
    finally:
        _current.reset(token)


def languages() -> tuple[str, ...]:
    """Return the languages of the catalogs, English first."""
    found = sorted(path.parent.parent.name for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return (SOURCE_LANGUAGE, *found)


def _catalog(name: str) -> NullTranslations | None:
    if name == SOURCE_LANGUAGE:
        return None
    if name not in languages():
        msg = f"language must be one of {', '.join(languages())}; got {name!r}"
        raise InvalidInputError(msg)
    return translation(DOMAIN, FOLDER, [name])
