"""The game against the worst dictionary: least favorable priors by cutting planes, and single rules near the bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog
from scipy.sparse import coo_array

from unmask.arrays import Bool, Float64, Int64
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.disclosure_risk import risk
from unmask.decision_risk.rules._least_loss import loss_tables
from unmask.decision_risk.rules._mixed_integer import solved
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.subsets import of_size
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.wording import message

CLOSE = 1e-6
"""Relative gap between bound and mixture at which the iteration ends."""

ROUNDS = 1_000

CELLS = 1 << 27
"""Most losses in memory: 1 GiB."""

NODES = 100_000
"""Node limit of a mixed-integer program: no time limit, so the result is the same on every machine."""


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """The contribution of each record's sets of attributes to the risk against each dictionary."""

    sets: Bool  # (sets, attributes)
    free: Int64  # (free,) records that have at least k values
    part: Float64  # (dictionaries, free, sets) loss / records; infinite if not allowed
    lacking: Bool  # (free, sets) the record cannot take the set
    rest: Float64  # (dictionaries,) contribution of records without a choice
    whole: Bool  # (records, attributes) what is disclosed of these

    @classmethod
    def of(cls, parts: Sequence[Consistency], sensitivity: Sensitivity, k: int, wanted: Bool) -> Choices:
        """Tabulate the losses of all sets of k attributes.

        A set with infinite loss against one dictionary is not allowed if the record has another.

        Fails
            With `InvalidInputError` if there are too many for memory.
        """
        available = parts[0].available
        n, m = available.shape
        if n * comb(m, k) * len(parts) > CELLS:
            msg = message(
                "records × sets × dictionaries must be at most {cells}; got {n} × {sets} × {dictionaries}. Take "
                "a sample of the records, or another k",
                cells=numeral(CELLS),
                n=numeral(n),
                sets=numeral(comb(m, k)),
                dictionaries=len(parts),
            )
            raise InvalidInputError(msg)
        short = available.sum(axis=1) < k
        tables, lacking = [], []
        for table in loss_tables(parts, sensitivity, k, wanted):
            never = np.asarray(np.isinf(table.loss).any(axis=0)) & ~table.lacking
            some = np.asarray((~never & ~table.lacking).any(axis=1))
            tables.append(np.where(table.lacking | (never & some[:, None]), np.inf, table.loss))
            lacking.append(table.lacking)
        loss = np.concatenate(tables, axis=1) / max(n, 1)
        rest = [risk(part, sensitivity, np.broadcast_to(short[:, None], (n, m))).loss[short].sum() for part in parts]
        free = np.flatnonzero(~short)
        return cls(
            of_size(m, k),
            free,
            loss[:, free],
            np.concatenate(lacking)[free],
            np.array(rest) / max(n, 1),
            available & short[:, None],
        )

    def disclosed(self, chosen: Int64) -> Bool:
        """Return the disclosure of each record, (records, attributes), for given sets of the free records."""
        result = self.whole.copy()
        result[self.free] = self.sets[chosen]
        return result

    def risks(self, chosen: Int64) -> Float64:
        """Return the risk against each dictionary, (dictionaries,)."""
        return np.asarray(self.rest + self.part[:, np.arange(self.free.size), chosen].sum(axis=1))

    def answer(self, prior: Float64) -> Int64:
        """Return the best set of each free record against a prior."""
        held = prior > 0
        cost = np.tensordot(prior[held], np.where(np.isinf(self.part[held]), 0.0, self.part[held]), 1)
        cost[np.isinf(self.part).any(axis=0)] = np.inf
        return np.asarray(np.argmin(cost, axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class GameSolution:
    """The solution of the game."""

    sets: Int64  # (free,) a single rule
    worst: float
    bound: float
    prior: Float64  # (dictionaries,)
    mixture: tuple[tuple[float, Int64], ...]
    drawn: Float64  # (dictionaries,) the risk of the mixture


def least_worst(choices: Choices, variables: int) -> GameSolution:
    """Solve the game of rules against dictionaries by cutting planes; then search for a deterministic rule.

    Each round answers the worst prior so far by its Bayes rule. The value of that answer bounds all rules from below,
    and the best mixture of all answers bounds randomized rules from above.
    """
    n_dictionaries = choices.part.shape[0]
    never = np.isinf(choices.part).sum(axis=0)
    if (never > 0).all(axis=1).any() or np.isinf(choices.rest).any():
        first = np.argmin(never + choices.lacking, axis=1)
        prior = np.full(n_dictionaries, 1 / n_dictionaries)
        return GameSolution(first, np.inf, np.inf, prior, ((1.0, first),), choices.risks(first))
    prior, bound, mixed = np.full(n_dictionaries, 1 / n_dictionaries), -np.inf, np.inf
    rules: list[Int64] = []
    values: list[Float64] = []
    share = np.ones(1)
    worst_prior = prior
    with work.step(message("playing against the worst dictionary")) as step:
        for _ in range(ROUNDS):
            rules.append(choices.answer(prior))
            values.append(choices.risks(rules[-1]))
            value = float(prior @ values[-1])
            if value > bound:
                bound, worst_prior = value, prior
            share, mixed, prior = _mixture(np.stack(values))
            step.advance()
            if mixed - bound <= CLOSE * max(abs(mixed), 1e-300):
                break
    worst = np.array([value.max() for value in values])
    candidates = [rules[int(worst.argmin())], _rounded(choices, rules, share)]
    sets = min(candidates, key=lambda one: float(choices.risks(one).max()))
    least = float(choices.risks(sets).max())
    if least > bound * (1 + CLOSE) and choices.part[0].size <= variables:
        sets, bound = _single(choices, sets, bound)
        least = float(choices.risks(sets).max())
    used = np.flatnonzero(share > 1e-9).tolist()
    mixture = tuple((float(share[r] / share[used].sum()), rules[r]) for r in used)
    drawn = share @ np.stack(values)
    return GameSolution(sets, least, min(bound, least), worst_prior, mixture, drawn)


def _mixture(values: Float64) -> tuple[Float64, float, Float64]:
    """Return the minimax mixture of rules, (rules, dictionaries): shares, worst risk, and the least favorable prior."""
    n, n_dictionaries = values.shape
    scale = float(values.max()) or 1.0
    found = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.column_stack([values.T / scale, -np.ones(n_dictionaries)]),
        b_ub=np.zeros(n_dictionaries),
        A_eq=np.append(np.ones(n), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[*[(0, None)] * n, (None, None)],
        method="highs",
    )
    share = np.maximum(found.x[:n], 0.0)
    share /= share.sum()
    prior = np.maximum(-found.ineqlin.marginals, 0.0)
    return share, float((share @ values).max()), prior / prior.sum()


def _rounded(choices: Choices, rules: Sequence[Int64], share: Float64) -> Int64:
    """Round a mixture to a deterministic rule: for each record in turn, choose the set with the least worst risk."""
    used = np.flatnonzero(share > 1e-9).tolist()
    options = np.stack([rules[r] for r in used])
    chosen = options[0].copy()
    total = share[used] @ np.stack([choices.risks(rules[r]) for r in used]) / share[used].sum()
    for i in np.flatnonzero((options != options[0]).any(axis=0)):
        each = choices.part[:, i, options[:, i]]
        without = total - each @ share[used] / share[used].sum()
        best = int(np.argmin((without[:, None] + each).max(axis=0)))
        chosen[i], total = options[best, i], without + each[:, best]
    return np.asarray(chosen)


def _single(choices: Choices, start: Int64, bound: float) -> tuple[Int64, float]:
    """Find the best single rule by mixed-integer programming; return it, and what bounds it from below."""
    n_dictionaries, n, n_sets = choices.part.shape
    place = np.flatnonzero(np.isfinite(choices.part).all(axis=0).ravel())
    record, column = place // n_sets, np.arange(place.size)
    scale = float(choices.risks(start).max())
    one_each = coo_array((np.ones(place.size), (record, column)), (n, place.size + 1))
    risks = np.column_stack([choices.part.reshape(n_dictionaries, -1)[:, place] / scale, -np.ones(n_dictionaries)])
    found = solved(
        np.append(np.zeros(place.size), 1.0),
        constraints=[LinearConstraint(one_each, 1, 1), LinearConstraint(risks, -np.inf, -choices.rest / scale)],
        integrality=np.append(np.ones(place.size), 0),
        bounds=Bounds(np.append(np.zeros(place.size), bound / scale - CLOSE), np.append(np.ones(place.size), 1.0)),
        options={"node_limit": NODES, "mip_rel_gap": CLOSE},
    )
    if found.x is None:
        return start, bound
    chosen = np.argmax(np.bincount(place, found.x[:-1], n * n_sets).reshape(n, n_sets), axis=1)
    better = chosen if choices.risks(chosen).max() < scale else start
    lowest = float(found.mip_dual_bound) * scale if found.mip_dual_bound is not None else bound
    return better, max(bound, lowest)
