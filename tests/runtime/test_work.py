"""Progress and kept parts: ambient, silent by default, and without influence on any result."""

from __future__ import annotations

import numpy as np
import pytest

from tests.stores import MemoryStore
from unmask.runtime import work


class Diary:
    """A watcher who writes down what happens."""

    def __init__(self):
        self.lines: list[tuple[str, float]] = []

    def began(self, step):
        """Note the beginning."""
        self.lines.append((f"began {step.title}", step.done))

    def advanced(self, step):
        """Note how far."""
        self.lines.append((step.title, step.done))

    def ended(self, step):
        """Note the end."""
        self.lines.append((f"ended {step.title}", step.done))


def test_a_watcher_receives_each_step():
    """Begun, two of three, ended; a step within a step is heard of, too."""
    diary = Diary()
    with work.watched(diary), work.step("attack", 3) as step:
        step.advance(2)
        with work.step("part"):
            pass
    assert diary.lines == [
        ("began attack", 0), ("attack", 2), ("began part", 0), ("ended part", 0), ("ended attack", 2),
    ]  # fmt: skip


def test_without_a_watcher_nothing_is_reported():
    """Silent by default, and silent again after the block."""
    diary = Diary()
    with work.watched(diary):
        pass
    with work.step("attack") as step:
        step.advance()
    assert diary.lines == []


def test_a_step_ends_also_when_it_fails():
    """The watcher is not left waiting."""
    diary = Diary()
    with pytest.raises(KeyError, match="half-way"), work.watched(diary), work.step("attack"):
        raise KeyError("half-way")
    assert diary.lines[-1] == ("ended attack", 0)


def test_a_finished_part_is_cached():
    """Computed once for the same inputs and settings; anew for others, and outside of the block."""
    calls: list[int] = []
    inputs = [[1], [1]]  # equal, but not the same

    def count() -> int:
        calls.append(1)
        return len(calls)

    def part(which, settings="a"):
        return work.kept("part", (inputs[which],), settings, count)

    with work.keeping():
        assert (part(0), part(0), part(1), part(0, "b"), part(0)) == (1, 1, 2, 3, 1)
    assert (part(0), part(0)) == (4, 5)


def doubled(numbers, settings="twice"):
    """Double some numbers, in a part that can be kept."""
    return work.parts_of("doubling", settings, (numbers,)).saved(
        "all", lambda: 2 * numbers, lambda found: {"found": found}, lambda kept: kept["found"]
    )


def test_a_part_outlives_the_work_in_a_store():
    """Computed once for inputs and settings of the same content, whichever arrays they are; anew for all others."""
    store = MemoryStore()
    with work.stored(store):
        for _ in range(2):
            assert doubled(np.arange(3)).tolist() == [0, 2, 4]
        assert store.computed == ["all"]
        doubled(np.arange(3), settings="double")
        doubled(np.arange(3.0))
        doubled(np.arange(4))
        doubled(np.arange(4).reshape(2, 2))
    assert len(set(store.asked)) == len(store.computed) == 5


def test_without_a_store_nothing_is_kept():
    """Nor after the block."""
    store = MemoryStore()
    with work.stored(store):
        pass
    assert doubled(np.arange(3)).tolist() == [0, 2, 4]
    parts = work.parts_of("doubling", "", ())
    parts.drop("all")
    assert not parts.has("all")
    assert store.asked == []


def test_a_part_that_is_not_what_it_should_be_is_computed_anew():
    """`unpack` says so by a KeyError or a ValueError; the store hears of it."""
    store = MemoryStore()
    with work.stored(store):
        doubled(np.arange(3))
        store.kept[store.asked[0], "all"] = {"lost": np.arange(3)}
        assert doubled(np.arange(3)).tolist() == [0, 2, 4]
    assert store.damaged == ["all"]
    assert store.computed == ["all", "all"]
