"""Local repair: exposed groups merge with a near group or are left out, until the release withstands the attacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.auditing.evidence import Evidence
from unmask.changes.merged_groups import can_merge, merge
from unmask.changes.release_changes import leave_out
from unmask.numerics.rounding import TOLERANCE
from unmask.people_counts import people_among
from unmask.release import Provenance, Release

METHOD = "unmask harden"
"""The declared method of a repaired release: no sanitizer makes it, so it is not replayed."""

MOST_ROUNDS = 12
"""The largest number of rounds."""

PATIENCE = 3
"""Rounds without fewer exposed people after which a repair ends: ever larger groups teach an attacker more."""

_FEW = 0.01  # share of people who are left out at once; more only where merging no longer helps
_NEAR = 32  # partners among which a safe one is sought


@dataclass(frozen=True, slots=True)
class Allowance:
    """The number of people who may stay exposed, and of people who may be left out; the share of a value aimed at."""

    exposed: float
    left_out: float
    share: float
    merges: bool = True  # whether groups may be merged


@dataclass(frozen=True, slots=True)
class Repairs:
    """The changes of a repair."""

    rounds: int = 0
    merged: int = 0  # groups that joined another
    left_out: float = 0.0  # people
    given_up: bool = False  # the time was over before the release withstood: it is as it was


@dataclass(frozen=True, slots=True, eq=False)
class Repaired:
    """A repaired release as evidence about its people, and what was changed."""

    evidence: Evidence
    repairs: Repairs
    withstands: bool  # the attacks that exposed people in the last round


def repaired(
    evidence: Evidence,
    exposed_by: Callable[[Evidence], Bool],
    allowed: Allowance,
    person_of: Int32 | None = None,
) -> Repaired:
    """Repair a release until no more people are exposed than allowed.

    `exposed_by` attacks a release and returns which targets are exposed, (targets,); `person_of` is the person of each.
    In each round, each group of exposed people joins the group that widens it least among those with which no value is
    too frequent. Where leaving such groups out suffices, within the allowance, they are left out: if they are few, or
    if merging no longer helps.
    """
    began, done = evidence.release, Repairs()
    fewest, since = np.inf, 0
    while done.rounds < MOST_ROUNDS and since < PATIENCE:
        marks = exposed_by(evidence)
        n = float(marks.sum())
        if n <= allowed.exposed:
            return Repaired(_declared(evidence, began, done), done, withstands=True)
        fewest, since = (n, 0) if n < fewest else (fewest, since + 1)
        release, group = evidence.release, evidence.group
        if group is None:
            break
        people = np.bincount(group[marks & (group >= 0)], minlength=release.n_groups).astype(np.float64)
        gone = _enough(people, release.people, n - 0.8 * allowed.exposed, allowed.left_out - done.left_out)
        cheap = gone is not None and release.people[gone].sum() <= _FEW * release.n_people
        mergeable = allowed.merges and can_merge(release) and release.n_groups > 2
        if gone is not None and not gone.all() and (cheap or since or not mergeable):
            change = leave_out(release, gone, evidence.person_of_row(person_of))
            fewer = float(people_among(person_of, group >= 0) - people_among(person_of, change.groups(group) >= 0))
            done = replace(done, rounds=done.rounds + 1, left_out=done.left_out + fewer)
        elif mergeable:
            union = partners(release, people > 0, allowed.share)
            change = merge(release, union)
            done = replace(
                done, rounds=done.rounds + 1, merged=done.merged + release.n_groups - change.release.n_groups
            )
        else:
            break
        row = None if evidence.row is None else change.rows(evidence.row)
        evidence = Evidence(change.release, change.groups(group), row)
    return Repaired(_declared(evidence, began, done), done, withstands=False)


def _enough(exposed: Float64, size: Float64, wanted: float, most: float) -> Bool | None:
    """Return the groups, (groups,), that have the wanted number of exposed people and at most `most` members.

    Groups with the largest share of exposed people come first; None where more people would have to be left out.
    """
    there = np.flatnonzero(exposed > 0)
    order = there[np.argsort(-exposed[there] / size[there], kind="stable")]
    n = int(np.searchsorted(np.cumsum(exposed[order]), wanted - TOLERANCE)) + 1
    if n > order.size or size[order[:n]].sum() > most:
        return None
    gone = np.zeros(exposed.size, bool)
    gone[order[:n]] = True
    return gone


def partners(release: Release, exposed: Bool, share: float) -> Int32:
    """Return the number of the group that each becomes, (groups,): each exposed one joins one other group.

    The partner is, of the groups that the fewest further values admit, the first with which no sensitive value has more
    than `share`, nor 95 % of its present share in the exposed group.
    """
    boxes = _Boxes.of(release)
    counts = [release.counts_of(a.name).dense() for a in release.schema.sensitive if a.name in release.counts]
    size = release.size
    largest = np.max([one.max(axis=1) for one in counts], axis=0) / size if counts else np.zeros(size.size)
    taken, union = np.zeros(size.size, bool), np.arange(size.size)
    there = np.flatnonzero(exposed)
    for group in there[np.argsort(-largest[there], kind="stable")].tolist():
        if taken[group]:
            continue
        near = boxes.nearest(group, taken, size)
        if not near.size:
            continue
        joint = (
            np.max([(one[group] + one[near]).max(axis=1) for one in counts], axis=0) / (size[group] + size[near])
            if counts
            else np.zeros(near.size)
        )
        safe = joint <= min(share, 0.95 * largest[group])
        partner = near[np.argmax(safe)] if safe.any() else near[np.argmin(joint)]
        taken[group] = taken[partner] = True
        union[group] = partner
    return np.unique(union, return_inverse=True)[1].astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class _Boxes:
    """The extent of each group in each column, as a part of the column's range."""

    low: Float64  # (groups, columns)
    high: Float64

    @classmethod
    def of(cls, release: Release) -> _Boxes:
        lines = release.masked.lines
        low, high = np.zeros((release.n_groups, len(lines.cells))), np.zeros((release.n_groups, len(lines.cells)))
        for i, cells in enumerate(lines.cells):
            least, greatest = cells.extent
            known = np.isfinite(least) & np.isfinite(greatest)
            bottom = least[known].min() if known.any() else 0.0
            top = greatest[known].max() if known.any() else 1.0
            scale = 1.0 / max(top - bottom, 1.0)
            first = np.where(known, (least - bottom) * scale, 0.0)[lines.cell[:, i]]
            last = np.where(known, (greatest - bottom) * scale, 1.0)[lines.cell[:, i]]
            own_low, own_high = np.full(release.n_groups, np.inf), np.full(release.n_groups, -np.inf)
            np.minimum.at(own_low, lines.group_of_line, first)
            np.maximum.at(own_high, lines.group_of_line, last)
            low[:, i], high[:, i] = own_low, own_high
        return cls(low, high)

    def nearest(self, group: int, taken: Bool, size: Float64) -> Int64:
        """Return the groups whose union with one costs least, in order: widths times people, beyond what both cost."""
        width = (np.maximum(self.high, self.high[group]) - np.minimum(self.low, self.low[group])).sum(axis=1)
        own = (self.high - self.low).sum(axis=1)
        cost = width * (size + size[group]) - own * size - own[group] * size[group]
        cost[taken] = np.inf
        cost[group] = np.inf
        near = np.argpartition(cost, _NEAR)[:_NEAR] if cost.size > _NEAR + 1 else np.arange(cost.size)
        near = near[np.isfinite(cost[near])]
        nearest: Int64 = near[np.argsort(cost[near], kind="stable")]
        return nearest


def _declared(evidence: Evidence, began: Release, done: Repairs) -> Evidence:
    """Return the evidence with the declared method: what it was before, and that it was repaired."""
    if not done.rounds:
        return evidence
    made = began.provenance
    words = " ".join((str(made.sanitizer), *(f"{key}={value}" for key, value in made.parameters.items())))
    method = Provenance(METHOD, {"from": words} if made.sanitizer else {})
    return replace(evidence, release=replace(evidence.release, provenance=method))


__all__ = ["METHOD", "MOST_ROUNDS", "Allowance", "Repaired", "Repairs", "partners", "repaired"]
