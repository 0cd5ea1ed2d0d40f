"""Trajectory linkage: which pseudonym has all known records of a person. Identity and attribute disclosure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unmask.arrays import Int32, Ragged, distinct_integers, expand
from unmask.attacks.shared.false_matches import false_matches
from unmask.attacks.shared.location import NOWHERE, left_out, shares
from unmask.attacks.shared.pooling import pooled, reweighted
from unmask.attacks.trajectory_linkage.known_records import KnownRecords, PublishedRows
from unmask.attacks.trajectory_linkage.matches import Matches, matches
from unmask.beliefs import Beliefs, Question
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.links import Linking
from unmask.outcome import Outcome
from unmask.parameters import check_parameters
from unmask.people_counts import repeats
from unmask.release import SYNTHETIC, Release
from unmask.view import Requirements, View, Worlds
from unmask.wording import message


@dataclass(frozen=True)
class TrajectoryLinkage:
    """Match several known records of a person with the rows of each pseudonym, and return the posterior over rows.

    A pseudonym links the rows of a person. Each known record may fit the rows of k people; few of them, often one, have
    rows for all known records. Privacy models that look at one row at a time do not limit this.

    Assumes
        The known records of a person are rows of that person in the release, each drawn independently. The published
        marginals are those of the population. All people are equally likely before. A record may be of a suppressed
        row, with the share of suppressed rows as its probability. Where dates are shifted, all offsets of a person are
        equally likely, and one offset holds for all dates of the person.
    Infers
        Of a place, `P(group) ∝ Σ_p Σ_{rows of p in the group} fit(r, row) / rows(p) · Π_{r'} P(r' | p)`, the product
        over the person's other records; `P(r' | p)` is the mean of `fit` over the rows of p. Shifted dates are compared
        at each offset, and the products added up: so intervals between dates count. Of an attribute, the
        distribution of the values of these rows. `ways` is the number of people who are equally likely there. With one
        known record and one row for each person this is linkage. Exact: draws nothing. The control is that of a
        single record, without its group: without it the release does not have the person's rows under one pseudonym.
    Fails
        With `NotApplicableError` where the release has no pseudonyms (a published person key), where no person has
        several known records, for synthetic rows and counts with noise; about a place where people's groups are given.
        A person whose records fit no pseudonym together keeps the prior and is counted. Two known records count as two
        draws even if they must be different rows: an attacker who uses that excludes more pseudonyms.

    References
    ----------
    Malin, Sweeney. How (not) to protect genomic data privacy in a distributed network: using trail re-identification
    to evaluate and design anonymity protection systems. Journal of Biomedical Informatics 2004. de Montjoye, Hidalgo,
    Verleysen, Blondel. The privacy bounds of human mobility. Scientific Reports 2013.
    """

    name: ClassVar[str] = "trajectory-linkage"
    worlds: ClassVar[Worlds | None] = None  # about pseudonyms, which no world of values has: tested by enumeration
    requirements: ClassVar[Requirements] = Requirements(question=None, counts=None, linked_rows=True)
    offsets: int = 400  # of shifted dates, tried together at most; with more, intervals between dates are not used

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.offsets < 0:
            msg = message("offsets must be a whole number of at least 0; got {offsets}", offsets=self.offsets)
            raise InvalidInputError(msg)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return each target's posterior, and its left-out control."""
        del rng
        view.require(self.requirements)
        place = view.about.question is Question.PLACE
        _require(view, place=place)
        found = _found(view, self.offsets)
        beliefs = _places(view, *found) if place else _values(view, *found)

        def control(own: Sequence[Int32]) -> Beliefs:
            if place:
                return false_matches(view, own[0])
            around = left_out(view, 0, view.about.name, own[0])
            return reweighted(view.knowledge.prior, view.release, around.row_of, around.share)[0]

        return replace(beliefs, left_out=control)


def _require(view: View, *, place: bool) -> None:
    """Fail with `NotApplicableError` where the view has no linked rows on either side, or another question."""
    release, name = view.release, view.about.name
    if release.is_synthetic:
        raise NotApplicableError(SYNTHETIC)
    if release.person_key is None or release.noise:
        msg = message(
            "needs pseudonyms, which link the rows of a person; release {release} has none", release=repr(release.name)
        )
        raise NotApplicableError(msg)
    if not repeats(view.knowledge.people.person_of):
        msg = message(
            "needs several known records of a person; no person has several. Name their column with --person-key"
        )
        raise NotApplicableError(msg)
    if place and (view.located(0) >= 0).any():
        msg = message("needs an attacker who does not know people's rows; this one has them as background knowledge")
        raise NotApplicableError(msg)
    if place and view.knowledge.prior.rows.n_rows != 1:
        msg = message("needs one prior over places for all people; this view has several")
        raise NotApplicableError(msg)
    if not place and name not in release.counts:
        msg = message(
            "needs {name} among the sensitive attributes of release {release}",
            name=repr(name),
            release=repr(release.name),
        )
        raise NotApplicableError(msg)


def _found(view: View, offsets: int) -> tuple[PublishedRows, KnownRecords, Matches]:
    """Return the published rows, the known records, and the rows that each record may be."""
    release, prior, person_of = view.release, view.knowledge.prior, view.knowledge.people.person_of
    pseudonym = release.person_of
    if pseudonym is None or person_of is None:
        msg = "rows must be linked by person on both sides; they are not"
        raise TypeError(msg)
    place = view.about.question is Question.PLACE
    lift = np.ones(release.n_groups)
    if place:
        lift = prior.rows.dense()[0] / (release.size / release.size.sum())
    rows = PublishedRows.of(release, pseudonym, None if place else view.about.name)
    known = KnownRecords.of(view, rows, person_of, Linking(), lift, offsets)
    n_gone = float(release.n_suppressed_rows)
    return rows, known, matches(known, rows, n_gone / (n_gone + release.n_rows))


def _outcome(known: KnownRecords, found: Matches) -> Outcome:
    return Outcome(contradictions=int(found.contradicted[known.record_of].sum()))


def _places(view: View, rows: PublishedRows, known: KnownRecords, found: Matches) -> Beliefs:
    """Return the posterior over groups, with the number of people who are equally likely in each."""
    release, prior = view.release, view.knowledge.prior
    posterior = found.posterior
    group, pseudonym = rows.group[rows.kind][posterior.column], rows.pseudonym[posterior.column]
    number, first = distinct_integers((posterior.row * rows.n_pseudonyms + pseudonym) * release.n_groups + group)
    one = np.bincount(number, weights=posterior.data, minlength=first.size)  # of one person in one group
    place = posterior.row[first] * release.n_groups + group[first]
    entry, at = distinct_integers(place)
    most, total = np.zeros(at.size), np.bincount(entry, weights=one, minlength=at.size)
    np.maximum.at(most, entry, one)
    shape = (posterior.n_rows, release.n_groups)
    by_group = Ragged.gather(place[at] // shape[1], place[at] % shape[1], total, shape)
    nothing = np.diff(by_group.start) == 0
    row_of = np.where(nothing, by_group.n_rows, np.arange(by_group.n_rows))[known.record_of]
    filled = Ragged.stacked([by_group, prior.rows])
    used, target_row = np.unique(row_of, return_inverse=True)
    entries, _ = expand(filled.start, used)
    return Beliefs(
        prior.about,
        prior.values,
        target_row.ravel().astype(np.int32),
        filled.take(used),
        ways=np.concatenate([total / most, release.people[prior.rows.column]])[entries],
        unplaced=(found.nowhere[known.record_of],),
        outcome=_outcome(known, found),
    )


def _values(view: View, rows: PublishedRows, known: KnownRecords, found: Matches) -> Beliefs:
    """Return the posterior over values: those of the rows that each record may be."""
    of_atom = _value_of_atoms(view, rows, view.release)
    share = found.posterior @ of_atom
    nothing = np.diff(share.start) == 0
    row_of = np.where(nothing, np.int32(NOWHERE), np.arange(share.n_rows, dtype=np.int32))[known.record_of]
    beliefs, contradicted = reweighted(view.knowledge.prior, view.release, row_of, share)
    outcome = _outcome(known, found)
    outcome = replace(outcome, contradictions=outcome.contradictions + contradicted)
    return replace(beliefs, outcome=outcome, unplaced=(found.nowhere[known.record_of],))


def _value_of_atoms(view: View, rows: PublishedRows, release: Release) -> Ragged:
    """Return the distribution of the value of each atom, (atoms, values): its own, else its group's.

    A row without a published value has the pooled distribution.
    """
    name = view.about.name
    n = len(release.schema[name].values)
    if name not in release.columns or name in release.permuted:
        return shares(view, 0, name).take(rows.group[rows.kind])
    certain = Ragged(np.arange(n + 1), np.arange(n, dtype=np.int32), np.ones(n), n)
    overall = Ragged.of(pooled(view.releases, name, release.schema[name].values)[None, :])
    return Ragged.stacked([certain, overall]).take(np.where(rows.value < 0, n, rows.value))


EXAMPLES = (TrajectoryLinkage(),)
