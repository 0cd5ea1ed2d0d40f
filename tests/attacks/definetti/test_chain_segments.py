"""Interrupted chains continue from the last round that each finished, identically to the last bit."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.attacks.definetti.test_sampler import SMOKING, random_groups
from tests.stores import INTERRUPTED, MemoryStore
from unmask.attacks.definetti.fixed_point import fixed_point
from unmask.attacks.definetti.sampler import Sampling, learn
from unmask.attacks.shared.group_layout import chain_for
from unmask.attacks.shared.grouped_people import slots_of
from unmask.runtime import work

NEVER = Sampling(limit=160, r_hat=0.5)  # chains never agree so well: ten comparisons, eleven rounds
PARTS = 1 + 4 * 11  # the start, and each chain's rounds

TABLES = {
    "pairs": SMOKING,
    "threes": random_groups(1, sizes=(3, 3, 2, 4, 1)),
    "too large to be summed over": random_groups(2, sizes=(14, 2), n_values=14),
}


def outcome(fit):
    """Return everything that a fit says, as bytes."""
    whole = [fit.data.tobytes(), fit.traced.tobytes(), repr(fit.agreement).encode()]
    return b"".join([*whole, *(array.tobytes() for snapshot in fit.snapshots for array in snapshot)])


def learned(groups, store=None, sampling=NEVER, seed=3):
    """Learn with a store of finished parts, or without."""
    if store is None:
        return outcome(learn(groups, sampling, np.random.default_rng(seed)))
    with work.stored(store):
        return outcome(learn(groups, sampling, np.random.default_rng(seed)))


@cache
def whole(name):
    """Return what comes of a table without any interruption."""
    return learned(TABLES[name])


@cache
def halted(name, most):
    """Interrupt the work on a table after so many parts."""
    store = MemoryStore(most)
    with pytest.raises(KeyboardInterrupt, match=INTERRUPTED):
        learned(TABLES[name], store)
    return store.kept


def interrupted(name, most):
    """Return a store with the parts of interrupted work."""
    store = MemoryStore()
    store.kept = {key: dict(arrays) for key, arrays in halted(name, most).items()}
    return store


def test_a_table_of_each_kind():
    """One of them has a group whose arrangements are too many, and whose people hold values from sweep to sweep."""
    assert [slots_of(groups).layout.large.size for groups in TABLES.values()] == [0, 0, 1]


@pytest.mark.parametrize(
    ("name", "most"),
    [*product(("pairs", "threes"), (0, 1, 4, 11, 30, 44)), *product(("too large to be summed over",), (1, 11))],
)
def test_an_interrupted_chain_goes_on_as_if_it_had_never_stopped(name, most):
    """Probabilities, traces, snapshots, all to the last bit; no chain that had finished a round does it again."""
    store = interrupted(name, most)
    assert learned(TABLES[name], store) == whole(name)
    assert len(store.computed) == PARTS - most


def test_only_rounds_that_are_still_needed_are_kept():
    """After each comparison the first quarter goes: of eleven rounds of 160 iterations the last four are left."""
    store = MemoryStore()
    learned(SMOKING, store)
    parts = {part for _, part in store.kept}
    assert parts == {"start", *(f"round-{n}-chain-{c}" for n in (7, 8, 9, 10) for c in (1, 2, 3, 4))}


def test_finished_work_is_only_summed_up_again():
    """All of its parts are there."""
    store = MemoryStore()
    first = learned(SMOKING, store)
    store.computed.clear()
    assert learned(SMOKING, store) == first
    assert store.computed == []


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_whatever_parts_are_lost_the_result_is_the_same(data):
    """A chain whose last round is gone runs again from the latest that is left, or from its start."""
    store = interrupted("pairs", 30)
    for lost in data.draw(st.sets(st.sampled_from(sorted(store.kept)))):
        del store.kept[lost]
    assert learned(SMOKING, store) == whole("pairs")


def key_of(store, part):
    """Return where a part is kept."""
    return next(key for key in store.kept if key[1] == part)


SPOILS = {
    "lost": lambda arrays, name: arrays.pop(name),
    "shorter": lambda arrays, name: arrays.update({name: arrays[name][:-1]}),
    "of another type": lambda arrays, name: arrays.update({name: arrays[name].astype(np.complex64)}),
}
NAMES = (
    "sums", "traced", "counts", "snapshots.log_theta", "snapshots.counts", "snapshots.seed", "chain.log_theta",
    "chain.counts", "chain.held", "chain.stream",
)  # fmt: skip


@pytest.mark.parametrize("how", SPOILS.values(), ids=SPOILS)
@pytest.mark.parametrize("name", NAMES)
def test_a_part_of_another_form_is_computed_anew(name, how):
    """Whatever array of it is wrong."""
    store = interrupted("pairs", 30)
    part = key_of(store, "round-6-chain-2")
    how(store.kept[part], name)
    assert learned(SMOKING, store) == whole("pairs")
    assert "round-6-chain-2" in store.damaged


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["sums", "traced", "counts", "snapshots.log_theta", "chain.log_theta"])
def test_a_part_with_a_number_that_no_chain_has_is_computed_anew(name, value):
    """Beliefs would be undefined, or all of them on one value."""
    store = interrupted("pairs", 30)
    part = key_of(store, "round-6-chain-2")
    store.kept[part][name] = np.full_like(store.kept[part][name], value)
    assert learned(SMOKING, store) == whole("pairs")
    assert store.damaged == ["round-6-chain-2"]


@pytest.mark.parametrize("value", [-1, 7])
def test_values_that_a_group_does_not_have_are_not_believed(value):
    """A kernel would read beyond the end of its arrays."""
    store = interrupted("pairs", 30)
    part = key_of(store, "round-6-chain-2")
    store.kept[part]["chain.held"] = np.full(12, value, np.int32)
    assert learned(SMOKING, store) == whole("pairs")
    assert store.damaged == ["round-6-chain-2"]


@pytest.mark.parametrize("state", [b"", b"3", b"{}", b'{"bit_generator": "MT19937"}', b"\xff"])
def test_a_stream_of_another_kind_is_not_believed(state):
    """Nor what is no stream at all."""
    store = interrupted("pairs", 30)
    part = key_of(store, "round-6-chain-2")
    store.kept[part]["chain.stream"] = np.frombuffer(state, np.uint8)
    assert learned(SMOKING, store) == whole("pairs")
    assert store.damaged == ["round-6-chain-2"]


def test_a_start_of_another_form_is_computed_anew():
    """It says which counts are traced."""
    store = interrupted("pairs", 2)
    start = key_of(store, "start")
    store.kept[start]["counts"] = store.kept[start]["counts"][:-1]
    assert learned(SMOKING, store) == whole("pairs")
    assert store.damaged == ["start"]


def test_what_a_result_depends_on_makes_other_work_and_what_it_does_not_the_same():
    """Data, settings and seed; the number of threads is none of these."""
    store = MemoryStore()
    small = replace(NEVER, limit=161)
    other = replace(SMOKING, value=SMOKING.value[::-1].copy())
    for groups, sampling, seed in ((SMOKING, NEVER, 3), (other, NEVER, 3), (SMOKING, small, 3), (SMOKING, NEVER, 4)):
        learned(groups, store, sampling, seed)
    assert len(set(store.asked)) == 4
    learned(SMOKING, store, replace(NEVER, threads=1))
    assert store.asked[-1] == store.asked[0]


def test_chains_that_start_around_a_mode_are_other_work_and_go_on_as_well():
    """Their parts are not taken for those of chains that start anywhere."""
    slots = slots_of(SMOKING)
    mode = fixed_point(slots, 1.0, chain_for(slots.layout, slots.shapes))
    store = interrupted("pairs", 11)
    first = learn(SMOKING, NEVER, np.random.default_rng(3), mode)
    store.most = 9
    with work.stored(store), pytest.raises(KeyboardInterrupt, match=INTERRUPTED):
        learn(SMOKING, NEVER, np.random.default_rng(3), mode)
    store.most = None
    with work.stored(store):
        assert outcome(learn(SMOKING, NEVER, np.random.default_rng(3), mode)) == outcome(first)
    assert len(store.computed) == PARTS


def test_an_interruption_does_not_wait_for_the_end_of_a_round():
    """One chain fails at once; the others, which would run for minutes, stop at their next snapshot."""
    sampling = Sampling(limit=10**9, threads=4)
    store = MemoryStore(0)
    with pytest.raises(KeyboardInterrupt, match=INTERRUPTED):
        learned(SMOKING, store, sampling)


def test_progress_counts_what_was_done_before():
    """Rounds no longer needed, and rounds loaded: at the end all 160 iterations count."""
    store = interrupted("pairs", 30)
    seen = []

    class Diary:
        def began(self, step):
            del step

        def advanced(self, step):
            seen.append(step.done)

        def ended(self, step):
            seen.append(step.done)

    with work.watched(Diary()):
        learned(SMOKING, store)
    assert seen[0] == 10
    assert seen[-1] == pytest.approx(160)
