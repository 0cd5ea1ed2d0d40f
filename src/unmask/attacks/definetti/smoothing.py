"""Cross-validated bandwidth and weight of each attribute, from the release alone.

Groups are held out, and the others predict their values from their cells. The fit to the held-out values depends on
the bandwidth: without smoothing the model learns noise, with too much of it nothing. Dependent attributes, such as age
and marital status, are overconfident together: each gets an exponent that makes the predictions calibrated. The
attacker needs nothing but the release.

References
----------
Silverman. Density estimation for statistics and data analysis. Chapman and Hall 1986, section 3.4 (cross-validation).
Zaidi, Cerquides, Carman, Webb. Alleviating Naive Bayes attribute independence assumption by attribute weighting.
J. Machine Learning Research 2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.attacks.definetti.interpolation import interpolate
from unmask.attacks.definetti.set_valued_model import TINY, AttributeAxis, LevelModel, SmoothedEM, fit_levels
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.numerics.box_newton import Derivatives, minimize_within
from unmask.runtime import work
from unmask.runtime.cost import require_time
from unmask.wording import message

FOLDS = 5
LEAST_GROUPS = 10
"""With fewer groups there is no cross-validation: attributes are not smoothed, and keep their full weight."""

MOST_GROUPS = 20_000  # in cross-validation; more would not change the result
MOST_PAIRS = 1 << 23
"""Pairs of a group and a value that choose the exponents, but at least `LEAST_FOR_WEIGHTS` groups: a bound on time."""

LEAST_FOR_WEIGHTS = 1_000
_BLOCK = 1 << 18  # pairs whose logarithms are held at a time
_WEIGHTS = (0.0, 2.0)
_APART = 0.01
_STEPS = 2.0 ** np.arange(-2, 10, 0.5)  # candidate bandwidths, in steps of the axis


@dataclass(frozen=True, slots=True, eq=False)
class CellModel:
    """The fitted models of all attributes, and their exponents."""

    attributes: tuple[LevelModel, ...]
    bandwidth: Float64  # (attributes,) in the units of the axis; 0: not smoothed
    weight: Float64  # (attributes,)
    apart: float  # the largest difference between two starts' probabilities of a level

    def complaint(self) -> str:
        """Return why the model is not reliable, or an empty string."""
        if not all(one.settled for one in self.attributes):
            return message("probabilities still moved at the last iteration")
        return message("two starts differ by {n}", n=numeral(self.apart, ".3f")) if self.apart > _APART else ""


_PER_CHOSEN, _PER_LEARNED = 3.5e-6, 3.5e-8  # measured seconds per value and group, to smooth and to fit


def learn(axes: Sequence[AttributeAxis], groups: Float64, alpha: float, *, smooth: bool = True) -> CellModel:
    """Choose bandwidths and weights by cross-validation, then fit to all groups.

    `groups` (groups, values) are people. Every fifth group is held out in turn. Values with the same people have the
    same model, which is fitted once: a column of numbers has many such values. Deterministic.

    Fails
        With `InvalidInputError` for attributes of other groups, with `CostlyError` if it would take too long.
    """
    for axis in axes:
        if axis.cell_of.size != groups.shape[0]:
            raise InvalidInputError(
                message(
                    "attributes must have cells of {shape} groups; got {size}",
                    shape=groups.shape[0],
                    size=axis.cell_of.size,
                )
            )
    numbers: dict[bytes, int] = {}
    kind_of = np.array([numbers.setdefault(people.tobytes(), len(numbers)) for people in groups.T], np.int64)
    times = np.bincount(kind_of, minlength=1)
    kinds = groups[:, np.unique(kind_of, return_index=True)[1]]
    require_time(
        message(
            "learning {values} values from ranges of {groups} groups",
            values=numeral(groups.shape[1]),
            groups=numeral(groups.shape[0]),
        ),
        len(axes) * kinds.shape[1] * (_PER_CHOSEN * min(groups.shape[0], MOST_GROUPS) + _PER_LEARNED * groups.shape[0]),
        message("Recode the values to fewer, or use random-worlds, which takes any number"),
    )
    bandwidth, weight = np.zeros(len(axes)), np.ones(len(axes))
    if smooth and groups.shape[0] >= LEAST_GROUPS:
        some = np.arange(0, groups.shape[0], -(-groups.shape[0] // MOST_GROUPS))
        fold = np.arange(some.size) % FOLDS
        aside, held_out = kinds[some], []
        before = np.log(np.maximum(aside.sum(axis=0) / max(float((aside @ times).sum()), 1.0), TINY))
        with work.step(message("choosing how far to smooth"), len(axes)) as step:
            for i, axis in enumerate(axes):
                found = _smoothest(replace(axis, cell_of=axis.cell_of[some]), aside, times, before, fold, alpha)
                bandwidth[i] = found[0]
                held_out.append(found[1])
                step.advance()
        weight = _weights(held_out, aside, times, before)
    attributes, apart = [], 0.0
    with work.step(message("learning from all groups"), len(axes)) as step:
        for axis, width in zip(axes, bandwidth, strict=True):
            shape = axis.n_levels, kinds.shape[1]
            starts = np.stack([np.full(shape, 1 / axis.n_levels), _slanted(*shape)])
            one, other = fit_levels(axis, np.stack([axis.counts(kinds)] * 2), width, alpha, starts)
            apart = max(apart, float(np.abs(one.theta - other.theta).max(initial=0.0)))
            one = replace(one, theta=one.theta[:, kind_of], expected=one.expected[:, kind_of])
            attributes.append(interpolate(one) if smooth else one)
            step.advance()
    return CellModel(tuple(attributes), bandwidth, weight, apart)


def _slanted(levels: int, values: int) -> Float64:
    """Return a start far from uniform, (levels, values): rising along the axis for every other value."""
    rising = np.arange(1, levels + 1) / (levels * (levels + 1) / 2)
    return np.stack([rising if v % 2 else rising[::-1] for v in range(values)], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class _HeldOut:
    """Held-out log P(cell | value) by models that did not see the group; groups of one cell and fold share a row."""

    log_likelihood: Float64  # (rows, kinds)
    row_of: Int64  # (groups,)


def _smoothest(
    axis: AttributeAxis, groups: Float64, times: Int64, before: Float64, fold: Int64, alpha: float
) -> tuple[float, _HeldOut]:
    """Return the bandwidth by the one-standard-error rule, and what models of it say of the groups held out.

    It is the largest whose score is at most one standard error of the difference, `std(best − score) √n`, below the
    best: without evidence against it, neighbors are alike. `groups` (groups, kinds) are people of one value of a kind,
    `times` (kinds,) the number of its values, `before` (kinds,) logarithms.
    """
    counts = axis.counts_without(groups, fold, FOLDS)
    used, row_of = np.unique(fold * axis.cells.n_rows + axis.cell_of, return_inverse=True)
    fold_of, cell_of = np.divmod(used, axis.cells.n_rows)
    group, kind = np.nonzero(groups)
    people = groups[group, kind] * times[kind]
    of_group = groups @ times

    def held_out(theta: Float64) -> Float64:
        of_cells = np.stack([em.cells @ one for one in theta])
        return np.asarray(np.log(np.maximum(of_cells, TINY))[fold_of, cell_of])

    def score(log_likelihood: Float64) -> Float64:
        """Return the log-likelihood of each group's values, (groups,)."""
        claimed = before + log_likelihood
        found = np.bincount(group, people * claimed[row_of[group], kind], of_group.size)
        return np.asarray(found - of_group * _log_total(claimed, times)[row_of])

    em = SmoothedEM.of(axis, 0.0, alpha)
    start: Float64 | None = None
    tried: list[tuple[float, Float64, Float64]] = []
    for bandwidth in _bandwidths(axis):
        start = em.smoothed(axis, bandwidth).settled(counts, start)[0]
        tried.append((bandwidth, score(held_out(start)), start))
    best = max((found for _, found, _ in tried), key=lambda found: float(found.sum()))
    return next(
        (bandwidth, _HeldOut(held_out(theta), row_of))
        for bandwidth, found, theta in reversed(tried)
        if (best - found).sum() <= (best - found).std() * np.sqrt(fold.size)
    )


def _log_total(claimed: Float64, times: Int64) -> Float64:
    """Return the logarithm of the sum of exponentials over all values, (rows,); `claimed` (rows, kinds)."""
    top = claimed.max(axis=1)
    return np.asarray(top + np.log(np.exp(claimed - top[:, None]) @ times))


def _bandwidths(axis: AttributeAxis) -> list[float]:
    """Return the candidate bandwidths in increasing order: from 0 to a quarter of the axis."""
    if axis.place is None or np.isfinite(axis.place).sum() < 2:
        return [0.0]
    known = axis.place[np.isfinite(axis.place)]
    unit = float(np.diff(known).min())
    return [0.0, *(unit * step for step in _STEPS if unit * step <= np.ptp(known) / 4)]


def _weights(held_out: Sequence[_HeldOut], groups: Float64, times: Int64, before: Float64) -> Float64:
    """Return the exponents that maximize the attributes' joint held-out likelihood, (attributes,).

    `before` (kinds,) are logarithms; `groups` and `times` as above. Of many values and groups, every so many groups
    decide: at most `MOST_PAIRS` pairs.
    """
    apart = max(1, min(-(-groups.size // MOST_PAIRS), groups.shape[0] // LEAST_FOR_WEIGHTS))
    some = np.arange(0, groups.shape[0], apart)
    people = max(float((groups[some] @ times).sum()), 1.0)
    blocks = np.array_split(some, max(1, some.size * groups.shape[1] // _BLOCK))

    def loss(weight: Float64) -> Derivatives:
        value, gradient, hessian = 0.0, np.zeros(weight.size), np.zeros((weight.size, weight.size))
        for block in blocks:
            log_likelihoods = np.stack([one.log_likelihood[one.row_of[block]] for one in held_out])
            of_group = (groups[block] @ times)[:, None]
            claimed = before + np.tensordot(weight, log_likelihoods, 1)
            claimed -= _log_total(claimed, times)[:, None]
            share = np.exp(claimed) * times  # (groups, kinds)
            mean = (log_likelihoods * share).sum(axis=2)  # (attributes, groups)
            spread = log_likelihoods - mean[:, :, None]
            value -= float(((groups[block] * claimed) @ times).sum())
            gradient += np.tensordot(log_likelihoods, of_group * share - groups[block] * times, 2)
            hessian += np.tensordot(spread * (of_group * share), spread, ((1, 2), (1, 2)))
        return value / people, gradient / people, hessian / people

    return minimize_within(loss, np.ones(len(held_out)), *_WEIGHTS)
