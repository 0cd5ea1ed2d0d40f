"""Joint worlds attack: the joint posterior from all releases about a complete list of people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import scipy

from unmask.arrays import Float64, Int32, Int64, Ragged, distinct_rows, starts
from unmask.attacks.joint_worlds.joint_counts import Person, marginals
from unmask.attacks.shared.complete_list import anatomized
from unmask.attacks.shared.duplicate_releases import each_once, of_every_release
from unmask.attacks.shared.pooling import in_terms_of
from unmask.beliefs import NOT_ATTACKED, Beliefs
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.number_format import numeral
from unmask.outcome import Outcome
from unmask.parameters import check_parameters
from unmask.release import Release
from unmask.runtime import work
from unmask.view import NOT_IN_IT, Requirements, View, Worlds
from unmask.wording import message

WAY_OUT = message("Use intersection, which needs no list")

_NOWHERE = -1


@dataclass(frozen=True)
class JointWorlds:
    """Count the assignments of values to all people that agree with every release.

    A person in several releases has the same value in all of them. So a value that one release rules out for a
    neighbor can determine a value in another, which rules out a value here: a chain that the intersection of a person's
    own groups misses. This is the strongest inference from groups alone, stronger than `intersection`; it needs a
    complete list of people, and small groups.

    Assumes
        The list has all people of the releases, each once, with the same value in all of them. Values
        are independent draws from each person's prior before the releases are seen.
    Infers
        `P(world) ∝ Π_people prior(v)`, over the worlds in which each group's members have its published values;
        where some values are not published, times the ways to choose these members. Counted separately for each set
        of people connected by groups of any release. Exact: draws nothing.
    Fails
        With `NotApplicableError` for fewer than two releases, without a complete list (`complete`), where the list
        does not determine people's groups, and where connected people need more than `limit` states. People without a
        possible world keep the prior, and are counted.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, section 2.
    """

    name: ClassVar[str] = "joint-worlds"
    worlds: ClassVar[Worlds | None] = Worlds(values="prior", members="shared")
    requirements: ClassVar[Requirements] = Requirements(least_releases=2, most_releases=None, complete_list="needed")
    limit: int = 500_000  # stored states of open groups

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.limit < 1:
            msg = message("limit must be a whole number of at least 1; got {limit}", limit=self.limit)
            raise InvalidInputError(msg)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the beliefs."""
        del rng
        view.require(self.requirements)
        if not view.knowledge.complete:
            msg = message("needs a complete list of the people in the releases (complete). {way_out}", way_out=WAY_OUT)
            raise NotApplicableError(msg)
        seen, kept, copies = each_once(view)
        prior = view.knowledge.prior
        groups = np.stack([_groups(seen, r) for r in range(len(seen.releases))], axis=1)
        kind_of, example = distinct_rows(np.concatenate([prior.row_of[:, None], groups], axis=1))
        row, data, contradicted = self._solve(seen, groups, kind_of, example)
        rows = Ragged.stacked([prior.rows, Ragged.of(data)])
        of_kind = np.where(row >= 0, prior.rows.n_rows + row, np.maximum(prior.row_of[example], 0))
        used, number = np.unique(of_kind, return_inverse=True)
        row_of = np.where(prior.row_of >= 0, number.ravel()[kind_of], NOT_ATTACKED) if kind_of.size else prior.row_of
        beliefs = Beliefs(prior.about, prior.values, row_of.astype(np.int32), rows.take(used))
        unplaced = of_every_release(view, kept, [column < 0 for column in groups.T])
        return replace(beliefs, outcome=Outcome(contradictions=contradicted, repeated=copies), unplaced=unplaced)

    def _solve(self, view: View, groups: Int32, kind_of: Int32, example: Int64) -> tuple[Int64, Float64, int]:
        """Return the row of each kind, (kinds,), −1 for the prior; the rows; and the number of contradicted people."""
        prior = view.knowledge.prior
        counts, first = _counts(view)
        inside = np.where(groups >= 0, groups + first[:-1], _NOWHERE)
        found: Float64 = np.zeros((example.size, len(prior.values)))
        row = np.full(example.size, -1, np.int64)
        contradicted = 0
        tangles = list(_tangles(inside, int(first[-1])))
        with work.step(message("explaining all releases at once"), len(tangles)) as step:
            for members in tangles:
                own, number = np.unique(inside[members], return_inverse=True)
                shift = int(own[0] == _NOWHERE)
                local = number.reshape(members.size, -1) - shift
                people = [
                    Person(_prior(prior, int(i)), tuple(g for g in mine if g >= 0))
                    for i, mine in zip(members, local.tolist(), strict=True)
                ]
                posteriors = marginals(people, [counts[g] for g in own[shift:].tolist()], self.limit)
                for i, belief in zip(members.tolist(), posteriors, strict=True):
                    contradicted += not belief
                    if belief and row[kind_of[i]] < 0:
                        row[kind_of[i]] = kind_of[i]
                        found[kind_of[i], list(belief)] = list(belief.values())
                step.advance()
        some = np.flatnonzero(row >= 0)
        row[some] = np.arange(some.size)
        return row, found[some], contradicted


def _groups(view: View, r: int) -> Int32:
    """Return the group of each person in one release, (people,); negative: not in it."""
    release, located = view.releases[r], view.located(r)
    _require_people(release)
    if ((located >= 0) | (located == NOT_IN_IT)).all():
        here = located[located >= 0]
        if not np.array_equal(np.bincount(here, minlength=release.n_groups), release.size):
            msg = message(
                "needs a complete list; groups of release {release} have other numbers of people. {way_out}",
                release=repr(release.name),
                way_out=WAY_OUT,
            )
            raise NotApplicableError(msg)
        return np.where(located >= 0, located, _NOWHERE).astype(np.int32)
    listed = anatomized(view.only(r))
    group_of_row = listed.view.releases[0].group_of_row
    length = np.diff(listed.rows.start)
    if (length > 1).any():
        alike = int(np.isin(listed.kind_of, np.flatnonzero(length > 1)).sum())
        msg = message(
            "needs the group of each person; {alike} people equal others in another group of release {release}. Give "
            "their groups, or use intersection, which needs no list",
            alike=numeral(alike),
            release=repr(release.name),
        )
        raise NotApplicableError(msg)
    of_kind = np.full(length.size, _NOWHERE, np.int32)
    of_kind[length == 1] = group_of_row[listed.rows.column]
    return of_kind[listed.kind_of]


def _require_people(release: Release) -> None:
    whole = (release.size % 1 == 0).all() and not release.is_synthetic
    if not whole or release.headcount is not None:
        msg = message(
            "needs groups of whole people with a row each; those of release {release} are noisy, or a person has "
            "several rows. {way_out}",
            release=repr(release.name),
            way_out=WAY_OUT,
        )
        raise NotApplicableError(msg)


def _counts(view: View) -> tuple[list[dict[int, int]], Int64]:
    """Return the value counts of all groups of all releases, and the first group of each release."""
    prior, name = view.knowledge.prior, view.about.name
    result: list[dict[int, int]] = []
    for release in view.releases:
        counts = release.counts_of(name)
        known = in_terms_of(prior.values, release, name, counts)
        lost = np.rint(counts.sums() - known.sums()).astype(np.int64)
        for g in range(release.n_groups):
            entries = slice(known.start[g], known.start[g + 1])
            column, number = known.column[entries].tolist(), np.rint(known.data[entries]).astype(int).tolist()
            result.append(dict(zip(column, number, strict=True)) | ({-1: int(lost[g])} if lost[g] else {}))
    return result, starts(np.array([release.n_groups for release in view.releases]))


def _tangles(inside: Int64, n_groups: int) -> Iterator[Int64]:
    """Yield each set of people connected by groups, (people,); people in no group are left out."""
    person, slot = np.nonzero(inside >= 0)
    n = inside.shape[0]
    shape = (n + n_groups, n + n_groups)
    links = scipy.sparse.csr_array((np.ones(person.size), (person, n + inside[person, slot])), shape=shape)
    _, part = scipy.sparse.csgraph.connected_components(links, directed=False)
    somewhere = np.unique(person)
    order = somewhere[np.argsort(part[somewhere], kind="stable")]
    yield from (run for run in np.split(order, np.flatnonzero(np.diff(part[order])) + 1) if run.size)


def _prior(prior: Beliefs, target: int) -> dict[int, float]:
    row = max(int(prior.row_of[target]), 0)
    entries = slice(prior.rows.start[row], prior.rows.start[row + 1])
    return dict(zip(prior.rows.column[entries].tolist(), prior.rows.data[entries].tolist(), strict=True))


EXAMPLES = (JointWorlds(),)
