"""Comparisons: what fits what, by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from unmask.decision_risk.comparison import Comparison, Keyed
from unmask.decision_risk.comparisons.contains import Contains
from unmask.decision_risk.comparisons.exact import Exact
from unmask.decision_risk.comparisons.folded import Folded
from unmask.decision_risk.comparisons.prefix import Prefix
from unmask.decision_risk.comparisons.similar import Similar
from unmask.decision_risk.comparisons.within import Within, WithinDays
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.table import Table


def consistency(how: Comparison, ours: Sequence[object], theirs: Sequence[object]) -> Consistency:
    """Compare two columns."""
    dictionary = Dictionary("book", Table.of({"a": theirs}, quasi=["a"]))
    return Consistency.of(Table.of({"a": ours}, quasi=["a"]), dictionary, {"a": how})


def fits(how: Comparison, ours: Sequence[object], theirs: Sequence[object]) -> list[list[int]]:
    """Return for each of our values the places of theirs that fit."""
    found = consistency(how, ours, theirs)
    n = len(theirs)
    return [np.flatnonzero(found.fits(np.full(n, i), np.arange(n))[:, 0]).tolist() for i in range(len(ours))]


def test_exact_is_the_same_value():
    """Numbers are compared as numbers, text as it is written; blanks around it are nothing."""
    assert [[0], [1], []] == fits(Exact(), ["Mary", "mary", "Marie"], ["Mary", "mary", " Ann"])
    assert [[0], []] == fits(Exact(), [13.0, 14], [13, 15])
    assert [[1]] == fits(Exact(), [13], ["12", "13"])


def test_folding_forgets_case_and_accents():
    """One name is written in many ways."""
    assert [[0, 1, 3]] == fits(Folded(), ["José  DÍAZ"], ["jose diaz", "Jose Díaz", "Josef Diaz", "JOSÉ DÍAZ"])
    assert [[0]] == fits(Folded(), ["Straße"], ["STRASSE", "Strasze"])


def test_a_prefix_is_the_same_beginning():
    """Of postal codes, say, the first three digits."""
    assert [[0, 1]] == fits(Prefix(3), ["13012"], ["13068", "130", "14853"])
    with pytest.raises(InvalidInputError, match="at least 1; got 0"):
        Prefix(0)


@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [("martha", "marhta", 0.9444), ("dixon", "dicksonx", 0.7667), ("2000", "2001", 0.8333),
     ("1980-01-02", "1980-02-01", 0.9667)],
)  # fmt: skip
def test_jaro_takes_what_is_at_least_the_threshold(a, b, similarity):
    """Years and dates of the same length nearly all pass .8: Jaro is for names."""
    assert [[0]] == fits(Similar(similarity - 1e-3), [a], [b])
    assert [[]] == fits(Similar(similarity + 1e-3), [a], [b])


def test_jaro_winkler_adds_for_a_common_beginning():
    """Winkler's own example: .944 becomes .961."""
    assert [[0]] == fits(Similar(0.96, "jaro-winkler"), ["martha"], ["marhta"])
    assert [[]] == fits(Similar(0.96), ["martha"], ["marhta"])


def test_case_is_no_difference_unless_it_is_asked_for():
    """Without folding `martha` and `MARTHA` share no letter."""
    assert [[0]] == fits(Similar(), ["martha"], ["MARTHA"])
    assert [[]] == fits(Similar(fold=False), ["martha"], ["MARTHA"])


def test_blocking_says_what_it_misses():
    """`catherine` and `katherine` begin differently, and are one pair of the three that fit."""
    ours, theirs = ["catherine", "smith"], ["katherine", "catharine", "smyth", "jones"]
    assert [[0, 1], [2]] == fits(Similar(), ours, theirs)
    assert [[1], [2]] == fits(Similar(block=1), ours, theirs)
    (note,) = consistency(Similar(block=1), ours, theirs).notes
    assert "33.3% of the pairs that fit are missed" in note
    assert not consistency(Similar(), ours, theirs).notes


def test_without_rapidfuzz_the_error_names_the_package(monkeypatch):
    """Who compares no names needs no such library."""
    monkeypatch.setattr("unmask.runtime.extras.find_spec", lambda _: None)
    with pytest.raises(InvalidInputError, match=r"the extra fuzzy, .*pip install 'unmask\[fuzzy\]'"):
        fits(Similar(), ["martha"], ["marhta"])


def test_numbers_within_a_tolerance():
    """Both ends belong to it, whatever floating point makes of .3 - .2; what is no number fits itself."""
    assert [[0, 1, 2]] == fits(Within(0.1), [0.2], [0.1, 0.2, 0.3, 0.31])
    assert [[0, 2], [3]] == fits(Within(5), ["40", "n/a"], ["45", "46", "35", "n/a"])


def test_dates_within_days():
    """The length of a month counts; 20200229 is a date, and what is none fits itself."""
    theirs = ["2020-02-27", "2020-03-01", "2020-03-03", "20200229", "soon"]
    assert [[0, 1, 3], [4]] == fits(WithinDays(2), ["2020-02-29", "soon"], theirs)
    assert [[1]] == fits(WithinDays(0), [20200229], [20200228, 20200229])


@pytest.mark.parametrize("how", [lambda: Within(-1), lambda: WithinDays(float("nan")), lambda: Within(float("inf"))])
def test_a_tolerance_is_a_number(how):
    """Negative, infinite and no number are refused."""
    with pytest.raises(InvalidInputError, match="must be a number of at least 0"):
        how()


@pytest.mark.parametrize("threshold", [0.0, 1.1, float("nan")])
def test_a_threshold_is_a_share(threshold):
    """At 0 everything would fit."""
    with pytest.raises(InvalidInputError, match="above 0 and at most 1"):
        Similar(threshold)


def test_a_cell_contains_values():
    """Intervals of numbers, masks of codes, sets; and a star contains everything."""
    assert [[0, 1], [0, 1, 2]] == fits(Contains(), ["[20, 30)", "*"], [20, 29, 30])
    assert [[0, 1]] == fits(Contains(), ["130**"], ["13012", "13068", "14853"])
    assert [[0, 2]] == fits(Contains(), ["{flu, cold}"], ["flu", "aids", "cold"])


def test_a_cell_that_may_stand_for_a_missing_value_fits_everything():
    """As the missing value of one of its members does, whatever the others show."""
    assert [[0, 1], [0]] == fits(Contains(), ["[20, 30)|?", "[20, 30)"], [25, 40])


def test_the_dictionary_may_be_generalized_instead():
    """A register that tells age groups only."""
    assert [[0], [1]] == fits(Contains(cells="dictionary"), [25, 30], ["20-29", "30-39"])


def test_a_label_of_a_hierarchy_contains_its_leaves():
    """Bavaria is Munich or Augsburg, on whichever side it stands; a town is itself."""
    towns = Hierarchy.from_rows([["Munich", "Bavaria"], ["Augsburg", "Bavaria"], ["Ulm", "Swabia"]])
    assert [[0, 1], [2]] == fits(Contains(hierarchy=towns), ["Bavaria", "Ulm"], ["Munich", "Augsburg", "Ulm"])
    assert [[0], [1]] == fits(Contains("dictionary", towns), ["Munich", "Ulm"], ["Bavaria", "Swabia"])


@pytest.mark.parametrize("how", [Exact(), Folded(), Prefix(), Similar(), Within(), WithinDays(), Contains()])
def test_what_is_missing_fits_everything(how):
    """An empty text is missing, too: Jaro would take two of them for one name."""
    theirs = ["20", None, ""]
    assert [[1, 2], [0, 1, 2], [0, 1, 2]] == fits(how, ["99", None, " "], theirs)


def test_a_comparison_is_keyed_or_compares_pairs():
    """Keys are counted; pairs are looked at."""
    assert [True, True, True] == [isinstance(how, Keyed) for how in (Exact(), Folded(), Prefix())]
    assert [False] * 4 == [isinstance(how, Keyed) for how in (Similar(), Within(), WithinDays(), Contains())]
