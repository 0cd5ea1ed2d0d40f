"""Microaggregation: groups of k similar people, published with their centroids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.errors import InvalidInputError
from unmask.masks.axes import Axes
from unmask.masks.centroids import publish_centroids
from unmask.models.privacy_model import PrivacyModel, settings
from unmask.parameters import check_parameters
from unmask.partition import SUPPRESSED, Partition
from unmask.people_counts import repeats
from unmask.release import Provenance, Publication
from unmask.sanitizers import _blocks, _mdav, _merging
from unmask.sanitizers._group_models import GroupModels, require_quasi
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True)
class Microaggregation(GroupModels):
    """Group the k people nearest to each other, and publish the group's centroid in place of their values.

    Fixed-size MDAV: the person farthest from the centroid of all forms a group with the k − 1 nearest, and so does the
    person farthest from that one; this repeats with the remaining people, and the last fewer than 2k are a group.
    Outliers come first, since they are the hardest to hide. Groups are small and dense, so means lose little; for the
    same reason an attacker who knows a person's values finds the nearest centroid and is often right.

    Assumes
        Numbers and ordered values are measured in standard deviations; other values are all equally different: two
        people lie 1 apart where theirs differ, and from many people `(1 − 2 f_v + Σ f²) / 2`, f being the shares of the
        values. With `categories="codes"` listed values count as the numbers of their order, alphabetical where none is
        declared. A missing value is one more value that differs from all others.
    Publishes
        For every group the mean of numbers, the lower median of ordered values, the most frequent of other values;
        sensitive values row by row. A group that breaks one of `models`, or has fewer than k people where people have
        several rows, joins the group with the nearest centroid, until all are safe. Groups with equal centroids are
        merged, since they are indistinguishable, unless `tell_groups` publishes their numbers. Ties are random. A table
        of more than `whole` rows is first cut into blocks of at least `block` by Mondrian, and grouped inside each.
    Fails
        With `InfeasibleError` for fewer than k people, or where the table as a whole breaks a model. With
        `InvalidInputError` for a model that needs a population, or for a model of values where no column is sensitive.

    References
    ----------
    Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control. IEEE
    Transactions on Knowledge and Data Engineering 2002. Domingo-Ferrer, Torra. Ordinal, continuous and heterogeneous
    k-anonymity through microaggregation. Data Mining and Knowledge Discovery 2005. Ganta, Kasiviswanathan, Smith.
    Composition attacks and auxiliary information in data privacy. KDD 2008, section 4.
    """

    name: ClassVar[str] = "microaggregation"
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    k: int = 5
    models: tuple[PrivacyModel, ...] = ()
    categories: Literal["frequencies", "codes"] = "frequencies"
    whole: int = 300_000  # rows that are grouped without being cut into blocks
    block: int = 10_000  # rows that a block has at least
    tell_groups: bool = False  # keep groups with equal centroids apart, by their numbers

    def __post_init__(self) -> None:
        check_parameters(self)
        for word, value in (("k", self.k), ("whole", self.whole), ("block", self.block)):
            if value < 1:
                msg = message("{word} must be a whole number of at least 1; got {value}", word=word, value=value)
                raise InvalidInputError(msg)
        _merging.require_table_models(self.name, self.models)

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish centroids."""
        attributes = require_quasi(table, message("grouped by"))
        kept = rng.permutation(np.flatnonzero(~table.excluded()))
        people = table.take(kept)
        k = _merging.require_feasible(people, self.k, self.models)
        known = people.only(a.name for a in attributes)
        axes = Axes.of(known, coded=self.categories == "codes")
        places = axes.points(known)
        group, n_groups = self._grouped(known, *places, k)
        if self.models or repeats(people.person_of):
            group, n_groups = _merging.merged(people, group, places, k, self.models)
        group_of = np.full(table.n_rows, SUPPRESSED, np.int32)
        group_of[kept] = group
        set_as: dict[str, int | float | str] = {"k": self.k}
        for model in self.models:
            set_as.update(settings(model))
        if self.categories != "frequencies":
            set_as["categories"] = self.categories
        if people.n_rows > self.whole:
            set_as.update(whole=self.whole, block=self.block)
        if self.tell_groups:
            set_as["tell-groups"] = True
        provenance = Provenance(self.name, set_as)
        return publish_centroids(table, Partition(group_of, n_groups), provenance, tell_groups=self.tell_groups)

    def _grouped(self, people: Table, number: Float64, code: Int32, k: int) -> tuple[Int32, int]:
        """Return the group of each person, (rows,), and the number of groups."""
        if people.n_rows <= self.whole:
            return _mdav.partition(number, code, k)
        ranks = np.stack([people.ranks(name)[0] + 1 for name in people.schema.names], axis=1)

        def inside(rows: Int64) -> tuple[Int32, int]:
            return _mdav.partition(number[rows], code[rows], k)

        return _blocks.grouped(ranks, max(self.block, k), inside)


EXAMPLES = (Microaggregation(),)
