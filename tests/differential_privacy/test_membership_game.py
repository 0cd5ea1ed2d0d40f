"""Games on neighboring tables: the paper's counterexample, randomized response, and an audit of a sanitizer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import tanh
from typing import ClassVar

import numpy as np
import pytest

from tests import stories
from unmask.attacks.baseline import Baseline
from unmask.attacks.random_worlds import RandomWorlds
from unmask.beliefs import About, Beliefs
from unmask.differential_privacy.membership_game import audit_epsilon, neighbor, play
from unmask.errors import InvalidInputError
from unmask.masks.exact_rows import publish_exact_rows
from unmask.metrics.gap import Gap
from unmask.partition import Partition
from unmask.release import Provenance, Publication, Release
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table

WARD = Table.of({"age": [20, 30, 40, 50], "ill": ["yes", "no", "no", "yes"]}, quasi=["age"], sensitive=["ill"])
ALL = np.arange(4)

SOME = stories.hospitals()[0]
"""A release to announce numbers with."""


def even(values: tuple[str, ...] = ("no", "yes")) -> Beliefs:
    """Return even odds: nothing is known beforehand."""
    return Beliefs.shared(About.attribute("ill"), values, np.full(len(values), 1 / len(values)), 1)


def alone(table: Table) -> Publication:
    """Publish each person in a separate group."""
    return publish_exact_rows(table, Partition(np.arange(table.n_rows, dtype=np.int32), table.n_rows), Provenance())


@dataclass(frozen=True)
class OneWhole:
    """Publish one random person whole: the paper's counterexample."""

    name: ClassVar[str] = "one-whole"
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    needs_values: ClassVar[bool] = True

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish one row."""
        return alone(table.take(rng.integers(table.n_rows, size=1)))


@dataclass(frozen=True)
class Response:
    """Publish each person's answer, which is true with odds e^ε : 1."""

    name: ClassVar[str] = "response"
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    needs_values: ClassVar[bool] = True
    epsilon: float = 1.0

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish every row."""
        lies = rng.random(table.n_rows) > 1 / (1 + np.exp(-self.epsilon))
        return alone(replace(table, columns={**table.columns, "ill": np.where(lies, 1 - table["ill"], table["ill"])}))


@dataclass(frozen=True)
class Announced:
    """Announce how many are ill, with Laplace noise of a scale."""

    name: ClassVar[str] = "announced"
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    needs_values: ClassVar[bool] = True
    scale: float = 1.0

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish one number."""
        number = float((table["ill"] == 1).sum() + rng.laplace(0, self.scale))
        return Publication(replace(SOME, provenance=Provenance("announced", {"ill": number})), None)


def announced(releases: tuple[Release, ...]) -> float:
    """Return the sum of what was announced."""
    return float(sum(release.provenance.parameters["ill"] for release in releases))


@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
def test_one_random_person_published_whole_is_caught(neighbors):
    """With probability 1/4 it is you: then even odds become certain. Gap 1/8, and at most the total variation 1/4."""
    tally = play(
        WARD, [OneWhole()], RandomWorlds(), "ill", ALL,
        runs=100, neighbors=neighbors, prior=even(), rng=np.random.default_rng(1),
    )  # fmt: skip
    found = Gap().measure(tally)
    assert 4 * 100 == tally.n
    assert 1 / 8 == found.value, "in each run exactly one of four is certain, and none without the record"
    assert found.low is not None
    assert 0 < found.low <= found.value <= 1 / 4


def test_the_audit_refutes_any_small_epsilon_of_it():
    """Your record is seen in a quarter of the runs, and never without it: ε > 3 at 95 %, however little moves."""

    def youngest(releases: tuple[Release, ...]) -> float:
        return float(releases[0].masked.likelihood("age", np.array([20.0])).dense().max())

    bound = audit_epsilon(WARD, [OneWhole()], youngest, 0, runs=1000, rng=np.random.default_rng(2))
    assert (0, 500) == (bound.rarely, bound.judged)
    assert bound.refutes(3.0)


def test_randomized_response_keeps_half_its_ceiling():
    """It is right with e/(1+e), against even odds: tanh(1/2)/2 = .231, below tanh(1/2). False-alarm rate 1e-4."""
    tally = play(
        WARD, [Response()], RandomWorlds(), "ill", ALL, runs=150, prior=even(), rng=np.random.default_rng(3),
    )  # fmt: skip
    found = Gap().measure(tally)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    error = (found.high - found.low) / 2 / 1.96
    assert abs(found.value - tanh(0.5) / 2) < 3.9 * error
    assert found.high < tanh(0.5)


def test_an_attack_that_ignores_the_release_has_no_gap():
    """The baseline believes what it believed before, in both games."""
    tally = play(WARD, [OneWhole()], Baseline(), "ill", ALL, runs=30, prior=even(), rng=np.random.default_rng(4))
    assert 0 == Gap().measure(tally).value


def test_any_sanitizer_can_be_played():
    """Mondrian of pairs: the group's shares, with the person and without; no declaration is needed."""
    tally = play(WARD, [Mondrian(k=2)], RandomWorlds(), "ill", ALL[:2], runs=3, rng=np.random.default_rng(5))
    assert 6 == tally.n
    found = Gap().measure(tally)
    assert found.value is not None


def test_both_games_of_a_run_get_the_same_random_numbers():
    """A neighbor that is no different gives the same release, so nothing is left to compare: the gap is 0 exactly."""
    twins = Table.of({"age": [20, 20, 20], "ill": ["yes"] * 3}, quasi=["age"], sensitive=["ill"])
    tally = play(twins, [Mondrian(k=2)], RandomWorlds(), "ill", ALL[:3], runs=5, rng=np.random.default_rng(6))
    found = Gap().measure(tally)
    assert (0, 0, 0) == (found.value, found.low, found.high)


def test_two_announcements_spend_what_each_spends():
    """Noise of scale 2 twice keeps ε = 1 together, not the .5 of either: the sum refutes .5 and not 1."""
    table = WARD.take(np.array([0, 1, 1, 1]))
    twice = [Announced(2.0), Announced(2.0)]
    bound = audit_epsilon(table, twice, announced, 0, runs=4000, rng=np.random.default_rng(7))
    assert bound.refutes(0.5)
    assert not bound.refutes(1.0)


def test_noise_halved_is_caught_through_the_sanitizer():
    """A claim of ε = 1 stands with noise of scale 1 and falls with scale 1/2; power at 1,000 runs > .999."""
    table = WARD.take(np.array([0, 1, 1, 1]))
    for scale, refuted in ((1.0, False), (0.5, True)):
        bound = audit_epsilon(table, [Announced(scale)], announced, 0, runs=1000, rng=np.random.default_rng(8))
        assert refuted == bound.refutes(1.0)


def test_neighbors_differ_in_one_person():
    """Taken out, three are left; replaced, there are four, and 20 occurs only in copies."""
    rng = np.random.default_rng(0)
    assert [30, 40, 50] == neighbor(WARD, 0, "add-remove", rng)["age"].tolist()
    other = neighbor(WARD, 0, "replace", rng)
    assert [30, 40, 50] == other["age"].tolist()[1:]
    assert other["age"][0] in {30, 40, 50}
    assert WARD["ill"][[20, 30, 40, 50].index(int(other["age"][0]))] == other["ill"][0]


def test_a_person_is_left_out_with_all_rows():
    """Two rows of one person are one record of that person."""
    table = replace(WARD, person_of=np.array([0, 0, 1, 2], np.int32))
    assert [40, 50] == neighbor(table, 1, "add-remove", np.random.default_rng(0))["age"].tolist()
    copied = neighbor(table, 1, "replace", np.random.default_rng(0))
    assert copied["age"][0] == copied["age"][1] in {40, 50}


def test_another_person_must_be_left():
    """A table of one person has no neighbor."""
    with pytest.raises(InvalidInputError, match=r"a person besides"):
        neighbor(WARD.take(np.array([0])), 0, "add-remove", np.random.default_rng(0))
