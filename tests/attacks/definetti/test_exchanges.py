"""The power of attributes: 1 on people of the model, 1 over the number of copies of an attribute, least on noise."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from unmask.arrays import Float64, Int32, starts
from unmask.attacks.definetti import exchanges
from unmask.attacks.definetti.attack import POWER, DeFinetti
from unmask.attacks.definetti.exchanges import LEAST, power_of
from unmask.attacks.shared.grouped_people import GroupedPeople, slots_of
from unmask.auditing.evidence import Targets, evidence_of
from unmask.auditing.findings import ROW
from unmask.auditing.scenes import Audit
from unmask.sanitizers.anatomy import Anatomy
from unmask.table import Table

N_VALUES = 6


def people(n: int, attributes: int, rng: np.random.Generator, *, copies: int = 1, tell: bool = True) -> GroupedPeople:
    """Return people of the model in random groups of three; each attribute is there `copies` times."""
    value = rng.integers(0, N_VALUES, n)
    columns = []
    for _ in range(attributes):
        theta = rng.dirichlet(np.ones(4), N_VALUES)
        chance = np.cumsum(theta[value] if tell else np.tile(theta[0], (n, 1)), axis=1)
        columns += [np.minimum((rng.random(n)[:, None] > chance).sum(axis=1), 3)] * copies
    codes, profile_of = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    levels = np.full(codes.shape[1], 4, np.int32)
    start = starts(np.full(n // 3, 3))
    return GroupedPeople(
        profile_of.ravel().astype(np.int32), start, value.astype(np.int32), codes.astype(np.int32), levels, N_VALUES
    )


def test_an_exchange_is_as_probable_as_the_sum_over_all_arrangements_says():
    """The ratio of permanents of two groups with and without the exchange, of repeated values, too."""
    rng = np.random.default_rng(1)
    weight = rng.random((5, 3))
    values = (np.array([0, 1, 1]), np.array([2, 0]))

    def ways(members: list[int], held: Float64 | Int32) -> float:
        return sum(float(np.prod(weight[members, list(order)])) for order in itertools.permutations(held.tolist()))

    def marginal(members: list[int], held: Int32, person: int) -> Float64:
        place, found = members.index(person), np.zeros(3)
        for order in itertools.permutations(held.tolist()):
            found[order[place]] += np.prod(weight[members, list(order)])
        return np.asarray(found / found.sum())

    first, second, i, j = [0, 1, 2], [3, 4], 1, 3
    exact = ways([0, j, 2], values[0]) * ways([i, 4], values[1]) / (ways(first, values[0]) * ways(second, values[1]))
    ours = (marginal(first, values[0], i) * weight[j] / weight[i]).sum()
    theirs = (marginal(second, values[1], j) * weight[i] / weight[j]).sum()
    assert ours * theirs == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_people_of_the_model_need_no_power(seed):
    """Independent attributes are believed as they are, or nearly."""
    assert power_of(people(3000, 4, np.random.default_rng([7, seed])), 1.0) >= 0.85


@pytest.mark.parametrize("copies", [2, 3])
def test_a_repeated_attribute_counts_once(copies):
    """With each attribute there several times, each copy has its share of the power."""
    found = power_of(people(6000, 3, np.random.default_rng([8, copies]), copies=copies), 1.0)
    assert found == pytest.approx(1 / copies, abs=0.12)


def test_more_steps_hardly_move_the_power_where_blocks_are_drawn(monkeypatch):
    """Blocks never settle: what a few steps reach is what many reach."""
    some = people(1800, 3, np.random.default_rng(10), copies=2)
    size = np.append(np.full(400, 3), np.full(15, 40))  # the groups of 40 are too large to be summed over
    groups = replace(some, start=starts(size))
    assert slots_of(groups).layout.large.size > 0
    few = power_of(groups, 1.0)
    monkeypatch.setattr(exchanges, "_STEPS_OF_BLOCKS", 80)
    assert few == pytest.approx(power_of(groups, 1.0), abs=0.05)
    assert 0.3 < few < 0.7


@pytest.mark.parametrize("seed", range(3))
def test_attributes_that_tell_nothing_have_the_least_power(seed):
    """Or nearly: by chance, a little may seem to be told."""
    found = power_of(people(3000, 4, np.random.default_rng([9, seed]), tell=False), 1.0)
    assert LEAST <= found <= 0.1


def test_the_power_is_always_the_same_and_drawn_from_no_stream():
    """It depends on the groups alone."""
    groups = people(1500, 3, np.random.default_rng(3), copies=2)
    assert power_of(groups, 1.0) == power_of(groups, 1.0)


def test_few_people_tell_no_power():
    """Below the least number, the model is believed."""
    assert power_of(people(300, 3, np.random.default_rng(4), copies=3), 1.0) == 1.0


def test_groups_too_large_to_be_summed_over_tell_no_power():
    """There is nothing to exchange: the model is believed."""
    drawn = people(3000, 3, np.random.default_rng(10), copies=3)
    assert power_of(replace(drawn, start=starts(np.full(12, 250))), 1.0) == 1.0


def test_some_groups_stand_for_as_many_as_before():
    """In the given order, with the profiles of all."""
    groups = replace(people(9, 2, np.random.default_rng(11)), times=np.array([1, 5, 2]))
    some = groups.take(np.array([2, 0]))
    assert some.times is not None
    assert some.times.tolist() == [2, 1]
    assert some.profile_of.tolist() == groups.profile_of[[6, 7, 8, 0, 1, 2]].tolist()
    assert some.value.tolist() == groups.value[[6, 7, 8, 0, 1, 2]].tolist()
    assert some.start.tolist() == [0, 3, 6]
    assert groups.take(np.array([1])).codes is groups.codes


def test_a_large_release_is_sampled(monkeypatch):
    """The power of some of its groups is near that of all."""
    groups = people(9000, 3, np.random.default_rng(5), copies=2)
    whole = power_of(groups, 1.0)
    monkeypatch.setattr(exchanges, "MOST_PEOPLE", 3000)
    assert power_of(groups, 1.0) == pytest.approx(whole, abs=0.12)


@pytest.mark.parametrize(("tier", "n"), [("exact", 3000), ("fast", 6000)])
def test_beliefs_from_repeated_attributes_are_right_as_often_as_they_say(tier, n):
    """Naive Bayes alone is too sure by .1; with the power, mean belief and share right agree, also left out."""
    rng = np.random.default_rng(6)
    drawn = people(n, 3, rng, copies=3)
    codes = drawn.codes[drawn.profile_of]
    names = [f"a{i}" for i in range(codes.shape[1])]
    columns = {name: [str(code) for code in column] for name, column in zip(names, codes.T.tolist(), strict=True)}
    table = Table.of({**columns, "v": [str(v) for v in drawn.value]}, quasi=names, sensitive=["v"])
    made = Anatomy(l=3).sanitize(table, rng)
    gaps: list[float] = []
    losses: list[float] = []
    for temper in ("off", "on"):
        report = Audit(
            [evidence_of(made, "r")], Targets.of(table), seed=1, attackers=[ROW], identity=False,
            attacks=[DeFinetti(tier=tier, temper=temper, limit=800, model="naive-bayes")],
        ).report()  # fmt: skip
        (result,) = report.scenes[0].results
        assert result.ran, result.reason
        gaps.append(result.get("calibration-error").value or 0.0)
        losses.append(result.get("log-loss").value or 0.0)
        assert (POWER in result.notes) == (temper == "on")
    assert gaps[0] > 0.08
    assert gaps[1] < 0.03
    assert losses[1] < losses[0]
