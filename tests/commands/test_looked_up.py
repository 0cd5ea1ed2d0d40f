"""Who is looked up in what: comparisons as they are written, and whose row is whose, which only a table can tell."""

from __future__ import annotations

from typing import Any

import pytest

import unmask
from unmask.beliefs import Question
from unmask.errors import InvalidInputError
from unmask.findings import ATTRIBUTES

MEMBERS = {"name": ["Martha", "Dixon", "Eve"], "illness": ["flu", "none", "cancer"]}
PEOPLE = {"who": ["Ann", "Bob"], "name": ["marTHA", "DIXON"]}
TABLE = {"who": ["Ann", "Bob", "Eve"], **MEMBERS}
ROLES: dict[str, Any] = {"quasi": "name", "sensitive": "illness", "person_key": "who", "seed": 1}


def test_whose_row_is_whose_is_told_to_audit():
    """The attack refuses the truth in a line that says what to write instead, and that finds both."""
    with pytest.raises(InvalidInputError, match=r"by audit\. Write unmask audit TABLE --release PATH --people FILE"):
        unmask.attack("linkage", MEMBERS, people=PEOPLE, truth=TABLE, set={"compare": "name=folded"}, **ROLES)
    found = unmask.audit(
        TABLE, release=MEMBERS, people=PEOPLE, attack="linkage", attack_set={"linkage.compare": "name=folded"}, **ROLES
    )
    right = [result.get("top-match-precision").value for scene in found.report.scenes for result in scene.results
             if scene.about.question is Question.PLACE and scene.attacker is ATTRIBUTES]  # fmt: skip
    assert right == [1.0]
