"""Mondrian: recursive median cuts of a table, as long as every part meets its models.

Over 300 lines: cuts by rows and by people, and the constraints of refused cuts, share their models and codes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.algorithm_constraints import Constraint
from unmask.arrays import Bool, Float64, Int32, Int64, distinct_tuples
from unmask.errors import InfeasibleError, InvalidInputError, NotApplicableError
from unmask.masks.boxes import publish_cells
from unmask.models.missing_values import readings, readings_of_counts
from unmask.models.privacy_model import (
    PopulationModel,
    PrivacyModel,
    WholeRelease,
    all_hold,
    bound,
    holds,
    least_size,
    nothing_to_count,
    score_people,
    settings,
    unites,
)
from unmask.number_format import numeral
from unmask.parameters import check_parameters
from unmask.partition import SUPPRESSED, Partition
from unmask.people_counts import Headcount, people_in
from unmask.release import Provenance, Publication
from unmask.sanitizers import _leaving_out, _median_cuts, _merging
from unmask.sanitizers._followed import HierarchyTree, trees_of
from unmask.sanitizers._group_models import GroupModels, require_quasi
from unmask.sanitizers._in_order import axis, half_spaces, ranges
from unmask.schema import Attribute
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True)
class Mondrian(GroupModels):
    """Partition records into groups of at least k by recursive median cuts, and publish each group's ranges.

    The attribute with the widest range is cut first, at the boundary between two values that is nearest to the median
    and leaves k people on both sides; a node without such a cut is a group. Strict: people with equal quasi-identifiers
    stay together, so every person lies in exactly one published box.

    Assumes
        Values in an order: numbers by size, declared orders as declared, other text alphabetically. A missing value
        is one more value below all others. With `hierarchies`, a column that has one is cut along its labels instead:
        into all labels below the lowest that a group has in common, if each has k people or none; as wide as that
        label has leaves.
    Publishes
        For every group and quasi-identifier the least and greatest value of its members, or the lowest label that they
        have in common; sensitive values row by row. The cut depends on k alone; where a side of it breaks one of
        `models`, the next attribute is tried. For people with several rows, k and the models count people. Where the
        table as a whole breaks a model, `suppression` is the share of people who may be left out: random people with
        the most frequent value, one after another until the rest meets it; for one sensitive column and one row per
        person this is the least number. The rest meets the model barely, so few cuts may be safe. Models compare groups
        with the remaining people. Independent of the order of rows; deterministic if no person is left out.

        `cut="literal"` cuts behind the lower median or not at all, as the rule is often read: it fails where the median
        is the greatest value. `cut="relaxed"` makes equal halves also among ties: boxes overlap, and the side of a tied
        row is random. `regions` publishes the regions between cuts as well: every person lies in exactly one region,
        including people outside the table whose values are listed or within its extremes or declared bounds.
    Fails
        With `InfeasibleError` where the table as a whole breaks k or a model: then only a release of fewer people is
        possible. With `InvalidInputError` for a model that does not judge each group by itself, for labels that are not
        nested, and for `regions` of a relaxed cut, which would overlap.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006.
    """

    name: ClassVar[str] = "mondrian"
    read_by: ClassVar[str | None] = None
    bytes_per_cell: ClassVar[float] = 20.0
    outcomes: ClassVar[tuple[str, ...]] = ()
    k: int = 5
    models: tuple[PrivacyModel, ...] = ()
    suppression: float = 0.0  # the share of people who may be left out
    cut: _median_cuts.Cut = "nearest"
    hierarchies: bool = False  # cut along the hierarchies of columns
    regions: bool = False  # also publish the regions between cuts

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.k < 1:
            msg = message("k must be a whole number of at least 1; got {k}", k=self.k)
            raise InvalidInputError(msg)
        _leaving_out.require_share(self.suppression)
        if self.regions and self.cut == "relaxed":
            msg = message(
                "regions must not overlap; got cut relaxed, where they do. Use cut nearest, or leave regions out"
            )
            raise InvalidInputError(msg)
        for model in self.models:
            if isinstance(model, (WholeRelease, PopulationModel)):
                msg = message(
                    "models of mondrian must judge each group by itself; got {model}, which looks at the whole "
                    "release or population. Demand k or max-risk instead, and measure {model} afterwards",
                    model=model.name,
                )
                raise InvalidInputError(msg)
        _merging.require_table_models(self.name, self.models)

    @property
    def uses_hierarchies(self) -> bool:
        """Whether labels of hierarchies are published."""
        return self.hierarchies

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish boxes."""
        attributes = require_quasi(table, message("cut by"))
        kept = np.flatnonzero(~table.excluded())
        if self.cut == "relaxed":
            kept = rng.permutation(kept)  # ties go by the order of rows
        people = table if self.cut != "relaxed" and kept.size == table.n_rows else table.take(kept)
        k = max(self.k, *(least_size(m) for m in self.models if not m.needs_values), 1)
        _require_people(people, k)
        models = tuple(model for model in self.models if model.needs_values)
        sensitive = people.schema.sensitive
        if models and not sensitive:
            msg = message(
                "{models} must have a sensitive attribute to protect; got none. Name one with -s", models=models[0].name
            )
            raise InvalidInputError(msg)
        if models and self.suppression:
            limit = _leaving_out.people_allowed(self.suppression, people_in(people.person_of, people.n_rows))
            stays = _leaving_out.stay(people, models, limit, rng)
            kept, people = kept[stays], people.take(stays)
            _require_people(people, k)
        n_people = people_in(people.person_of, people.n_rows)
        followed = self._followed(people)
        profile, profiles = people.visible(None).profiles()
        of_row = None
        if self.cut == "nearest" and not models and not any(followed) and n_people == people.n_rows:
            of_row = profile  # people with one profile stay together, and count by their number
            people, profile = profiles, np.arange(profiles.n_rows, dtype=np.int32)
        codes = np.stack(
            [axis(people, a.name) if f is None else f.place for a, f in zip(attributes, followed, strict=True)], axis=1
        )
        width = (codes.max(axis=0) - codes.min(axis=0)).astype(np.float64)
        width = np.array([w if f is None else f.leaf_at.size - 1.0 for w, f in zip(width, followed, strict=True)])
        variant = _median_cuts.Variant(self.cut, trees_of(followed))
        if people.person_of is not None and n_people < people.n_rows:
            cuts = self._people_cut(people, people.person_of, codes, width, k, models, variant)
        else:
            weight = None if of_row is None else np.bincount(of_row)
            cuts = self._rows_cut(people, codes, width, k, models, variant, weight)
        group_of = np.full(table.n_rows, SUPPRESSED, np.int32)
        group_of[kept] = cuts.group_of if of_row is None else cuts.group_of[of_row]
        _, example = distinct_tuples((cuts.group_of, profile), people.n_rows)  # sorted by group
        examples, first = people.take(example), np.searchsorted(cuts.group_of[example], np.arange(cuts.n_groups))
        summaries, regions = [], []
        for j, (attribute, tree) in enumerate(zip(attributes, followed, strict=True)):
            ends, region = (cuts.low[:, j], cuts.high[:, j]), (cuts.region_low[:, j], cuts.region_high[:, j])
            if tree is not None:
                summaries.append(tree.cells(*ends))
                regions += [tree.cells(*region)] if self.regions else []
            else:
                summaries.append(ranges(examples, attribute.name, first))
                regions += [half_spaces(people, attribute.name, codes[:, j], *region)] if self.regions else []
        partition = Partition(group_of, cuts.n_groups)
        return publish_cells(table, partition, summaries, self._provenance(), regions or None)

    def constraints(
        self, people: Table, group_of: Int32, attribute: Attribute, counts: Int64
    ) -> Sequence[Constraint] | None:
        """Return the refused cuts: at least one side of each was unsafe.

        All other steps to these groups depend on quasi-identifiers and k alone, provided that unions of safe groups are
        safe: then every cut between published groups was accepted, regardless of the sensitive values.
        """
        models = tuple(model for model in self.models if model.needs_values)
        if not models:
            return ()
        if self.cut != "nearest" or self.hierarchies or not all(unites(model) for model in models):
            return None
        n_people, overall = np.array([float(counts.sum())]), counts.sum(axis=0, keepdims=True).astype(np.float64)
        wholes = [
            (tuple(bound(model, one) for model in models), everywhere[0])
            for one, everywhere in readings_of_counts(attribute, n_people, overall)
        ]

        def safe(size: Float64, values: Int64) -> Bool:
            read = readings_of_counts(attribute, size, values.astype(np.float64))
            fine = np.ones(size.shape, bool)
            for (ours, everywhere), (_, counted) in zip(wholes, read, strict=True):
                fine &= all_hold(ours, size, [counted], [everywhere])
            return fine

        codes = np.stack([axis(people, a.name) for a in people.schema.quasi], axis=1)
        width = (codes.max(axis=0) - codes.min(axis=0)).astype(np.float64)
        k = max(self.k, *(least_size(m) for m in self.models if not m.needs_values), 1)
        refused = _median_cuts.refused_cuts(codes, k, width, group_of)
        if refused is None or not safe(counts.sum(axis=1).astype(np.float64), counts).all():
            msg = message("groups must be those of mondrian with the published parameters; it does not make these")
            raise NotApplicableError(msg)
        return [_constraint(cut, group_of, counts, safe) for cut in refused]

    def _followed(self, people: Table) -> list[HierarchyTree | None]:
        """Return the tree of each quasi-identifier whose hierarchy is followed."""
        attributes = people.schema.quasi
        if self.hierarchies and all(a.hierarchy is None for a in attributes):
            msg = message(
                "hierarchies must have a column to follow; got no column with a hierarchy. Give one, or leave them out"
            )
            raise InvalidInputError(msg)
        return [HierarchyTree.of(people, a.name) if self.hierarchies and a.hierarchy else None for a in attributes]

    def _provenance(self) -> Provenance:
        set_as: dict[str, float | str] = {"k": self.k}
        for model in self.models:
            set_as.update(settings(model))
        if self.suppression:
            set_as["suppression"] = self.suppression
        if self.cut != "nearest":
            set_as["cut"] = self.cut
        set_as.update({word: True for word in ("hierarchies", "regions") if getattr(self, word)})
        return Provenance(self.name, set_as)

    def _rows_cut(
        self,
        people: Table,
        codes: Int32,
        width: Float64,
        k: int,
        models: tuple[PrivacyModel, ...],
        variant: _median_cuts.Variant,
        weight: Int64 | None,
    ) -> _median_cuts.Cuts:
        """Cut a table with one row per person, or `weight` people, (rows,)."""
        if not models:
            return _median_cuts.partition(codes, k, width=width, weight=weight, variant=variant)
        sensitive = [one for a in people.schema.sensitive for one in readings(a, people[a.name])]
        n_values = tuple(len(a.values) + 1 for a, _ in sensitive)  # the last counts values that are not known
        values = np.stack([np.where(codes < 0, n - 1, codes) for (_, codes), n in
                           zip(sensitive, n_values, strict=True)], axis=1)  # fmt: skip
        overall = [np.bincount(v, minlength=n)[:-1].astype(float) for v, n in zip(values.T, n_values, strict=True)]
        fitted = [tuple(bound(model, attribute) for model in models) for attribute, _ in sensitive]
        for (attribute, _), ours, everywhere in zip(sensitive, fitted, overall, strict=True):
            total_known = float(everywhere.sum())
            self._require_whole_table(ours, float(people.n_rows), total_known, everywhere, attribute.name)

        def accept(size: Int64, counts: tuple[Int64, ...]) -> Bool:
            safe = np.ones(size.shape, bool)
            for ours, count, everywhere in zip(fitted, counts, overall, strict=True):
                known = count[:, :-1].astype(np.float64)
                safe &= all_hold(ours, size.astype(np.float64), [known], [everywhere])
            return safe

        return _median_cuts.partition(
            codes, k, width=width, accept=accept, values=values, n_values=n_values, variant=variant
        )

    def _people_cut(
        self,
        people: Table,
        person_of: Int32,
        codes: Int32,
        width: Float64,
        k: int,
        models: tuple[PrivacyModel, ...],
        variant: _median_cuts.Variant,
    ) -> _median_cuts.Cuts:
        """Cut a table in which some people have several rows."""
        if not models:
            return _median_cuts.partition_people(codes, person_of, k, width=width, variant=variant)
        sensitive = [one for a in people.schema.sensitive for one in readings(a, people[a.name])]
        whole = np.zeros(people.n_rows, np.int32)
        columns = {str(i): (codes, len(a.values), None) for i, (a, codes) in enumerate(sensitive)}
        headcount = Headcount.of(person_of, whole, 1, columns)
        fitted = [tuple(bound(model, attribute) for model in models) for attribute, _ in sensitive]
        holders = list(headcount.holders.values())
        for (attribute, _), ours, one in zip(sensitive, fitted, holders, strict=True):
            self._require_whole_table(ours, headcount.total, one.total_known, one.overall[:-1], attribute.name)

        def accept(size: Int64, known: tuple[Int64, ...], counts: tuple[Int64, ...]) -> Bool:
            safe = np.ones(size.shape, bool)
            for ours, one, sure, count in zip(fitted, holders, known, counts, strict=True):
                counted = size.astype(np.float64), sure.astype(np.float64), count.astype(np.float64)
                for model in ours:
                    safe &= holds(model, score_people(model, *counted, one.total_known, one.overall[:-1]))
            return safe

        values = np.stack([codes for _, codes in sensitive], axis=1)
        n_values = tuple(len(a.values) for a, _ in sensitive)
        return _median_cuts.partition_people(
            codes, person_of, k, width=width, accept=accept, values=values, n_values=n_values, variant=variant
        )

    def _require_whole_table(
        self, models: tuple[PrivacyModel, ...], people: float, total_known: float, everywhere: Float64, name: str
    ) -> None:
        for model in models:
            one = np.array([total_known])
            score = score_people(model, np.array([people]), one, everywhere[None, :], total_known, everywhere)
            if np.isnan(score[0]):
                raise InfeasibleError(nothing_to_count(model, name))
            if not holds(model, score)[0]:
                direction = message("at most") if model.higher_is_safer else message("at least")
                whole = message("in the whole table")
                if self.suppression:
                    whole = message(
                        "with as many people left out as suppression allows ({suppression})",
                        suppression=numeral(self.suppression, "g"),
                    )
                msg = message(
                    "{model} must be {direction} {score}, as for column {name} {whole}; got {limit}. Relax it, or "
                    "let suppression leave out more people",
                    model=model.name,
                    direction=direction,
                    score=numeral(score[0], ".6g"),
                    name=repr(name),
                    whole=whole,
                    limit=numeral(model.limit, "g"),
                )
                raise InfeasibleError(msg)


def _constraint(
    cut: _median_cuts.RefusedCut, group_of: Int32, counts: Int64, safe: Callable[[Float64, Int64], Bool]
) -> Constraint:
    """Return the constraint of a refused cut on the groups that it splits; all other groups lie on one side of it."""
    group, n_groups = group_of[cut.people], counts.shape[0]
    n_left = np.bincount(group[cut.left], minlength=n_groups)
    n_right = np.bincount(group[~cut.left], minlength=n_groups)
    parted = (n_left > 0) & (n_right > 0)
    aside = np.stack([counts[(n > 0) & ~parted].sum(axis=0) for n in (n_left, n_right)])
    size = np.array([n_left.sum(), n_right.sum()], np.float64)
    some = parted[group]

    def agrees(worlds: Int64, rng: np.random.Generator) -> Bool:
        del rng
        sides = (worlds + aside).reshape(-1, aside.shape[1])
        accepted = safe(np.tile(size, worlds.shape[0]), sides).reshape(-1, 2).all(axis=1)
        return np.asarray(~accepted)

    return Constraint(cut.people[some], (~cut.left[some]).astype(np.int32), agrees)


def _require_people(people: Table, k: int) -> None:
    n_people = people_in(people.person_of, people.n_rows)
    if n_people < k:
        noun = message("people") if n_people < people.n_rows else message("rows")
        msg = message(
            "k must be at most the number of {noun}, {n_people}; got {k}. Lower k", noun=noun, n_people=n_people, k=k
        )
        raise InfeasibleError(msg)


EXAMPLES = (Mondrian(),)
