"""HIPAA Safe Harbor for published columns, whose cells may be ranges, prefixes and categories."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from unmask.arrays import Float64
from unmask.files.raw import Raw
from unmask.inspection.column_profiles import ColumnProfile
from unmask.inspection.field_knowledge import Topic
from unmask.inspection.proposals import Proposal, propose
from unmask.inspection.safe_harbor import OLDEST, SafeHarbor, safe_harbor
from unmask.masks.notation import date_cells
from unmask.schema import Role
from unmask.wording import message

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ON_A_DAY = re.compile(r" years on \d{4}-\d{2}-\d{2}")  # the reference of an age
_AGE_90 = re.compile(rf"(?<![\d.]){OLDEST + 1}(?![\d.])")
_POOLED_90 = re.compile(  # 90 or older, and ranges that end before 90
    rf"(?:>=|≥|<|at least |under |below |before )\s*{OLDEST + 1}(?![\d.])"
    rf"|(?<![\d.]){OLDEST + 1}\s*(?:\+|\)|\[|(?:or|and) (?:older|over|above|more))",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}")


def safe_harbor_of(raw: Raw, person_key: str | None = None) -> Mapping[str, SafeHarbor | None]:
    """Return which of the 18 kinds each column seems to hold, with the remedy; None: none that is recognized.

    `person_key` is the published column of pseudonyms. Columns are judged one by one: in groups of equal cells every
    column seems to determine the others.
    """
    profiles = [ColumnProfile.of(raw, name) for name in raw.columns]
    proposals = propose(profiles, (), ())
    if person_key is not None:
        proposals[person_key] = Proposal(Role.PERSON_KEY, message("equal values mark a person"))
    return {one.name: _of_column(one, proposals[one.name]) for one in profiles}


def _of_column(one: ColumnProfile, proposal: Proposal) -> SafeHarbor | None:
    found = safe_harbor(one, proposal)
    if proposal.topic is Topic.AGE and one.column.numbers is None and not _reaches_old_age(one):
        return None
    if (found is None or found.letter == "R") and proposal.topic is not Topic.AGE and _holds_dates(one):
        return SafeHarbor("C", message("the year only; years that imply an age above 89: pool them"))
    return found


def _reaches_old_age(one: ColumnProfile) -> bool:
    """Whether a cell names an age above 89, other than as the category 90 or older; `[80, 90)` ends below it."""
    return any(_names_old_age(_ON_A_DAY.sub("", text)) for text in one.column.labels)


def _names_old_age(text: str) -> bool:
    if any(float(number) > OLDEST + 1 for number in _NUMBER.findall(text)):
        return True
    return _AGE_90.search(_POOLED_90.sub("", text)) is not None


def _holds_dates(one: ColumnProfile) -> bool:
    """Whether most cells with digits are dates, periods or ranges of them, some of which name more than years."""
    texts = [text for text in one.column.labels if any(map(str.isdigit, text)) and not _ON_A_DAY.search(text)]
    ends = [(text, found) for text in texts if (found := _ends(text)) is not None]
    return 2 * len(ends) > len(texts) and any(_DAY.search(text) or _is_finer(found) for text, found in ends)


def _ends(text: str) -> Float64 | None:
    """Return the finite ends of the pieces of a cell in days since 1970-01-01; None where it is no date."""
    pieces = date_cells.parse(text, day_first=True) or date_cells.parse(text, day_first=False)
    if pieces is None:
        return None
    ends = np.array([end for piece in pieces for end in (piece.low, piece.high)])
    finite: Float64 = ends[np.isfinite(ends)]
    return finite


def _is_finer(ends: Float64) -> bool:
    """Whether some of these moments, (ends,), is not the beginning of a year."""
    days = np.floor(ends).astype(np.int64).astype("datetime64[D]")
    return bool((ends % 1).any() or (days != days.astype("datetime64[Y]")).any())
