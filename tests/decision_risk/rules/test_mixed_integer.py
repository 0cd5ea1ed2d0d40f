"""Standard output belongs to the caller: output of a solver is dropped, and no other."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from tests.decision_risk import plain
from unmask.decision_risk.rules._mixed_integer import quiet
from unmask.decision_risk.rules.minimax import Minimax
from unmask.decision_risk.sensitivity import Sensitivity


def test_the_lines_of_the_solver_are_dropped_and_all_others_come_through(capfd):
    """In their order; and afterwards all is as it was."""
    with quiet():
        os.write(1, b"HighsMipSolverData::transformNewIntegerFeasibleSolution tmpSolver.run();\nfirst\n")
        os.write(1, b"HighsMipSolverData::again\nno end of line")
    os.write(1, b"second\n")
    assert capfd.readouterr().out == "first\nno end of linesecond\n"


def test_an_error_inside_goes_on_with_standard_output_in_its_place(capfd):
    """And without one there is nothing to keep clean."""
    with pytest.raises(ZeroDivisionError, match="inside"), quiet():
        raise ZeroDivisionError("inside")
    kept = os.dup(1)
    try:
        os.close(1)
        with quiet():
            pass
    finally:
        os.dup2(kept, 1)
        os.close(kept)
    os.write(1, b"still here\n")
    assert capfd.readouterr().out == "still here\n"


def test_threads_that_solve_at_the_same_time_leave_standard_output_where_it_was(capfd):
    """The second would take the first one's file for it, and put that back when the first has long closed it."""
    inside, done = threading.Event(), threading.Event()

    def first() -> None:
        with quiet():
            inside.set()
            done.wait(0.2)

    def second() -> None:
        inside.wait()
        with quiet():
            done.set()
            both[0].join()

    both = [threading.Thread(target=one) for one in (first, second)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    os.write(1, b"still here\n")
    assert capfd.readouterr().out == "still here\n"


@pytest.mark.parametrize("seed", [30, 153])
def test_games_that_make_the_solver_talk_are_played_in_silence(capfd, seed):
    """Both left a line of HiGHS 1.12 before: 936 programs of this kind left 6."""
    rng = np.random.default_rng(seed)
    m, n, v = int(rng.integers(3, 7)), int(rng.integers(5, 60)), int(rng.integers(2, 5))
    records = [tuple(row) for row in rng.integers(0, v, (n, m)).tolist()]
    books = [
        [tuple(row) for row in rng.integers(0, v, (int(rng.integers(5, 60)), m)).tolist()]
        for _ in range(int(rng.integers(2, 5)))
    ]
    sensitivity = Sensitivity.phi5(rng.random((n, m)) * rng.choice([1, 3, 8]))
    rule = Minimax(int(rng.integers(1, m)))
    found = rule.choose([plain.compared(records, book) for book in books], sensitivity)
    assert found.mixed <= found.worst * (1 + 1e-9)
    assert capfd.readouterr().out == ""
