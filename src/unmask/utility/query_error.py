"""Query error: the relative error of random counting queries answered from the release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64, Int32, Ragged, distinct_rows
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.masks.atoms import Atoms, labels_in
from unmask.number_format import numeral
from unmask.parameters import check_parameters
from unmask.runtime import work
from unmask.schema import Categorical, recode
from unmask.table import Table
from unmask.utility._counting_queries import CountingQueries, accepted_shares, counted
from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.wording import message


@dataclass(frozen=True)
class QueryError:
    """Compare the answers of the table and of the release to random counting queries.

    A query names a few quasi-identifiers, drawn at random, and one sensitive attribute; of each it accepts a run of
    values (a set, where values have no order), drawn so that together a stated share of all combinations is accepted.
    The release answers as an analyst would: a cell is spread evenly over what it may stand for, independently of the
    sensitive values of its group.

    Measures
        The median over queries of `|answer − truth| / truth`; beside it mean and maximum. Each predicate accepts
        `⌈values · selectivity^(1 / predicates)⌉` values. Numbers with more than 64 values are cut into 64 intervals.
        Queries with a true count of 0 are left out. Suppressed people are spread over all values. Sampled: intervals
        are at 95 %, for other queries of this kind.
    Fails
        With `InvalidInputError` for impossible parameters. Undefined without the original table, or if every query has
        a true count of 0.

    References
    ----------
    Xiao, Tao. Anatomy: simple and effective privacy preservation. VLDB 2006, section 6. LeFevre, DeWitt,
    Ramakrishnan. Workload-aware anonymization. KDD 2006.
    """

    name: ClassVar[str] = "query-error"
    higher_is_better: ClassVar[bool] = False
    queries: int = 1000
    attributes: int = 2
    selectivity: float = 0.05

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.queries < 1 or self.attributes < 1 or not 0 < self.selectivity <= 1:
            msg = message(
                "query-error must ask at least 1 query about at least 1 attribute, of a selectivity above 0 and "
                "at most 1; got {queries}, {attributes} and {selectivity}",
                queries=self.queries,
                attributes=self.attributes,
                selectivity=numeral(self.selectivity, "g"),
            )
            raise InvalidInputError(msg)

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the median, the mean and the largest error."""
        if case.original is None:
            return Quality.undefined(case.why_unknown)
        asked = _QueriedTables.of(case, case.original)
        if not asked.atoms or not case.original.n_rows:
            return Quality.undefined(message("the table has no people, or no quasi-identifier"))
        queries = self._queries(asked, rng)
        truth = asked.truth(queries)
        some = truth > 0
        if not some.any():
            return Quality.undefined(
                message("all {queries} queries have a true count of 0", queries=numeral(self.queries))
            )
        return _summed(np.abs(asked.answer(case, queries) - truth)[some] / truth[some])

    def _queries(self, asked: _QueriedTables, rng: np.random.Generator) -> CountingQueries:
        """Draw the queries; several releases of one table are asked the same ones."""
        n = len(asked.atoms)
        sizes = (*(one.n for one in asked.atoms), *(one.n_columns for one in asked.people))
        quasi, sensitive = sizes[:n], sizes[n:] if asked.true.shape[0] > n else ()
        chosen = (self, sizes, asked.ordered, str(rng.bit_generator.state))
        return work.kept(self.name, (), chosen, lambda: CountingQueries.drawn(
            self.queries, min(self.attributes, n), quasi, sensitive, asked.ordered, self.selectivity, rng
        ))  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _QueriedTables:
    """The table and the release, prepared for queries; sensitive attributes come last."""

    atoms: tuple[Atoms, ...]
    spread: tuple[Ragged, ...]  # (cells, atoms) of each quasi-identifier
    even: tuple[Float64, ...]  # (atoms,) the same of `*`
    cell: Int32  # (quasi-identifiers, shapes): lines that show the same are one shape
    people: tuple[Ragged, ...]  # (shapes, values) of each sensitive attribute; of one value where there is none
    ordered: tuple[bool, ...]  # of quasi-identifiers, then of sensitive attributes
    true: Int32  # (attributes, distinct people) their places; after the last where they are on none
    weight: Ragged  # (distinct people, 1)

    @classmethod
    def of(cls, case: PublishedTable, original: Table) -> _QueriedTables:
        atoms = tuple(Atoms.of(cells, original) for cells in case.published.cells)
        sensitive = [
            a for a in case.release.schema.sensitive if a.name in case.release.counts and a.name in original.schema
        ]
        columns = [one.place(original) for one in atoms]
        for a in sensitive:
            code = recode(labels_in(original, a.name), a.values)
            columns.append(np.append(np.maximum(code, -1), np.int32(-1))[original.ranks(a.name)[0]])
        sizes = [*(one.n for one in atoms), *(len(a.values) for a in sensitive)]
        columns = [np.where(one < 0, np.int32(n), one) for one, n in zip(columns, sizes, strict=True)]
        matrix = np.stack(columns, axis=1) if columns else np.zeros((original.n_rows, 0), np.int32)
        number, example = distinct_rows(matrix)
        shape, cells = case.published.shapes
        whole = (cells.shape[0], case.release.n_groups)
        published = Ragged.gather(shape, case.release.masked.group_of_line, case.people, whole)
        size = case.release.size
        per_person = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
        return cls(
            atoms,
            tuple(one.spread(cells) for one, cells in zip(atoms, case.published.cells, strict=True)),
            tuple(one.even() for one in atoms),
            np.ascontiguousarray(cells.T),
            tuple(published @ case.release.counts_of(a.name).scaled(per_person) for a in sensitive)
            or (Ragged.of(published.sums()[:, None]),),
            tuple(not isinstance(a.domain, Categorical) for a in (*(one.attribute for one in atoms), *sensitive)),
            np.ascontiguousarray(matrix[example].T),
            Ragged.of(np.bincount(number, minlength=example.size)[:, None]),
        )

    def truth(self, queries: CountingQueries) -> Float64:
        """Return the people of the table that each query accepts, (queries,)."""
        found, anyone = np.zeros(queries.asked.shape[0]), np.ones((queries.asked.shape[0], 1))
        for attributes, some in queries.alike():
            accepts = [np.pad(queries.accepts[i][some], ((0, 0), (0, 1))).astype(np.float64) for i in attributes]
            found[some] = counted([self.true[i] for i in attributes], self.weight, accepts, anyone[some])
        return found

    def answer(self, case: PublishedTable, queries: CountingQueries) -> Float64:
        """Return the estimates of these counts from the release, (queries,)."""
        n, found = len(self.atoms), np.zeros(queries.asked.shape[0])
        for attributes, some in queries.alike():
            quasi, secret = [i for i in attributes if i < n], [i for i in attributes if i >= n]
            shares = [accepted_shares(self.spread[i], queries.accepts[i][some]) for i in quasi]
            left_out = np.full(some.size, float(case.release.n_suppressed_rows))
            for i in quasi:
                left_out *= queries.accepts[i][some] @ self.even[i]
            people, accepts = self.people[0], np.ones((some.size, 1))
            for i in secret:
                people, accepts = self.people[i - n], queries.accepts[i][some].astype(np.float64)
                left_out *= accepts.mean(axis=1)
            found[some] = counted([self.cell[i] for i in quasi], people, shares, accepts) + left_out
        return found


def _summed(errors: Float64) -> Quality:
    """Return the median of some errors, with an interval by order statistics, their mean and their maximum."""
    n, ranked = errors.size, np.sort(errors)
    low = max(_surely_below(n), 0)
    median = Estimate(float(np.median(errors)), float(ranked[low]), float(ranked[n - 1 - low]), n, "monte carlo")
    mean = float(errors.mean())
    half = float(1.96 * errors.std(ddof=1) / math.sqrt(n)) if n > 1 else math.inf
    return Quality(
        median,
        {
            "median": median,
            "mean": Estimate(mean, max(mean - half, 0.0), mean + half, n, "monte carlo"),
            "maximum": Estimate(float(ranked[-1]), float(ranked[-1]), None, n, "monte carlo"),
        },
    )


EXAMPLES = (QueryError(),)


def _surely_below(n: int) -> int:
    """Return the most of n errors that lie below their true median with a probability of at most 2.5 %, or -1."""
    total, ways, k = 0, 1, -1  # ways: of choosing k + 1 of n
    while 40 * (total + ways) <= 2**n:
        total, k = total + ways, k + 1
        ways = ways * (n - k) // (k + 1)
    return k
