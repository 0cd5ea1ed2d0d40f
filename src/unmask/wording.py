"""What a person reads, in the reader's language: every sentence passes `text` or `plural`.

A message is written in English where it is used, with named places for what differs, as in `text("{n} people", n=3)`.
Catalogs of translations (gettext, a folder per language below `locale/`) are looked up by the English message: a
message without a translation is still read. Numbers are formatted before they are put in, by
`unmask.number_format`.

Where a sentence is made before its reader is known, in an audit or in an error, `message` and `counted` make it: a
`Message` is its English sentence, as JSON has it, and `text` shows it in the reader's language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Self

DOMAIN = "unmask"
"""The name of the catalogs' files."""

FOLDER = Path(__file__).parent / "locale"
"""The catalogs: `LANGUAGE/LC_MESSAGES/unmask.mo`, and the template `unmask.pot` of all messages."""

SOURCE_LANGUAGE = "en"

_current: ContextVar[NullTranslations | None] = ContextVar("translations", default=None)


class Message(str):
    """An English sentence that can still be shown in another language: its forms, and the values of its places."""

    __slots__ = ("forms", "n", "values")

    forms: tuple[str, ...]  # of one thing and of many; or one form
    n: float  # what decides between the forms
    values: Mapping[str, object]

    def __new__(cls, forms: tuple[str, ...], n: float = 1, values: Mapping[str, object] | None = None) -> Self:
        """Return the message with its values put in."""
        made = super().__new__(cls, _filled(forms[0 if n == 1 else -1], values or {}))
        made.forms, made.n, made.values = forms, n, values or {}
        return made

    def __str__(self) -> str:
        """Return the message itself: the text of an error stays one that can be translated."""
        return self

    def translated(self) -> str:
        """Return the message in the reader's language."""
        return _translated(self.forms, self.n, self.values)

    def __reduce__(self) -> tuple[type[Message], tuple[tuple[str, ...], float, dict[str, object]]]:
        """Return how the message is made again elsewhere."""
        return type(self), (self.forms, self.n, dict(self.values))


def text(message: str, /, **values: object) -> str:
    """Return a message in the reader's language, with `values` in its named places.

    >>> text("{n} of {people} people are exposed", n=3, people=12)
    '3 of 12 people are exposed'
    """
    if isinstance(message, Message):
        return message.translated()
    return _translated((message,), 1, values)


def plural(one: str, many: str, n: float, /, **values: object) -> str:
    """Return the form of a message that agrees with the number `n`, with `values` in its named places.

    >>> plural("{n} person is exposed", "{n} people are exposed", 1, n="1")
    '1 person is exposed'
    """
    return _translated((one, many), n, values)


def message(form: str, /, **values: object) -> Message:
    """Return a message for a reader who is not known yet; values that are messages are translated with it.

    >>> message("{n} of {people} people are exposed", n=3, people=12)
    '3 of 12 people are exposed'
    """
    return Message((form,), 1, values)


def counted(one: str, many: str, n: float, /, **values: object) -> Message:
    """Return a message in the form that agrees with the number `n`, for a reader who is not known yet.

    >>> counted("{n} person is exposed", "{n} people are exposed", 2, n="2")
    '2 people are exposed'
    """
    return Message((one, many), n, values)


def joined(parts: Iterable[str], separator: str = "; ") -> Message:
    """Return texts, of which some may be messages, as one message.

    >>> joined([message("{n} rows", n=2), "more"])
    '2 rows; more'
    """
    values = {f"part{i}": part for i, part in enumerate(parts)}
    return Message((separator.join(f"{{{name}}}" for name in values),), 1, values)


def marked(message: str, /) -> str:
    """Return a message as it is, marked for the catalogs: a constant, which `text` translates where it is shown."""
    return message


@contextmanager
def language(name: str) -> Iterator[None]:
    """Show messages in a language inside the block, for this thread or task alone.

    Fails with `ValueError` for a language without a catalog.
    """
    token = _current.set(_catalog(name))
    try:
        yield
    finally:
        _current.reset(token)


def language_tag() -> str:
    """Return the language in which messages are shown, as HTML names it."""
    translations = _current.get()
    found = SOURCE_LANGUAGE if translations is None else translations.info().get("language", SOURCE_LANGUAGE)
    return found.replace("_", "-")


def languages() -> tuple[str, ...]:
    """Return the languages of the catalogs, English first."""
    found = sorted(path.parent.parent.name for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return (SOURCE_LANGUAGE, *found)


def _translated(forms: tuple[str, ...], n: float, values: Mapping[str, object]) -> str:
    translations = _current.get()
    if translations is None or not forms[0]:  # an empty message is the header of a catalog
        return _filled(forms[0 if n == 1 else -1], values)
    if len(forms) == 1:
        sentence = translations.gettext(forms[0])
    else:
        sentence = translations.ngettext(forms[0], forms[1], 1 if n == 1 else max(int(n), 2))
    return _filled(sentence, {name: text(one) if isinstance(one, Message) else one for name, one in values.items()})


def _filled(sentence: str, values: Mapping[str, object]) -> str:
    return sentence.format_map(values) if values else sentence


def _catalog(name: str) -> NullTranslations | None:
    if name == SOURCE_LANGUAGE:
        return None
    if name not in languages():
        msg = f"language must be one of {', '.join(languages())}; got {name!r}"
        raise ValueError(msg)
    return translation(DOMAIN, FOLDER, [name])
