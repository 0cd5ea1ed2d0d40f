"""The sampler over partitions has the posterior of the sampler in one piece, wherever its partitions are computed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from tests.attacks.definetti.test_sampler import CANCER, SMOKING, believed, enumerated, random_groups
from unmask.arrays import distinct_rows, expand, starts
from unmask.attacks.definetti import sampler
from unmask.attacks.definetti.group_partition import GroupPartition, divided, pack_groups, unpack_groups
from unmask.attacks.definetti.local_partitions import LocalPartitions
from unmask.attacks.definetti.partitioned_sampler import PartitionedFit, learn
from unmask.attacks.definetti.sampler import Sampling
from unmask.attacks.shared.group_types import identical_groups, sorted_in_groups
from unmask.attacks.shared.grouped_people import GroupedPeople
from unmask.datasets.adult import adult
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.files.parts import PartsFolder
from unmask.runtime import work
from unmask.sanitizers._buckets import buckets

MANY = Sampling(limit=16_000, r_hat=1.00001)
"""All iterations: the chains never agree so closely."""


def by_row(slots, data):
    """Return the probabilities of each row's values, row by row, (chains, entries), and the entries of each row."""
    entries, _ = expand(slots.start, slots.of_row)
    return data[:, entries], np.diff(slots.start)[slots.of_row]


def chains_by_row(partitions, groups):
    """Return the probabilities of the undivided groups' rows, (chains, entries); group g is in partition g modulo n."""
    n = len(partitions.marginals)
    group = np.repeat(np.arange(groups.start.size - 1), np.diff(groups.start))
    width = np.zeros(group.size, np.int64)
    found = []
    for number, (part, marginals) in enumerate(zip(partitions.parts, partitions.marginals, strict=True)):
        data, width[group % n == number] = by_row(part.slots, marginals.probability)
        found.append(data)
    start = starts(width)
    result = np.zeros((found[0].shape[0], int(start[-1])))
    for number, data in enumerate(found):
        result[:, expand(start, np.flatnonzero(group % n == number))[0]] = data
    return result


def dense(partitions, groups):
    """Return the mean probabilities of all rows, (rows, values)."""
    result = np.zeros((groups.value.size, groups.n_values))
    mean, at = chains_by_row(partitions, groups).mean(axis=0), 0
    for row, group in enumerate(np.repeat(np.arange(groups.start.size - 1), np.diff(groups.start))):
        for value in np.unique(groups.value[groups.start[group] : groups.start[group + 1]]):
            result[row, value] = mean[at]
            at += 1
    return result


@pytest.mark.parametrize("parts", [*(pytest.param(few, marks=pytest.mark.sweep) for few in (1, 2)), 3])
def test_smokers_in_any_number_of_partitions(parts):
    """The paper's example: patient 12, a non-smoker, has cancer with probability 5/32."""
    partitions = LocalPartitions(divided(SMOKING, parts))
    learn(partitions, Sampling(limit=8000, r_hat=1.001), np.random.default_rng(1))
    assert dense(partitions, SMOKING)[:, 0] == pytest.approx(CANCER, abs=0.012)


def test_a_stated_power_is_that_of_the_undivided_sampler():
    """Half the evidence of smoking: the posterior lies between that of the paper and the group's shares."""
    sampling = Sampling(limit=8000, r_hat=1.001, power=0.5)
    partitions = LocalPartitions(divided(SMOKING, 2))
    learn(partitions, sampling, np.random.default_rng(1))
    whole = sampler.learn(SMOKING, sampling, np.random.default_rng(2))
    found = dense(partitions, SMOKING)[:, 0]
    assert found == pytest.approx(believed(whole, SMOKING)[:, 0], abs=0.012)
    assert np.abs(found - CANCER).max() > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_small_worlds_as_enumerated(seed):
    """Four worlds of eleven people, with missing attributes; chains of 16,000 iterations err by less than 2 %."""
    groups = random_groups(seed, missing=0.1)
    partitions = LocalPartitions(divided(groups, 2))
    learn(partitions, MANY, np.random.default_rng(seed))
    assert dense(partitions, groups) == pytest.approx(enumerated(groups), abs=0.025)


def test_a_sweep_does_not_depend_on_what_a_partition_did_before():
    """A lost partition is laid out anew, and draws the same."""
    groups = unpack_groups(pack_groups(divided(random_groups(3), 1)[0]))
    rng = np.random.default_rng(5)
    log_theta = np.log(rng.dirichlet(np.ones(7), size=(2, 3)).swapaxes(1, 2))
    seed = rng.integers(2**63, size=2, dtype=np.uint64)
    old = GroupPartition.laid_out(4, groups)
    first = old.sweep(log_theta, seed)
    old.sweep(log_theta[::-1], seed + np.uint64(1))
    old.marginals(log_theta[:, None])
    again, anew = old.sweep(log_theta, seed), GroupPartition.laid_out(4, groups).sweep(log_theta, seed)
    for one in (again, anew):
        assert np.array_equal(one.counts, first.counts)
        assert np.array_equal(one.figures, first.figures)
    others = [GroupPartition.laid_out(number, groups).sweep(log_theta, seed).counts for number in range(5, 15)]
    assert any(not np.array_equal(counts, first.counts) for counts in others)


def test_a_type_counted_once_is_as_many_groups():
    """Expected counts of types with multiplicities are those of all their groups."""
    one = random_groups(1)
    times = np.array([3, 1, 2, 5, 1])
    rows = [row for g in range(5) for _ in range(times[g]) for row in range(one.start[g], one.start[g + 1])]
    size = np.repeat(np.diff(one.start), times)
    every = replace(one, profile_of=one.profile_of[rows], value=one.value[rows], start=starts(size))
    log_theta = np.log(np.random.default_rng(2).dirichlet(np.ones(7), size=3).T)
    typed = GroupPartition.laid_out(0, replace(one, times=times))
    assert typed.expect(log_theta) == pytest.approx(GroupPartition.laid_out(0, every).expect(log_theta))
    assert typed.marginals(log_theta[None, None]).people.sum() == pytest.approx(
        GroupPartition.laid_out(0, every).marginals(log_theta[None, None]).people.sum()
    )


class StoppedError(Exception):
    """The end of a process."""


class Stopping(LocalPartitions):
    """Partitions that are lost with their process after so many sweeps."""

    left = 60

    def sweep(self, log_theta, seed):
        """Sweep, as long as the process lives."""
        self.left -= 1
        if self.left < 0:
            msg = "stopped after 60 sweeps"
            raise StoppedError(msg)
        return super().sweep(log_theta, seed)


def sampled(partitions) -> PartitionedFit:
    """Sample with one seed."""
    return learn(partitions, Sampling(limit=640), np.random.default_rng(8))


@contextmanager
def storing(path):
    """Store finished parts in a folder, as a command does."""
    folder = PartsFolder(path, lambda _: None)
    folder.keep_seed(8)
    try:
        with work.stored(folder):
            yield
    finally:
        folder.close(finished=False)


def test_another_process_continues_from_the_last_checkpoint(tmp_path):
    """After 60 sweeps, 50 iterations are stored; the result is that of a process that never stopped."""
    parts = divided(random_groups(6), 2)
    whole = sampled(LocalPartitions(parts))
    with storing(tmp_path / "parts"), pytest.raises(StoppedError, match="60 sweeps"):
        sampled(Stopping(parts))
    resumed = Stopping(parts)
    resumed.left = whole.agreement.iterations - 50
    with storing(tmp_path / "parts"):
        found = sampled(resumed)
    assert resumed.left == 0
    assert np.array_equal(found.log_theta, whole.log_theta)
    assert found.agreement.r_hat == whole.agreement.r_hat


def test_groups_too_large_to_be_summed_over_are_refused():
    """A group of thirty different values would have a state between sweeps."""
    profile = np.arange(30, dtype=np.int32) % 2
    large = GroupedPeople(
        profile, np.array([0, 30]), np.arange(30, dtype=np.int32), np.array([[0], [1]], np.int32), np.array([2]), 30
    )
    with pytest.raises(NotApplicableError, match="needs groups small enough to be summed over; 1 are not"):
        GroupPartition.laid_out(0, large)
    with pytest.raises(NotApplicableError, match="summed over"):
        GroupPartition.laid_out(0, replace(large, times=np.array([2])))
    with pytest.raises(InvalidInputError, match="partitions must be at least 1"):
        divided(large, 0)


@pytest.mark.slow
def test_adult_as_sampled_in_one_piece():
    """Each person's probabilities differ from those of the undivided sampler by Monte Carlo error alone.

    The root mean square of the differences, in units of the root mean square of their standard errors (from four chains
    each), is 1 if both samplers have one posterior.
    """
    quasi = ("workclass", "relationship", "sex", "income")
    table = adult(quasi=quasi, sensitive=("occupation",))
    codes = np.stack([table[name] for name in quasi], axis=1)
    profile, example = distinct_rows(codes)
    value = table["occupation"]
    group_of = buckets(value, 14, 3, "random", np.random.default_rng(3))
    order = np.argsort(group_of, kind="stable")
    levels = (codes.max(axis=0) + 1).astype(np.int32)
    groups = GroupedPeople(
        profile[order], starts(np.bincount(group_of)), value[order], codes[example].astype(np.int32), levels, 14
    )
    whole = sampler.learn(groups, Sampling(), np.random.default_rng(5))
    partitions = LocalPartitions(divided(groups, 4))
    assert not learn(partitions, Sampling(), np.random.default_rng(77)).complaint()
    one, _ = by_row(whole.slots, whole.data)
    other = chains_by_row(partitions, groups)
    error = np.sqrt((one.var(axis=0, ddof=1) + other.var(axis=0, ddof=1)) / 4)
    difference = one.mean(axis=0) - other.mean(axis=0)
    assert np.sqrt((difference**2).mean() / (error**2).mean()) < 2
    assert np.sqrt((difference**2).mean()) < 0.005


def test_types_are_few_where_profiles_are_few():
    """Identical groups of a partition are laid out once."""
    groups = divided(SMOKING, 1)[0]
    people = sorted_in_groups(groups.start, groups.profile_of)
    types = identical_groups(groups.start, people, sorted_in_groups(groups.start, groups.value))
    assert GroupPartition.laid_out(0, groups).slots.layout.times.size == types.n == 4
