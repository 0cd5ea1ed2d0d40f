"""The exceptions of unmask, and helpers for their messages.

A message reads `{subject} must {requirement}; got {value}. {way out}`. It names columns, shapes, counts and
parameters, and never quotes a person's record, since logs may be published.
"""

from __future__ import annotations

import difflib
import functools
import reprlib
import traceback
from collections.abc import Iterable
from enum import StrEnum

from unmask.wording import joined, message

MOST_LISTED = 24
"""The largest number of names that an error lists."""

MOST_MEANT = 4

MOST_QUOTED = 60
"""The largest number of characters of a value that an error quotes."""

_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = MOST_QUOTED


class UnmaskError(Exception):
    """The base class of all deliberate errors."""


class InvalidInputError(UnmaskError, ValueError):
    """A documented requirement is violated."""

    @classmethod
    def unreadable(cls, subject: str, error: OSError) -> InvalidInputError:
        """Return the error of a file that the system could not read."""
        return cls(message("{subject} must be readable; {reason}", subject=subject, reason=system_reason(error)))

    @classmethod
    def unknown_name(cls, kind: str, name: str, known: Iterable[str]) -> InvalidInputError:
        """Return the error of an unknown name, with the known ones and a suggestion."""
        names = list(known)
        listed = ", ".join(map(shortened, names[:MOST_LISTED])) or message("none")
        if len(names) > MOST_LISTED:
            listed = message("{names} and {n} others", names=listed, n=len(names) - MOST_LISTED)
        refused = message("{kind} must be one of {names}; got {name}.", kind=kind, names=listed, name=quoted(name))
        return cls(joined([refused, did_you_mean(name, names)], ""))


class MissingFileError(InvalidInputError):
    """A file that is to be read does not exist; the message may end in a suggestion."""

    def __init__(self, message: str, suggestion: str = "") -> None:
        super().__init__(joined([message, suggestion], ""))
        self.message = message


class InfeasibleError(UnmaskError):
    """No sanitized table can meet the privacy model."""


class Inapplicable(StrEnum):
    """The reason why an attack does not apply to a view."""

    QUESTION = "question"  # the attack answers other questions
    RELEASES = "releases"  # the attack needs a different number of releases
    FORM = "form"  # the attack is for releases of another form or algorithm
    LACKING = "lacking"  # releases, background knowledge or the machine do not suffice
    QUICK = "quick"  # the attack takes too long for a quick audit


class NotApplicableError(UnmaskError):
    """An attack does not apply to a view, for a reason of the given kind."""

    def __init__(self, message: str, kind: Inapplicable = Inapplicable.LACKING) -> None:
        super().__init__(message)
        self.kind = kind


class ContradictionError(UnmaskError):
    """The evidence has probability zero under the prior."""


class NotConvergedError(UnmaskError):
    """Chains of a sampler disagree; the message names the statistic, and the parameter to increase."""


class OutputError(UnmaskError):
    """A result cannot be written to the requested path."""


class ResourceError(UnmaskError):
    """Memory, disk space or time do not suffice; the message names a remedy."""


class CostlyError(ResourceError):
    """Work is refused before it begins, since it would take too long; an audit skips such an attack."""


class DatabaseError(UnmaskError):
    """Reading a database was interrupted."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'zipcode'?` if a known name is similar or contains the word; else an empty text."""
    folded = {candidate.casefold().replace("_", "-"): candidate for candidate in known}
    folded_name = name.casefold().replace("_", "-")
    close = [one for one in folded if folded_name in one.split("-")] or difflib.get_close_matches(
        folded_name, folded, n=1, cutoff=0.5 if len(folded_name) > 1 else 0.6
    )
    if not close:
        return ""
    names = [quoted(folded[one]) for one in close[:MOST_MEANT]]
    return joined(["", message("Did you mean {names}?", names=alternatives(names))], " ")


def system_reason(error: OSError) -> str:
    """Return what the system says of a file that could not be read or written."""
    return error.strerror.lower() if error.strerror else message("it is not")


def enumerated(names: Iterable[str]) -> str:
    """Return names with `and` between them; an empty text for none.

    >>> enumerated(["age", "sex"])
    'age and sex'
    """
    listed = list(names)
    return (
        functools.reduce(lambda one, other: message("{one} and {other}", one=one, other=other), listed)
        if listed
        else ""
    )


def alternatives(names: Iterable[str]) -> str:
    """Return names of which one is meant, with `or` between them; an empty text for none.

    >>> alternatives(["age", "sex", "zip"])
    'age or sex or zip'
    """
    listed = list(names)
    return (
        functools.reduce(lambda one, other: message("{one} or {other}", one=one, other=other), listed) if listed else ""
    )


def quoted(value: object) -> str:
    """Return a value quoted for an error; the middle of a long one is left out.

    >>> quoted("flu"), len(quoted("x" * 5000)) <= MOST_QUOTED
    ("'flu'", True)
    """
    return _short.repr(value)


def shortened(text: str, most: int = MOST_QUOTED) -> str:
    """Return a text, without its middle if it is too long for an error.

    >>> shortened("abcdefghij", 7)
    'abc … j'
    """
    end = (most - 3) // 4
    return text if len(text) <= most else f"{text[: most - 3 - end]} … {text[len(text) - end :]}"


def describe_defect(error: BaseException) -> str:
    """Return the text of an internal error: its place in the code, not its message, which could quote a record."""
    from unmask import __version__  # noqa: PLC0415 - the package, which may still be loading

    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if "unmask" in f.filename.replace("\\", "/").split("/")
    ]
    place = "?"
    if frames:
        path = frames[-1].filename.replace("\\", "/").rsplit("/unmask/", 1)[-1]
        place = f"{path}:{frames[-1].lineno}"
    return message(
        "a defect of unmask {version}: {kind} at {place}. "
        "Please report this line and the command (it holds no data) to the project's issue tracker",
        version=__version__,
        kind=type(error).__name__,
        place=place,
    )
