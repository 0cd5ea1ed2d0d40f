"""Mondrian: cut the table again and again near the median, as long as every part stays safe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.headcount import Headcount, people_in
from unmask.masks.boxes import publish_boxes
from unmask.partition import SUPPRESSED, Partition
from unmask.privacy_model import (
    PopulationModel,
    PrivacyModel,
    WholeRelease,
    all_hold,
    bound,
    holds,
    least_size,
    score_people,
    settings,
)
from unmask.release import Provenance, Publication
from unmask.sanitizers import _leaving_out, _median_cuts
from unmask.table import Table


@dataclass(frozen=True)
class Mondrian:
    """Cut people into groups of at least k by their quasi-identifiers, and publish each group's ranges.

    The attribute with the widest range is cut first, at the boundary between two values that lies nearest to the
    median and leaves k people on both sides; where no such cut is left, the group is published. Strict: people with
    equal quasi-identifiers stay together, so every person lies in exactly one published box.

    Assumes
        Values in an order: numbers by size, declared orders as declared, other text alphabetically. A missing value
        is one more value below all others.
    Publishes
        For every group and quasi-identifier the least and greatest value of its members; sensitive values row by row.
        The cut is chosen by k alone; where a side of it breaks one of `models`, the next attribute is tried. Where
        somebody has several rows, k and the models count people. Where the table as a whole breaks a model,
        `suppression` is the share of people who may be left out: random ones of the most frequent value, one after
        another until the others together meet it, for one sensitive column and a row each the fewest that do. They
        meet it barely then, so few cuts may be safe. Models compare with those who are left. Independent of the order
        of rows, and deterministic if nobody is left out.
    Fails
        With `InfeasibleError` where the table as a whole breaks k or a model: then no release exists, unless of fewer
        people. With `InvalidInputError` for a model that does not judge each group by itself.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006.
    """

    name: ClassVar[str] = "mondrian"
    k: int = 5
    models: tuple[PrivacyModel, ...] = ()
    suppression: float = 0.0  # the share of people who may be left out

    def __post_init__(self) -> None:
        if not (self.k >= 1 and float(self.k).is_integer()):
            msg = f"k must be a whole number of at least 1; got {self.k}"
            raise InvalidInputError(msg)
        _leaving_out.require_share(self.suppression)
        for model in self.models:
            if isinstance(model, (WholeRelease, PopulationModel)):
                msg = (
                    f"models of mondrian must judge each group by itself; got {model.name}, which looks at the whole "
                    f"release or population. Demand k or max-risk instead, and measure {model.name} afterwards"
                )
                raise InvalidInputError(msg)

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish boxes."""
        attributes = table.schema.quasi
        if not attributes:
            msg = "a table must have at least one quasi-identifier to be cut by; got none. Name one with -q"
            raise InvalidInputError(msg)
        kept = np.flatnonzero(~table.excluded())
        people = table.take(kept)
        k = max(self.k, *(least_size(m) for m in self.models if not m.needs_values), 1)
        _require_people(people, k)
        models = tuple(model for model in self.models if model.needs_values)
        sensitive = people.schema.sensitive
        if models and not sensitive:
            msg = f"{models[0].name} must have a sensitive attribute to protect; got none. Name one with -s"
            raise InvalidInputError(msg)
        if models and self.suppression:
            limit = _leaving_out.people_allowed(self.suppression, people_in(people.person_of, people.n_rows))
            fitted = [[bound(model, attribute) for model in models] for attribute in sensitive]
            stays = _leaving_out.stay(people, fitted, limit, rng)
            kept, people = kept[stays], people.take(stays)
            _require_people(people, k)
        n_people = people_in(people.person_of, people.n_rows)
        codes = np.stack([axis(people, a.name) for a in attributes], axis=1)
        width = (codes.max(axis=0) - codes.min(axis=0)).astype(np.float64)
        if people.person_of is not None and n_people < people.n_rows:
            cuts = self._people_cut(people, people.person_of, codes, width, k, models)
        else:
            cuts = self._rows_cut(people, codes, width, k, models)
        group_of = np.full(table.n_rows, SUPPRESSED, np.int32)
        group_of[kept] = cuts.group_of
        low, high = ranges(people, cuts.group_of, cuts.n_groups)
        limits = {word: value for model in self.models for word, value in settings(model).items()}
        left_out = {"suppression": self.suppression} if self.suppression else {}
        provenance = Provenance(self.name, {"k": self.k, **limits, **left_out})
        return publish_boxes(table, Partition(group_of, cuts.n_groups), low, high, provenance)

    def _rows_cut(
        self, people: Table, codes: Int32, width: Float64, k: int, models: tuple[PrivacyModel, ...]
    ) -> _median_cuts.Cuts:
        """Cut people of one row each."""
        if not models:
            return _median_cuts.partition(codes, k, width=width)
        sensitive = people.schema.sensitive
        n_values = tuple(len(a.values) + 1 for a in sensitive)  # the last counts values that are not known
        values = np.stack([np.where(people[a.name] < 0, n - 1, people[a.name]) for a, n in
                           zip(sensitive, n_values, strict=True)], axis=1)  # fmt: skip
        overall = [np.bincount(v, minlength=n)[:-1].astype(float) for v, n in zip(values.T, n_values, strict=True)]
        fitted = [tuple(bound(model, attribute) for model in models) for attribute in sensitive]
        for attribute, ours, everywhere in zip(sensitive, fitted, overall, strict=True):
            everybody = float(everywhere.sum())
            self._require_whole_table(ours, float(people.n_rows), everybody, everywhere, attribute.name)

        def accept(size: Int64, counts: tuple[Int64, ...]) -> Bool:
            safe = np.ones(size.shape, bool)
            for ours, count, everywhere in zip(fitted, counts, overall, strict=True):
                known = count[:, :-1].astype(np.float64)
                safe &= all_hold(ours, size.astype(np.float64), [known], [everywhere])
            return safe

        return _median_cuts.partition(codes, k, width=width, accept=accept, values=values, n_values=n_values)

    def _people_cut(
        self, people: Table, person_of: Int32, codes: Int32, width: Float64, k: int, models: tuple[PrivacyModel, ...]
    ) -> _median_cuts.Cuts:
        """Cut people of whom some have several rows."""
        if not models:
            return _median_cuts.partition_people(codes, person_of, k, width=width)
        sensitive = people.schema.sensitive
        whole = np.zeros(people.n_rows, np.int32)
        columns = {a.name: (people[a.name], len(a.values), None) for a in sensitive}
        headcount = Headcount.of(person_of, whole, 1, columns)
        fitted = [tuple(bound(model, attribute) for model in models) for attribute in sensitive]
        holders = [headcount.holders[a.name] for a in sensitive]
        for attribute, ours, one in zip(sensitive, fitted, holders, strict=True):
            self._require_whole_table(ours, headcount.total, one.everybody, one.overall[:-1], attribute.name)

        def accept(size: Int64, known: tuple[Int64, ...], counts: tuple[Int64, ...]) -> Bool:
            safe = np.ones(size.shape, bool)
            for ours, one, sure, count in zip(fitted, holders, known, counts, strict=True):
                told = size.astype(np.float64), sure.astype(np.float64), count.astype(np.float64)
                for model in ours:
                    safe &= holds(model, score_people(model, *told, one.everybody, one.overall[:-1]))
            return safe

        values = np.stack([people[a.name] for a in sensitive], axis=1)
        n_values = tuple(len(a.values) for a in sensitive)
        return _median_cuts.partition_people(
            codes, person_of, k, width=width, accept=accept, values=values, n_values=n_values
        )

    def _require_whole_table(
        self, models: tuple[PrivacyModel, ...], people: float, everybody: float, everywhere: Float64, name: str
    ) -> None:
        for model in models:
            one = np.array([everybody])
            score = score_people(model, np.array([people]), one, everywhere[None, :], everybody, everywhere)
            if not holds(model, score)[0]:
                direction = "at most" if model.higher_is_safer else "at least"
                whole = "in the whole table"
                if self.suppression:
                    whole = f"with as many people left out as suppression allows ({self.suppression:g})"
                msg = (
                    f"{model.name} must be {direction} {score[0]:.6g}, as for column {name!r} {whole}; "
                    f"got {model.limit:g}. Relax it, or let suppression leave out more people"
                )
                raise InfeasibleError(msg)


def _require_people(people: Table, k: int) -> None:
    n_people = people_in(people.person_of, people.n_rows)
    if n_people < k:
        who = "people" if n_people < people.n_rows else "rows"
        msg = f"k must be at most the number of {who}, {n_people}; got {k}. Lower k"
        raise InfeasibleError(msg)


def axis(people: Table, name: str) -> Int32:
    """Place people on a whole-numbered axis, (rows,), on which cuts and ranges are measured; missing lies lowest.

    Numbers keep their distances where they are multiples of some power of ten; all else is ranked.
    """
    codes, distinct = people.ranks(name)
    if people.schema[name].is_numeric and distinct.size:
        for digits in range(7):
            steps = (distinct - distinct[0]) * 10.0**digits
            if np.allclose(steps, np.round(steps), rtol=0, atol=1e-6) and steps[-1] < np.iinfo(np.int32).max - 2:
                placed = np.append(np.round(steps).astype(np.int32) + 1, np.int32(0))
                return np.asarray(placed[codes])  # code -1, missing, is the last
    return (codes + 1).astype(np.int32)


def ranges(people: Table, group_of: Int32, n_groups: int) -> tuple[list[Float64], list[Float64]]:
    """Return the least and greatest known value of each group, (groups,) for each quasi-identifier; NaN where none."""
    order = np.argsort(group_of, kind="stable")
    first = np.searchsorted(group_of[order], np.arange(n_groups))
    low, high = [], []
    for attribute in people.schema.quasi:
        column = people[attribute.name].astype(np.float64)
        absent = people.missing(attribute.name)
        least = np.minimum.reduceat(np.where(absent, np.inf, column)[order], first)
        greatest = np.maximum.reduceat(np.where(absent, -np.inf, column)[order], first)
        none = np.isinf(least) & (least > 0)
        low.append(np.where(none, np.nan, least))
        high.append(np.where(none, np.nan, greatest))
    return low, high


EXAMPLES = (Mondrian(),)
