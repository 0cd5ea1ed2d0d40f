"""Minimality attack: the posterior from the known rule by which greedy grouping closes groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64, Int32, Ragged, distinct_rows, starts
from unmask.attacks.minimality.all_groups import RowBeliefs, rule_posterior
from unmask.attacks.minimality.reading_order import position_ranges
from unmask.attacks.shared.complete_list import ListedPeople, anatomized, has_complete_list
from unmask.attacks.shared.exact_rows import around_own, published, slots_of_targets, touching
from unmask.attacks.shared.pooling import reweighted
from unmask.beliefs import Beliefs, unique_pairs
from unmask.errors import Inapplicable, NotApplicableError
from unmask.masks.lines import Lines
from unmask.numerics.rounding import TOLERANCE
from unmask.outcome import Outcome
from unmask.release import Release
from unmask.runtime import work
from unmask.sanitizers.greedy_rule.rule import GreedyRule
from unmask.view import LeftOutControl, Requirements, View, Worlds
from unmask.wording import message

SANITIZER = "greedy-grouping"
WAY_OUT = message(
    "If you know how it was made, write sanitizer, parameters, order and tail under made_by in release.json"
)


@dataclass(frozen=True)
class Minimality:
    """Keep the assignments of a group's values for which greedy grouping closes the group there, and no earlier.

    A group is closed as soon as its frequent values are rare enough. So every shorter prefix had too many of them: the
    bounded values are more frequent at the beginning, and the first people have one with probability above 1/l.
    People are sorted in the publisher's order; those who tie in it share the mean of their positions.

    Assumes
        The rule, its public coin, the order and the end of the last group are as the release declares. Before the
        release, all assignments of a group's values to its people were equally likely.
    Infers
        `P(v | position) = Σ P(coins) over the orders of the group's values that the rule closes there with v at the
        position / the same over all`, by counting forward and backward; exact where one value is bounded (`positive`),
        else where all states can be listed, and sampled beyond. Averaged over the positions and rows that match the
        person; multiplied by prior / pooled where the attacker knows more.
    Fails
        With `NotApplicableError` where the release does not declare greedy grouping and its order; where it has
        generalized cells, without a complete list; for several releases, and where values are not counted by group.
        With `ContradictionError` for a group that the rule cannot have made. People in groups with too few sampled
        orders are not attacked, and are counted.

    References
    ----------
    Cormode, Li, Li, Srivastava. Minimizing minimality and maximizing utility: analyzing method-based attacks on
    anonymized data. VLDB 2010. Wong, Fu, Wang, Pei. Minimality attack in privacy preserving data publishing. VLDB 2007.
    """

    name: ClassVar[str] = "minimality"
    worlds: ClassVar[Worlds | None] = Worlds(values="prior", algorithm=True)
    requirements: ClassVar[Requirements] = Requirements(complete_list="used", algorithm=True)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the beliefs, with their left-out control."""
        view.require(self.requirements)
        rule, order = known_of(view.release, view.about.name)
        complete_list, seen = in_order(view)
        lines, groups = published(seen)
        where = position_ranges(seen.release, order, view.about.name)
        row_beliefs = work.kept(
            self.name,
            (seen.release,),
            (view.about, str(rng.bit_generator.state)),
            lambda: rule_posterior(seen.release, view.about.name, groups.value, where, rule, rng),
        )
        row_of, weight = (
            complete_list.slots_of_targets(row_beliefs) if complete_list else rows_of_targets(seen, lines, row_beliefs)
        )
        beliefs = mixed(view, seen.release, row_of, weight, row_beliefs)

        def control(view: View, own: Sequence[Int32]) -> Beliefs:
            return around_own(view, own[0])

        return replace(beliefs, left_out=LeftOutControl(view, control))


def in_order(view: View) -> tuple[ListedPeople | None, View]:
    """Return the complete list, if one is needed, and the view of exact rows, which have an order."""
    complete_list = anatomized(view) if has_complete_list(view) else None
    seen = complete_list.view if complete_list else view
    if not seen.release.masked.is_exact:
        msg = message(
            "needs people in their order; release {release} shows generalized cells, and no list was declared to be "
            "complete (--complete)",
            release=repr(view.release.name),
        )
        raise NotApplicableError(msg)
    return complete_list, seen


def known_of(release: Release, asked: str) -> tuple[GreedyRule, tuple[str, ...]]:
    """Return the rule and the order that the release declares."""
    provenance = release.provenance
    if provenance.sanitizer is None:
        msg = message(
            "needs to know the algorithm; release {release} does not declare how it was made. {way_out}",
            release=repr(release.name),
            way_out=WAY_OUT,
        )
        raise NotApplicableError(msg)
    if provenance.sanitizer != SANITIZER:
        msg = message(
            "reads what greedy-grouping gives away; release {release} was made by {sanitizer}",
            release=repr(release.name),
            sanitizer=provenance.sanitizer,
        )
        raise NotApplicableError(message("{msg}. Use replay", msg=msg), Inapplicable.FORM)
    if not provenance.order:
        msg = message(
            "needs to know in which order people were grouped; release {release} does not declare it. {way_out}",
            release=repr(release.name),
            way_out=WAY_OUT,
        )
        raise NotApplicableError(msg)
    try:
        rule = GreedyRule.of(provenance.parameters)
    except (TypeError, ValueError) as error:
        msg = message("needs the parameters of greedy-grouping: {error}", error=str(error))
        raise NotApplicableError(msg) from None
    if len(release.schema.sensitive) != 1 or release.headcount is not None:
        msg = message(
            "needs a row for each person, and one sensitive attribute, which is all that greedy-grouping publishes"
        )
        raise NotApplicableError(msg)
    if rule.positive is not None and rule.positive not in release.schema[asked].values:
        msg = message(
            "needs {asked} to have the value that the rule bounds (positive), {positive}; it has not",
            asked=repr(asked),
            positive=repr(rule.positive),
        )
        raise NotApplicableError(msg)
    return rule, provenance.order


@dataclass(frozen=True, slots=True, eq=False)
class _RowClasses:
    """Equivalence classes of rows within groups."""

    of_row: Int32  # (rows,)
    n: int


def rows_of_targets(view: View, lines: Lines, row_beliefs: RowBeliefs) -> tuple[Int32, Ragged]:
    """Return for each target a row of weights of beliefs, (rows, beliefs); −1 for no match.

    Equal rows of a group may have different positions, by a column that is published for each row: a target whose row
    is known has its position, a target who only matches has the mean over these rows.
    """
    look, first, _ = unique_pairs(lines.group_of_line, lines.shapes[0])
    lowest, highest = np.full(first.size, row_beliefs.n, np.int64), np.full(first.size, -1, np.int64)
    np.minimum.at(lowest, look, row_beliefs.of_row)
    np.maximum.at(highest, look, row_beliefs.of_row)
    if (lowest == highest).all():
        return slots_of_targets(view, lines, row_beliefs)
    row_of, weight = slots_of_targets(view, lines, _RowClasses(look, first.size))
    shape = (first.size, row_beliefs.n)
    any_of_them = Ragged.gather(look, row_beliefs.of_row, np.ones(look.size), shape).normalized()
    apart = Ragged(
        starts(np.ones(row_beliefs.n, np.int64)),
        np.arange(row_beliefs.n, dtype=np.int32),
        np.ones(row_beliefs.n),
        row_beliefs.n,
    )
    places = view.knowledge.located
    if places is not None and places[0].row is not None:
        known = (places[0].row >= 0) & (places[0].group >= 0)
        row_of = row_of.copy()
        row_of[known] = weight.n_rows + row_beliefs.of_row[places[0].row[known]]
    return row_of, Ragged.stacked([weight @ any_of_them, apart])


def mixed(view: View, release: Release, row_of: Int32, weight: Ragged, row_beliefs: RowBeliefs) -> Beliefs:
    """Return the targets' beliefs from those of positions; people in unresolved groups are not attacked."""
    gone = touching(row_of, weight, row_beliefs.unresolved)
    evidence = weight @ row_beliefs.rows
    found, contradicted = reweighted(view.knowledge.prior, release, row_of, evidence)
    outcome = Outcome(contradicted, int(gone.sum()))
    error = _error(found, release.schema[view.about.name].values, row_of, evidence, weight @ row_beliefs.error)
    left = np.where(gone, -1, found.row_of)
    example = distinct_rows(np.stack([view.knowledge.prior.row_of, row_of], axis=1))[
        1
    ]  # one target for each row of `found`
    few = replace(view.knowledge.prior, row_of=view.knowledge.prior.row_of[example])
    matched = row_of[example] >= 0
    used, place = np.unique(row_of[example][matched], return_inverse=True)
    few_row, few_weight = np.full(example.size, -1, np.int32), weight.take(used)
    few_row[matched] = place.ravel()
    replicates = tuple(reweighted(few, release, few_row, few_weight @ one)[0].rows for one in row_beliefs.replicates)
    return replace(found, row_of=left, error=error, replicates=replicates, outcome=outcome, unplaced=(row_of < 0,))


def _error(
    found: Beliefs, values: tuple[str, ...], row_of: Int32, evidence: Ragged, error: Ragged
) -> Float64:  # fmt: skip
    """Return the standard error of each entry, (entries,).

    It is that of the evidence where the prior is the pooled one. Else a belief `p(v) ∝ w(v) e(v)` moves with every
    value's evidence, by at most `p(v) [(1 − p(v)) r(v) + Σ_{u ≠ v} p(u) r(u)]` with relative errors r: of two values,
    exactly so.
    """
    result = np.zeros(found.rows.data.size)
    if not error.data.any():
        return result
    example = np.full(found.rows.n_rows, -1, np.int64)
    example[found.row_of[found.row_of >= 0]] = np.flatnonzero(found.row_of >= 0)
    code = {label: i for i, label in enumerate(values)}
    column = np.array([code.get(label, -1) for label in found.values], np.int64)[found.rows.column]
    row = np.append(row_of, np.int32(-1))[example[found.rows.row]]
    known = (row >= 0) & (column >= 0)
    share = evidence.at(row[known], column[known])
    relative = np.divide(error.at(row[known], column[known]), share, out=np.zeros(share.size), where=share > 0)
    belief, at = found.rows.data[known], found.rows.row[known]
    others = np.bincount(at, relative * belief, found.rows.n_rows)[at]
    changed = np.bincount(at, np.abs(belief - share), found.rows.n_rows)[at] > TOLERANCE
    result[known] = belief * np.where(changed, others + relative * (1 - 2 * belief), relative)
    return result


EXAMPLES = (Minimality(),)
