"""The deFinetti attack with a classifier instead of Naive Bayes: the same guarantees, and higher accuracy."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NoReturn

import numpy as np
import pytest

from tests import controls, stories
from tests.strategies import row_numbers
from unmask import catalog
from unmask.attacks.definetti import attack as definetti
from unmask.attacks.definetti import classifier_model, classifier_power
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.definetti.classifier_power import NOTHING, Apart
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError, NotApplicableError, NotConvergedError
from unmask.release import Publication
from unmask.sanitizers.anatomy import Anatomy
from unmask.table import Table
from unmask.view import NOT_IN_IT, Knowledge, Located, View

FOREST = DeFinetti(model="learned", classifier="forest", rounds=6)
LOGISTIC = replace(FOREST, classifier="logistic")


def shifts(n: int, *, missing: bool = False) -> tuple[View, Table, Publication]:
    """Return people who work days or nights at home or away, and whose job shows in both together, in pairs.

    Home and days, or away and nights: one of three jobs, nine times in ten; else one of three others. Seen by who
    knows the row.
    """
    rng = np.random.default_rng(1)
    away, nights = rng.integers(0, 2, (2, n))
    job = np.where(rng.random(n) < 0.9, 3 * (away == nights) + rng.integers(0, 3, n), rng.integers(0, 6, n))
    where = np.where(rng.random(n) < 0.1 * missing, "?", np.array(["home", "away"])[away])
    columns = {"where": where.tolist(), "when": np.array(["days", "nights"])[nights].tolist(),
               "hours": rng.integers(20, 50, n).tolist(), "job": [f"job {code}" for code in job]}  # fmt: skip
    table = Table.of(columns, quasi=["where", "when", "hours"], sensitive=["job"])
    published = Anatomy(l=2).sanitize(table, rng)
    places = {"groups": [published.group_of], "rows": [row_numbers(published)]}
    view = stories.view_of(published.release, table.visible("job"), "job", **places)  # type: ignore[arg-type]
    return view, table, published


@cache
def learned_shifts() -> tuple[View, Table, Publication, Beliefs]:
    """Return 800 such people, some with a value missing, and what a forest learns of them, at power 1.

    Worlds that lower the power take four times as long, and are drawn where logistic regression learns.
    """
    view, table, published = shifts(800, missing=True)
    return view, table, published, replace(FOREST, temper="off").infer(view, np.random.default_rng(1))


@cache
def logistic_shifts() -> tuple[View, Beliefs]:
    """Return 600 such people, and what logistic regression learns of them."""
    view, _, _ = shifts(600)
    return view, replace(LOGISTIC, rounds=3).infer(view, np.random.default_rng(1))


# --- the story


def test_what_only_two_attributes_together_say_is_learned():
    """The true job gets .7 and more from trees that learn from guesses; Naive Bayes cannot do better than .5."""
    view, table, _, beliefs = learned_shifts()
    people, job = np.arange(800), table["job"]
    assert beliefs.dense()[people, job].mean() > 0.68
    assert beliefs.notes["model"] == "learned (forest): a heuristic"
    assert beliefs.parts["round 1"].n_targets == 800
    assert beliefs.error is not None
    naive = DeFinetti(limit=1600, temper="off").infer(view, np.random.default_rng(1)).dense()[people, job].mean()
    assert naive == pytest.approx(0.5, abs=0.03)


def test_without_the_own_pair_a_quarter_is_still_known():
    """The kind of job is knowledge of the population: about .9 / 3 for the true one; the rest is the release's."""
    _, table, published, beliefs = learned_shifts()
    control = controls.left_out(beliefs, published.group_of)
    assert control.dense().sum(axis=1) == pytest.approx(1)
    right = control.dense()[np.arange(800), table["job"]].mean()
    assert right == pytest.approx(0.26, abs=0.04)


# --- where Naive Bayes gives no answer


def chains_disagree(*_: object) -> NoReturn:
    """Be a Naive Bayes whose chains disagree."""
    raise NotConvergedError("chains must agree; R-hat is 5.5")


def test_where_chains_disagree_a_classifier_takes_the_place_of_naive_bayes(monkeypatch):
    """The result is that of model=learned, and says why; the paper's own model has no fallback."""
    view, learned = logistic_shifts()
    monkeypatch.setattr(DeFinetti, "_naive_bayes", chains_disagree)
    attack = replace(LOGISTIC, model="auto", rounds=3)
    found = attack.infer(view, np.random.default_rng(1))
    assert found.outcome.fallback == "chains must agree; R-hat is 5.5"
    assert found.notes["model"] == "learned (logistic): a heuristic"
    assert found.dense().tolist() == learned.dense().tolist()
    assert not learned.outcome.fallback
    for other in (replace(attack, temper="off"), replace(attack, model="naive-bayes")):
        with pytest.raises(NotConvergedError, match=r"R-hat is 5\.5$"):
            other.infer(view, np.random.default_rng(1))


@pytest.mark.parametrize(("gain", "first"), [(0.1, "learned"), (0.0, "naive-bayes")])
def test_the_model_that_exchanges_favor_comes_first_and_the_other_takes_its_place(monkeypatch, gain, first):
    """Among the numbers of people for which both are compared; notes say which and why."""
    monkeypatch.setattr(definetti, "LEAST_COMPARED", 600)
    monkeypatch.setattr(definetti, "WORLDS", 0)  # the power is given here
    monkeypatch.setattr(classifier_power, "apart_from_rounds", lambda *_: Apart(0.9, NOTHING + gain))
    monkeypatch.setattr(classifier_power, "apart_from_naive_bayes", lambda *_: Apart(0.9, NOTHING + 0.05))
    view, _, _ = shifts(600)
    auto = replace(LOGISTIC, model="auto", rounds=3)
    each = {one: replace(auto, model=one).infer(view, np.random.default_rng(1)) for one in ("learned", "naive-bayes")}
    found = auto.infer(view, np.random.default_rng(1))
    assert found.dense().tolist() == each[first].dense().tolist()
    assert not found.outcome.fallback
    why = f"exchanges between groups: gain {gain:.3f} by logistic, 0.050 by Naive Bayes"
    assert found.notes["model chosen for"] == why
    monkeypatch.setattr(classifier_model, "SPREAD", -1.0)
    if first == "learned":
        found = auto.infer(view, np.random.default_rng(1))
        assert found.dense().tolist() == each["naive-bayes"].dense().tolist()
        assert found.outcome.fallback.startswith("the rounds kept must agree")
    monkeypatch.setattr(definetti, "LEAST_COMPARED", 601)
    assert "model chosen for" not in auto.infer(view, np.random.default_rng(1)).notes


def test_where_the_classifier_gives_no_answer_either_both_say_why(monkeypatch):
    """There is nothing else to fall back to; a classifier needs the extra, and 500 people."""
    monkeypatch.setattr(DeFinetti, "_naive_bayes", chains_disagree)
    monkeypatch.setattr(classifier_model, "SPREAD", -1.0)
    view, _, _ = shifts(600)
    attack = replace(LOGISTIC, model="auto", rounds=3)
    with pytest.raises(NotConvergedError, match=r"R-hat is 5\.5; the rounds kept must agree"):
        attack.infer(view, np.random.default_rng(1))
    with pytest.raises(NotConvergedError, match=r"R-hat is 5\.5$"):
        attack.infer(shifts(400)[0], np.random.default_rng(1))
    monkeypatch.setattr(definetti, "why_missing", lambda _: "the extra miners")
    with pytest.raises(NotConvergedError, match=r"R-hat is 5\.5$"):
        attack.infer(view, np.random.default_rng(1))


# --- what every attack promises, on a table large enough to be learned from


def test_the_same_seed_gives_the_same_and_order_does_not_matter():
    """The release alone is learned from: who asks, and in which order, changes nothing."""
    view, learned = logistic_shifts()
    attack, before = replace(LOGISTIC, rounds=3), learned.dense()
    assert not np.array_equal(before, attack.infer(view, np.random.default_rng(2)).dense())
    known = view.knowledge
    assert known.located is not None
    place = known.located[0]
    assert place.row is not None
    order = np.random.default_rng(3).permutation(600)
    shuffled = Knowledge(
        known.people.take(order),
        replace(known.prior, row_of=known.prior.row_of[order]),
        (Located(place.group[order], place.row[order]),),
    )
    after = attack.infer(View(view.releases, shuffled), np.random.default_rng(1)).dense()
    assert after == pytest.approx(before[order], abs=1e-12)


def test_beliefs_are_distributions_that_average_to_the_groups_shares():
    """Probabilities of a value add up to its number in the group; also where values are missing."""
    _, table, published, beliefs = learned_shifts()
    found = beliefs.dense()
    assert found.sum(axis=1) == pytest.approx(1)
    n = published.release.n_groups
    believed, true = np.zeros((n, 6)), np.zeros((n, 6))
    np.add.at(believed, published.group_of, found)
    np.add.at(true, (published.group_of, table["job"]), 1.0)
    assert believed == pytest.approx(true, abs=1e-9)


def test_what_is_known_beforehand_counts_and_strangers_stay_where_they_were():
    """An excluded job stays excluded; a person outside the release, or without a match, keeps the prior."""
    view, _, _ = shifts(600)
    prior = {f"job {i}": float(i > 0) for i in range(6)}
    people = stories.people_of(where=["home", "home", "moon"], when=["days"] * 3, hours=[30, 30, 30])
    asked = stories.view_of(view.release, people, "job", [[-1, NOT_IN_IT, -1]], prior=prior)
    beliefs = LOGISTIC.infer(asked, np.random.default_rng(1))
    assert beliefs.dense()[:, 0].tolist() == [0, 0, 0]
    assert beliefs.dense()[1] == pytest.approx([0, 0.2, 0.2, 0.2, 0.2, 0.2])
    assert beliefs.dense()[2] == pytest.approx(beliefs.dense()[1])
    control = controls.left_out(beliefs, np.array([-1, -1, -1], np.int32))
    assert control.dense()[:, 0].tolist() == [0, 0, 0]


# --- the edges


def test_rounds_that_do_not_agree_report_nothing(monkeypatch):
    """Halves may differ by two points in the share of people who are known; here by nothing at all."""
    monkeypatch.setattr(classifier_model, "SPREAD", -1.0)
    view, _, _ = shifts(600)
    with pytest.raises(NotConvergedError, match=r"rounds kept must agree by halves; .* points .* Raise rounds"):
        replace(LOGISTIC, rounds=3).infer(view, np.random.default_rng(1))


def test_twelve_people_are_too_few():
    """A classifier has nothing to learn from them; Naive Bayes knows what it does not know."""
    table, published = stories.smokers()
    view = stories.view_of(published.release, table.visible("disease"), "disease")
    with pytest.raises(NotApplicableError, match=r"at least 500 people .*; got 12. Use model=naive-bayes"):
        LOGISTIC.infer(view, np.random.default_rng(1))


def test_settings_by_name_and_those_that_mean_nothing():
    """As they are written on a command line."""
    made = catalog.build("attacks", "definetti", {"model": "learned", "classifier": "forest", "rounds": "6"})
    assert made == FOREST
    for settings, words in (
        ({"model": "learnt"}, "model must be one of auto, naive-bayes, learned"),
        ({"classifier": "oracle"}, "classifier must be one of"),
        ({"rounds": "2"}, "rounds must be at least 3"),
        ({"model": "learned", "tier": "fast"}, "Leave tier out"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            catalog.build("attacks", "definetti", settings)
    for settings in ({"model": "learnt"}, {"classifier": "oracle"}):
        with pytest.raises(InvalidInputError, match="one of"):
            DeFinetti(**settings)  # type: ignore[arg-type]
