"""Noisy counts: what is published, how strong the noise is, and what is refused."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from unmask import catalog
from unmask.errors import InvalidInputError
from unmask.masks.declared_cells import Grid
from unmask.neighboring_relation import Relation
from unmask.sanitizers.noisy_counts import NoisyCounts
from unmask.schema import Domain, Numeric, Ordered, Schema
from unmask.table import Table
from unmask.unit import Unit

CELLS: Mapping[str, Grid] = {"age": (20, 40, 60), "ill": ("flu", "hiv")}
PEOPLE = Table.of({"age": [21, 25, 30, 55], "ill": ["flu", "flu", "hiv", "flu"]}, quasi=["age"], sensitive=["ill"])


@pytest.fixture(autouse=True)
def _opendp() -> None:
    pytest.importorskip("opendp", reason="the extra `release` is not installed")


def counts(sanitizer: NoisyCounts, table: Table = PEOPLE) -> np.ndarray:
    """Publish, and return the noisy counts."""
    return sanitizer.sanitize(table, np.random.default_rng(0)).release.counts_of("ill").dense()


def test_with_hardly_any_noise_these_are_the_counts():
    """Two of the three people below 40 have flu; epsilon 1,000 promises nothing, and shows how people are counted."""
    published = NoisyCounts(epsilon=1_000, cells=CELLS).sanitize(PEOPLE, np.random.default_rng(0))
    release = published.release
    assert [[2, 1], [1, 0]] == release.counts_of("ill").dense().tolist()
    assert [3, 1] == release.size.tolist()
    assert [0, 0, 0, 1] == published.group_of.tolist()
    assert (0, "none") == (release.n_rows, release.rows)


@pytest.mark.parametrize(("neighbors", "rows", "scale"), [("replace", 1, 4), ("add-remove", 1, 2), ("replace", 3, 12)])
def test_the_scale_is_what_one_person_may_change_over_epsilon(neighbors, rows, scale):
    """At epsilon 1/2: replacing a person changes two counts by one each, adding a person one; times a person's rows."""
    release = NoisyCounts(0.5, neighbors, CELLS, rows).sanitize(PEOPLE, np.random.default_rng(0)).release
    assert "discrete-laplace" == release.noise["ill"].family
    assert scale == pytest.approx(release.noise["ill"].scale, rel=1e-12)
    assert (0.5, 0.0) == (release.provenance.epsilon, release.provenance.delta)
    assert {"neighbors": neighbors, "rows-per-person": rows} == release.provenance.parameters
    assert Relation.of(neighbors, Unit.ROWS) == release.provenance.neighbors


def test_the_noise_is_discrete_laplace_of_that_scale():
    """20,000 counts of no person: P(k) = (1 − q)/(1 + q) q^|k| with q = exp(−1/scale); chi-square at 1 in a million."""
    empty = Table.of({"age": [20], "ill": ["flu"]}, quasi=["age"], sensitive=["ill"]).take(np.zeros(0, np.int64))
    noise = (
        counts(NoisyCounts(1, "replace", {"age": tuple(range(10_001)), "ill": ("flu", "hiv")}), empty)
        .ravel()
        .astype(int)
    )
    q = np.exp(-1 / 2)
    likely = (1 - q) / (1 + q) * q ** np.abs(np.arange(-6, 7))
    likely[[0, -1]] = q**6 / (1 + q)  # six and more
    seen = np.bincount(np.clip(noise, -6, 6) + 6, minlength=13)
    assert stats.chisquare(seen, likely * noise.size).pvalue > 1e-6


def test_neighboring_tables_are_distinguished_as_rarely_as_promised():
    """One person replaced, 4,000 times: what tells best is at most e^epsilon likelier, at 1 in a million.

    100 wards in each of 40 releases: every number has noise of its own, so a ward is as a release of it alone.
    """
    wards = [f"ward {i}" for i in range(100)]
    sanitizer = NoisyCounts(1, "replace", {"ward": tuple(wards), **CELLS})
    hits = [0, 0]
    for i, ills in enumerate((["flu", "flu", "hiv", "flu"], ["hiv", "flu", "hiv", "flu"])):
        columns = {"ward": np.repeat(wards, 4).tolist(), "age": [21, 25, 30, 55] * 100, "ill": ills * 100}
        table = Table.of(columns, quasi=["ward", "age"], sensitive=["ill"])
        for _ in range(40):
            flu, hiv = counts(sanitizer, table).reshape(100, 2, 2)[:, 0].T  # of the younger people of each ward
            hits[i] += int(((flu >= 2) & (hiv <= 1)).sum())  # the likeliest to distinguish the two
    least = stats.beta.ppf(1e-6, hits[0], 4_001 - hits[0])
    most = stats.beta.ppf(1 - 1e-6, hits[1] + 1, 4_000 - hits[1])
    assert least <= np.exp(1) * most
    assert hits[0] > 1.9 * hits[1]  # and it does tell: the noise is no larger than it must be


def test_a_row_in_no_cell_is_counted_nowhere():
    """No age, an illness that is not declared: the counts are zero, and nothing says how many these are."""
    odd = Table.of({"age": [None, 30], "ill": ["flu", "rare"]}, quasi=["age"], sensitive=["ill"])
    published = NoisyCounts(1_000, cells=CELLS).sanitize(odd, np.random.default_rng(0))
    assert [-1, -1] == published.group_of.tolist()
    assert not published.release.counts_of("ill").dense().any()
    assert 0 == published.release.n_suppressed


def test_a_declared_schema_needs_no_cells():
    """A range in steps, and values in a declared order."""
    domains: dict[str, Domain] = {"age": Numeric(20.0, 60.0, 1.0), "ill": Ordered(("flu", "hiv"))}
    attributes = tuple(replace(a, domain=domains[a.name]) for a in PEOPLE.schema)
    release = (
        NoisyCounts(1_000).sanitize(Table(Schema(attributes), PEOPLE.columns, 4), np.random.default_rng(0)).release
    )
    assert 41 == release.n_groups
    assert [1, 0] == release.counts_of("ill").dense()[1].tolist()


def test_a_person_with_several_rows_counts_as_often_as_declared():
    """Three rows of one person, two of which count; not telling how many is refused, since noise depends on it."""
    several = replace(PEOPLE, person_of=np.array([0, 0, 0, 1], np.int32))
    with pytest.raises(InvalidInputError, match="must have rows-per-person"):
        counts(NoisyCounts(1_000, cells=CELLS), several)
    made = NoisyCounts(1_000, cells=CELLS, rows_per_person=2).sanitize(several, np.random.default_rng(0)).release
    assert Relation.REPLACE_PERSON == made.provenance.neighbors
    found = made.counts_of("ill").dense()
    assert (2, 1) == (found[0].sum(), found[1].sum())


def test_the_seed_has_no_say_in_the_noise():
    """Anyone who had the seed could take the noise away again; so the system draws it."""
    sanitizer = NoisyCounts(0.01, cells=CELLS)
    assert not np.array_equal(counts(sanitizer), counts(sanitizer))


@pytest.mark.parametrize(
    ("sanitizer", "words"),
    [
        (NoisyCounts(), "must have a declared range to be counted by"),
        (NoisyCounts(cells={"age": (20, 40)}), "must have declared values to be counted by"),
        (NoisyCounts(cells={"agee": (20, 40)}), "got 'agee'. Did you mean 'age'"),
        (NoisyCounts(cells={"age": tuple(range(2000)), "ill": tuple(f"v{n}" for n in range(1001))}),
         "at most 2,000,000 counts"),
    ],
)  # fmt: skip
def test_what_depends_on_the_data_is_refused(sanitizer, words):
    """One clear line each, with what to write."""
    with pytest.raises(InvalidInputError, match=words):
        counts(sanitizer)


def test_settings_are_checked_at_once():
    """An epsilon of nothing, unknown neighbors, no row; and two sensitive columns, which would be two tables."""
    for settings, words in (
        ({"epsilon": 0}, "epsilon must be a number between .*; got 0"),
        ({"epsilon": np.inf}, "epsilon must be a number between .*; got inf"),
        ({"neighbors": "some"}, "neighbors must be one of replace, add-remove"),
        ({"rows_per_person": 0}, "rows-per-person must be a whole number of at least 1"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            NoisyCounts(**settings)
    two = Table.of({"age": [20], "ill": ["flu"], "job": ["x"]}, quasi=["age"], sensitive=["ill", "job"])
    with pytest.raises(InvalidInputError, match="exactly one sensitive attribute"):
        counts(NoisyCounts(cells=CELLS), two)


def test_without_opendp_it_says_how_to_have_it(monkeypatch):
    """The sanitizer is listed all the same."""
    monkeypatch.setitem(sys.modules, "opendp", None)
    with pytest.raises(InvalidInputError, match=r"pip install 'unmask\[release\]'"):
        counts(NoisyCounts(cells=CELLS))
    assert "noisy-counts" in catalog.entries("sanitizers")


def test_it_is_built_from_a_command_line():
    """`--set` knows the words of its fields."""
    parameters = {
        "epsilon": "0.5",
        "neighbors": "add-remove",
        "cells": "age=20,40,60; ill=flu,hiv",
        "rows-per-person": "2",
    }
    assert NoisyCounts(0.5, "add-remove", CELLS, 2) == catalog.build("sanitizers", "noisy_counts", parameters)
