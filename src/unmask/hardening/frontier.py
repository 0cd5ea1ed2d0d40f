"""The frontier of exposed people against the error of queries, and the recommendation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unmask.hardening.evaluated import Evaluated


def frontier(evaluated: Iterable[Evaluated]) -> tuple[Evaluated, ...]:
    """Return the evaluations that no other one beats in both harm and error, the safest first.

    Harm is the share of people exposed, then the largest risk. All must be of the same people.
    """
    best: list[Evaluated] = []
    feasible = (one for one in evaluated if not one.infeasible)
    for one in sorted(feasible, key=lambda one: (one.harm, one.loss)):
        if not best or one.loss < best[-1].loss:
            best.append(one)
    return tuple(best)


def recommended(evaluated: Iterable[Evaluated]) -> Evaluated | None:
    """Return the passing evaluation that loses least; None where none passes."""
    return min((one for one in evaluated if one.passes), key=lambda one: one.loss, default=None)


def nearest(evaluated: Sequence[Evaluated]) -> Evaluated | None:
    """Return the evaluation with the least harm, among equals the one that loses least.

    Those that leave out too many people come after others. The table as it is comes after a release that is no worse.
    """
    feasible = [one for one in evaluated if not one.infeasible]
    return min(
        feasible,
        key=lambda one: (one.too_many_left_out, one.harm, one.candidate.changes_nothing, one.loss),
        default=None,
    )


__all__ = ["frontier", "nearest", "recommended"]
