"""The report of a search: its screen, its page and its document say the same."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.estimate import Estimate
from unmask.hardening.attacked import ExposureByAttack
from unmask.hardening.candidate_runs import given_up
from unmask.hardening.candidates import Candidate
from unmask.hardening.evaluated import Evaluated
from unmask.hardening.hardened import HardenReport
from unmask.report.hardening import effort, recommendation, summary, to_json
from unmask.report.hardening_page import to_html


def evaluated(k: int, error: float, *, exposed: float = 0.0, verdict: Verdict = Verdict.WITHIN) -> Evaluated:
    """Return an evaluation on the whole table of 580 people with 900 rows."""
    by = (ExposureByAttack("row", "linkage", exposed, 580),)
    candidate = Candidate("mondrian", (("k", str(k)),))
    return Evaluated(candidate, 900, verdict, (), by, Estimate.exact(error, 900), people=580.0)


def report(*final: Evaluated, proposed: int | None = None, **more: object) -> HardenReport:
    """Return a report of a search."""
    n = len(final) if proposed is None else proposed
    done = HardenReport(Policy(Limits(0.5)), 0.05, 10.0, n, (), final, is_complete=n == len(final))
    return replace(done, **more)  # type: ignore[arg-type]


def one_line(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


def test_another_draw_is_named():
    """The recommendation has the numbers of the release that is written, and those of the line below it."""
    found = report(evaluated(2, 0.08), chosen=evaluated(2, 0.075))
    assert "the median query error is 7.5 %" in recommendation(found)
    assert "drawn anew; in the search, the same candidate had" in recommendation(found)
    assert "the median query error is 8.0 %" in recommendation(found)
    assert "drawn anew" not in recommendation(replace(found, chosen=evaluated(2, 0.08)))


def test_draws_that_failed_are_named():
    """A line that passed in the search with less error than what is written is explained."""
    found = report(evaluated(2, 0.05), evaluated(3, 0.09), chosen=evaluated(3, 0.09), redrawn=3)
    assert "3 releases of candidates that passed in the search failed when drawn anew." in recommendation(found)


@pytest.mark.parametrize("proposed", [2, 50])
def test_the_number_tried_is_the_same_everywhere(proposed):
    """How many there were and how many of them were tried are two numbers."""
    some = [evaluated(k, 0.1, exposed=9, verdict=Verdict.BROKEN) for k in (2, 3)]
    found = report(*some, proposed=proposed)
    among = "2 candidates" if proposed == 2 else "2 of 50 candidates"
    assert f"among {among}; the nearest" in recommendation(found)
    assert effort(found).startswith(f"2 of {proposed} candidates tried")
    assert json.loads(to_json(found))["tried"] == 2


def test_candidates_that_cannot_be_published_are_not_attacked():
    """They are counted apart."""
    never = replace(evaluated(9, 0.1), infeasible="k must be at most 5", exposed=(), verdict=Verdict.NOT_DECIDED)
    assert "2 of 2 candidates tried, 2 on the whole table; 1 could not be published." in effort(
        report(evaluated(2, 0.1), never)
    )


def test_what_is_not_decided_is_unknown_on_the_page_too():
    """Not decided is not broken."""
    found = report(evaluated(2, 0.1, verdict=Verdict.NOT_DECIDED))
    assert "unknown" in summary(found)
    assert "unknown" in to_html(found)


def test_a_limit_of_reidentification_alone_shows_the_risk():
    """Nobody is counted as exposed where no limit says who is; the frontier runs from the least risk."""
    limits = Policy(Limits(max_risk=0.2))
    safe, plain = replace(evaluated(5, 0.2), largest_risk=0.2), replace(evaluated(2, 0.1), largest_risk=0.5)
    safe, plain = (replace(one, exposed=()) for one in (safe, plain))
    found = report(plain, safe, policy=limits, chosen=safe)
    assert found.frontier == (safe, plain)
    assert "the largest risk of re-identification is 1/5" in recommendation(found)
    assert "expose" not in recommendation(found)
    assert "1/5" in summary(found).partition("risk    ")[2]
    assert "largest risk of re-identification" in to_html(found)


def test_people_are_counted():
    """580 people, not 900 rows."""
    found = report(evaluated(2, 0.1, exposed=4), chosen=evaluated(2, 0.1, exposed=4))
    for text in (summary(found), recommendation(found), to_html(found)):
        assert "4 of 580 people are exposed by some attack" in one_line(text)


def test_why_candidates_could_not_be_published_is_on_the_screen():
    """Each reason once, with its number of candidates; on the page in the last column."""
    reasons = {7: "k must be at most 5", 8: "k must be at most 5", 9: "l is too large"}
    never = [
        replace(evaluated(k, 0.1), infeasible=why, exposed=(), verdict=Verdict.NOT_DECIDED)
        for k, why in reasons.items()
    ]
    found = report(evaluated(2, 0.1), *never)
    screen, page = one_line(summary(found)), to_html(found)
    assert "2 candidates could not be published: k must be at most 5" in screen
    assert "1 candidate could not be published: l is too large" in screen
    assert "Could not be published" in page
    assert "<td>k must be at most 5" in page.replace('<th scope="row">', "<td>")
    assert "Could not be published" not in to_html(report(evaluated(2, 0.1)))


def test_candidates_with_the_same_numbers_are_one_row():
    """The first of them has a name, the others are counted."""
    page = one_line(to_html(report(evaluated(2, 0.1), evaluated(3, 0.1), evaluated(4, 0.1), evaluated(5, 0.2))))
    assert "mondrian k=2, and 2 others with the same numbers" in page
    assert "mondrian k=3" not in page.partition("What was tried")[2]
    assert "mondrian k=5" in page


def test_columns_of_which_nothing_is_left_are_named():
    """A release that passes since a column is * in every row is no better than one without it."""
    found = report(evaluated(2, 0.1), chosen=evaluated(2, 0.1), starred=("age",))
    for text in (summary(found), to_html(found)):
        assert "Column age is * in every row, so nothing is left of it." in one_line(text)
    assert "Columns age, sex are *" in recommendation(replace(found, starred=("age", "sex")))
    assert json.loads(to_json(found))["starred"] == ["age"]


def test_notes_of_the_program_follow_the_answers():
    """They are no sentence below the title."""
    page = to_html(report(evaluated(2, 0.1)), context=["42 cells count as missing"])
    assert page.index("What was tried") < page.index("Notes of the program") < page.index("42 cells count as missing")


@pytest.mark.parametrize(("minutes", "words"), [(1.0, "1 minute "), (2.0, "2 minutes "), (0.5, "0.5 minutes ")])
def test_the_budget_has_its_unit(minutes, words):
    """One minute, two minutes."""
    assert f"the budget of {words}allowed no more" in effort(report(evaluated(2, 0.1), proposed=3, minutes=minutes))


def test_both_limits_have_a_column():
    """A line with less exposure may have the larger risk: both are there, in 80 columns."""
    limits = Policy(Limits(0.5, max_risk=0.2))
    safe = replace(evaluated(5, 0.2, exposed=4), largest_risk=0.2)
    plain = replace(evaluated(2, 0.1, exposed=4), largest_risk=0.5)
    screen = summary(report(plain, safe, policy=limits))
    assert "exposed  largest risk    error  left out   passes" in screen
    assert "4           1/5   20.0 %" in screen
    assert max(map(len, screen.splitlines())) <= 80


def test_an_evaluation_that_was_given_up_is_not_measured():
    """No number stands for what is not known, and columns do not touch."""
    found = report(given_up(Candidate("mondrian", (("k", "2"),)), 900), proposed=9)
    assert "not measured  not measured" in summary(found)
    assert "how many of 900 rows are exposed was not measured" in recommendation(found)
    assert "not defined" not in summary(found)
