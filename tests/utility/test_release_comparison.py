"""Several releases measured alike: what each gives away, and what each is still good for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests import stories
from tests.utility import made
from unmask.errors import InvalidInputError
from unmask.release import Publication
from unmask.table import Table
from unmask.utility import release_comparison
from unmask.utility.information_loss import InformationLoss
from unmask.utility.learning import Learning
from unmask.utility.query_error import QueryError
from unmask.utility.release_comparison import ATTRIBUTES, GUESS, ROW
from unmask.utility.utility_measure import PublishedTable

EIGHT = Table.of({"age": [20, 21, 22, 23, 30, 31, 32, 33], "ill": list("aaabbbcc")}, quasi=["age"], sensitive=["ill"])
FEW = [InformationLoss(), QueryError(queries=40), Learning("logistic"), Learning("trees")]


def named(publication: Publication, name: str) -> PublishedTable:
    """Return a case whose release has a name."""
    renamed = Publication(replace(publication.release, name=name), publication.row_of)
    return made.case_of(EIGHT, renamed)


FINE = named(stories.boxed(EIGHT, [0, 0, 1, 1, 2, 2, 3, 3]), "fine")
ROUGH = named(stories.boxed(EIGHT, [0] * 4 + [1] * 4), "rough")
EXACT = named(stories.exact(EIGHT, [0, 1, 0, 1, 0, 1, 0, 1]), "exact")


def test_risk_is_reported_beside_utility():
    """Pairs: k = 2, one in two found; all sure of aa, half of ab; and a range of one year of thirteen."""
    fine, rough = release_comparison.compare([FINE, ROUGH], seed=1, measures=FEW).releases
    assert [fine.get(name).value for name in ("k", "max-share-l", "max-risk", "average-risk")] == [2, 1, 1 / 2, 1 / 2]
    assert [rough.get(name).value for name in ("k", "max-risk", "average-risk")] == [4, 1 / 4, 1 / 4]
    assert rough.get("max-share-l").value == pytest.approx(4 / 3)
    assert fine.get("information-loss").value == pytest.approx(1 / 13)
    assert rough.get("information-loss").value == pytest.approx(3 / 13)


def test_what_is_guessed_rightly_is_held_against_the_guess_without_a_release():
    """Groups aa, ab, bb, cc: 2 + 1 + 2 + 2 of eight; aaab, bbcc: 3 + 2; without: a or b, three of eight."""
    fine, rough = release_comparison.compare([FINE, ROUGH], seed=1, measures=[]).releases
    for name in (ROW, ATTRIBUTES):
        assert fine.get(name, "ill").value == pytest.approx(7 / 8)
        assert rough.get(name, "ill").value == pytest.approx(5 / 8)
    assert fine.get(GUESS, "ill").value == pytest.approx(3 / 8)


def test_who_was_left_out_is_guessed_as_if_there_were_no_release():
    """Both with c are left out: the published distribution, in which a is the most frequent, is all that is known."""
    kept = [True] * 6 + [False] * 2
    texts = ["20-22"] * 3 + ["23-31"] * 3 + ["32-33"] * 2
    (one,) = release_comparison.compare(
        [named(made.recoded(EIGHT, {"age": texts}, kept=kept), "few")], seed=1, measures=[]
    ).releases
    assert one.get(ROW, "ill").value == pytest.approx(6 / 8)
    assert one.facts.suppressed == 2


def test_all_releases_are_asked_the_same_and_lose_the_same_people():
    """A release compared with a copy of itself is the same in everything, whatever stands before it."""
    copy = named(stories.boxed(EIGHT, [0, 0, 1, 1, 2, 2, 3, 3]), "copy")
    report = release_comparison.compare([ROUGH, FINE, copy], seed=4, measures=FEW)
    fine, again = report.releases[1:]
    assert fine.numbers == again.numbers


def test_measures_of_one_name_are_labeled_by_parameters():
    """Two learners."""
    (one,) = release_comparison.compare([FINE], seed=1, measures=FEW).releases
    assert [number.detail for number in one.numbers if number.name == "learning"] == ["logistic", "trees"]
    assert one.get("learning", "forest").why == "not measured"


def test_a_release_alone_has_its_sizes_and_the_rest_says_why_not():
    """No original: what is guessed is not listed, utility says that it needs the table."""
    report = release_comparison.compare([PublishedTable.of(FINE.release)], seed=1)
    assert report.against == "nothing"
    (one,) = report.releases
    assert one.get("k").value == 2
    assert one.get(ROW, "ill").value is None
    assert one.get("query-error").why == "needs the original table"


def test_unknown_groups_are_reported():
    """Exact rows without what was kept back: equal people in two groups."""
    twins = Table.of({"age": [20, 20, 20, 20], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    case = PublishedTable.of(stories.exact(twins, [0, 0, 1, 1]).release, twins)
    (one,) = release_comparison.compare([case], seed=1, measures=[]).releases
    assert "unknown" in one.get(ROW, "ill").why
    assert one.get(ATTRIBUTES, "ill").value == pytest.approx(1 / 2)


def test_exact_rows_hide_values_and_not_people():
    """Anatomy: all people are found, and in a group of three values one guess in two is right."""
    (one,) = release_comparison.compare([EXACT], seed=1, measures=[]).releases
    assert one.get("k").value == 1
    assert one.get("max-risk").value == 1
    assert one.get(ROW, "ill").value == pytest.approx(4 / 8)


def test_names_tell_releases_apart():
    """Two of one name, or none at all."""
    with pytest.raises(InvalidInputError, match="'fine' twice"):
        release_comparison.compare([FINE, FINE], seed=1)
    with pytest.raises(InvalidInputError, match="at least one"):
        release_comparison.compare([], seed=1)


def test_nothing_sensitive_leaves_sizes():
    """No l, no guesses."""
    table = Table.of({"age": [20, 21]}, quasi=["age"])
    (one,) = release_comparison.compare(
        [PublishedTable.of(stories.boxed(table, [0, 0]).release, table, np.array([0, 1]))], seed=1
    ).releases
    assert [n.name for n in one.numbers if n.kind == "risk"] == ["k", "max-risk", "average-risk"]
