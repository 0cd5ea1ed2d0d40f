"""How long the intersection of two releases takes for a million people, and how much its beliefs hold.

Run with `pytest benchmarks/bench_intersection.py`: Adult resampled, ages moved by up to three years, Mondrian k = 5.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.shared.location import neighborhood
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import Beliefs
from unmask.datasets.adult import adult
from unmask.release import Publication
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Categorical
from unmask.table import Table
from unmask.view import Knowledge, Located, View

PEOPLE = 1_000_000
QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


@cache
def hospitals() -> tuple[Table, tuple[Publication, Publication]]:
    """Return a million people, and two releases of them that differ by a year of age here and there."""
    rng = np.random.default_rng(1)
    table = adult(quasi=QUASI, sensitive=("occupation",))
    drawn = table.take(rng.integers(0, table.n_rows, PEOPLE))

    def moved(people: Table, by: int) -> Table:
        age = np.clip(people["age"] + rng.integers(-by, by + 1, PEOPLE), 17, 90)
        return replace(people, columns={**people.columns, "age": age})

    people = moved(drawn, 3)
    sanitizer = Mondrian(k=5)
    return people, (sanitizer.sanitize(people, rng), sanitizer.sanitize(moved(people, 1), rng))


def size(beliefs: Beliefs) -> int:
    """Return the bytes that beliefs hold."""
    rows = beliefs.rows
    return beliefs.row_of.nbytes + rows.start.nbytes + rows.column.nbytes + rows.data.nbytes


@pytest.mark.parametrize("location", ["row", "attributes"])
def test_intersection_of_two_releases_for_a_million_people(benchmark: BenchmarkFixture, location: str) -> None:
    """One run; the bytes of the beliefs stand beside the time."""
    people, publications = hospitals()
    releases = tuple(publication.release for publication in publications)
    prior = default_prior(releases, "occupation", PEOPLE)
    located = tuple(Located(publication.group_of) for publication in publications) if location == "row" else None
    view = View(releases, Knowledge(people.visible("occupation"), prior, located))

    beliefs = benchmark.pedantic(Intersection().infer, (view, np.random.default_rng(0)), rounds=1, iterations=1)

    benchmark.extra_info["megabytes"] = size(beliefs) / 1e6
    assert beliefs.n_attacked == PEOPLE


@pytest.mark.parametrize("rule", ["set", "product", "bayes"])
def test_each_rule_once_everybody_is_located(
    benchmark: BenchmarkFixture, rule: Literal["set", "product", "bayes"]
) -> None:
    """A million people over 14 values, their groups being known: what is left is to combine what groups say."""
    people, publications = hospitals()
    releases = tuple(publication.release for publication in publications)
    prior = default_prior(releases, "occupation", PEOPLE)
    located = tuple(Located(publication.group_of) for publication in publications)
    view = View(releases, Knowledge(people.visible("occupation"), prior, located))
    found = [neighborhood(view, r, "occupation") for r in (0, 1)]

    benchmark.pedantic(Intersection(rule=rule).combined, (view, found), rounds=5, iterations=1)


def test_beliefs_of_a_million_people_over_250_values(benchmark: BenchmarkFixture) -> None:
    """Two releases with 250 values, a group of about 30 each: the beliefs of everybody, in bytes."""
    rng = np.random.default_rng(2)
    people, _ = hospitals()
    values = tuple(f"value {i:03}" for i in range(250))
    attribute = replace(people.schema["occupation"], domain=Categorical(values))
    schema = replace(people.schema, attributes=(*people.schema.quasi, attribute))
    many = replace(people, schema=schema, columns={**people.columns, "occupation": rng.integers(0, 250, PEOPLE)})
    publications = [Mondrian(k=5).sanitize(many, rng)]
    jittered = np.clip(many["age"] + rng.integers(-1, 2, PEOPLE), 17, 90)
    publications.append(Mondrian(k=5).sanitize(replace(many, columns={**many.columns, "age": jittered}), rng))
    releases = tuple(publication.release for publication in publications)
    located = tuple(Located(publication.group_of) for publication in publications)
    prior = default_prior(releases, "occupation", PEOPLE)
    view = View(releases, Knowledge(many.visible("occupation"), prior, located))

    beliefs = benchmark.pedantic(Intersection().infer, (view, rng), rounds=1, iterations=1)

    benchmark.extra_info["megabytes"] = size(beliefs) / 1e6
    print(f"\n{size(beliefs) / 1e6:.1f} MB for {PEOPLE:,} people over 250 values")
    assert size(beliefs) <= 200e6
