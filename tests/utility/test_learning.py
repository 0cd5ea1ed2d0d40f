"""Learning: a model trained on the release, tested on people it has not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tests import stories
from tests.utility import made
from tests.utility.drawn import RNG
from unmask.arrays import Int64
from unmask.errors import InvalidInputError
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Missing
from unmask.table import Table
from unmask.utility.learning import Learning, _Rows, _share
from unmask.utility.utility_measure import PublishedTable

LEARNERS = [Learning("trees"), Learning("logistic")]


@pytest.mark.parametrize(("right", "n"), [(8, 10), (0, 5), (400, 1000)])
def test_the_interval_of_a_share_is_wilsons(right: int, n: int):
    """As SciPy computes it."""
    found = _share(np.arange(n) < right)
    interval = stats.binomtest(right, n).proportion_ci(0.95, "wilson")
    assert (found.value, found.low, found.high) == pytest.approx((right / n, interval.low, interval.high))


def people(n: int, seed: int, *, noise: float = 0.1, gaps: float = 0.0) -> Table:
    """Return people of whom those over 50 are rich, but for some noise; the color says nothing."""
    rng = RNG(seed)
    age = rng.integers(20, 80, n)
    rich = (age >= 50) ^ (rng.random(n) < noise)
    ages = [None if rng.random() < gaps else int(a) for a in age]
    color = rng.choice(["blue", "green", "red"], n)
    return Table.of(
        {"age": ages, "color": color.tolist(), "income": ["rich" if r else "poor" for r in rich]},
        quasi=["age", "color"],
        sensitive=["income"],
    )


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: one.learner)
@pytest.mark.parametrize("form", ["boxes", "exact"])
def test_ranges_and_groups_still_teach_what_age_says(learner, form):
    """Right for 90 % at best; the majority has half. Five standard errors of 500 people are 6.7 points.

    Pairs of people with their two values between them: each row is half a lie, and most still shows.
    """
    table = people(2000, 1)
    pairs = [i // 2 for i in range(2000)]
    made_of = Mondrian(k=10).sanitize(table, RNG(0)) if form == "boxes" else stories.exact(table, pairs)
    found = learner.measure(made.case_of(table, made_of), RNG(3))
    assert found.value.value == pytest.approx(0.9, abs=0.07)
    assert found.parts["original"].value == pytest.approx(0.9, abs=0.07)
    assert found.parts["majority"].value == pytest.approx(0.5, abs=0.12)
    assert (found.value.low or 0) < (found.value.value or 0) < (found.value.high or 0)
    assert found.value.source == "sample"


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: one.learner)
def test_who_is_held_out_is_not_learned_from(learner):
    """Each person has a unique age and a random value: memorized, all would be right, and half are.

    Binomial, 500 people: within 5 standard errors, 11.2 points, with a false-alarm rate below 1e-6.
    """
    rng = RNG(5)
    table = Table.of(
        {"age": rng.permutation(2000).tolist(), "income": rng.choice(["poor", "rich"], 2000).tolist()},
        quasi=["age"],
        sensitive=["income"],
    )
    found = learner.measure(made.case_of(table, stories.boxed(table, list(range(2000)))), RNG(0))
    assert found.value.value == pytest.approx(0.5, abs=0.112)


def test_one_group_gives_the_majority_classifier():
    """Nothing but `20-79` and `{blue, green, red}`: the model can only guess."""
    table = people(1000, 2)
    found = Learning("logistic").measure(made.case_of(table, stories.boxed(table, [0] * 1000)), RNG(0))
    assert found.value.value == found.parts["majority"].value


def test_people_outside_the_release_are_predicted_from_all_of_it():
    """No original is needed then, and where people were published neither."""
    release = Mondrian(k=10).sanitize(people(1000, 3), RNG(0)).release
    found = Learning("logistic").measure(PublishedTable.of(release, held_out=people(500, 4)), RNG(0))
    assert found.value.value == pytest.approx(0.9, abs=0.07)
    assert found.value.n == 500
    assert "original" not in found.parts


@pytest.mark.parametrize("missing", list(Missing)[:2])
def test_missing_ages_are_no_obstacle(missing):
    """One in ten is missing, as a value or as a wildcard: of these the half is right, of all 86 %."""
    table = people(2000, 6, gaps=0.1)
    schema = type(table.schema)(tuple(replace(a, missing=missing) for a in table.schema))
    table = replace(table, schema=schema)
    for learner in LEARNERS:
        found = learner.measure(made.case_of(table, Mondrian(k=10).sanitize(table, RNG(0))), RNG(0))
        assert found.value.value == pytest.approx(0.86, abs=0.08)


def test_rows_of_a_person_are_held_out_together():
    """Each person has four equal rows and a random value: a person with rows in both parts would be memorized."""
    rng = RNG(8)
    age, income = rng.permutation(500), rng.choice(["poor", "rich"], 500)
    table = Table.of(
        {"age": np.repeat(age, 4).tolist(), "income": np.repeat(income, 4).tolist()},
        quasi=["age"],
        sensitive=["income"],
    )
    table = replace(table, person_of=np.repeat(np.arange(500), 4).astype(np.int32))
    case = made.case_of(table, stories.boxed(table, table["age"].astype(int).tolist()))
    found = Learning("trees").measure(case, RNG(0))
    assert found.value.value == pytest.approx(0.5, abs=0.23)  # 125 people: 5 standard errors


def test_the_same_seed_gives_the_same_numbers():
    """Byte for byte."""
    table = people(600, 9)
    case = made.case_of(table, Mondrian(k=10).sanitize(table, RNG(0)))
    for learner in LEARNERS:
        assert learner.measure(case, RNG(1)) == learner.measure(case, RNG(1))


def test_rows_of_a_group_have_its_values_in_part():
    """Two rows in a group of p and q: each is half a p and half a q; taken away with a held-out p, a whole q."""
    table = Table.of({"x": list("abcd"), "ill": list("pqpp")}, quasi=["x"], sensitive=["ill"])
    case = made.case_of(table, stories.exact(table, [0, 0, 1, 1]))
    code = table["ill"]
    kept = np.ones(4, bool)
    assert rows(_Rows.of_people(case, code, kept, "ill", every)) == rows(_Rows.of_release(case, "ill", every))
    assert rows(_Rows.of_people(case, code, kept, "ill", every)) == {
        (0, 0): 0.5, (0, 1): 0.5, (1, 0): 0.5, (1, 1): 0.5, (2, 0): 1.0, (3, 0): 1.0,
    }  # fmt: skip
    assert rows(_Rows.of_people(case, code, np.array([False, True, True, True]), "ill", every))[1, 1] == 1.0


def every(rows: Int64) -> Int64:
    """Return all rows."""
    return rows


def test_of_many_people_some_are_drawn_to_learn_from():
    """Of 2,000 people 300 teach nearly as much, from their whole groups; and as many are predicted."""
    table = people(2000, 1)
    case = made.case_of(table, stories.exact(table, [i // 2 for i in range(2000)]))
    found = Learning("logistic", most=300).measure(case, RNG(3))
    assert found.value.value == pytest.approx(0.87, abs=0.11)
    assert found.value.n == 300
    assert Learning("logistic").measure(case, RNG(3)).value.n == pytest.approx(500, abs=100)


def rows(found: _Rows) -> dict[tuple[int, int], float]:
    """Return weights by line and value."""
    pairs: Int64 = np.stack([found.line, found.value], axis=1)
    return {(int(a), int(b)): float(w) for (a, b), w in zip(pairs, found.weight, strict=True)}


def test_what_is_not_known_is_undefined():
    """No table; nothing sensitive; the groups of people are unknown."""
    table = people(40, 1)
    made_of = Mondrian(k=5).sanitize(table, RNG(0)).release
    assert Learning().measure(PublishedTable.of(made_of), RNG(0)).value.why
    plain = Table.of({"x": list("abab")}, quasi=["x"])
    assert Learning().measure(made.case_of(plain, stories.boxed(plain, [0] * 4)), RNG(0)).value.why
    unclear = Table.of({"x": list("aaaa"), "ill": list("pqpq")}, quasi=["x"], sensitive=["ill"])
    found = Learning().measure(PublishedTable.of(stories.exact(unclear, [0, 0, 1, 1]).release, unclear), RNG(0))
    assert found.value.why == "people with equal values are in several groups"


def test_settings_that_cannot_be():
    """Said with their values."""
    with pytest.raises(InvalidInputError, match="between 0 and 1; got 1"):
        Learning(held_out=1.0)
    with pytest.raises(InvalidInputError, match="at least 2 people to learn from; got 1"):
        Learning(most=1)
    with pytest.raises(InvalidInputError, match="trees"):
        Learning("forest")  # type: ignore[arg-type]
