"""HIPAA Safe Harbor for published columns, whose cells may be ranges, prefixes and categories."""

from __future__ import annotations

import re
from collections.abc import Mapping

from unmask.files.raw import Raw
from unmask.inspection.column_profiles import ColumnProfile
from unmask.inspection.field_knowledge import Topic
from unmask.inspection.proposals import Proposal, propose
from unmask.inspection.safe_harbor import OLDEST, SafeHarbor, safe_harbor
from unmask.schema import Role

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def safe_harbor_of(raw: Raw, person_key: str | None = None) -> Mapping[str, SafeHarbor | None]:
    """Return which of the 18 kinds each column seems to hold, with the remedy; None: none that is recognized.

    `person_key` is the published column of pseudonyms. Columns are judged one by one: in groups of equal cells every
    column seems to determine the others.
    """
    profiles = [ColumnProfile.of(raw, name) for name in raw.columns]
    proposals = propose(profiles, (), ())
    if person_key is not None:
        proposals[person_key] = Proposal(Role.PERSON_KEY, "equal values mark a person")
    return {one.name: _of_column(one, proposals[one.name]) for one in profiles}


def _of_column(one: ColumnProfile, proposal: Proposal) -> SafeHarbor | None:
    found = safe_harbor(one, proposal)
    if proposal.topic is Topic.AGE and one.column.numbers is None and not _reaches_old_age(one):
        return None
    return found


def _reaches_old_age(one: ColumnProfile) -> bool:
    """Whether a cell names an age above 89, other than as the category 90 or older."""
    return any(float(number) > OLDEST + 1 for text in one.values for number in _NUMBER.findall(text))
