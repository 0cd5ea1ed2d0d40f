"""Releases of one group: nothing is left once it is left out, so no limit on the excess is decided by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unmask
from unmask.auditing.policy import Verdict

ASKED: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": "ill", "seed": 1, "advice": 0, "max_belief": 0.5}


def test_a_table_of_one_person_is_not_within_the_limits():
    """Published as it is, every attack is certain of the person, and so is the prior made from it."""
    one = {"age": [30], "sex": ["m"], "ill": ["flu"]}
    found = unmask.audit(one, sanitizer="mondrian", set={"k": 1}, excess=0.1, **ASKED)
    assert found.verdict is Verdict.NOT_DECIDED
    limits = [one for one in found.report.limits if one.limit == "max-belief"]
    assert limits
    assert all("there is no control to exceed: all people are in one group" in one.reason for one in limits)
    assert all("more than one group" in one.would_change for one in limits)
    assert unmask.audit(one, sanitizer="mondrian", set={"k": 1}, **ASKED).verdict is Verdict.BROKEN


@pytest.mark.parametrize("name", ["mondrian", "full-domain", "k-member"])
def test_one_group_of_people_who_share_a_value_is_not_decided(name: str):
    """Whatever the sanitizer; with a second group, the control is what that one says."""
    table = {"age": [30, 31, 32, 33], "sex": [*"mmmm"], "ill": ["flu"] * 4}
    assert unmask.audit(table, sanitizer=name, set={"k": 4}, excess=0.1, **ASKED).verdict is Verdict.NOT_DECIDED
    table = {"age": [30, 30, 60, 60], "sex": [*"mmff"], "ill": ["flu"] * 4}
    assert unmask.audit(table, sanitizer="mondrian", set={"k": 2}, excess=0.1, **ASKED).verdict is Verdict.WITHIN


@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
@settings(deadline=None, max_examples=15)
def test_one_group_keeps_a_limit_only_where_the_belief_itself_does(seed: int, rows: int):
    """Then whatever the control would be changes nothing; otherwise the limit stays open."""
    rng = np.random.default_rng(seed)
    table = {"age": [30] * rows, "sex": ["m"] * rows, "ill": [*rng.choice([*"abc"], rows)]}
    found = {
        excess: unmask.audit(
            table, sanitizer="mondrian", set={"k": rows}, attack="random-worlds", excess=excess, **ASKED
        ).verdict
        for excess in (None, 0.1)
    }
    assert found[0.1] is (Verdict.WITHIN if found[None] is Verdict.WITHIN else Verdict.NOT_DECIDED)
