"""What sanitizers declare beside their settings is true: `needs_values`, `read_by`, `outcomes`."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.contracts.test_sanitizers import DETERMINISTIC, EVERY, publish
from unmask import catalog
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.release import Sanitizer
from unmask.sanitizers.laplace import Laplace
from unmask.sanitizers.suppression import RecordSuppression
from unmask.table import Table

AGES, ZIPS = [20, 20, 21, 22, 23, 24, 25, 25], list("aaaabbbb")
ILL = ["cold", "flu", "hiv", "cold", "flu", "hiv", "cold", "flu"]


def ward(ill: list[str] | None) -> Table:
    """Return eight people, with a sensitive attribute or without."""
    columns: dict[str, list[object]] = {"age": list(AGES), "zip": list(ZIPS)}
    if ill is None:
        return Table.of(columns, quasi=["age", "zip"])
    return Table.of({**columns, "ill": list(ill)}, quasi=["age", "zip"], sensitive=["ill"])


SANITIZERS: list[Sanitizer] = [p.values[0] for p in EVERY]  # type: ignore[misc]


@pytest.mark.parametrize("sanitizer", SANITIZERS, ids=str)
def test_a_sanitizer_that_needs_values_declines_a_table_without_them(sanitizer):
    """And only such a one: the others publish the quasi-identifiers alone."""
    if sanitizer.needs_values:
        with pytest.raises((InvalidInputError, InfeasibleError), match=r"must have .*sensitive|at least one sensitive"):
            publish(sanitizer, ward(None))
    elif sanitizer not in {Laplace(), RecordSuppression()}:  # their defaults need a declared range, or more people
        assert publish(sanitizer, ward(None)).release.masked.n_groups > 0


@pytest.mark.parametrize("sanitizer", [one for one in SANITIZERS if one.name in DETERMINISTIC], ids=str)
def test_groups_follow_values_only_where_a_sanitizer_needs_them(sanitizer):
    """Other values for the same people leave the groups as they are, unless values are needed."""
    if sanitizer.needs_values:
        return
    try:
        one, other = publish(sanitizer, ward(ILL)), publish(sanitizer, ward(ILL[::-1]))
    except InfeasibleError:
        return
    same = one.group_of[:, None] == one.group_of
    assert np.array_equal(same, other.group_of[:, None] == other.group_of)


@pytest.mark.parametrize("entry", catalog.entries("sanitizers").values(), ids=lambda one: one.name)
def test_the_attack_that_reads_a_sanitizer_needs_the_algorithm(entry):
    """`read_by` names an attack of the catalog."""
    name = entry.examples[0].read_by
    assert name is None or catalog.attack(name).requirements.algorithm


@pytest.mark.parametrize("sanitizer", [one for one in SANITIZERS if one.outcomes], ids=str)
def test_outcomes_are_published_and_are_no_settings(sanitizer):
    """The algorithm is built again from what a release publishes, without its outcomes."""
    fields = {field.name for field in dataclasses.fields(sanitizer)}
    assert not fields & set(sanitizer.outcomes)
    try:
        release = publish(sanitizer, ward(ILL)).release
    except InfeasibleError:
        return
    assert set(sanitizer.outcomes) <= set(release.provenance.parameters)
    assert catalog.declared_sanitizer(release) == (sanitizer, "")
