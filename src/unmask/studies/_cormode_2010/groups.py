"""Greedy groupings of Adult, and the minimality attack on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from unmask.arrays import Bool, Float64, Ragged
from unmask.attacks.minimality.attack import Minimality
from unmask.attacks.minimality.reading_order import position_ranges
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import Beliefs
from unmask.datasets.adult import adult
from unmask.number_format import numeral
from unmask.release import Publication
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.sanitizers.greedy_rule.rule import Coin
from unmask.schema import Attribute, Ordered, Role, Schema
from unmask.studies._cormode_2010.bound import COINS
from unmask.table import Table
from unmask.utility.query_error import QueryError
from unmask.utility.utility_measure import PublishedTable
from unmask.view import Knowledge, View
from unmask.wording import Message, message

QUASI = ("age", "workclass", "education-num", "marital-status", "relationship", "race", "sex", "income")
SENSITIVE = "occupation"
RECORD = "record"

ORDERS = {"age": (*QUASI, RECORD), "file": (RECORD,)}
"""Sort orders, both known to the attacker: by attributes, ties as in the file; and the order of the file."""

_IN = {"age": message("age order"), "file": message("file order")}
"""The orders in words."""

MARGINS = (1.0, 1.5)
"""A person is vulnerable if some value has a posterior above this multiple of the guaranteed 1/l."""

_EXACT = 1e-9
_SURELY = 3.0  # standard errors, where beliefs are sampled


@cache
def people() -> Table:
    """Return the 30,162 people without a missing value, with their position in the file as a column."""
    table = adult(quasi=QUASI, sensitive=(SENSITIVE,))
    places = tuple(f"{i:05d}" for i in range(table.n_rows))
    record = Attribute(RECORD, Role.INSENSITIVE, Ordered(places))
    columns = {**table.columns, RECORD: np.arange(table.n_rows, dtype=np.int32)}
    return replace(table, schema=Schema((*table.schema, record)), columns=columns)


@dataclass(frozen=True, slots=True)
class Way:
    """A grouping configuration."""

    positive: str  # the value that is bounded; empty: each
    order: str
    l: int
    p: float = 0.0
    coin: Coin = "prefix"

    @property
    def key(self) -> str:
        """The prefix of its figures' names."""
        who = self.positive.lower() or SENSITIVE
        thrown = f"/p={self.p:g}/{self.coin}" if self.p else ""
        return f"{who}/{self.order}/l={self.l}{thrown}"

    @property
    def subject(self) -> Message:
        """The bounded value and the order, in words."""
        return message(
            "{bounded}, {order}", bounded=self.positive or message("every occupation"), order=_IN[self.order]
        )

    @property
    def says(self) -> Message:
        """Its description."""
        if not self.p:
            return message("Adult, {subject}, l = {l}", subject=self.subject, l=self.l)
        return message(
            "Adult, {subject}, l = {l}, p = {p} per {coin}",
            subject=self.subject,
            l=self.l,
            p=numeral(self.p, "g"),
            coin=COINS[self.coin],
        )

    def publish(self, rng: np.random.Generator) -> Publication:
        """Group Adult."""
        order = tuple(ORDERS[self.order])
        made = GreedyGrouping(l=self.l, positive=self.positive, p=self.p, coin=self.coin, order=order)
        return made.sanitize(people(), rng)


@dataclass(frozen=True, eq=False)
class AttackedGrouping:
    """One release under the minimality attack; the attacker knows the algorithm, the order, and each person's row."""

    l: int
    n_groups: int
    n_people: int
    largest: int  # people of the largest group that closed by itself
    top: Float64  # (rows,) the largest probability of a bounded value; NaN where too little is known
    error: Float64  # (rows,) its standard error; 0 where exact
    merged: Bool  # (rows,) in a last group that others were merged into
    quality: Mapping[str, float] = field(default_factory=dict)

    def vulnerable(self, margin: float, *, last: bool = False) -> float:
        """Return the share of vulnerable people; `last` includes those of a merged last group."""
        with np.errstate(invalid="ignore"):
            above = self.top - _SURELY * self.error > margin / self.l + _EXACT
        return float((above & (last | ~self.merged)).mean())

    @property
    def factor(self) -> float:
        """The largest posterior in multiples of 1/l, over groups that closed by themselves."""
        return self._largest(~self.merged)

    @property
    def exact_factor(self) -> float:
        """The same, over groups with exact posteriors."""
        return self._largest(~self.merged & (self.error == 0))

    @property
    def factor_of_all(self) -> float:
        """The same, with a merged last group."""
        return self._largest(np.ones(self.top.size, bool))

    @property
    def size(self) -> float:
        """People in a group, mean over groups."""
        return self.n_people / self.n_groups

    @property
    def unsettled(self) -> float:
        """The share of people with too few accepted samples."""
        return float(np.isnan(self.top).mean())

    def _largest(self, selected: Bool) -> float:
        known = self.top[selected & ~np.isnan(self.top)]
        return self.l * float(known.max()) if known.size else 0.0


@dataclass(frozen=True, eq=False)
class GroupingSeries:
    """Releases of one configuration; without a coin all are equal, and one suffices."""

    way: Way
    runs: tuple[AttackedGrouping, ...]

    def each(self, what: Callable[[AttackedGrouping], float]) -> Float64:
        """Return a measure of each release, (runs,)."""
        return np.array([what(run) for run in self.runs])

    def mean(self, what: Callable[[AttackedGrouping], float]) -> float:
        """Return its mean."""
        return float(self.each(what).mean())


def series(way: Way, runs: int, queries: int, seed: int) -> GroupingSeries:
    """Make some releases, attack each, and answer the same `queries` counting queries from each."""
    made = []
    for number in range(runs if way.p else 1):
        with work.step(message("{says}, release {number}", says=way.says, number=number + 1)):
            publication = way.publish(stream(seed, "cormode-2010", way.key, str(number)))
            made.append(attacked(way, publication, seed, queries=queries))
    return GroupingSeries(way, tuple(made))


def attacked(way: Way, publication: Publication, seed: int, *, queries: int = 0) -> AttackedGrouping:
    """Attack a release, and measure its query error."""
    release = publication.release
    prior = default_prior((release,), SENSITIVE, release.n_rows)
    view = View((release,), Knowledge.of_rows(release, prior))
    beliefs = Minimality().infer(view, stream(seed, "cormode-2010", "attack", way.key))
    top, error = _firmest(beliefs, way.positive)
    last = position_ranges(release, ORDERS[way.order], SENSITIVE).last
    is_last = np.isin(np.arange(release.n_groups), last) & (release.provenance.tail == "merged")
    quality: dict[str, float] = {}
    if queries:
        case = PublishedTable.of(release, people(), publication.row_of)
        asked = QueryError(queries=queries).measure(case, stream(seed, "cormode-2010", "queries"))
        quality = {name: float(part.value or 0.0) for name, part in asked.parts.items()}
    return AttackedGrouping(
        way.l,
        release.n_groups,
        release.n_rows,
        int(release.size[~is_last].max(initial=0)),
        top,
        error,
        is_last[release.group_of_row],
        quality,
    )


def _firmest(beliefs: Beliefs, positive: str) -> tuple[Float64, Float64]:
    """Return each person's largest posterior of a bounded value, and its standard error, both (people,)."""
    rows = beliefs.rows
    error = np.zeros(rows.data.size) if beliefs.error is None else beliefs.error
    if positive:
        column = beliefs.values.index(positive)
        largest = rows.dense_column(column)
        errors = Ragged(rows.start, rows.column, error, rows.n_columns).dense_column(column)
    else:
        dense = rows.dense()
        which = dense.argmax(axis=1)
        each = np.arange(rows.n_rows)
        largest = dense[each, which]
        errors = Ragged(rows.start, rows.column, error, rows.n_columns).dense()[each, which]
    attacked = beliefs.row_of >= 0
    if not rows.n_rows:
        return np.full(attacked.size, np.nan), np.zeros(attacked.size)
    return np.where(attacked, largest[beliefs.row_of], np.nan), np.where(attacked, errors[beliefs.row_of], 0.0)
