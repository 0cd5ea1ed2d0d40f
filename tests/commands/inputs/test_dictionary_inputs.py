"""Records and dictionaries of `unmask risk`: comparisons, and person keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import unmask
from unmask.auditing.findings import ATTRIBUTES
from unmask.beliefs import Question
from unmask.errors import InvalidInputError

MEMBERS = {"name": ["Martha", "Dixon", "Eve"], "illness": ["flu", "none", "cancer"]}
PEOPLE = {"who": ["Ann", "Bob"], "name": ["marTHA", "DIXON"]}
TABLE = {"who": ["Ann", "Bob", "Eve"], **MEMBERS}
ROLES: dict[str, Any] = {"quasi": "name", "sensitive": "illness", "person_key": "who", "seed": 1}


def test_whose_row_is_whose_is_told_to_audit():
    """The attack refuses the truth in a line that gives the right command, and audit finds both."""
    with pytest.raises(
        InvalidInputError,
        match=r"by audit, with the original table\. Write unmask audit TABLE --release PATH --people FILE",
    ):
        unmask.attack("linkage", MEMBERS, people=PEOPLE, truth=TABLE, set={"compare": "name=folded"}, **ROLES)
    found = unmask.audit(
        TABLE, release=MEMBERS, people=PEOPLE, attack="linkage", attack_set={"linkage.compare": "name=folded"}, **ROLES
    )
    right = [result.get("top-match-precision").value for scene in found.report.scenes for result in scene.results
             if scene.about.question is Question.PLACE and scene.attacker is ATTRIBUTES]  # fmt: skip
    assert right == [1.0]


def fitting(records: Any, entries: Any, **options: Any) -> list[int]:
    """Return how many entries fit each record."""
    count: list[int] = unmask.disclosure_risk(records, entries, **options).report.worst.risk.count.tolist()
    return count


@pytest.fixture
def declared(tmp_path: Path) -> Path:
    """Write roles with a hierarchy of towns."""
    (tmp_path / "towns.csv").write_text("Munich;Bavaria;*\nAugsburg;Bavaria;*\nUlm;Swabia;*\n")
    roles = tmp_path / "roles.toml"
    roles.write_text('[columns.town]\nrole = "quasi-identifier"\nhierarchy = "towns.csv"\n')
    return roles


def test_a_label_of_the_hierarchy_fits_the_towns_that_it_stands_for(declared):
    """Two of Bavaria's are in the register; compared exactly none fits, which is noted."""
    records, register = {"town": ["Bavaria", "Ulm"]}, {"town": ["Munich", "Augsburg", "Ulm"]}
    assert fitting(records, register, compare={"town": "contains"}, roles=declared) == [2, 1]
    assert fitting(register, records, compare={"town": "contains:dictionary"}, roles=declared) == [1, 1, 1]
    assert fitting(records, register, compare={"town": "contains"}) == [0, 1]
    assert fitting({"age": [25, 40]}, {"age": ["20-29", "30-39", "20-49"]}, compare=["age=contains:Dictionary"]) == [
        2,
        1,
    ]


@pytest.mark.parametrize(
    ("compare", "expected"),
    [
        ([], "(01000 and 1000), or --compare town=HOW"),
        (["town=folded"], "(01000 and 1000)"),
        (["town=contains"], "which side has cells (contains:dictionary), and whether roles.toml names their hierarchy"),
    ],
)
def test_where_nobody_fits_what_was_given_is_not_asked_for(compare, expected):
    """A comparison that is there already is no way out; what `contains` may lack is."""
    notes = unmask.disclosure_risk({"town": ["Bavaria"]}, {"town": ["Munich"]}, compare=compare).notes
    assert [note for note in notes if note.endswith(expected)]


def test_contains_is_told_a_side_or_nothing():
    """No number, and no other word."""
    with pytest.raises(InvalidInputError, match="comparison contains of 'town' must have no number; got 1"):
        unmask.disclosure_risk(MEMBERS, compare=["town=contains:records"])
