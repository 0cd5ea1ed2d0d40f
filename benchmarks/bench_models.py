"""How long it takes to measure every privacy model on a million people, and in how much memory.

Run with `pytest -n0 benchmarks/bench_models.py -s`.
"""

from __future__ import annotations

import resource
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.beside import beside
from unmask import catalog
from unmask.hierarchies import Hierarchy
from unmask.masks.boxes import publish_boxes
from unmask.models import release_assessment
from unmask.models.privacy_model import AnyModel
from unmask.models.t_closeness import TCloseness
from unmask.partition import Partition
from unmask.release import Provenance, Release
from unmask.schema import Attribute, Categorical, Numeric, Ordered, Role, Schema
from unmask.table import Table

PEOPLE = 1_000_000
MODELS = [entry.examples[0] for entry in catalog.entries("models").values()]
OF_RELEASES: list[AnyModel] = [model for model in MODELS if not hasattr(model, "score_among")]
EACH: list[AnyModel] = [*OF_RELEASES, TCloseness(0.2, "ordered"), TCloseness(0.2, "hierarchical")]


def people(n: int, widths: tuple[int, ...], n_values: int, unknown: float, rng: np.random.Generator) -> Table:
    """Return people with whole-numbered quasi-identifiers and one sensitive value; a share of the cells is missing."""
    columns = {f"q{i}": rng.integers(0, width, n).astype(float) for i, width in enumerate(widths)}
    for column in columns.values():
        column[rng.random(n) < unknown] = np.nan
    leaves = [str(v) for v in range(n_values)]
    tree = Hierarchy.from_rows([leaf, str(v // 5), str(v // 25), "*"] for v, leaf in enumerate(leaves))
    sensitive = Attribute("ill", Role.SENSITIVE, Ordered(tuple(leaves)), tree)
    attributes = tuple(Attribute(name, Role.QUASI_IDENTIFIER, Numeric(step=1.0)) for name in columns)
    values = (n_values * rng.random(n) ** 2).astype(np.int32)  # the first ones are the most frequent
    return Table(Schema((*attributes, sensitive)), {**columns, "ill": values}, n)


def published(table: Table) -> Release:
    """Publish a table; people who look the same are a group."""
    group, example = table.only(a.name for a in table.schema.quasi).profiles()
    shown = [np.asarray(example[a.name], float) for a in table.schema.quasi]
    return publish_boxes(table, Partition(group, example.n_rows), shown, shown, Provenance()).release


@cache
def million(n_values: int, unknown: float) -> Release:
    """Return a million people in about 100,000 groups by three quasi-identifiers."""
    return published(people(PEOPLE, (50, 50, 40), n_values, unknown, np.random.default_rng(1)))


@pytest.mark.parametrize(
    ("n_values", "unknown"), [(15, 0.0), (15, 0.001), (500, 0.0)], ids=["15 values", "cells missing", "500 values"]
)
def test_all_models_on_a_million_people(benchmark: BenchmarkFixture, n_values: int, unknown: float) -> None:
    """All of them at most 5 s and 2 GiB, with 15 values and with 500."""
    release = million(n_values, unknown)
    found = benchmark.pedantic(release_assessment.measure_all, (release, EACH), rounds=3)
    beside(benchmark, f"all models, {n_values} values, {unknown:.1%} missing", "goal", 5.0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\n{release.n_groups} groups, {len(found)} models; peak {peak:.2f} GiB, the release included")


@pytest.mark.parametrize("model", EACH, ids=lambda m: f"{m.name} {getattr(m, 'distance', '')}".strip())
def test_each_model_on_a_million_people(benchmark: BenchmarkFixture, model: AnyModel) -> None:
    """One at a time, with 15 values."""
    benchmark.pedantic(release_assessment.measure_release, (million(15, 0.0), model), rounds=3)


@pytest.mark.parametrize("name", ["k-map", "delta-presence"])
def test_models_of_a_population_of_a_million(benchmark: BenchmarkFixture, name: str) -> None:
    """A tenth of the population is published."""
    table = people(PEOPLE, (50, 50, 40), 15, 0.0, np.random.default_rng(1))
    release = published(table.take(np.arange(PEOPLE // 10)))
    model = catalog.named("models", name).examples[0]
    benchmark.pedantic(lambda: release_assessment.measure_release(release, model, population=table), rounds=3)


@pytest.mark.parametrize("n_values", [14, 100, 1000])
@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_t_closeness_of_nine_thousand_groups(benchmark: BenchmarkFixture, distance: str, n_values: int) -> None:
    """10,000 people: at most 0.1 s for categories."""
    table = people(10_000, (1, 300, 300), n_values, 0.0, np.random.default_rng(1))
    if distance == "equal":
        plain = replace(table.schema["ill"], domain=Categorical(table.schema["ill"].values))
        table = replace(table, schema=Schema((*table.schema.quasi, plain)))
    release = published(table)
    model = TCloseness(0.2, distance)  # type: ignore[arg-type]
    benchmark.pedantic(release_assessment.measure_release, (release, model), rounds=5)
    beside(benchmark, f"t, {distance}, {n_values} values, {release.n_groups} groups", "goal", 0.1)
