"""Suppression: cells or records hidden where too few people are alike, all others as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from unmask.arrays import Int32, Int64, distinct_rows
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.masks.suppressed_rows import publish_starred_rows
from unmask.models.k_anonymity import KAnonymity
from unmask.models.privacy_model import AnyModel, PrivacyModel, settings
from unmask.parameters import check_parameters, list_text
from unmask.people_counts import people_in, repeats
from unmask.release import Provenance, Publication
from unmask.sanitizers import _fewest_cells, _merging
from unmask.sanitizers._fewest_cells import UNIT
from unmask.sanitizers._group_models import GroupModels, require_quasi
from unmask.sanitizers._lattice import LatticeGroups, demand
from unmask.schema import Attribute
from unmask.table import Table
from unmask.wording import joined, message


@dataclass(frozen=True)
class LocalSuppression:
    """Suppress single cells until each person is indistinguishable from k people, with as few cells as possible.

    People in groups of k or more equal people keep all cells. For the others, first one cell is hidden where one is
    enough, then two, and so on: no value is generalized, so most of the table stays exact.

    The `policy` decides how a hidden cell counts. As a value of its own (`own`), k people have equal published cells,
    stars included. As a wildcard, a star equals every value: fewer cells are hidden, but a person known not to have
    another row's values is protected only by people whose stars match. The release is k-anonymous under the chosen
    policy; under `wildcard` not under the other, so measure both.

    Publishes
        Each row's own quasi-identifiers with `*` for hidden cells; sensitive values row by row. Attributes named in
        `importance` (with commas, the most important first) are hidden only where hiding any number of cells of the
        others is not enough; without it, columns of many values go first among equally many cells. Equal rows hide
        equal cells. For tables of at most 12 distinct rows the number of cells is minimal (under `wildcard` with at
        most 8 columns, unless the search takes too long); beyond, a heuristic is improved step by step, without a
        guarantee of optimality. Deterministic, and independent of the order of rows. For people with several rows, k
        counts people: each with one of their combinations of values, so some groups may have more than needed.
    Fails
        With `InfeasibleError` for fewer than k people.

    References
    ----------
    Templ, Kowarik, Meindl. Statistical disclosure control for micro-data using the R package sdcMicro. Journal of
    Statistical Software 2015. Meyerson, Williams. On the complexity of optimal k-anonymity. PODS 2004.
    """

    name: ClassVar[str] = "local-suppression"
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    needs_values: ClassVar[bool] = False  # it reads quasi-identifiers alone
    k: int = 5
    policy: Literal["own", "wildcard"] = "own"
    importance: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_parameters(self)
        _require_whole(self.k)

    @property
    def claims(self) -> tuple[AnyModel, ...]:
        """The models that every release meets, however hidden cells count; none for wildcards."""
        return (KAnonymity(self.k),) if self.policy == "own" else ()

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish suppressed rows."""
        del rng
        attributes, kept = _published_rows(table, self.k)
        number, profiles = table.take(kept).only(a.name for a in attributes).profiles()
        person_of = None if table.person_of is None else table.person_of[kept]
        people = _people(number, person_of, profiles.n_rows)
        if person_of is not None and self.policy == "own":  # groups of k need no people of other groups
            alike = _distinct(number, person_of)
            people = np.where(alike >= self.k, alike, people)
        codes = np.stack([profiles.ranks(a.name)[0] + 1 for a in attributes])
        cost = costs([a.name for a in attributes], codes.max(axis=1), self._important(attributes))
        search = _fewest_cells.as_wildcards if self.policy == "wildcard" else _fewest_cells.as_values
        hidden = search(codes, people, self.k, cost)
        starred = ((hidden[number, None] >> np.arange(len(attributes))) & 1) == 1
        set_as: dict[str, int | str] = {"k": self.k, "policy": self.policy}
        if self.importance:
            set_as["importance"] = list_text(self.importance)
        return publish_starred_rows(table, kept, starred, Provenance(self.name, set_as))

    def _important(self, attributes: Sequence[Attribute]) -> list[str]:
        known = [a.name for a in attributes]
        for name in self.importance:
            if name not in known:
                raise InvalidInputError.unknown_name(message("quasi-identifier in importance"), name, known)
        return list(dict.fromkeys(self.importance))


@dataclass(frozen=True)
class RecordSuppression(GroupModels):
    """Suppress every record that equals those of fewer than k people, or whose equivalence class breaks a model.

    Nothing is generalized and no cell is hidden: safe groups are published as they are, the others are left out. With
    an average or uniqueness as a model, the smallest groups are left out until it holds.

    Assumes
        Models compare a group with all people, and again with the remaining people.
    Publishes
        Each remaining row's own quasi-identifiers; sensitive values row by row; the number of people left out.
        Deterministic, and independent of the order of rows.
    Fails
        With `InfeasibleError` where no person would be left. With `InvalidInputError` for a model that needs a
        population, or for a model of values where no column is sensitive.

    References
    ----------
    Samarati. Protecting respondents' identities in microdata release. IEEE Transactions on Knowledge and Data
    Engineering 2001.
    """

    name: ClassVar[str] = "record-suppression"
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    k: int = 5
    models: tuple[PrivacyModel, ...] = ()

    def __post_init__(self) -> None:
        check_parameters(self)
        _require_whole(self.k)
        _merging.require_table_models(self.name, self.models)

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish the rows of the safe groups."""
        del rng
        attributes, rows = _published_rows(table, self.k)
        people = table.take(rows)
        number, profiles = people.only(a.name for a in attributes).profiles()
        codes = np.stack([profiles.ranks(a.name)[0] for a in attributes]).astype(np.int32)
        groups = LatticeGroups.of_profiles(codes, np.bincount(number, minlength=profiles.n_rows))
        demanded = demand(people, number, self.k, self.models, rows.size)
        safe = replace(demanded, alone=True).judge(groups).safe
        kept = rows[safe[number]]
        if not kept.size:
            alike = groups.size if people.person_of is None else _distinct(number, people.person_of)
            raise InfeasibleError(self._infeasibility(int(alike.max())))
        nothing = np.zeros((kept.size, len(attributes)), bool)
        limits = {word: value for model in self.models for word, value in settings(model).items()}
        return publish_starred_rows(table, kept, nothing, Provenance(self.name, {"k": self.k, **limits}))

    def _infeasibility(self, most: int) -> str:
        if most < self.k or not self.models:
            return message(
                "k must be at most {most}, the most people who look alike; got {k}. Lower k, or coarsen",
                most=most,
                k=self.k,
            )
        names = joined(["k"])
        for model in self.models:
            names = message("{first} and {last}", first=names, last=model.name)
        return message(
            "{names} must hold in at least one group of people who look alike; got none. Demand less, or coarsen",
            names=names,
        )


def costs(names: Sequence[str], n_values: Int32, important: Sequence[str]) -> Int64:
    """Return the cost of hiding a cell of each attribute, (attributes,).

    A unit each, and a little more for columns of few values, so that columns of many are preferred among equally many
    cells. An important attribute costs more units than all less important ones together.
    """
    cost = np.full(len(names), UNIT, np.int64)
    cost += np.argsort(np.argsort(-n_values, kind="stable"), kind="stable")
    for done, name in enumerate(reversed(important)):
        less = [i for i, other in enumerate(names) if other not in important[: len(important) - done]]
        cost[names.index(name)] = (cost[less].sum() // UNIT + 1) * UNIT
    return cost


def _published_rows(table: Table, k: int) -> tuple[tuple[Attribute, ...], Int64]:
    """Return the quasi-identifiers, and the rows that are not excluded for a missing value."""
    attributes = require_quasi(table, "suppressed")
    kept = np.flatnonzero(~table.excluded())
    n_people = people_in(None if table.person_of is None else table.person_of[kept], kept.size)
    if n_people < max(k, 1):
        noun = message("people") if n_people < kept.size else message("rows")
        msg = message(
            "k must be at most the number of {noun}, {n_people}; got {k}. Lower k", noun=noun, n_people=n_people, k=k
        )
        raise InfeasibleError(msg)
    return attributes, kept


def _distinct(number: Int32, person_of: Int32) -> Int64:
    """Count the different people of each distinct row, (profiles,)."""
    _, first = distinct_rows(np.stack([number, person_of], axis=1))
    return np.bincount(number[first], minlength=int(number.max(initial=-1)) + 1)


def _people(number: Int32, person_of: Int32 | None, n_profiles: int) -> Int64:
    """Count people by distinct row, (profiles,), each person once: where most others are, if they have several.

    Any union of profiles then has at least as many people as are counted.
    """
    if person_of is None or not repeats(person_of):
        return np.bincount(number, minlength=n_profiles)
    most = _distinct(number, person_of)
    pairs = np.unique(np.stack([person_of, -most[number], number], axis=1), axis=0)
    first = np.flatnonzero(np.diff(pairs[:, 0], prepend=pairs[0, 0] - 1))
    return np.bincount(pairs[first, 2], minlength=n_profiles)


def _require_whole(k: int) -> None:
    if k < 1:
        msg = message("k must be a whole number of at least 1; got {k}", k=k)
        raise InvalidInputError(msg)


EXAMPLES = (LocalSuppression(), RecordSuppression())
