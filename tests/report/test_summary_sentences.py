"""The findings as sentences, for readers who will not read a table."""

from __future__ import annotations

from tests import reports
from unmask.report.summary_sentences import story


def test_the_first_sentence_says_what_matters_most():
    """How many people, who would know, what, and how often rightly: in one breath."""
    first = story(reports.anatomy())[0][0]
    assert first == (
        "Of 30,162 people in adult, 9,773 (32 %): an intruder who knows which row is theirs would be at least 80 % "
        "sure of their occupation; 7,515 times rightly (deFinetti)."
    )


def test_the_rest_says_what_to_hold_it_against():
    """Control, guess and promise; then the other intruder; then whose row is found."""
    text = " ".join(story(reports.anatomy())[0][1:])
    assert "58.5 % of people; 25.8 % with the person's own group left out, 13.4 % without the release" in text
    assert "no value is believed with more than 1/3" in text
    assert "An intruder who knows only their quasi-identifiers would be that sure of nobody" in text
    assert "180 people stand at 1/11 (0.09) or above" in text


def test_composition_names_homogeneity_and_the_weakest_intruder_who_suffices():
    """Both intruders find the same, so the sentence speaks of the one who knows less."""
    first = story(reports.hospitals())[0][0]
    assert first == (
        "Of the 5,000 people in both hospital-1 and hospital-2, 267 (5.3 %): an intruder who knows only their "
        "quasi-identifiers and holds the releases together would be certain of their occupation; 94 already from one "
        "release alone (homogeneity), 173 only by composition."
    )


def test_nothing_run_is_not_nothing_found():
    """An empty audit must not read as a clean one."""
    first, second = story(reports.nothing_ran())[0]
    assert first == "Of adult nothing is known: no attack could be run."
    assert second.startswith("Not run is not safe")


def test_undefined_shares_leave_their_clause_out():
    """Without true values there is no sentence on right guesses."""
    assert story(reports.undefined())[0][0].endswith("would be at least 80 % sure of their occupation (random worlds).")
