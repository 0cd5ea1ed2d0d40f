"""Measuring a release: every model a line, and a requirement that gates."""

from __future__ import annotations

import json

import numpy as np
import pytest

from unmask.commands.measuring_release import measure
from unmask.errors import InvalidInputError
from unmask.release import Release
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table


def boxes() -> Release:
    """Publish two groups of three; one of them shares a value."""
    table = Table.of(
        {"age": [30, 31, 32, 50, 51, 52], "ill": ["flu", "flu", "flu", "flu", "cold", "none"]},
        quasi=["age"],
        sensitive=["ill"],
    )
    return Mondrian(k=3).sanitize(table, np.random.default_rng(0)).release


def test_every_model_has_a_line_and_what_is_asked_for_gates():
    """Groups of three are met; three values in each group are not: one of them has a single one."""
    found = measure(boxes(), require=["k=3", "distinct_l=3"])

    lines = {line.name: line for line in found.lines}
    assert found.exit_code == 1
    assert not lines["k"].broken
    assert lines["distinct-l"].broken
    assert "at least 3: NOT MET" in str(found)


def test_the_numbers_can_be_read_by_a_machine():
    """Infinite is a word and undefined is null, so that the file is JSON to everybody."""
    document = json.loads(measure(boxes()).to_json())

    values = {one["model"]: one.get("value") for one in document["measures"]}
    assert (values["k"], values["distinct-l"], values["max-risk"]) == (3.0, 1.0, pytest.approx(1 / 3))


@pytest.mark.parametrize("text", ["k", "k5", "nonsense=3"])
def test_a_requirement_that_names_no_limit_or_no_model_is_refused(text):
    """In one line."""
    with pytest.raises(InvalidInputError):
        measure(boxes(), require=[text])
