"""Every deliberate error, in one tree.

A message reads `{subject} must {requirement}; got {value}. {way out}`. It names columns, shapes, counts and
parameters, and never quotes a person's record: the log of a privacy tool is a release too.
"""

from __future__ import annotations

import difflib
import reprlib
import traceback
from collections.abc import Iterable
from enum import StrEnum

MOST_LISTED = 24
"""So many names are listed in an error, which is one line."""

MOST_MEANT = 4

MOST_QUOTED = 60
"""So many characters of a value are quoted in an error."""

_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = MOST_QUOTED


class UnmaskError(Exception):
    """The root of every error that unmask raises on purpose."""


class InvalidInputError(UnmaskError, ValueError):
    """A documented requirement is broken."""

    @classmethod
    def unreadable(cls, subject: str, error: OSError) -> InvalidInputError:
        """Say what the system answered to an attempt to read."""
        return cls(f"{subject} must be readable; {(error.strerror or 'it is not').lower()}")

    @classmethod
    def unknown_name(cls, kind: str, name: str, known: Iterable[str]) -> InvalidInputError:
        """Say that a name is not among the known ones, and which of them was probably meant."""
        names = list(known)
        listed = ", ".join(map(shortened, names[:MOST_LISTED])) or "none"
        more = f" and {len(names) - MOST_LISTED} others" if len(names) > MOST_LISTED else ""
        return cls(f"{kind} must be one of {listed}{more}; got {quoted(name)}.{did_you_mean(name, names)}")


class InfeasibleError(UnmaskError):
    """No sanitized table can meet the privacy model."""


class Inapplicable(StrEnum):
    """Why an attack does not apply to a view."""

    QUESTION = "question"  # it answers another kind of question
    RELEASES = "releases"  # it needs another number of releases
    LACKING = "lacking"  # the releases, the knowledge beside them or the machine lack something that it needs


class NotApplicableError(UnmaskError):
    """An attack needs more than this view shows; `kind` says what kind of thing that is."""

    def __init__(self, message: str, kind: Inapplicable = Inapplicable.LACKING) -> None:
        super().__init__(message)
        self.kind = kind


class ContradictionError(UnmaskError):
    """The evidence has probability zero under the prior."""


class NotConvergedError(UnmaskError):
    """Chains of a sampler disagree; the message says how far, and what to raise."""


class OutputError(UnmaskError):
    """A result cannot be written where it was asked for."""


class ResourceError(UnmaskError):
    """The machine has too little memory, disk or time for what was asked; the message says what would help."""


class CostlyError(ResourceError):
    """Work that is refused before it begins: it would take too long. An audit goes on without such an attack."""


class DatabaseError(UnmaskError):
    """A database breaks off while it is read."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'zipcode'?` where one of the known names is close, or has it as a word; else nothing."""
    folded = {candidate.casefold().replace("_", "-"): candidate for candidate in known}
    folded_name = name.casefold().replace("_", "-")
    close = [one for one in folded if folded_name in one.split("-")] or difflib.get_close_matches(
        folded_name, folded, n=1, cutoff=0.5
    )
    return f" Did you mean {' or '.join(quoted(folded[one]) for one in close[:MOST_MEANT])}?" if close else ""


def quoted(value: object) -> str:
    """Return how an error quotes a value: a long one without its middle.

    >>> quoted("flu"), len(quoted("x" * 5000)) <= MOST_QUOTED
    ("'flu'", True)
    """
    return _short.repr(value)


def first_of(values: Iterable[object]) -> str:
    """Return how an error names several values: the first one, and how many others there are.

    >>> first_of(["flu", "cold", "gout"])
    "'flu' and 2 others"
    """
    first, *others = values
    return quoted(first) + (f" and {len(others):,} other{'s'[: len(others) != 1]}" if others else "")


def shortened(text: str, most: int = MOST_QUOTED) -> str:
    """Return a text without its middle where it is longer than an error should be.

    >>> shortened("abcdefghij", 7)
    'abc … j'
    """
    end = (most - 3) // 4
    return text if len(text) <= most else f"{text[: most - 3 - end]} … {text[len(text) - end :]}"


def describe_defect(error: BaseException) -> str:
    """Describe a defect of ours by its place in the code and how to report it; its own message could quote a record."""
    from unmask import __version__  # noqa: PLC0415 - the package, which may still be loading

    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if "unmask" in f.filename.replace("\\", "/").split("/")
    ]
    place = "?"
    if frames:
        path = frames[-1].filename.replace("\\", "/").rsplit("/unmask/", 1)[-1]
        place = f"{path}:{frames[-1].lineno}"
    return (
        f"a defect of unmask {__version__}: {type(error).__name__} at {place}. "
        f"Please report this line and the command (it holds no data) to the project's issue tracker"
    )
