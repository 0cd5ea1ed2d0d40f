"""deFinetti: learn from all groups at once who in a group has which value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy import sparse

from unmask import work
from unmask.arrays import Float64, Int32, Int64, Ragged, expand, starts
from unmask.beliefs import NOT_ATTACKED, Beliefs, Question, unique_pairs
from unmask.errors import InvalidInputError, NotApplicableError, NotConvergedError
from unmask.inference.exchangeable import Fit, Sampling, learn
from unmask.inference.grouped import Groups
from unmask.inference.left_out import left_out
from unmask.inference.locating import product
from unmask.inference.pooling import believed, in_terms_of, pooled
from unmask.links import Linking
from unmask.masks.lines import Lines, chance
from unmask.schema import Missing
from unmask.table import Table
from unmask.view import NOT_IN_IT, View, Worlds

REMEDY = "Raise limit (iterations a chain), or do not quote this attack"


@dataclass(frozen=True)
class DeFinetti:
    """Learn from the whole release how attributes and values go together, and apply it inside each group.

    A group of three with a pilot, a nurse and a farmer hides who is who, for anybody who takes each assignment for
    equally likely. But thousands of such groups show which attributes come with which value, and what is learned from
    all of them tells the members of each apart.

    Assumes
        People are exchangeable: given the value, attributes are drawn independently (Naive Bayes), with a uniform
        Dirichlet prior of parameter `alpha` on every distribution. Quasi-identifiers are published exactly.
    Infers
        `P(v | release)`, over all assignments of values to people within groups: Gibbs sampling of parameters and
        assignments, with the exact in-group probabilities averaged (Rao-Blackwell); at least 4 chains. Multiplied by
        prior / pooled where the attacker knows more. Sampled.
    Fails
        With `NotConvergedError` where the chains disagree; with `NotApplicableError` for generalized cells, for
        several releases, and where a row's value is not counted. A person who fits no row stays at the prior.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, sections 4 and 5.
    """

    name: ClassVar[str] = "definetti"
    worlds: ClassVar[Worlds | None] = Worlds(values="dirichlet")
    alpha: float = 1.0
    chains: int = 4
    limit: int = 4000

    def __post_init__(self) -> None:
        if self.chains < 4:
            msg = f"chains must be at least 4, so that they can disagree; got {self.chains}"
            raise InvalidInputError(msg)
        Sampling(alpha=self.alpha, chains=self.chains, limit=self.limit)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the beliefs, each chain's as parts, and how to leave the own group out."""
        view.require(releases=1, about=Question.ATTRIBUTE, counted=True, exact_rows=True)
        lines, groups = _published(view)
        sampling = Sampling(alpha=self.alpha, chains=self.chains, limit=self.limit)
        chosen = (view.about, sampling, str(rng.bit_generator.state))
        fit = work.kept(self.name, (view.release,), chosen, lambda: learn(groups, sampling, rng))
        if not fit.converged:
            msg = f"chains must agree; {fit.agreement.complaint(sampling)}. {REMEDY}"
            raise NotConvergedError(msg)
        row_of, weight = _slots(view, lines, fit)
        beliefs = _reweighted(view, row_of, weight, fit, fit.mean)
        parts = {f"chain {c + 1}": _reweighted(view, row_of, weight, fit, data) for c, data in enumerate(fit.data)}
        row, column = beliefs.rows.row, beliefs.rows.column
        each = np.stack([part.rows.at(row, column) for part in parts.values()])
        error = each.std(axis=0, ddof=1) / np.sqrt(self.chains)

        def control(own: Sequence[Int32]) -> Beliefs:
            return _left_out(view, lines, fit, own[0])

        notes: dict[str, float | str] = {
            "iterations of a chain": float(fit.agreement.iterations),
            "largest R-hat": round(max(*fit.agreement.r_hat.values(), fit.agreement.r_hat_counts), 4),
            "fits nowhere": float((row_of < 0).sum()),
        }
        return replace(beliefs, error=error, parts=parts, notes=notes, left_out=control)


def _published(view: View) -> tuple[Lines, Groups]:
    """Return the published rows, and the groups as the sampler takes them."""
    release = view.release
    lines = release.masked
    counts = release.counts_of(view.about.name)
    if not isinstance(lines, Lines) or release.start is None or lines.group_of_line.size != release.n_rows:
        msg = "needs a row for each person, with a group"
        raise NotApplicableError(msg)
    times = counts.data.astype(np.int64)
    if (times != counts.data).any() or not np.array_equal(counts.sums(), release.size):
        msg = f"needs the value of {view.about.name!r} to be counted once for each row of a group"
        raise NotApplicableError(msg)
    shape, cells = lines.shapes
    levels = []
    codes = cells.copy()
    for i, column in enumerate(lines.cells):
        known = 0 if column.attribute.is_numeric else len(column.attribute.values)
        levels.append(max(known, column.n))
        if column.attribute.missing is Missing.WILDCARD:
            codes[column.anything[cells[:, i]], i] = -1
    value = np.repeat(counts.column, times).astype(np.int32)
    n_values = len(release.schema[view.about.name].values)
    return lines, Groups(shape, release.start, value, codes, np.array(levels, np.int32), n_values)


def _slots(view: View, lines: Lines, fit: Fit) -> tuple[Int32, Ragged]:
    """Return for each target a row of slots that it may be, (rows, slots), with weights that add up to 1.

    A slot is a distinct profile in a group. Whose row is known has one; whose group is known has those of the group
    that fit; of the others all that fit, in proportion to the people in them.
    """
    release, located = view.release, view.located(0)
    known_row = view.knowledge.located[0].row if view.knowledge.located is not None else None
    n_slots = fit.slots.start.size - 1
    members = lines.members
    key = members.row * lines.n_groups + members.column
    place = np.searchsorted(key, lines.shapes[0].astype(np.int64) * lines.n_groups + lines.group_of_line)
    slot_of_entry = np.zeros(key.size, np.int32)
    slot_of_entry[place] = fit.slots.of_row
    row_of = np.full(located.size, NOT_ATTACKED, np.int32)
    identity = Ragged(starts(np.ones(n_slots, np.int64)), np.arange(n_slots, dtype=np.int32), np.ones(n_slots), n_slots)
    parts = [identity]
    settled = np.zeros(located.size, bool)
    if known_row is not None:
        settled = (known_row >= 0) & (located >= 0)
        row_of[settled] = fit.slots.of_row[known_row[settled]]
    open_ = np.flatnonzero(~settled & (located != NOT_IN_IT))
    if open_.size:
        profile, profiles = view.knowledge.people.take(open_).profiles()
        points = lines.points(profiles)
        start, shape = lines.candidates(points)
        rarity = 1.0 / chance(lines.shown(release.size, Linking()), points, start, shape)
        grouped = located[open_] >= 0
        pair_of, first, second = unique_pairs(profile[grouped], located[open_][grouped])
        inside = _in_group(lines, key, start, shape, rarity, first, second)
        anywhere = _anywhere(lines, start, shape, rarity)
        offset = n_slots + np.where(grouped, 0, inside.n_rows)
        number = offset + profile
        number[grouped] = n_slots + pair_of
        parts += [
            Ragged.gather(found.row, slot_of_entry[found.column], found.data, (found.n_rows, n_slots))
            for found in (inside, anywhere)
        ]
        empty = np.diff(Ragged.stacked(parts).start)[number] == 0
        row_of[open_] = np.where(empty, NOT_ATTACKED, number)
    return row_of, Ragged.stacked(parts).normalized()


def _in_group(
    lines: Lines, key: Int64, start: Int64, shape: Int32, rarity: Float64, profile: Int32, group: Int32
) -> Ragged:
    """Weigh the entries of `members` that fit a profile inside one group, (pairs, entries)."""
    candidate, pair = expand(start, profile)
    wanted = shape[candidate].astype(np.int64) * lines.n_groups + group[pair]
    entry = np.minimum(np.searchsorted(key, wanted), max(key.size - 1, 0))
    found = key[entry] == wanted if key.size else np.zeros(0, bool)
    weight = lines.members.data[entry[found]] * rarity[candidate[found]]
    return Ragged.gather(pair[found], entry[found], weight, (profile.size, key.size))


def _anywhere(lines: Lines, start: Int64, shape: Int32, rarity: Float64) -> Ragged:
    """Weigh the entries of `members` that fit a profile in any group, (profiles, entries)."""
    n = start.size - 1
    members = lines.members
    fits = sparse.csr_array((rarity, shape, start), (n, members.n_rows))
    entries = sparse.csr_array((members.data, np.arange(members.data.size), members.start))
    entries.resize((members.n_rows, members.data.size))
    found = fits @ entries
    found.sort_indices()
    return Ragged(found.indptr, found.indices, found.data, members.data.size)


def _reweighted(view: View, row_of: Int32, weight: Ragged, fit: Fit, data: Float64) -> Beliefs:
    """Mix the slots' probabilities into beliefs, and let the prior say what it knows beyond the release."""
    name, prior, release = view.about.name, view.knowledge.prior, view.release
    slots = Ragged(fit.slots.start, fit.slots.column, data, len(release.schema[name].values))
    used, number = np.unique(np.maximum(row_of, 0), return_inverse=True)
    rows = in_terms_of(prior.values, release, name, product(weight.take(used), slots))
    everywhere = pooled([release], name, prior.values)
    lift = np.divide(1.0, everywhere, out=np.zeros_like(everywhere), where=everywhere > 0)

    def formula(before: Float64, evidence: list[Int32]) -> Float64:
        seen = evidence[0] >= 0
        likelihood = np.ones_like(before)
        likelihood[seen] = rows.dense(evidence[0][seen]) * lift
        return before * likelihood

    return believed(prior, [np.where(row_of >= 0, number, NOT_ATTACKED).astype(np.int32)], formula)[0]


def _left_out(view: View, lines: Lines, fit: Fit, own: Int32) -> Beliefs:
    """Predict each target from all groups but its own."""
    name, prior, release = view.about.name, view.knowledge.prior, view.release
    profile, profiles = view.knowledge.people.profiles()
    codes = _codes(lines, profiles)
    n_values = len(release.schema[name].values)
    row_of, dense = work.kept(
        "definetti left out",
        (fit, own, view.knowledge.people),
        view.about,
        lambda: left_out(fit, own, profile, codes, np.ones(n_values)),
    )
    rows = in_terms_of(prior.values, release, name, Ragged.of(dense))
    return believed(prior, [row_of], lambda before, evidence: before * rows.dense(evidence[0]))[0]


def _codes(lines: Lines, profiles: Table) -> Int32:
    """Say which published cell each profile shows, (profiles, attributes); -1 where none does, or nothing is known."""
    points = lines.points(profiles)
    codes = np.full(points.shape, -1, np.int32)
    for i, column in enumerate(lines.cells):
        low, _ = column.hull
        order = np.argsort(low, kind="stable")
        at = np.minimum(np.searchsorted(low[order], points[:, i]), max(low.size - 1, 0))
        hit = low[order][at] == points[:, i]
        codes[hit, i] = order[at[hit]]
    return codes


EXAMPLES = (DeFinetti(),)
