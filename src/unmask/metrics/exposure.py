"""Exposure: the number of people with too high a posterior for a harmful value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, expand
from unmask.beliefs import Beliefs
from unmask.estimate import Estimate, Tally
from unmask.numerics.rounding import at_least
from unmask.parameters import check_parameters
from unmask.schema import Harm
from unmask.wording import message

SINGLE = "single "
"""The prefix of the keys of posteriors from a single release."""

NO_HARMLESS = Harm()
"""The default: all values are harmful."""


@dataclass(frozen=True)
class Exposed:
    """The people for whom some harmful value has posterior probability at or above the limit.

    Right and wrong posteriors count alike: a confident wrong belief is also harmful.

    Measures
        People with `P(v) ≥ threshold` for some harmful v and, where `excess` is given, `P(v) ≥ control(v) + excess`
        for the same v; a value's own limit replaces the threshold. A person with several rows counts once.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, section 2.
    """

    name: ClassVar[str] = "exposed"
    higher_is_worse: ClassVar[bool] = True
    threshold: float = 0.5
    excess: float | None = None
    harm: Harm = NO_HARMLESS

    def __post_init__(self) -> None:
        check_parameters(self)

    def marks(self, tally: Tally) -> Bool:
        """Return whether each cell, (cells,), is exposed."""
        if self.excess is None:
            return _firm(tally, "", self.threshold, self.harm)
        exposed = np.zeros(tally.answer.size, bool)
        exposed[self._entries(tally)[0]] = True
        return exposed

    def by_value(self, tally: Tally) -> Float64:
        """Return the number of people exposed by each value, (values,); a person counts once for each value."""
        cell, value = self._entries(tally)
        n = len(tally.beliefs.values)
        if tally.person is None:
            return np.bincount(value, weights=tally.people[cell], minlength=n).astype(np.float64)
        _, example = distinct_rows(np.stack([tally.person[cell], value], axis=1))
        return np.bincount(value[example], minlength=n).astype(np.float64)

    def marks_of_truth(self, tally: Tally) -> Bool:
        """Return whether the true value exposes each cell, (cells,)."""
        values = tally.beliefs.values
        answer, truth = np.maximum(tally.answer, 0), np.nan_to_num(tally.of_truth())
        enough = at_least(truth, self.harm.limits(values, self.threshold)[answer])
        right = (tally.answer >= 0) & (truth > 0) & enough & self.harm.harmful(values)[answer]
        if self.excess is not None:
            right &= at_least(truth, np.nan_to_num(tally.of_truth("control")) + self.excess)
        return right

    def _entries(self, tally: Tally) -> tuple[Int64, Int32]:
        """Return the values that expose: the cell and the value, (entries,)."""
        cell, value, believed = self._firm_entries(tally)
        if self.excess is None:
            return cell, value
        before = tally.against["control"].rows.at(tally.row["control"][cell], value)
        enough = at_least(believed, before + self.excess)
        return cell[enough], value[enough]

    def _firm_entries(self, tally: Tally) -> tuple[Int64, Int32, Float64]:
        """Return the harmful values at or above their limit: the cell, the value, its probability, (entries,)."""
        rows = tally.beliefs.rows
        kept = np.flatnonzero(_is_firm(tally.beliefs, self.threshold, self.harm))
        start = np.searchsorted(kept, rows.start)  # of each row among the kept entries
        entry, cell = expand(start, tally.row[""])
        return cell, rows.column[kept[entry]], rows.data[kept[entry]]

    def measure(self, tally: Tally) -> Estimate:
        """Return the number of people."""
        if tally.n == 0:
            return Estimate.undefined(message("no target was attacked"))
        if self.excess is not None and "control" not in tally.against:
            return Estimate.undefined(message("there is no control to exceed"), tally.n)
        return Estimate.exact(tally.by_person(self.marks(tally)), tally.n)


@dataclass(frozen=True)
class ExposedRightly:
    """The people for whom the true value is harmful and has posterior probability at or above the limit.

    Measures
        As `Exposed`, for the true value alone.
    """

    name: ClassVar[str] = "exposed-rightly"
    higher_is_worse: ClassVar[bool] = True
    threshold: float = 0.5
    excess: float | None = None
    harm: Harm = NO_HARMLESS

    def __post_init__(self) -> None:
        check_parameters(self)

    def measure(self, tally: Tally) -> Estimate:
        """Return the number of people."""
        if not tally.known.any():
            return Estimate.undefined(message("the truth is known for no target"), tally.n)
        if self.excess is not None and "control" not in tally.against:
            return Estimate.undefined(message("there is no control to exceed"), tally.n)
        marks = Exposed(self.threshold, self.excess, self.harm).marks_of_truth(tally)
        return Estimate.exact(tally.by_person(marks), tally.n)


@dataclass(frozen=True)
class ExposedAlready:
    """The people for whom a single release gives some harmful value a posterior at or above the limit.

    For a threshold of 1 this is homogeneity: all members of the person's group share the value. Composition adds
    nothing to it, so a table of the effect of composition must list it separately.

    Measures
        People with `P(v) ≥ threshold` for some harmful v from at least one single release.
    """

    name: ClassVar[str] = "exposed-already"
    higher_is_worse: ClassVar[bool] = True
    threshold: float = 1.0
    harm: Harm = NO_HARMLESS

    def __post_init__(self) -> None:
        check_parameters(self)

    def marks(self, tally: Tally) -> Bool | None:
        """Return whether some single release exposes each cell, (cells,); None without single releases."""
        single = [name for name in tally.against if name.startswith(SINGLE)]
        result = np.zeros(tally.answer.size, bool)
        for name in single:
            result |= _firm(tally, name, self.threshold, self.harm)
        return result if single else None

    def measure(self, tally: Tally) -> Estimate:
        """Return the number of people."""
        marks = self.marks(tally)
        if marks is None or tally.n == 0:
            return Estimate.undefined(message("there is no single release to compare with"), tally.n)
        return Estimate.exact(tally.by_person(marks), tally.n)


@dataclass(frozen=True)
class ExposedNew:
    """The people for whom some harmful value reaches the limit only with several releases combined.

    Measures
        The people whom the judged posterior exposes, and no single release does.
    """

    name: ClassVar[str] = "exposed-new"
    higher_is_worse: ClassVar[bool] = True
    threshold: float = 1.0
    harm: Harm = NO_HARMLESS

    def __post_init__(self) -> None:
        check_parameters(self)

    def measure(self, tally: Tally) -> Estimate:
        """Return the number of people."""
        already = ExposedAlready(self.threshold, self.harm).marks(tally)
        if already is None or tally.n == 0:
            return Estimate.undefined(message("there is no single release to compare with"), tally.n)
        now = Exposed(self.threshold, None, self.harm).marks(tally)
        return Estimate.exact(tally.by_person(now & ~already), tally.n)


def _is_firm(beliefs: Beliefs, threshold: float, harm: Harm) -> Bool:
    """Return whether each entry of the distinct rows, (entries,), is a harmful value at or above its limit."""
    rows = beliefs.rows
    enough = at_least(rows.data, harm.limits(beliefs.values, threshold)[rows.column])
    return np.asarray(enough & harm.harmful(beliefs.values)[rows.column] & (rows.data > 0))


def _firm(tally: Tally, name: str, threshold: float, harm: Harm) -> Bool:
    """Return whether each cell, (cells,), has a harmful value at or above its limit; only distinct rows are scanned."""
    if not harm.limit:  # one limit for all values
        largest = tally.largest(name, harm.harmless)
        return np.asarray(at_least(largest, threshold) & (largest > 0))
    beliefs = tally.against[name] if name else tally.beliefs
    among = beliefs.rows.row[_is_firm(beliefs, threshold, harm)]
    n_firm = np.bincount(among, minlength=beliefs.rows.n_rows)
    return tally.per_row(n_firm.astype(np.float64), name) > 0


def reaching(beliefs: Beliefs, threshold: float, harm: Harm) -> Bool:
    """Return the targets, (targets,), with a harmful value that reaches its limit, in the beliefs or in a replicate.

    No other target is exposed, whatever its control is.
    """
    drawn = (beliefs, *(beliefs.replicate(r) for r in range(len(beliefs.replicates))))
    rows = np.zeros(beliefs.rows.n_rows, bool)
    for one in drawn:
        rows[one.rows.row[_is_firm(one, threshold, harm)]] = True
    return np.asarray((beliefs.row_of >= 0) & rows[np.maximum(beliefs.row_of, 0)])


EXAMPLES = (Exposed(), ExposedRightly(), ExposedAlready(), ExposedNew())
