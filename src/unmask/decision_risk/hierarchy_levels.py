"""Hierarchy levels: every attribute at every level of its hierarchy, compared with a dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from unmask.arrays import Bool, Float64, Int64, frozen
from unmask.decision_risk.comparison import MISSING
from unmask.decision_risk.comparisons.level import Level
from unmask.decision_risk.consistency import Consistency, compared
from unmask.decision_risk.dictionary import Dictionary, entries_of, require_one_each
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """The levels (rungs) of all attributes in a row: exact, ever coarser, suppressed.

    The benefit and the weight of a rung are the same share of those of the exact value: 1 if exact, 0 if suppressed,
    equally spaced between by default.

    Fails
        With `InvalidInputError` for shares that do not fall from 1, or are not one for each level.
    """

    consistency: Consistency  # a column for each rung
    of: Int64  # (rungs,) the attribute of each
    level: Int64  # (rungs,)
    share: Float64  # (rungs,) of the value's worth, and of its weight
    names: tuple[str, ...]  # (attributes,)

    @classmethod
    def of_levels(
        cls,
        records: Table,
        dictionary: Dictionary,
        hierarchies: Mapping[str, Hierarchy],
        shares: Mapping[str, Sequence[float]] | None = None,
        *,
        identities: tuple[str, ...] | None = None,
    ) -> Ladder:
        """Compare records at all levels; an attribute without a hierarchy is exact or suppressed."""
        names = records.schema.names
        for name in (*hierarchies, *(shares or {})):
            if name not in names:
                raise InvalidInputError.unknown_name(message("attribute that has levels"), name, names)
        of, level, share, ours, theirs = [], [], [], [], []
        for j, name in enumerate(names):
            hierarchy = hierarchies.get(name) or Hierarchy.from_rows([("",)])
            given = shares.get(name) if shares else None
            worth = _shares(name, hierarchy.n_levels, given)
            for rung in range(hierarchy.n_levels + 1):
                if rung == hierarchy.n_levels or name not in dictionary.attributes.schema:
                    mine = np.full(records.n_rows, MISSING, np.int32)
                    yours = np.full(dictionary.n, MISSING, np.int32)
                else:
                    mine, yours, _ = compared(records, dictionary.attributes, name, Level(hierarchy, rung))
                ours.append(mine)
                theirs.append(yours)
                of.append(j)
                level.append(rung)
                share.append(worth[rung])
        require_one_each(identities, records.n_rows)
        if dictionary.repeats:
            msg = message(
                "dictionary {dictionary} must name each person once to have levels. Keep one entry of each",
                dictionary=repr(dictionary.name),
            )
            raise InvalidInputError(msg)
        own = None
        if identities is not None and dictionary.identities is not None:
            own = entries_of(identities, dictionary.identities)
        labels = tuple(
            message("{attribute} at level {level}", attribute=names[j], level=rung)
            for j, rung in zip(of, level, strict=True)
        )
        consistency = Consistency(
            labels,
            np.stack(ours, axis=1),
            np.stack(theirs, axis=1),
            (None,) * len(of),
            dictionary.probability,
            own,
            dictionary.name,
        )
        return cls(consistency, np.array(of), np.array(level), frozen(np.array(share)), names)

    def sets(self) -> Bool:
        """Return all combinations of one rung of each attribute, (combinations, rungs), from exact to suppressed."""
        ways = np.array(list(product(*(np.flatnonzero(self.of == j) for j in range(len(self.names))))), np.int64)
        result = np.zeros((ways.shape[0], self.of.size), bool)
        np.put_along_axis(result, ways.reshape(-1, len(self.names)), values=True, axis=1)
        return result

    @property
    def n_ways(self) -> int:
        """The number of combinations of rungs."""
        return int(np.prod(np.bincount(self.of), dtype=object))

    @property
    def reachable(self) -> Bool:
        """Which rungs are possible for each record, (records, rungs): of a missing value, only suppression."""
        last = np.append(np.diff(self.of) > 0, True)
        return np.asarray(self.consistency.available | last)

    def weighed(self, sensitivity: Sensitivity) -> Sensitivity:
        """Return the weights of rungs: shares of the attributes' weights; a share of 0 makes even an infinite weight 0.

        A joint weight of attributes is multiplied by the least share among them.
        """
        weight, n = _part(sensitivity.weight[:, self.of], self.share), sensitivity.weight.shape[0]
        given = np.zeros((0, len(self.names)), bool) if sensitivity.sets is None else sensitivity.sets
        weighed = np.zeros((n, 0)) if sensitivity.set_weight is None else sensitivity.set_weight
        sets, weights = [np.zeros((0, self.of.size), bool)], [np.zeros((n, 0))]
        for t, members in enumerate(given):
            rungs = [np.flatnonzero((self.of == j) & (self.share > 0)) for j in np.flatnonzero(members)]
            ways = np.array(list(product(*rungs)), np.int64).reshape(-1, len(rungs))
            each = np.zeros((ways.shape[0], self.of.size), bool)
            np.put_along_axis(each, ways, values=True, axis=1)
            sets.append(each)
            weights.append(_part(weighed[:, [t]], self.share[ways].min(axis=1, initial=1.0)))
        form, constant, wrong = sensitivity.form, sensitivity.constant, sensitivity.wrong
        return Sensitivity(weight, np.concatenate(sets), np.concatenate(weights, axis=1), form, constant, wrong)


def _part(weight: Float64, share: Float64) -> Float64:
    """Return a share of weights; a share of 0 makes even an infinite weight 0."""
    weight, share = np.broadcast_arrays(weight, share)
    return np.multiply(weight, share, out=np.zeros(weight.shape), where=(weight > 0) & (share > 0))


def _shares(name: str, n_levels: int, given: Sequence[float] | None) -> list[float]:
    """Return the share of each level, that of suppression last."""
    shares = [1 - rung / n_levels for rung in range(n_levels)] if given is None else list(given)
    falls = all(a >= b >= 0 for a, b in zip(shares, [*shares[1:], 0.0], strict=True))
    if len(shares) != n_levels or shares[0] != 1 or not falls:
        msg = message(
            "shares of {name} must fall from 1, one for each of its {n_levels} levels; got {shares}",
            name=repr(name),
            n_levels=n_levels,
            shares=shares,
        )
        raise InvalidInputError(msg)
    return [*shares, 0.0]
