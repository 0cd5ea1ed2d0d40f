"""Full-domain recoding: each column at one level of its hierarchy, the same for all records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, TypeAlias

import numpy as np

from unmask.arrays import Int32
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.masks.generalized_rows import publish_generalized_rows
from unmask.masks.levels import LevelLabels
from unmask.models.privacy_model import PrivacyModel, settings
from unmask.number_format import numeral
from unmask.parameters import check_parameters
from unmask.partition import SUPPRESSED, Partition
from unmask.people_counts import people_in
from unmask.release import Provenance, Publication
from unmask.runtime.cost import require_time
from unmask.sanitizers import _lattice, _leaving_out, _merging
from unmask.sanitizers._column_levels import level_form, levels_text, require_levels
from unmask.sanitizers._group_models import GroupModels, require_quasi
from unmask.table import Table
from unmask.wording import message

GivenLevels: TypeAlias = Annotated[Mapping[str, int], level_form("levels")]
"""The published level of some columns."""


@dataclass(frozen=True)
class FullDomain(GroupModels):
    """Generalize every column to one level of its hierarchy, so that all groups are safe and the loss is least.

    Labels are consistent: 30-39 is always called 30-39. The price is that a few unusual people coarsen a column for
    all; so a share of the people, those in unsafe groups, may be suppressed instead.

    Assumes
        A hierarchy for each quasi-identifier; one without has its values and `*` as levels. A missing value is one more
        value. `levels` names columns whose level is given (`age@1; zip@2`), 0 for the values themselves; only the
        others are searched. Models compare a group with all people, and again with the published people. For people
        with several rows, people are counted, a person with a suppressed row counts as suppressed, and cells are
        counted by row.
    Publishes
        For every row the labels of its group. The node is the best of the whole lattice; where that has more than
        `most_nodes` nodes, the best that a greedy search finds, and the release declares which (`search`). With
        `local`, people in unsafe groups at the finest feasible level are recoded again, a little coarser, until all
        people are published. Deterministic, and independent of the order of rows.
    Fails
        With `InfeasibleError` where no node is safe within the suppression limit. With `InvalidInputError` where a
        hierarchy lacks a value, for a level that a column lacks, and for a model that needs a population; with
        `ResourceError` where a greedy search would take too long.

    References
    ----------
    Samarati. Protecting respondents' identities in microdata release. TKDE 2001.
    Kohlmayer, Prasser, Eckert, Kemper, Kuhn. Flash: efficient, stable and optimal k-anonymity. PASSAT 2012.
    """

    name: ClassVar[str] = "full-domain"
    uses_hierarchies: ClassVar[bool] = True
    read_by: ClassVar[str | None] = None
    bytes_per_cell: ClassVar[float] = 19.0
    outcomes: ClassVar[tuple[str, ...]] = ("search",)
    k: int = 5
    models: tuple[PrivacyModel, ...] = ()
    suppression: float = 0.0  # the share of people who may be left out
    loss: _lattice.Loss = "loss"
    mean: _lattice.Mean = "geometric"
    local: bool = False
    most_nodes: int = 1_000_000
    levels: GivenLevels = field(default_factory=dict)  # the published level of some columns

    def __post_init__(self) -> None:
        check_parameters(self)
        for word, number in (("k", self.k), ("most-nodes", self.most_nodes)):
            if number < 1:
                msg = message("{word} must be a whole number of at least 1; got {number}", word=word, number=number)
                raise InvalidInputError(msg)
        _merging.require_table_models(self.name, self.models)
        _leaving_out.require_share(self.suppression)
        require_levels("levels", self.levels)
        if self.local and self.levels:
            msg = message("levels must be those of all records, not local; got both. Leave one of the two out")
            raise InvalidInputError(msg)
        if self.local and self.loss not in _lattice.BY_CELL:
            msg = message(
                "loss must be one of {by_cell} with local; got {loss}",
                by_cell=", ".join(_lattice.BY_CELL),
                loss=repr(self.loss),
            )
            raise InvalidInputError(msg)

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish generalized rows."""
        del rng
        attributes = require_quasi(table, "recoded")
        excluded = table.excluded()
        kept = np.flatnonzero(~excluded)
        people = table.take(kept) if excluded.any() else table
        levels = tuple(LevelLabels.of(people, a.name) for a in attributes)
        profile_of, profiles = _lattice.profiles_of(levels)
        n_people = people_in(people.person_of, people.n_rows)
        limit = _leaving_out.people_allowed(self.suppression, n_people)
        demand = replace(_lattice.demand(people, profile_of, self.k, self.models, limit), alone=True)
        lattice = _lattice.Lattice(levels, profiles)
        given = self._given(levels)
        measure = _lattice.loss_by_name(self.loss, self.mean, lattice, by_row=demand.persons is not None)
        recoding, search = self._recoding(lattice, demand, measure, n_people, given)
        group_of = np.full(table.n_rows, SUPPRESSED, np.int32)
        group_of[kept] = recoding.of_profile[profile_of]
        limits = {word: value for model in self.models for word, value in settings(model).items()}
        chosen = {"suppression": self.suppression, "loss": self.loss, "local": self.local, "search": search}
        if self.mean != "geometric":
            chosen["mean"] = self.mean
        if self.most_nodes != type(self).most_nodes:
            chosen["most-nodes"] = self.most_nodes
        if self.levels:
            chosen["levels"] = levels_text(self.levels)
        provenance = Provenance(self.name, {"k": self.k, **limits, **chosen})
        partition = Partition(group_of, recoding.leaf.shape[0])
        publication = publish_generalized_rows(table, partition, levels, recoding.leaf, recoding.level, provenance)
        if demand.persons is not None or self.local:
            of_profile = np.full(profiles.size.size, SUPPRESSED, np.int32)
            of_profile[profile_of] = publication.group_of[kept]
            _require_safe(lattice, demand, of_profile, publication.release.n_groups)
        return publication

    def _given(self, levels: Sequence[LevelLabels]) -> dict[int, int]:
        """Return the given level of some columns, by the number of the column."""
        known = {one.attribute.name: i for i, one in enumerate(levels)}
        found = {}
        for name, level in self.levels.items():
            if name not in known:
                raise InvalidInputError.unknown_name(message("a column of levels"), name, known)
            if level >= levels[known[name]].n:
                msg = message(
                    "levels of column {name} must be at most {n}; got {level}. Lower it",
                    name=repr(name),
                    n=levels[known[name]].n - 1,
                    level=level,
                )
                raise InvalidInputError(msg)
            found[known[name]] = level
        return found

    def _recoding(
        self,
        lattice: _lattice.Lattice,
        demand: _lattice.Demand,
        measure: _lattice.LatticeLoss,
        n: int,
        given: Mapping[int, int],
    ) -> tuple[_lattice.Recoding, str]:
        """Return the recoding, and whether it is the best of the whole lattice."""
        small = lattice.n_nodes <= self.most_nodes
        if self.local and isinstance(measure, _lattice.CellLoss):
            recoding = _lattice.recode(lattice, demand, measure, self.most_nodes)
            if recoding is not None:
                return recoding, "local"
        search = _lattice.Search(lattice, demand, measure, given=given)
        if small and not self.local:
            search.everywhere()
        else:
            require_time(
                message(
                    "a greedy search among {n_nodes} combinations of levels", n_nodes=numeral(lattice.n_nodes, ".0e")
                ),
                search.greedy_seconds(),
                message(
                    "Name fewer quasi-identifiers, give hierarchies of fewer levels, or take mondrian, which needs none"
                ),
            )
            search.greedily()
        best = search.best
        if best is not None and not self.local:
            return _lattice.Recoding.at(best.node, best.groups, best.safety.safe), "optimal" if small else "greedy"
        reason = _lattice.whole_table(demand, n)
        if reason is None:
            reason = message(
                "suppression must leave out at least {fewest} of {n} people for some combination of levels to be safe; "
                "got {suppression}, which is {limit}. Raise it, demand less, or add coarser levels to the hierarchies, "
                "the last one *",
                fewest=search.fewest_unsafe,
                n=n,
                suppression=numeral(self.suppression, "g"),
                limit=demand.limit,
            )
        raise InfeasibleError(reason)


def _require_safe(lattice: _lattice.Lattice, demand: _lattice.Demand, of_profile: Int32, n_groups: int) -> None:
    """Fail where published groups are not safe.

    Groups may have become equal, or may have been recoded before the suppressed people were known.
    """
    inside = of_profile >= 0
    size = np.bincount(of_profile[inside], lattice.profiles.size[inside], n_groups).astype(np.int64)
    example = np.zeros(n_groups, np.int64)
    example[of_profile[inside]] = np.flatnonzero(inside)
    groups = _lattice.LatticeGroups(size, None, of_profile, example, lattice.profiles.codes[:, example])
    if not replace(demand, limit=int(lattice.profiles.size.sum())).judge(groups).safe.all():
        msg = message(
            "groups must be safe as they are published; some are not, beside the others. Recode without local"
        )
        raise InfeasibleError(msg)


EXAMPLES = (FullDomain(),)
