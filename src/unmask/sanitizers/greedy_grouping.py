"""Greedy grouping: people in order, each group closed at the first l-diverse prefix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from unmask.arrays import Int32
from unmask.errors import InfeasibleError, InvalidInputError, did_you_mean
from unmask.masks.boxes import publish_cells
from unmask.masks.exact_rows import publish_exact_rows
from unmask.models.l_diversity import MaxShareL
from unmask.models.missing_values import is_known
from unmask.models.privacy_model import AnyModel
from unmask.number_format import numeral
from unmask.parameters import check_parameters, list_text
from unmask.partition import SUPPRESSED, Partition
from unmask.people_counts import require_one_row_each
from unmask.release import Provenance, Publication
from unmask.sanitizers import _greedy
from unmask.sanitizers._group_models import require_quasi
from unmask.sanitizers._in_order import ranges
from unmask.sanitizers._sorted import POSITION, Ties, in_order, order_columns, with_positions
from unmask.sanitizers.greedy_rule.first_bucket import least_l
from unmask.sanitizers.greedy_rule.rule import Coin, GreedyRule
from unmask.schema import Attribute
from unmask.table import Table
from unmask.wording import joined, message

L = 3
"""The default l, where neither l nor a maximum belief is given."""


@dataclass(frozen=True)
class GreedyGrouping:
    """Sort people by their attributes, and close a group at the first person who makes it l-diverse.

    Neighbors in the order are alike, so groups are small and homogeneous. But an attacker who knows the rule learns
    more than the published table: no shorter prefix was safe, so frequent values concentrate at the beginning of a
    group, and a person there has one with probability up to e/l instead of 1/l (the minimality attack).

    Assumes
        Sorting by `order`, columns with commas between them; by default the quasi-identifiers as they stand. Numbers
        go by size, other values by their declared order or else alphabetically, missing ones first.
    Publishes
        Groups of at least `minimum` people, by default l, in which no value belongs to more than one in l; with
        `positive` that value alone is bounded, and a group without it is safe. `max-belief` picks the least l whose
        first bucket stays below it, by `(1 + 1/(l − 1))^(l − 1) / l`, which is sharper than e/l. Remaining people at
        the end join the group before them, and so on backwards until it is safe; the release declares whether its last
        group was `closed` or `merged`, unless `tail="hidden"`. With probability `p` a coin continues a group, at every
        `prefix` that might be a group, or by joining a finished `group` to the next one, except at the last person; p
        is published, the throws are not.

        `publish="rows"` publishes exact attributes and the counts of values by group, `"boxes"` the ranges of each
        group. Ties are ordered at random; with `ties="stable"` by input order, which is published as a column
        `position`: then the whole order is known. Rows without a value are left out, however missing ones count.
    Fails
        With `InfeasibleError` where the whole table is no group. With `InvalidInputError` unless exactly one column is
        sensitive, for `max-belief` beside a `minimum` that is not l, where a person has several rows, for an unknown
        column or value, and for boxes with columns that publish the order row by row.

    References
    ----------
    Cormode, Li, Li, Srivastava. Minimizing minimality and maximizing utility: analyzing method-based attacks on
    anonymized data. VLDB 2010.
    """

    name: ClassVar[str] = "greedy-grouping"
    read_by: ClassVar[str | None] = "minimality"
    outcomes: ClassVar[tuple[str, ...]] = ()
    needs_values: ClassVar[bool] = True
    l: int | None = None
    minimum: int | None = None  # people in a group; None: l
    positive: str = ""  # the only value that is bounded; empty: every value
    order: tuple[str, ...] = ()  # columns to sort by; empty: the quasi-identifiers
    ties: Ties = "random"
    p: float = 0.0
    coin: Coin = "prefix"
    tail: Literal["told", "hidden"] = "told"
    publish: Literal["rows", "boxes"] = "rows"
    max_belief: float | None = None  # instead of l

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.l is not None and self.max_belief is not None:
            msg = message(
                "greedy-grouping must be given l or max-belief; got both ({l} and {max_belief}). Drop one",
                l=self.l,
                max_belief=numeral(self.max_belief, "g"),
            )
            raise InvalidInputError(msg)
        if self.publish == "boxes" and self.ties == "stable":
            msg = message(
                "ties must be random where boxes are published: positions would stand beside the sensitive values"
            )
            raise InvalidInputError(msg)
        rule = self.rule  # which checks l, minimum, p and coin
        if self.max_belief is not None and rule.minimum != rule.l:
            msg = message(
                "minimum must be l, here {l}, for max-belief to hold; got {minimum}. Drop minimum, or give l "
                "instead of max-belief",
                l=rule.l,
                minimum=rule.minimum,
            )
            raise InvalidInputError(msg)

    @property
    def rule(self) -> GreedyRule:
        """The rule for closing a group."""
        l = self.l if self.l is not None else L if self.max_belief is None else least_l(self.max_belief)
        minimum = l if self.minimum is None else self.minimum
        return GreedyRule(l, minimum, self.positive or None, self.p, self.coin)

    @property
    def claims(self) -> tuple[AnyModel, ...]:
        """The models that each group meets; none for values that are not bounded."""
        return () if self.positive else (MaxShareL(self.rule.l),)

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish groups of exact rows, or boxes."""
        attribute = _require_table(table)
        rule = self.rule
        names = order_columns(table, self.order)
        if self.publish == "boxes" and any(name not in {a.name for a in table.schema.quasi} for name in names):
            msg = message(
                "order must be of quasi-identifiers where boxes are published: other columns would stand beside "
                "the sensitive values"
            )
            raise InvalidInputError(msg)
        if self.ties == "stable":
            table, names = with_positions(table), (*names, POSITION)
        kept = np.flatnonzero(~table.excluded() & is_known(attribute, table[attribute.name]))
        bounded = _bounded(table[attribute.name], attribute, rule)
        _require_eligible(bounded[kept], table[attribute.name][kept], attribute.name, rule, self.max_belief)
        sorted_rows = in_order(table, kept, names, rng)
        first, merged = _greedy.cut(bounded[sorted_rows], len(attribute.values), rule, rng)
        n_groups = first.size - 1
        group_of = np.full(table.n_rows, SUPPRESSED, np.int32)
        group_of[sorted_rows] = np.repeat(np.arange(n_groups, dtype=np.int32), np.diff(first))
        parameters = {**dict(rule.parameters()), "ties": self.ties, "publish": self.publish}
        parameters |= {"order": list_text(self.order)} if self.order else {}
        parameters |= {"tail": self.tail} if self.tail == "hidden" else {}
        tail: Literal["closed", "merged", "hidden"] = "merged" if merged else "closed"
        provenance = Provenance(self.name, parameters, names, "hidden" if self.tail == "hidden" else tail)
        partition = Partition(group_of, n_groups)
        if self.publish == "rows":
            return publish_exact_rows(table, partition, provenance)
        people = table.take(sorted_rows)
        summaries = [ranges(people, a.name, first[:-1]) for a in table.schema.quasi]
        return publish_cells(table, partition, summaries, provenance)


def _require_table(table: Table) -> Attribute:
    """Return the sensitive attribute; fail where there is not exactly one, or nothing to sort by."""
    sensitive = table.schema.sensitive
    if len(sensitive) != 1:
        msg = message(
            "greedy-grouping must have exactly one sensitive attribute; got {n}. Name one with -s", n=len(sensitive)
        )
        raise InvalidInputError(msg)
    require_quasi(table, message("sorted by"))
    require_one_row_each(table.person_of, "greedy-grouping")
    return sensitive[0]


def _bounded(values: Int32, attribute: Attribute, rule: GreedyRule) -> Int32:
    """Return the values that the rule bounds, (rows,), and -1 for all others."""
    if rule.positive is None:
        return values
    if rule.positive not in attribute.values:
        msg = message(
            "positive must be a value of column {attribute}; got {positive}.",
            attribute=repr(attribute.name),
            positive=repr(rule.positive),
        )
        raise InvalidInputError(joined([msg, did_you_mean(rule.positive, attribute.values)], ""))
    return np.where(values == attribute.values.index(rule.positive), 0, -1).astype(np.int32)


def _require_eligible(bounded: Int32, values: Int32, name: str, rule: GreedyRule, belief: float | None) -> None:
    """Fail where all people together are unsafe as one group: then every grouping is."""
    n = values.size
    if n < rule.minimum:
        word = "l" if rule.minimum == rule.l else "minimum"
        msg = message(
            "{word} must be at most the number of rows, {n}; got {minimum}. Lower it",
            word=word,
            n=n,
            minimum=rule.minimum,
        )
        raise InfeasibleError(msg)
    if np.unique(values).size < 2:
        msg = message(
            "column {name} must have at least 2 values, or there is nothing to hide; got 1. Name another with -s",
            name=repr(name),
        )
        raise InfeasibleError(msg)
    largest = int(np.bincount(bounded[bounded >= 0], minlength=1).max())
    if rule.publishable(n, largest):
        return
    whose = message("its most frequent value")
    if rule.positive is not None:
        whose = message("value {positive}", positive=repr(rule.positive))
    msg = message(
        "l must be at most {n}, since {largest} of {people} people ({share} %) have {whose} in column {name}; got {l}",
        n=n // largest,
        largest=largest,
        people=n,
        share=numeral(100 * largest / n, ".3g"),
        whose=whose,
        name=repr(name),
        l=rule.l,
    )
    if belief is None:
        raise InfeasibleError(message("{reason}. Lower l", reason=msg))
    raise InfeasibleError(
        message(
            "{reason}, the least for max-belief {belief}. Raise max-belief", reason=msg, belief=numeral(belief, "g")
        )
    )


EXAMPLES = (GreedyGrouping(),)
