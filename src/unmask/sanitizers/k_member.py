"""k-member clustering: each group grows by the person who widens it least, and publishes what its members share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, TypeAlias

import numpy as np

from unmask.arrays import Int32, Int64, distinct_rows
from unmask.errors import InvalidInputError
from unmask.masks.axes import Axes
from unmask.masks.boxes import publish_cells
from unmask.models.privacy_model import PrivacyModel, settings
from unmask.parameters import SEMICOLONS, check_parameters
from unmask.partition import SUPPRESSED, Partition
from unmask.people_counts import repeats
from unmask.release import Provenance, Publication
from unmask.sanitizers import _blocks, _k_member, _merging
from unmask.sanitizers._column_levels import level_form, levels_text, require_levels
from unmask.sanitizers._group_models import GroupModels, require_quasi
from unmask.sanitizers._k_member import ColumnAxis
from unmask.sanitizers._shown_labels import LabeledColumn
from unmask.schema import Categorical
from unmask.table import Table
from unmask.wording import message

FinestLevels: TypeAlias = Annotated[Mapping[str, int], level_form("finest")]
"""A level of the hierarchy of each column."""


@dataclass(frozen=True)
class KMember(GroupModels):
    """Cluster people into groups of k that are as narrow as possible, and publish what each group has in common.

    A group begins with the person farthest from the last group; k − 1 times, the person who widens it least joins. The
    loss of a group is its size times the part of each column that it covers, added up. Groups may overlap, unlike the
    parts of a table that is cut, so they have exactly k people and fit closely; remaining people join the last.

    Assumes
        A group covers, of numbers and ordered values, its range as a part of the declared range or of the range that
        occurs; of other values, the height of the lowest common label as a part of the height of the hierarchy, or all
        where they differ in a column without one. `taxonomies` names columns of numbers that are measured by their
        hierarchy as well (`age; zip`). A missing value is one more value, at the greatest distance from all others.
    Publishes
        For every group and column with a hierarchy the finest label that all its members share, `*` if there is none;
        labels that are not nested (intervals of 20 and 50 years) are published only, and people are grouped by number.
        `finest` names columns with the finest level that may be published (`age@1`): a hierarchy of intervals has each
        number as level 0. Numbers and ordered values without a hierarchy become ranges, other values `*` where they
        differ. Sensitive values row by row. Groups with equal cells are merged. The first person and ties are random:
        people are put into a random order. A group that breaks one of `models`, or has fewer than k people where people
        have several rows, joins the group with the nearest centroid, until all are safe. A table of more than `whole`
        rows is first cut into blocks of at least `block` by Mondrian, and grouped inside each.
    Fails
        With `InfeasibleError` for fewer than k people, or where the table as a whole breaks a model. With
        `InvalidInputError` for labels that are not nested in a column that is measured by them, for a model that needs
        a population, and for a model of values where no column is sensitive.

    References
    ----------
    Byun, Kamra, Bertino, Li. Efficient k-anonymization using clustering techniques. DASFAA 2007, figure 5.
    Sramka, Safavi-Naini, Denzinger. An attack on the privacy of sanitized data that fuses the outputs of multiple data
    miners. ICDM Workshops 2010, section IV.
    """

    name: ClassVar[str] = "k-member"
    uses_hierarchies: ClassVar[bool] = True
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    k: int = 5
    models: tuple[PrivacyModel, ...] = ()
    taxonomies: Annotated[tuple[str, ...], SEMICOLONS] = ()  # columns of numbers that are measured by their hierarchy
    finest: FinestLevels = field(default_factory=dict)  # the finest published level of some columns
    whole: int = 100_000  # rows that are grouped without being cut into blocks
    block: int = 10_000  # rows that a block has at least

    def __post_init__(self) -> None:
        check_parameters(self)
        for word, value in (("k", self.k), ("whole", self.whole), ("block", self.block)):
            if value < 1:
                msg = message("{word} must be a whole number of at least 1; got {value}", word=word, value=value)
                raise InvalidInputError(msg)
        _merging.require_table_models(self.name, self.models)
        require_levels("finest", self.finest)

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish labels and ranges."""
        attributes = require_quasi(table, message("grouped by"))
        kept = rng.permutation(np.flatnonzero(~table.excluded()))
        people = table.take(kept)
        k = _merging.require_feasible(people, self.k, self.models)
        columns = self._columns(people)
        group, n_groups = self._grouped([column.axis for column in columns], k)
        if self.models or repeats(people.person_of):
            known = people.only(a.name for a in attributes)
            group, n_groups = _merging.merged(people, group, Axes.of(known).points(known), k, self.models)
        order = np.argsort(group, kind="stable")
        first = np.searchsorted(group[order], np.arange(n_groups))
        published = [column.cells(order, first) for column in columns]
        look, example = distinct_rows(np.stack([cells.ordered()[1] for cells in published], axis=1))
        group_of = np.full(table.n_rows, SUPPRESSED, np.int32)
        group_of[kept] = look[group]
        partition = Partition(group_of, example.size)
        return publish_cells(
            table, partition, [one.take(example) for one in published], self._provenance(people.n_rows)
        )

    def _columns(self, people: Table) -> list[LabeledColumn]:
        """Return the quasi-identifiers, each with its distances and levels."""
        known = {a.name: a for a in people.schema.quasi}
        for setting, names in (("taxonomies", self.taxonomies), ("finest", tuple(self.finest))):
            for name in names:
                if name not in known:
                    raise InvalidInputError.unknown_name(message("a column of {setting}", setting=setting), name, known)
        for name in self.taxonomies:
            if known[name].hierarchy is None:
                msg = message(
                    "column {name} must have a hierarchy to be one of taxonomies; it has none. Give one",
                    name=repr(name),
                )
                raise InvalidInputError(msg)
        return [
            LabeledColumn.of(
                people,
                name,
                tree=name in self.taxonomies or isinstance(attribute.domain, Categorical),
                finest=self.finest.get(name),
            )
            for name, attribute in known.items()
        ]

    def _grouped(self, axes: Sequence[ColumnAxis], k: int) -> tuple[Int32, int]:
        """Return the group of each person, (rows,), and how many there are."""
        places = np.stack([axis.place for axis in axes], axis=1)
        if places.shape[0] <= self.whole:
            return _k_member.partition(axes, k)

        def inside(rows: Int64) -> tuple[Int32, int]:
            return _k_member.partition([replace(axis, place=axis.place[rows]) for axis in axes], k)

        return _blocks.grouped(places, max(self.block, k), inside)

    def _provenance(self, n_rows: int) -> Provenance:
        set_as: dict[str, int | float | str] = {"k": self.k}
        for model in self.models:
            set_as.update(settings(model))
        set_as |= {"taxonomies": SEMICOLONS.write(self.taxonomies)} if self.taxonomies else {}
        set_as |= {"finest": levels_text(self.finest)} if self.finest else {}
        if n_rows > self.whole:
            set_as.update(whole=self.whole, block=self.block)
        return Provenance(self.name, set_as)


EXAMPLES = (KMember(),)
