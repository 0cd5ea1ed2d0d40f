"""A scenario says what guesses are worth, and to whom."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.attacks.fusion.scenario import EXACT, PARTIAL, Scenario
from unmask.errors import InvalidInputError
from unmask.table import Table

YES, NO = np.array([True]), np.array([False])


def test_bonuses_and_penalties():
    """The truth is worth 1, what is nearer a fifth, a wrong guess costs half, silence a tenth."""
    scenario = Scenario(exact=1, nearer=0.2, wrong=-0.5, silent=-0.1)
    worth = [scenario.worth(*hits)[0] for hits in ((YES, YES, YES), (NO, YES, YES), (NO, NO, YES), (NO, NO, NO))]
    assert [1, 0.2, -0.5, -0.1] == worth
    assert scenario.most == 1


def test_what_is_not_asked_for_is_not_looked_at():
    """In scenario A a middle that happens to be right is worth nothing; in B a set that holds the truth is."""
    assert [0, 1] == [PARTIAL.worth(YES, NO, NO)[0], EXACT.worth(YES, NO, NO)[0]]
    assert [1, 0] == [PARTIAL.worth(NO, YES, YES)[0], EXACT.worth(NO, YES, YES)[0]]


def test_only_judges_matter():
    """Weights of several columns are multiplied; numbers are written as they are read."""
    people = Table.of({"job": ["judge", "clerk", "judge"], "age": [30, 30, 40]}, quasi=["job", "age"])
    scenario = Scenario(exact=1, interest={"job": {"judge": 5}, "age": {"40": 2}}, otherwise=0)
    assert [5, 0, 10] == scenario.weights(people).tolist()
    assert [1, 1, 1] == EXACT.weights(people).tolist()
    with pytest.raises(InvalidInputError, match="value of job must be one of"):
        Scenario(exact=1, interest={"job": {"jugde": 5}}).weights(people)
    with pytest.raises(InvalidInputError, match="value of age must be a number, since its values are; got 'old'"):
        Scenario(exact=1, interest={"age": {"old": 5}}).weights(people)


def test_a_number_without_records_or_written_twice_is_refused():
    """Otherwise no person would have a weight, without a message, or the weights would be multiplied."""
    people = Table.of({"age": [25, 30, 40]}, quasi=["age"])
    with pytest.raises(InvalidInputError, match="value of age must be a number of the column; got '220'"):
        Scenario(exact=1, interest={"age": {"220": 5}}, otherwise=0).weights(people)
    with pytest.raises(InvalidInputError, match=r"of age must be different numbers; got '25' and '25\.0'\. Keep one"):
        Scenario(exact=1, interest={"age": {"25": 5, "25.0": 2}}).weights(people)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({}, "must ask for something"),
        ({"exact": 0.1, "nearer": 0.2}, "worth the more the better"),
        ({"nearer": 0.2, "wrong": 0.5}, "worth the more the better"),
        ({"exact": float("nan")}, "a finite number each"),
        ({"exact": 1, "wrong": float("-inf")}, "a finite number each"),
        ({"exact": 1, "closer": 100}, "between 0 and 100 percent"),
        ({"exact": 1, "interest": {"job": {"judge": -1}}}, "at least 0"),
    ],
)
def test_what_makes_no_sense_is_refused(changed, message):
    """The truth is worth most, or an intruder would rather not know it."""
    with pytest.raises(InvalidInputError, match=message):
        Scenario(**changed)
