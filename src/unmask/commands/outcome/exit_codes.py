"""The exit codes of unmask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

DONE, BROKEN, BAD_INPUT, NOT_CONVERGED, NOT_DECIDED, MACHINE, DEFECT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 70, 130

MEANING: Mapping[int, str] = {
    DONE: "done; within the limits, if any were given",
    BROKEN: "a limit was broken",
    BAD_INPUT: "bad input or usage; no table can meet the model; an attack asked for by name does not apply",
    NOT_CONVERGED: "an attack asked for by name did not converge",
    NOT_DECIDED: (
        "not decided: an interval straddles the limit, a required attack did not run, people could not be read, "
        "or a column that no model counts identifies people"
    ),
    MACHINE: "the machine: disk, memory or time, or a database that breaks off",
    DEFECT: "a defect of unmask, with how to report it",
    INTERRUPTED: "interrupted",
}

WORST_FIRST = (DEFECT, INTERRUPTED, MACHINE, BAD_INPUT, BROKEN, NOT_DECIDED, NOT_CONVERGED, DONE)


def worst(codes: Iterable[int]) -> int:
    """Return the code that a process ends with which has earned several.

    >>> worst([NOT_DECIDED, BROKEN, DONE])
    1
    """
    return min(codes, key=WORST_FIRST.index, default=DONE)
