"""Many miners at a time: what goes wrong with one of them harms no other."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.attacks.fusion.miners.odd import Odd, town
from tests.stores import INTERRUPTED, MemoryStore
from unmask.attacks.fusion.miners import all_miners
from unmask.attacks.fusion.miners._worker import answered
from unmask.attacks.fusion.miners.predictions import MinerPrediction
from unmask.attacks.fusion.miners.training import Mining, mine
from unmask.attacks.fusion.miners.training_data import NO_ANSWER
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.runtime import work

FEW = all_miners.named(["majority", "forest", "naive-bayes", "support-vectors"], numbers=False)


def mined(miners, *, seed=1, numbers=False, **how):
    """Mine a small town."""
    return mine(town(120, numbers=numbers), miners, Mining(**how), np.random.default_rng(seed))


@cache
def undisturbed():
    """Mine with a few miners, one after the other, once for all lessons that compare with it."""
    return mined(FEW, jobs=1)


@cache
def beside_one_that_draws():
    """Mine with two of them and one that draws."""
    return mined([Odd("drawn"), *FEW[:2]], jobs=1)


def same(one, other):
    """Whether all miners have the same predictions."""
    chances = all(
        (a.chance is None and b.chance is None) or np.array_equal(a.chance, b.chance)
        for a, b in zip(one.by_miner, other.by_miner, strict=True)
    )
    return chances and np.array_equal(one.answers, other.answers) and np.array_equal(one.row_of, other.row_of)


# --- the story: one fails, the others answer


def test_failed_miners_are_left_out_and_reported():
    """Seven ways to go wrong, among three that answer; each has a reason of one line."""
    names = ["fine", "raises", "hangs", "greedy", "crashes", "short", "beyond", "chatty", "drawn"]
    found = mined([Odd(name) for name in names], seconds=4, memory=1024, jobs=2)
    assert found.names == ("fine", "chatty", "drawn")
    assert found.left_out == {
        "raises": "ValueError: no such thing",
        "hangs": "took longer than 4 s",
        "greedy": "needs more than 1024 MiB",
        "crashes": "took its process down, perhaps by using more than 1024 MiB",
        "short": "gave no answer for some rows, or an answer that cannot be",
        "beyond": "gave no answer for some rows, or an answer that cannot be",
    }


def test_two_at_a_time_say_what_one_after_the_other_says():
    """Bit by bit, with groups held out."""
    one, two = (mined(FEW, folds=3, jobs=jobs) for jobs in (1, 2))
    assert one.held_out
    assert not one.left_out
    assert same(one, two)


def test_one_more_miner_changes_no_other():
    """Each draws from a stream of its own name."""
    names = ["majority", "forest"]
    assert same(undisturbed().only(names), beside_one_that_draws().only(names))


def test_the_seed_decides():
    """Another one, another."""
    other = mined([Odd("drawn")], seed=2, jobs=1)
    assert not np.array_equal(beside_one_that_draws().only(["drawn"]).answers, other.answers)


def test_numbers_are_mined_likewise():
    """All but the names are other miners."""
    found = mined(all_miners.named(["mean", "tree"], numbers=True), numbers=True, jobs=1)
    assert found.is_numeric
    assert found.answers.dtype == np.float64
    assert found.by_miner[0].chance is None


# --- processes that are kept


def process_of_numbers(seed=1):
    """Return the process that trained a miner."""
    found = mined([Odd("process")], seed=seed, numbers=True, jobs=1)
    return int(found.answers[0, 0])


def test_a_process_gets_the_next_training_data():
    """One process trains for two calls; one that has ended in the meantime is replaced."""
    first = process_of_numbers()
    assert process_of_numbers(seed=2) == first != os.getpid()
    os.kill(first, signal.SIGKILL)
    assert process_of_numbers() != first


def test_an_interruption_keeps_no_process():
    """All processes of the call are ended."""
    first = process_of_numbers()
    with work.stored(MemoryStore(most=0)), pytest.raises(KeyboardInterrupt, match=INTERRUPTED):
        mined([Odd("process")], numbers=True, jobs=1)
    assert process_of_numbers() != first


# --- interruption


def test_finished_miners_survive_an_interruption():
    """Interrupted at the third, the run goes on from two, and ends as if nothing had happened."""
    store = MemoryStore(most=2)
    with work.stored(store), pytest.raises(KeyboardInterrupt, match=INTERRUPTED):
        mined(FEW, jobs=1)
    assert len(store.kept) == 2
    store.most = None
    with work.stored(store):
        found = mined(FEW, jobs=1)
    assert len(store.computed) == len(FEW)
    assert same(found, undisturbed())


def test_a_damaged_part_is_computed_anew():
    """Answers for too few lines are no answers."""
    store = MemoryStore()
    with work.stored(store):
        mined(FEW[:1], jobs=1)
        ((key, arrays),) = store.kept.items()
        store.kept[key] = {"answer": arrays["answer"][:-1]}
        found = mined(FEW[:1], jobs=1)
    assert len(store.damaged) == 1
    assert same(found, undisturbed().only(["majority"]))


class Watching:
    """Notes how far the work has come."""

    def __init__(self):
        self.done = []

    def began(self, step):
        """Note the title."""
        self.done.append((step.title, step.total))

    def advanced(self, step):
        """Note how far."""
        self.done.append(step.done)

    def ended(self, step):
        """Note nothing."""


def test_what_failed_is_counted_as_progress_and_not_kept():
    """It is tried again: perhaps the machine was busy."""
    watcher, store = Watching(), MemoryStore()
    with work.watched(watcher), work.stored(store):
        mined([Odd("fine"), Odd("raises")], jobs=1)
    assert watcher.done == [("mining", 2), 1.0, 2.0]
    assert len(store.kept) == 1


# --- edges


def test_why_a_miner_failed_is_one_line():
    """An error of ours as it is, any other with its kind, and no more than the first line."""
    lesson = town(8)
    fold_of = np.zeros(8, np.int32)
    assert answered(Odd("raises"), lesson, fold_of, 1, 64) == "ValueError: no such thing"
    blank = replace(lesson, answer=np.full(8, NO_ANSWER))
    assert answered(FEW[0], blank, fold_of, 1, 64).startswith("needs training rows with an answer")
    assert isinstance(answered(Odd("fine"), lesson, fold_of, 1, 64), MinerPrediction)


def test_a_miner_that_no_other_process_can_be_given_is_left_out():
    """It is defined inside a function."""

    class Local(Odd):
        pass

    found = mined([Local("local"), Odd("fine")], jobs=1)
    assert found.left_out == {"local": "cannot be sent to another process"}


def test_without_any_answer_there_is_nothing_to_fuse():
    """The error has the first reason."""
    with pytest.raises(NotApplicableError, match="no miner could answer: ValueError: no such thing"):
        mined([Odd("raises")], jobs=1)
    with pytest.raises(NotApplicableError, match="none was named"):
        mined([], jobs=1)


def test_names_must_differ():
    """They name random streams and columns."""
    with pytest.raises(InvalidInputError, match="different names"):
        mined([Odd("fine"), Odd("fine")])


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"seconds": 0}, "seconds of a miner must be above 0; got 0"),
        ({"memory": -1}, "memory of a miner must be above 0; got -1"),
        ({"jobs": -1}, "jobs must be 0 .* or above; got -1"),
    ],
)
def test_limits_must_leave_something(how, words):
    """No time, no memory, fewer than no miners at a time."""
    with pytest.raises(InvalidInputError, match=words):
        Mining(**how)
