"""Advice in sentences: what is changed, how the change was chosen, and what it costs."""

from __future__ import annotations

from unmask.auditing.advice import Advice, AdviceLine, Standing
from unmask.auditing.policy import Verdict
from unmask.changes.planned_changes import Changes
from unmask.estimate import Estimate
from unmask.report.advice import change, merits


def standing(verdict: Verdict, error: float) -> Standing:
    """Return the result of an audit with a query error."""
    return Standing(verdict, 9.0, None, 3000.0, 0.0, 300, Estimate.exact(error, 0))


def test_columns_are_withheld_together():
    """One verb for several columns, and no ambiguous `and` beside another change."""
    assert change(AdviceLine(Changes(withhold=("age", "sex", "race")), standing(Verdict.WITHIN, 0.1))) == (
        "withhold age, sex and race"
    )
    both = Changes(withhold=("age", "sex"), parameters=(("k", "10"),))
    assert change(AdviceLine(both, standing(Verdict.WITHIN, 0.1))) == "k = 10, and withhold age and sex"


def test_the_best_change_says_how_it_was_chosen_and_what_it_costs():
    """Of a change that keeps no limit, the cost alone."""
    kept = AdviceLine(Changes(withhold=("age",)), standing(Verdict.WITHIN, 0.516))
    broken = AdviceLine(Changes(withhold=("sex",)), standing(Verdict.BROKEN, 0.2))
    before = standing(Verdict.BROKEN, 0.06)
    chosen, cost = merits(Advice(before, (kept, broken), tried=20))
    assert chosen.startswith(
        "20 changes were tried alone, and the most effective ones joined, not in every combination"
    )
    assert chosen.endswith("1 of those below keeps the limits.")
    assert cost == "Its cost: half of the counting queries err by more than 51.6 %; as it is, by more than 6.0 %."
    assert list(merits(Advice(before, (broken,), tried=20))) == [
        "Its cost: half of the counting queries err by more than 20.0 %; as it is, by more than 6.0 %."
    ]
