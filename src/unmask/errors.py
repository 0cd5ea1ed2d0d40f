"""Every deliberate error, in one tree.

A message reads `{subject} must {requirement}; got {value}. {way out}`. It names columns, shapes, counts and
parameters, and never quotes a person's record: the log of a privacy tool is a release too.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UnmaskError(Exception):
    """The root of every error that unmask raises on purpose."""


class InvalidInputError(UnmaskError, ValueError):
    """A documented requirement is broken."""

    @classmethod
    def unknown_name(cls, kind: str, name: str, known: Iterable[str]) -> InvalidInputError:
        """Say that a name is not among the known ones, and which of them was probably meant."""
        names = list(known)
        return cls(f"{kind} must be one of {', '.join(names) or 'none'}; got {name!r}.{did_you_mean(name, names)}")


class InfeasibleError(UnmaskError):
    """No sanitized table can meet the privacy model."""


class NotApplicableError(UnmaskError):
    """An attack needs more than this view shows."""


class ContradictionError(UnmaskError):
    """The evidence has probability zero under the prior."""


class NotConvergedError(UnmaskError):
    """Chains of a sampler disagree; the message says how far, and what to raise."""


class OutputError(UnmaskError):
    """A result cannot be written where it was asked for."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'zipcode'?` where one of the known names is close, else nothing."""
    folded = {candidate.casefold().replace("_", "-"): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold().replace("_", "-"), folded, n=1, cutoff=0.5)
    return f" Did you mean {folded[close[0]]!r}?" if close else ""
