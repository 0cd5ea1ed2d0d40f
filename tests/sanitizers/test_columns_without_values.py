"""Sensitive columns without any value: models on them are refused in words, never with a number that is not one."""

from __future__ import annotations

import re
from typing import Any

import pytest

import unmask
from unmask.errors import InfeasibleError

EMPTY: dict[str, Any] = {
    "age": [20 + i for i in range(12)], "sex": [*"fm"] * 6, "ill": [""] * 12,
}  # fmt: skip
ROLES: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": "ill"}

NOT_A_NUMBER = re.compile(r"\b(nan|inf|infinite)\b", re.IGNORECASE)


@pytest.mark.parametrize("sanitizer", ["mondrian", "full-domain"])
@pytest.mark.parametrize(("model", "limit"), [
    ("t", 0.3), ("distinct-l", 2), ("entropy-l", 2), ("max-share-l", 2), ("p-sensitive", 2), ("beta", 1),
    ("enhanced-beta", 1), ("delta-disclosure", 1), ("alpha", 0.5),
])  # fmt: skip
def test_a_model_of_values_is_refused_by_name(sanitizer: str, model: str, limit: float):
    """The column, not a bound of `nan`."""
    with pytest.raises(InfeasibleError, match=f"^{model} must ") as caught:
        unmask.sanitize(EMPTY, sanitizer, set={"k": 2, model: limit}, seed=1, **ROLES)
    assert "column 'ill'" in str(caught.value)
    assert not NOT_A_NUMBER.search(str(caught.value))


def test_a_search_and_an_audit_say_that_the_column_is_empty():
    """No message of a limit has a number that is not one."""
    asked: dict[str, Any] = {**ROLES, "max_belief": 0.6, "excess": 0.1, "seed": 1}
    found = unmask.harden(EMPTY, budget=0.2, only=["mondrian", "full-domain"], **asked)
    audited = unmask.audit(EMPTY, sanitizer="mondrian", set={"k": 3}, **asked)
    for notes in (found.notes, audited.notes):
        assert any("column 'ill' has no value in any of 12 rows" in note for note in notes)
    reasons = [reason for reason, _ in found.report.obstacles]
    limits = [text for one in audited.report.limits for text in (one.reason, one.would_change)]
    assert not any(NOT_A_NUMBER.search(text) for text in (*reasons, *limits, str(found)))
