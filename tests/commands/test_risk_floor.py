"""Lower bounds of a choice: the gap of a search that ended early, and the randomized rule."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from unmask.commands.risking import DisclosureRisk, disclosure_risk
from unmask.decision_risk.disclosure_risk import Risk
from unmask.decision_risk.harm_weights import Weights
from unmask.decision_risk.lower_bound import LowerBound
from unmask.decision_risk.selection import JudgedRule
from unmask.errors import InvalidInputError
from unmask.report.risk_page import sentence

MANY = {f"c{j}": np.random.default_rng(j).integers(0, 2, 60).tolist() for j in range(40)}


def the_choice(found: DisclosureRisk) -> JudgedRule:
    """Return what the rule chose."""
    assert found.report.best is not None
    return found.report.best


def two_books(rule: str) -> DisclosureRisk:
    """One record, safe against the first dictionary by `a`, and against the second by `b`."""
    books = [{"a": ["a"], "b": ["x"]}, {"a": ["x"], "b": ["b"]}]
    return disclosure_risk({"a": ["a"], "b": ["b"]}, books, disclose=1, rule=rule)  # type: ignore[arg-type]


def test_whoever_draws_does_better_and_that_is_said_everywhere():
    """Any rule costs 1 against the worst dictionary, and a coin a half: on the screen, the page and in JSON."""
    found = two_books("minimax")
    chosen = json.loads(found.to_json())["chosen"]
    assert {"of": "worst", "dictionary": None, "risk": 1.0, "gap": 0.0} == chosen["lower_bound"]
    both = {"dictionary 1": 0.5, "dictionary 2": 0.5}
    assert {
        "shares": [0.5, 0.5], "risks": both, "worst": 0.5, "least_favorable": both
    } == chosen["drawing"]  # fmt: skip
    assert ["drawing", "among", "2", "rules", "0.5", "0.5"] in [line.split() for line in str(found).splitlines()]
    page = found.to_html()
    assert "drawing among 2 rules" in page
    assert "With the prior (dictionary 1 50.0" in page
    assert "every rule has an average risk of at least 0.5" in page


def test_drawing_that_gains_nothing_to_speak_of_is_in_json_alone():
    """Two dictionaries that say the same: the single rule is as good."""
    books = [{"a": list("xnz"), "b": list("mqr")}, {"a": list("xnz"), "b": list("mqr")}]
    found = disclosure_risk({"a": list("xyz"), "b": list("pqr")}, books, disclose=1, rule="minimax")
    assert "drawing" not in str(found)
    assert "rawing among" not in found.to_html()
    assert json.loads(found.to_json())["chosen"]["drawing"]["worst"] == pytest.approx(the_choice(found).worst.value)


def test_what_is_drawn_can_be_taken_up():
    """The rules and their shares: half of the time the first attribute, else the second."""
    game = the_choice(two_books("minimax")).game
    assert game is not None
    assert [(0.5, [[False, True]]), (0.5, [[True, False]])] == sorted(
        (round(share, 9), disclosed.tolist()) for share, disclosed in game.mixture
    )


def test_a_search_that_ends_early_says_how_much_better_another_choice_could_be():
    """40 attributes and k = 8 are 77 million sets: the figure stands on the screen, the page, in JSON and the note."""
    found = disclosure_risk(MANY, disclose=8, curve=False)
    floor = the_choice(found).floor
    assert floor is not None
    assert 0 < floor.bound < floor.value == the_choice(found).worst.value
    bound = json.loads(found.to_json())["chosen"]["lower_bound"]
    assert {
        "of": "risk", "dictionary": "the table itself", "risk": floor.bound, "gap": floor.value - floor.bound
    } == bound  # fmt: skip
    expected = f"no choice of 8 has a risk below {floor.bound:.3g}, {floor.gap:.3g} less at most"
    assert expected in " ".join(str(found).split())
    assert expected[1:] in found.to_html()
    assert any(f"the risk may be {floor.gap:.3g} lower at most" in note for note in found.notes)


@pytest.mark.parametrize(("rule", "of"), [("exact", "risk"), ("bayes", "average"), ("minimax", "worst")])
def test_what_is_least_is_said_to_be_least(rule, of):
    """Where all sets are tried nothing is left to be gained, and the screen does not speak of it."""
    found = two_books(rule)
    floor = the_choice(found).floor
    assert floor is not None
    assert (of, 0.0) == (floor.of, floor.gap)
    assert "no choice of" not in str(found)
    assert "no other choice of 1 has less" in found.to_html()


def test_what_assumes_independence_promises_nothing():
    """MinRisk has no bound; the least risk beside it has."""
    report = json.loads(disclosure_risk(MANY, disclose=1, rule="min-risk", curve=False).to_json())
    assert report["chosen"]["lower_bound"] is None
    assert report["chosen"]["drawing"] is None
    assert report["least"]["lower_bound"]["gap"] == 0


def test_where_never_cannot_be_helped_the_bound_is_infinite_too():
    """Nothing is less than infinite, so nothing is left to be gained; no rule is drawn."""
    weights = Weights(default=math.inf)
    found = disclosure_risk({"a": ["x"]}, [{"a": ["x"]}] * 2, weights=weights, disclose=1, rule="minimax")
    chosen = json.loads(found.to_json())["chosen"]
    assert ("infinite", 0.0) == (chosen["lower_bound"]["risk"], chosen["lower_bound"]["gap"])
    assert "drawing" not in str(found)


def test_a_loss_that_may_be_infinitely_too_high_bounds_nothing():
    """One record is at its least, 2, and of the other nothing is known: no rule is below 1."""
    both = Risk("register", np.array([2.0, math.inf]), np.array([1, 1]), np.array([1.0, 1.0]))
    floor = LowerBound.of_records(both, np.array([0.0, math.inf]))
    assert (1.0, math.inf, False) == (floor.bound, floor.gap, floor.is_reached)


def test_one_is_no_plural():
    """One record, one attribute, one value that must never be told: as it is said of one."""
    found = disclosure_risk({"a": ["x"]}, {"a": ["x"]}, weights=Weights(default=math.inf))
    assert str(found).startswith("What it costs to disclose 1 attribute of 1 record\n")
    assert "of 1 record a value is shown that must never be, and somebody fits" in str(found)
    nowhere = disclosure_risk({"a": ["x"]}, {"a": ["y"]})
    assert "1 record fits no entry of 'dictionary 1'" in " ".join(str(nowhere).split())


def test_how_loose_the_bound_gets_is_said_at_twice_and_at_ten_times_the_size():
    """Of 12 who look alike: 1/12, and of dictionaries that are larger by 2 and 10 so much less."""
    found = disclosure_risk({"a": ["x"] * 12}, disclose=1)
    assert "twice as large: 0.0417 expected, ten times: 0.00833" in " ".join(str(found).split())
    assert "expected at 2 times the size" in found.to_html()


def test_notes_are_sentences_on_the_page():
    """A capital and a full stop; a column's name stays as it is."""
    page = disclosure_risk({"a": ["x"]}).to_html()
    assert "No weights were given: every identification is as bad as any other, and counts 1." in page
    assert sentence("name: 3 % of the pairs were missed", ["name"]) == "name: 3 % of the pairs were missed."


@pytest.mark.parametrize("rule", ["bayes", "minimax"])
def test_too_many_sets_for_several_dictionaries_are_refused_with_what_can_be_done(rule):
    """20 attributes and k = 10: the other rules need not try all, and are named."""
    wide = {f"c{j}": [1, 2] for j in range(20)}
    with pytest.raises(InvalidInputError, match="leave attributes out, or take exact or min-risk"):
        disclosure_risk(wide, [wide, wide], disclose=10, rule=rule, curve=False)
