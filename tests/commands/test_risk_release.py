"""Publication of the cells that a rule chose, and no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask.catalog import BY_RULE, declared_sanitizer
from unmask.commands.measuring import measure
from unmask.commands.risking import disclosure_risk
from unmask.decision_risk.harm_weights import Weights
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.files.releases import read_release
from unmask.files.roles import Roles

CLINIC = {"id": list("abcdefgh"), "visit": [f"2020-01-0{day}" for day in range(1, 9)], "ill": ["HIV", "flu"] * 4}
WEIGHED = Weights({"visit": 0.1, "ill": 1}, values={"ill": {"HIV": 8}})


def rows(folder: Any) -> list[str]:
    """Return the lines that are published."""
    text: str = (folder / "rows.csv").read_text(encoding="utf-8")
    return text.splitlines()


def test_the_paradox_published(tmp_path):
    """With weights the harmless dates are shown and the diagnoses are not, whatever the role of the diagnosis."""
    roles: list[dict[str, Any]] = [{"quasi": ["visit", "ill"]}, {"quasi": ["visit"], "sensitive": ["ill"]}, {}]
    for declared in roles:
        found = disclosure_risk(CLINIC, weights=WEIGHED, disclose=1, person_key="id", curve=False, **declared)
        found.write(tmp_path / "rel", force=True)
        assert ["visit,ill", *(f"{day},*" for day in CLINIC["visit"])] == rows(tmp_path / "rel")


def test_a_sensitive_value_that_was_not_chosen_is_hidden_and_those_that_were_stay(tmp_path):
    """One value of each: the common towns and the common illness are shown, and the rare ones are not."""
    people = {"town": ["Ulm", "Ulm", "Bonn", "Hof"], "ill": ["gout", "cold", "flu", "flu"]}
    disclosure_risk(people, disclose=1, quasi="town", sensitive="ill").write(tmp_path / "rel")
    assert ["town,ill", "Ulm,*", "Ulm,*", "*,flu", "*,flu"] == rows(tmp_path / "rel")
    release = read_release(tmp_path / "rel", Roles()).release
    assert (release.n_people, release.n_groups) == (4, 2)
    assert "k" in str(measure(tmp_path / "rel"))


def test_a_release_says_that_a_rule_made_it_and_that_it_cannot_be_replayed(tmp_path):
    """Neither the sanitizer `min-risk` nor weights and dictionaries are named: they would not lead to it."""
    found = disclosure_risk(CLINIC, weights=WEIGHED, disclose=1, person_key="id", rule="bayes")
    found.write(tmp_path / "rel")
    release = read_release(tmp_path / "rel", Roles()).release
    assert (BY_RULE, {"disclose": 1, "rule": "bayes"}) == (
        release.provenance.sanitizer,
        dict(release.provenance.parameters),
    )
    sanitizer, why = declared_sanitizer(release)
    assert sanitizer is None
    assert "not published, so it is not replayed" in why


def test_rows_of_one_person_are_published_as_one_persons():
    """Two rows of a: three people, counted as such."""
    people = {"id": list("aabc"), "town": ["Ulm", "Ulm", "Ulm", "Bonn"], "ill": ["flu", "cold", "flu", "flu"]}
    release = disclosure_risk(people, disclose=2, person_key="id", quasi="town", sensitive="ill").publication().release
    assert (release.n_people, release.n_rows) == (3, 4)


def test_rows_are_left_out_that_lack_what_must_be_there():
    """The policy of the roles holds, as it does for sanitizers."""
    people = {"town": ["Ulm", None, "Ulm"], "ill": ["flu", "cold", "flu"]}
    found = disclosure_risk(people, disclose=2, quasi="town", sensitive="ill", missing_policy="exclude")
    made = found.publication()
    assert [-1] == made.row_of[np.array([1])].tolist()  # type: ignore[index]  # there are rows
    assert made.release.n_suppressed == 1


def test_what_must_never_be_shown_is_not_published_where_it_names_somebody():
    """Two of two values would show it; of one, the town is shown."""
    people = {"town": ["Ulm", "Ulm"], "ill": ["flu", "cold"]}
    never = Weights({"town": 1, "ill": np.inf})
    with pytest.raises(InfeasibleError, match="2 records have too few others"):
        disclosure_risk(people, weights=never, disclose=2).publication()
    assert disclosure_risk(people, weights=never, disclose=1).publication().release.n_groups == 1


def test_nothing_chosen_is_nothing_to_publish():
    """How many attributes must be said."""
    with pytest.raises(InvalidInputError, match=r"nothing was chosen\. Say how many attributes"):
        disclosure_risk(CLINIC, person_key="id").publication()


cell = st.sampled_from(["x", "y", "z", None])
tables = st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=7).filter(
    lambda rows: all(map(any, zip(*rows, strict=True)))
)


@settings(max_examples=40, deadline=None)
@given(table=tables, k=st.integers(0, 3), rule=st.sampled_from(["exact", "min-risk", "minimax"]))
def test_what_is_published_is_what_was_chosen(table, k, rule, tmp_path_factory):
    """Each input row's line shows its chosen values and `*` elsewhere, and reads back as what was written."""
    names, folder = ("a", "b", "ill"), tmp_path_factory.mktemp("made") / "rel"
    people = {name: [row[j] for row in table] for j, name in enumerate(names)}
    found = disclosure_risk(people, disclose=k, rule=rule, quasi=["a", "b"], sensitive="ill", curve=False)
    made = found.write(folder)
    lines = [line.split(",")[-3:] for line in rows(folder)[1:]]
    best = found.report.best
    assert best is not None
    assert made.row_of is not None
    for i, row in enumerate(table):
        expected = [
            value if disclosed else "*" for value, disclosed in zip(row, best.disclosed[i].tolist(), strict=True)
        ]
        assert expected == lines[made.row_of[i]]
    assert made.release.same_content(read_release(folder, Roles()).release)
