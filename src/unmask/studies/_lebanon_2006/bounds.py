"""Figure 1, right: the estimated risk over the true one, for larger true dictionaries with missing values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.disclosure_risk import risk
from unmask.decision_risk.upper_bound import as_it_grows, upper_bound
from unmask.number_format import numeral
from unmask.reproduction import Figure, Listing, around
from unmask.studies._lebanon_2006.draws import FORMS, DrawnRecords
from unmask.studies._lebanon_2006.people import blanked
from unmask.wording import marked, message

STEEPER = 1.1
"""The least ratio of slopes that counts as a steeper line."""

EVERY = 0
"""Replaces k: all k together."""

_EQUAL = 1e-9

_WHY = message("it grows only where others match, and none does once enough values are disclosed and present")
_WHY_ALL = message("the largest risks, of the largest k, decide the line, and no other person matches these records")


@dataclass(frozen=True, slots=True)
class Point:
    """The risk of one rule by our dictionary and by the attacker's."""

    run: int
    form: str
    k: int
    times: int  # entries of the true dictionary for each of ours
    blank: float  # share of its values that are missing
    estimated: float
    true: float
    losses: int  # records with a larger loss than estimated
    expected: float  # expected true risk, from the matching entries of ours; NaN with blanked values
    fails: tuple[str, ...]  # violated conditions


def points(drawn: DrawnRecords, run: int, ks: Sequence[int], times: Sequence[int], blank: float) -> Iterator[Point]:
    """Yield the risks of random rules by a small dictionary, and by larger ones with all or some values."""
    n = drawn.population.n_rows // max(times)
    ours = drawn.dictionary(n)
    estimate = drawn.against(ours)
    weighed = {form: drawn.sensitivity(form) for form in FORMS}
    estimated = {(form, k): risk(estimate, weighed[form], drawn.random[k]) for form in FORMS for k in ks}
    grown = {
        (form, k): as_it_grows(estimate, weighed[form], drawn.random[k], times).risk.tolist()
        for form in FORMS
        for k in ks
    }
    for share in sorted({0.0, blank}):
        for nth, ratio in enumerate(times):
            whole = drawn.dictionary(ratio * n)
            attributes = blanked(whole.attributes, share, drawn.rng) if share else whole.attributes
            theirs = Dictionary(whole.name, attributes, whole.identities)
            truth = drawn.against(theirs)
            for form in FORMS:
                fails = upper_bound(estimate, ours, theirs, weighed[form]).fails
                for k in ks:
                    one, other = estimated[form, k], risk(truth, weighed[form], drawn.random[k])
                    expected = np.nan if share else grown[form, k][nth]
                    more = int((other.loss > one.loss * (1 + _EQUAL)).sum())
                    yield Point(run, form, k, ratio, share, one.value, other.value, more, expected, fails)


@dataclass(frozen=True, eq=False)
class Bounds:
    """All points."""

    points: tuple[Point, ...]
    ks: tuple[int, ...]
    times: tuple[int, ...]

    @property
    def blanks(self) -> tuple[float, ...]:
        """Shares of missing values."""
        return tuple(sorted({one.blank for one in self.points}))

    def slopes(self, form: str, k: int, times: int, blank: float) -> Float64:
        """Return the slope of the regression line through 0, estimated over true risk, (runs,)."""
        result = []
        for run in sorted({one.run for one in self.points}):
            pairs = np.array([
                (one.true, one.estimated)
                for one in self.points
                if (one.run, one.form, one.times, one.blank) == (run, form, times, blank) and k in {EVERY, one.k}
            ])  # fmt: skip
            result.append(float((pairs[:, 0] @ pairs[:, 1]) / (pairs[:, 0] @ pairs[:, 0])))
        return np.array(result)


def figures(found: Bounds) -> Iterator[Figure]:
    """Yield the slope by k and size, and the ratio of expected to true risk."""
    for form, (symbol, _) in FORMS.items():
        for blank in found.blanks:
            for k in (*found.ks, EVERY):
                for times in found.times:
                    runs = found.slopes(form, k, times, blank)
                    yield Figure.ranged(
                        f"slope/{form}/{_of(k)}/blank={blank:g}/times={times}",
                        message(
                            "{symbol}, {k}, {blank} of the true dictionary's values missing, {times} times as many "
                            "entries: slope of the estimated risk over the true one",
                            symbol=symbol,
                            k=_k_label(k),
                            blank=numeral(blank, ".0%"),
                            times=times,
                        ),
                        float(runs.mean()),
                        around(runs),
                        None,
                    )
    for k in found.ks:
        for times in found.times[1:]:
            runs = np.array([
                one.expected / one.true
                for one in found.points
                if (one.form, one.k, one.times, one.blank) == ("phi3", k, times, 0.0)
            ])  # fmt: skip
            yield Figure.ranged(
                f"foreseen/phi3/k={k}/times={times}",
                message("Φ3, k = {k}: expected over true risk against {times} times as many entries", k=k, times=times),
                float(runs.mean()), around(runs), None,
            )  # fmt: skip


def claims(found: Bounds) -> Iterator[Figure]:
    """Yield the text's claims about the figure."""
    above = sum(one.true > one.estimated * (1 + _EQUAL) for one in found.points)
    losses = sum(one.losses for one in found.points)
    failing = sum(bool(one.fails) for one in found.points)
    yield Figure.claim(
        "claim/bound",
        "R(δ, θ̂) is always an upper bound of R(δ, θ true) (all the points occur above the line y = x)",
        float(above),
        None,
        holds=above == 0,
        note=message(
            "points below the line, of {n}; {losses} single losses are more than estimated. The conditions "
            "of theorem 1, checked, fail for {failing} of them",
            n=numeral(len(found.points)),
            losses=losses,
            failing=failing,
        ),
        is_arithmetic=not failing,  # then it is theorem 1
    )
    if len(found.times) > 1:
        for blank in found.blanks:
            for k in (*found.ks, EVERY):
                first, last = (found.slopes("phi3", k, times, blank) for times in (found.times[0], found.times[-1]))
                steeper = last / first
                yield Figure.claim(
                    f"claim/steeper/{_of(k)}/blank={blank:g}",
                    "as the size of the true dictionary becomes significantly larger, the points seem to trace a "
                    "steeper line",
                    float(steeper.mean()),
                    around(steeper),
                    holds=float(steeper.mean()) >= STEEPER,
                    note=message(
                        "Φ3, {k}, {blank} of the true dictionary's values missing: the slope at {most} times as many "
                        "entries over that at {least} (held from {steeper} on). Tested: {why}",
                        k=_k_label(k),
                        blank=numeral(blank, ".0%"),
                        most=found.times[-1],
                        least=found.times[0],
                        steeper=numeral(STEEPER, "g"),
                        why=_WHY if k else _WHY_ALL,
                    ),
                )


def listing(found: Bounds) -> Listing:
    """Return the slope by k and size."""
    rows = [
        (message("{k}, {blank} missing", k=_k_label(k), blank=numeral(blank, ".0%")),
         *(numeral(float(found.slopes("phi3", k, times, blank).mean()), ".2f") for times in found.times))
        for blank in found.blanks
        for k in (*found.ks, EVERY)
    ]  # fmt: skip
    head = (marked("true dictionary has"), *(message("{times} times", times=times) for times in found.times))
    return Listing(
        marked("Φ3: slope of the estimated risk over the true one"),
        head,
        tuple(rows),
        marked("times as many entries as ours"),
    )


def _of(k: int) -> str:
    return f"k={k}" if k else "every-k"


def _k_label(k: int) -> str:
    return f"k = {k}" if k else message("all k together")
