"""The posterior over the rows of pseudonyms that each known record may be, given all known records of its person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int32, Int64, Ragged, distinct_integers, expand, starts
from unmask.attacks.trajectory_linkage.known_records import KnownRecords, PublishedRows


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """For each known record the atoms that it may be, and which records match nothing."""

    posterior: Ragged  # (records, atoms) rows adding up to 1; empty without a match
    nowhere: Bool  # (records,) fits no row at all
    contradicted: Bool  # (records,) fits some rows, of no pseudonym that has the person's other records, too


@dataclass(frozen=True, slots=True, eq=False)
class _Evidence:
    """The probabilities of all records for one offset of dates."""

    single: Ragged  # (profiles, atoms) share(a) · fit(r, a)
    by_pseudonym: Ragged  # (profiles, pseudonyms) its sums
    sum_of: Int64  # (entries of single,) the entry of `by_pseudonym` that it is part of
    likelihood: Float64  # (entries of by_pseudonym,) log L(r, p)

    @classmethod
    def of(cls, single: Ragged, rows: PublishedRows, published: Float64, missed: Float64) -> _Evidence:
        """Return the evidence, given the probability that a record's row is published, and of a suppressed row."""
        sums, sum_of = _summed(single, rows.pseudonym, rows.n_pseudonyms)
        return cls(single, sums, sum_of, np.log(published[sums.row] * sums.data + missed[sums.row]))


def matches(known: KnownRecords, rows: PublishedRows, suppressed: float) -> Matches:
    """Return the posterior over atoms; `suppressed` is the share of rows that are not published.

    Infers
        Each known record is a row of the person, drawn independently; a row is published with probability `1 − s`. A
        pseudonym p has the record r with probability `L(r, p) = (1 − s) · Σ_a share(a) · fit(r, a) + s · q(r)`, where
        `q` is the mean of `fit` over all rows, and `s` is 0 where the record's group is known. Given that r is
        published, `P(a | all records) ∝ share(a) · fit(r, a) · Π_{r' ≠ r} L(r', p(a))`. Where dates are shifted, `fit`
        depends on the offset of the person: the sum over all offsets, and `q` is their mean.
    """
    shape = (rows.size.size, rows.kind.size)
    order = np.argsort(rows.kind, kind="stable")
    of_kind = Ragged(
        starts(np.bincount(rows.kind, minlength=shape[0])), order.astype(np.int32), rows.share[order], shape[1]
    )
    overall = Ragged.of((rows.size / rows.size.sum())[:, None])
    mean = np.mean([(fit @ overall).dense_column(0) for fit in known.fits], axis=0)
    missed = np.where(known.located, 0.0, suppressed) * mean  # (profiles,) the record is of a row that was suppressed
    published = np.where(known.located, 1.0, 1.0 - suppressed)
    evidence = [_Evidence.of(fit @ of_kind, rows, published, missed) for fit in known.fits]
    with np.errstate(divide="ignore"):
        base = np.log(missed)
    n_entries = np.sum([np.diff(one.single.start) for one in evidence], axis=0)[known.profile]
    fits = n_entries > 0
    posterior = Ragged.stacked([_of_people(known, block, fits, evidence, base) for block in _blocks(known, n_entries)])
    return Matches(posterior, ~fits, fits & (np.diff(posterior.start) == 0))


def _summed(rows: Ragged, group: Int64, n_groups: int) -> tuple[Ragged, Int64]:
    """Return sparse rows summed over groups of columns, which are sorted; also the sum that each entry is part of."""
    key = rows.row * n_groups + group[rows.column]
    number, first = distinct_integers(key)
    data: Float64 = np.bincount(number, weights=rows.data, minlength=first.size).astype(np.float64)
    start = starts(np.bincount(rows.row[first], minlength=rows.n_rows))
    return Ragged(start, group[rows.column[first]].astype(np.int32), data, n_groups), number.astype(np.int64)


def _blocks(known: KnownRecords, entries: Int64) -> Iterator[slice]:
    """Yield runs of records, whole people each, with few entries."""
    ends = np.flatnonzero(np.diff(known.person, append=-1)) + 1
    total, first = np.concatenate([[0], np.cumsum(entries)]), 0
    while first < known.person.size:
        room = np.searchsorted(total, total[first] + DENSE_CELLS, side="right") - 1
        later = ends[ends > first]
        last = int(max(later[0], later[later <= room].max(initial=0)))
        yield slice(first, last)
        first = last


def _of_people(known: KnownRecords, block: slice, fits: Bool, evidence: Sequence[_Evidence], base: Float64) -> Ragged:
    """Return the posterior over atoms of the records of some people, (records of the block, atoms)."""
    parts = [_at_one_offset(known, block, fits, one, base) for one in evidence]
    record, atom, data, log = (np.concatenate(part) for part in zip(*parts, strict=True))
    n = block.stop - block.start
    most = np.full(n, -np.inf)
    np.maximum.at(most, record, log)
    weight = data * np.exp(log - np.where(np.isneginf(most), 0.0, most)[record])
    return Ragged.gather(record, atom, weight, (n, evidence[0].single.n_columns)).normalized()


def _at_one_offset(
    known: KnownRecords, block: slice, fits: Bool, given: _Evidence, base: Float64
) -> tuple[Int64, Int32, Float64, Float64]:
    """Return the atoms of each record, `share · fit` of each, and the logarithm of the probability of other records."""
    profile, times = known.profile[block], known.times[block].astype(np.float64)
    person = known.person[block] - known.person[block][0]
    entry, record = expand(given.by_pseudonym.start, profile)
    pair = person[record].astype(np.int64) * given.by_pseudonym.n_columns + given.by_pseudonym.column[entry]
    number, _ = distinct_integers(pair)
    surely = np.isneginf(base[profile])  # published, so that a pseudonym without such a row is excluded
    gain = given.likelihood[entry] - np.where(surely, 0.0, base[profile])[record]
    others = np.bincount(number, weights=gain * times[record])
    present = np.bincount(number, weights=surely[record] * 1.0)
    needed = np.bincount(person, weights=(surely & fits[block]) * 1.0)
    possible = present[number] == needed[person[record]]
    log = np.where(possible, others[number] - gain, -np.inf)
    atoms, of = expand(given.single.start, profile)
    offset = starts(np.diff(given.by_pseudonym.start)[profile])[:-1] - given.by_pseudonym.start[profile]
    return of, given.single.column[atoms], given.single.data[atoms], log[given.sum_of[atoms] + offset[of]]
