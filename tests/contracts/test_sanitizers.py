"""What every sanitizer promises: its model, no person lost or misplaced, and no trace of the input's order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from tests import oracle, stories
from tests.strategies import row_numbers, tables
from tests.trees import with_trees
from unmask import catalog
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.masks.centroids import Centroids
from unmask.masks.noisy_rows import NoisyRows
from unmask.models.k_anonymity import KAnonymity
from unmask.models.l_diversity import DistinctL, EntropyL, MaxShareL
from unmask.models.privacy_model import PrivacyModel, all_hold
from unmask.release import Publication, Release, Sanitizer
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.laplace import Laplace
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.sanitizers.min_risk import MinRiskSuppression
from unmask.sanitizers.mondrian import Mondrian
from unmask.sanitizers.noisy_counts import NoisyCounts
from unmask.sanitizers.permutation import Permutation
from unmask.sanitizers.suppression import LocalSuppression, RecordSuppression
from unmask.schema import Missing
from unmask.table import Table

VARIANTS: dict[str, tuple[Sanitizer, ...]] = {
    "mondrian": (
        Mondrian(k=1),
        Mondrian(k=2),
        Mondrian(k=2, models=(DistinctL(2),)),
        Mondrian(k=1, models=(EntropyL(1.5), MaxShareL(1.2))),
        Mondrian(k=2, cut="literal", regions=True),
        Mondrian(k=2, cut="relaxed", models=(DistinctL(2),)),
        Mondrian(k=2, hierarchies=True, regions=True),
        Mondrian(k=1, hierarchies=True, models=(EntropyL(1.5), MaxShareL(1.2))),
    ),
    "local-suppression": (
        LocalSuppression(k=1),
        LocalSuppression(k=2),
        LocalSuppression(k=3),
        LocalSuppression(k=3, policy="wildcard"),
    ),
    "min-risk": (
        MinRiskSuppression(rule="exact"),
        MinRiskSuppression(sensitivity=3),
        MinRiskSuppression(disclose=0),
    ),
    "record-suppression": (RecordSuppression(k=1), RecordSuppression(k=2)),
    "full-domain": (
        FullDomain(k=2),
        FullDomain(k=2, local=True),
        FullDomain(k=3, most_nodes=1),
        FullDomain(k=2, models=(DistinctL(2),)),
        FullDomain(k=1, models=(EntropyL(1.5), MaxShareL(1.2)), local=True),
    ),
    "microaggregation": (
        Microaggregation(k=2),
        Microaggregation(k=2, categories="codes"),
        Microaggregation(k=2, tell_groups=True),
        Microaggregation(k=2, whole=4, block=4),
        Microaggregation(k=2, models=(DistinctL(2),)),
        Microaggregation(k=2, models=(EntropyL(1.5), MaxShareL(1.2))),
    ),
    "k-member": (
        KMember(k=2),
        KMember(k=2, whole=4, block=4),
        KMember(k=2, models=(DistinctL(2),)),
        KMember(k=2, models=(EntropyL(1.5), MaxShareL(1.2))),
    ),
    "anatomy": (Anatomy(l=2), Anatomy(l=2, ties="stable"), Anatomy(l=3)),
    "greedy-grouping": (
        GreedyGrouping(l=2),
        GreedyGrouping(l=2, minimum=3, publish="boxes"),
        GreedyGrouping(l=2, p=0.5, tail="hidden"),
        GreedyGrouping(l=2, p=0.5, coin="group"),
    ),
    "permutation": (Permutation(k=2), Permutation(k=3)),
    "noisy-counts": (
        NoisyCounts(epsilon=2, cells={"age": (20, 23, 26), "ill": ("cold", "flu", "hiv")}),
        NoisyCounts(epsilon=2, cells={"age": (20, 23, 26), "ill": ("cold", "flu", "hiv")}, neighbors="add-remove"),
    ),
    "laplace": (
        Laplace(epsilon=2, attributes={"age": (20, 26, 1)}, missing="show"),
        Laplace(epsilon=50, attributes={"age": (17, 99, 1)}, missing="show"),
    ),
}
"""Settings that small tables can meet; the examples of the catalog come on top. A sample tries the first two."""

DETERMINISTIC = (
    "mondrian",
    "full-domain",
    "local-suppression",
    "min-risk",
    "record-suppression",
)

EVERY = [
    pytest.param(one, id=f"{entry.name}{n}", marks=[pytest.mark.sweep] if n > len(entry.examples) + 1 else [])
    for entry in catalog.entries("sanitizers").values()
    for n, one in enumerate([*entry.examples, *VARIANTS.get(entry.name, ())])
]
NOISY = [p for p in EVERY if isinstance(p.values[0], NoisyCounts) and p.values[0].cells]
"""Publish counts with noise and no rows: what is promised of rows and groups is not promised by these."""

NOISY_ROWS = [p for p in EVERY if isinstance(p.values[0], Laplace) and p.values[0].attributes]
"""Publish rows whose numbers have noise: groups are whatever the noise makes them, and no seed finds them again."""

ALL = [p for p in EVERY if not isinstance(p.values[0], (NoisyCounts, Laplace))]
CERTAIN = [
    p
    for p in ALL
    if p.values[0].name in DETERMINISTIC  # type: ignore[union-attr]
    and p.values[0] != RecordSuppression()
    and getattr(p.values[0], "cut", "") != "relaxed"  # ties are drawn
]
FITTED = [p for p in ALL if p.values[0] not in [e for x in catalog.entries("sanitizers").values() for e in x.examples]]


def promised(sanitizer: Any) -> tuple[PrivacyModel, ...]:
    """Return the models that each group of a sanitizer's releases must meet."""
    if isinstance(sanitizer, (Mondrian, FullDomain, Microaggregation, KMember)):
        return (KAnonymity(sanitizer.k), *sanitizer.models)
    if isinstance(sanitizer, Anatomy):
        return (KAnonymity(sanitizer.l), DistinctL(sanitizer.l), MaxShareL(sanitizer.l))
    if isinstance(sanitizer, GreedyGrouping):
        return (KAnonymity(sanitizer.rule.minimum), MaxShareL(sanitizer.rule.l))
    if isinstance(sanitizer, Permutation):
        return (KAnonymity(sanitizer.k),)
    if isinstance(sanitizer, LocalSuppression):
        return (KAnonymity(1 if sanitizer.policy == "wildcard" else sanitizer.k),)  # stars of others are not in a group
    if isinstance(sanitizer, RecordSuppression):
        return (KAnonymity(sanitizer.k),)
    if isinstance(sanitizer, MinRiskSuppression):
        return (KAnonymity(1),)  # how few people show the same is not bounded
    raise AssertionError(f"name here what {sanitizer.name} promises of each group")


def publish(sanitizer: Sanitizer, table: Table, seed: int = 0) -> Publication:
    """Sanitize with a fresh generator; where hierarchies are followed, text has its first letter for a label."""
    if getattr(sanitizer, "hierarchies", False):
        listed = {a.name: a.values for a in table.schema.quasi if not a.is_numeric and a.values}
        trees = {name: Hierarchy.from_rows([v, v[:1], v[:0], "*"] for v in values) for name, values in listed.items()}
        trees["age"] = Hierarchy.intervals(range(20, 40), (2, 10))
        table = with_trees(table, trees)
    return sanitizer.sanitize(table, np.random.default_rng(seed))


def tried(sanitizer: Sanitizer, table: Table) -> Publication:
    """Sanitize, and pass over tables that cannot meet the model."""
    try:
        return publish(sanitizer, table)
    except InfeasibleError:
        reject()


def shuffled(table: Table, seed: int = 1) -> Table:
    """Return the same people in another order."""
    return table.take(np.random.default_rng(seed).permutation(table.n_rows))


def content(release: Release) -> bytes:
    """Return all that a release shows, as bytes."""
    shown = [release.size, *(release.masked.cell_of(a.name) for a in release.masked.attributes)]
    shown += [release.masked.group_of_line, *(c.dense() for c in release.counts.values()), *release.columns.values()]
    return b"".join(np.ascontiguousarray(array).tobytes() for array in shown)


def test_every_sanitizer_has_settings_that_small_tables_can_meet():
    """Or the laws below would pass over it."""
    assert set(VARIANTS) == set(catalog.entries("sanitizers"))


# --- laws

small = st.one_of(tables(min_rows=4), tables(min_rows=6, missing=False))


@pytest.mark.parametrize("sanitizer", FITTED)
@settings(max_examples=8)
@given(table=small)
def test_each_group_meets_the_model(sanitizer, table):
    """Counted from the rows that went in, not from what the release says of itself."""
    published = tried(sanitizer, table)
    group, release = published.group_of, published.release
    inside = group >= 0
    size = np.bincount(group[inside], minlength=release.n_groups).astype(float)
    n_values = len(table.schema["ill"].values)
    counts = np.zeros((release.n_groups, n_values))
    np.add.at(counts, (group[inside], table["ill"][inside]), 1)
    overall = np.bincount(table["ill"], minlength=n_values).astype(float)
    assert all_hold(promised(sanitizer), size, [counts], [overall]).all()
    assert np.array_equal(size, release.size)
    assert np.array_equal(counts, release.counts_of("ill").dense())


@pytest.mark.parametrize("sanitizer", ALL)
def test_rows_kept_once_for_each_kind_are_published_alike(sanitizer):
    """A large table keeps equal rows together; that changes no byte."""
    rng = np.random.default_rng(4)
    drawn = {"age": rng.integers(20, 24, 60), "sex": rng.choice(["f", "m"], 60), "ill": rng.choice(["flu", "hiv"], 60)}
    columns = {name: column.tolist() for name, column in drawn.items()}
    table = Table.of(columns, quasi=["age", "sex"], sensitive=["ill"])
    try:
        made = publish(sanitizer, table)
    except (InfeasibleError, InvalidInputError) as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            publish(sanitizer, stories.repeating(table))
        return
    repeated = publish(sanitizer, stories.repeating(table))
    assert content(made.release) == content(repeated.release)
    assert (made.row_of is None and repeated.row_of is None) or np.array_equal(made.row_of, repeated.row_of)  # type: ignore[arg-type]


@pytest.mark.parametrize("sanitizer", FITTED)
@settings(max_examples=8)
@given(table=small)
def test_each_person_could_stand_behind_their_own_line(sanitizer, table):
    """A box contains its members; an exact row shows its own person; values attached to rows are their own or shuffled.

    A centroid excludes no person; the tests of microaggregation check that it is that of its members.
    """
    published = tried(sanitizer, table)
    release, row_of = published.release, row_numbers(published)
    for name in release.columns.keys() - release.permuted:
        assert np.array_equal(release.columns[name][row_of[row_of >= 0]], table[name][row_of >= 0])
    if isinstance(release.masked, Centroids):
        return
    view = stories.view_of(release, table.visible("ill"), "ill")
    shown = oracle._read(release, "ill")
    exact = len(shown.lines) == release.n_rows
    for person in np.flatnonzero(row_of >= 0).tolist():
        line = int(row_of[person]) if exact else int(published.group_of[person])
        place = oracle._coordinates(view, 0, person)
        assert all(cell.holds(x) for cell, x in zip(shown.lines[line], place, strict=True))


@pytest.mark.parametrize("policy", list(Missing))
@pytest.mark.parametrize("sanitizer", FITTED)
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_rows_in_are_rows_published_and_rows_suppressed(sanitizer, policy, data):
    """Each person is published once, or counted as excluded for a missing value."""
    table = data.draw(tables(min_rows=4))
    quasi = tuple(replace(a, missing=policy) if a.name == "age" else a for a in table.schema)
    table = Table(replace(table.schema, attributes=quasi), table.columns, table.n_rows)
    published = tried(sanitizer, table)
    release, row_of = published.release, row_numbers(published)
    assert release.n_rows + release.n_suppressed == table.n_rows
    assert sorted(row_of[row_of >= 0].tolist()) == list(range(release.n_rows))
    assert release.size.sum() == release.n_rows
    gone = table.missing("age") if policy is Missing.EXCLUDED else np.zeros(table.n_rows, bool)
    if isinstance(sanitizer, RecordSuppression):  # leaves out others, too: that is how it works
        assert (row_of[gone] < 0).all()
    else:
        assert np.array_equal(row_of < 0, gone)


@pytest.mark.parametrize("sanitizer", CERTAIN)
@settings(max_examples=8)
@given(table=small, seed=st.integers(0, 99))
def test_the_order_of_rows_leaves_no_trace(sanitizer, table, seed):
    """If nothing is drawn, a shuffled table gives equal arrays, and each person the same group."""
    order = np.random.default_rng(seed).permutation(table.n_rows)
    one, two = tried(sanitizer, table), tried(sanitizer, table.take(order))
    assert one.release.same_content(two.release)
    assert content(one.release) == content(two.release)
    assert np.array_equal(one.group_of[order], two.group_of)


@pytest.mark.parametrize("sanitizer", [p for p in FITTED if p not in CERTAIN])
def test_a_shuffled_table_gives_a_release_of_the_same_distribution(sanitizer):
    """150 releases of each order, counted by content: chi-square at 1 in 10,000, on fixed seeds."""
    ages = [20, 21, 22, 23, 24, 25]
    if isinstance(sanitizer, (Microaggregation, KMember)):
        ages = [20, 20, 20, 22, 22, 22]
    elif isinstance(sanitizer, (Mondrian, GreedyGrouping, Permutation)):  # ties are what is drawn
        ages = [20, 22, 22, 22, 22, 24]
    table = Table.of(
        {"age": ages, "ill": ["flu", "flu", "cold", "cold", "hiv", "hiv"]},
        quasi=["age"],
        sensitive=["ill"],
    )
    seen = [
        Counter(content(publish(sanitizer, one, seed).release) for seed in range(150))
        for one in (table, table.take(np.arange(table.n_rows)[::-1]))
    ]
    kinds = sorted(set(seen[0]) | set(seen[1]))
    assert len(kinds) > 1
    assert chi2_contingency([[one[kind] for kind in kinds] for one in seen]).pvalue > 1e-4


@pytest.mark.parametrize("sanitizer", FITTED)
@given(table=small, seed=st.integers(0, 99))
@settings(max_examples=8)
def test_the_same_seed_gives_the_same_release(sanitizer, table, seed):
    """Byte for byte; and the input is not touched."""
    before = {name: column.tobytes() for name, column in table.columns.items()}
    tried(sanitizer, table)
    assert content(publish(sanitizer, table, seed).release) == content(publish(sanitizer, table, seed).release)
    assert before == {name: column.tobytes() for name, column in table.columns.items()}


# --- edges


@pytest.mark.parametrize("sanitizer", ALL)
@pytest.mark.parametrize("rows", [0, 1])
def test_no_rows_and_one_row_are_published_or_said_to_be_infeasible(sanitizer, rows):
    """Never another exception; one row is published only where a group of one is asked for."""
    table = Table.of({"age": [20.0], "ill": ["flu"]}, quasi=["age"], sensitive=["ill"]).take(np.arange(rows))
    alone = sanitizer in {Mondrian(k=1), LocalSuppression(k=1), RecordSuppression(k=1)}
    if (alone or isinstance(sanitizer, MinRiskSuppression)) and rows == 1:
        assert publish(sanitizer, table).release.n_rows == 1
        return
    with pytest.raises(InfeasibleError, match=rf"must be at most (the number of rows, )?{rows}\b|must have at least "):
        publish(sanitizer, table)


@pytest.mark.parametrize("sanitizer", FITTED)
def test_constant_columns_and_duplicate_rows_are_no_trouble(sanitizer):
    """Six people who look alike: with values to spread they are published; a constant value is safe only for k."""
    alike: dict[str, Sequence[object]] = {"age": [30] * 6, "sex": ["f"] * 6, "ill": ["flu", "cold", "hiv"] * 2}
    table = Table.of(alike, quasi=["age", "sex"], sensitive=["ill"])
    assert publish(sanitizer, table).release.n_rows == 6
    constant = Table.of({**alike, "ill": ["flu"] * 6}, quasi=["age", "sex"], sensitive=["ill"])
    if promised(sanitizer)[1:]:
        with pytest.raises(InfeasibleError, match=r"column 'ill'.*; got|must belong to at most \d+ of 6 rows"):
            publish(sanitizer, constant)
    else:
        apart = isinstance(sanitizer, Permutation) or getattr(sanitizer, "tell_groups", False)
        assert publish(sanitizer, constant).release.n_groups == (6 // sanitizer.k if apart else 1)


@pytest.mark.parametrize("sanitizer", FITTED)
def test_a_column_of_which_nothing_is_known_is_published_as_missing(sanitizer):
    """All ages are missing: one more value, the same for all rows."""
    table = Table.of(
        {"age": [None] * 6, "sex": list("ffmmff"), "ill": ["flu", "cold", "hiv"] * 2},
        quasi=["age", "sex"],
        sensitive=["ill"],
    )
    release = publish(sanitizer, table).release
    assert release.n_rows == 6
    assert np.unique(release.masked.cell_of("age")).size == 1


@pytest.mark.parametrize(
    ("sanitizer", "numbers"),
    [
        (Mondrian(k=5), ["4", "5"]),
        (Mondrian(k=2, models=(KAnonymity(6),)), ["4", "6"]),
        (Mondrian(k=2, models=(DistinctL(3),)), ["2", "3"]),
        (Mondrian(k=2, models=(MaxShareL(4),)), ["1.33333", "4"]),
        (FullDomain(k=5), ["4", "5"]),
        (FullDomain(k=2, models=(KAnonymity(6),)), ["4", "6"]),
        (FullDomain(k=2, models=(DistinctL(3),)), ["2", "3"]),
        (FullDomain(k=2, models=(MaxShareL(4),), local=True), ["1.33333", "4"]),
        (Microaggregation(k=5), ["4", "5"]),
        (Microaggregation(k=2, models=(KAnonymity(6),)), ["4", "6"]),
        (Microaggregation(k=2, models=(DistinctL(3),)), ["2", "3"]),
        (Microaggregation(k=2, models=(MaxShareL(4),)), ["1.33333", "4"]),
        (KMember(k=5), ["4", "5"]),
        (KMember(k=2, models=(KAnonymity(6),)), ["4", "6"]),
        (KMember(k=2, models=(DistinctL(3),)), ["2", "3"]),
        (KMember(k=2, models=(MaxShareL(4),)), ["1.33333", "4"]),
        (GreedyGrouping(l=2), ["1", "2", "3", "4"]),
        (GreedyGrouping(l=1, minimum=5), ["4", "5"]),
        (Permutation(k=5), ["4", "5"]),
        (Anatomy(l=3), ["2", "3"]),
        (Anatomy(l=2), ["2", "3", "4"]),
    ],
)
def test_what_cannot_be_met_is_said_with_both_numbers(sanitizer, numbers):
    """Four people, two values, one of them three times: what is asked for, and what there is."""
    table = Table.of({"age": [20, 21, 30, 31], "ill": ["flu", "flu", "flu", "cold"]}, quasi=["age"], sensitive=["ill"])
    with pytest.raises(InfeasibleError, match=r" must .*; got ") as caught:
        publish(sanitizer, table)
    words: Sequence[str] = str(caught.value).replace(",", " ").replace(";", " ").replace(". ", " ").split()
    assert set(numbers) <= set(words)


@pytest.mark.parametrize("sanitizer", FITTED)
def test_names_and_numbers_of_columns_may_be_odd(sanitizer):
    """`Full Name`, `select` and a quotation mark are names like others; several quasi-identifiers are kept apart."""
    table = Table.of(
        {"Full Name": list("abcabc"), "select": [1, 2, 3, 1, 2, 3], 'a"b': ["flu", "cold", "hiv"] * 2},
        quasi=["Full Name", "select"],
        sensitive=['a"b'],
    )
    release = publish(sanitizer, table).release
    assert release.schema.names == ("Full Name", "select", 'a"b')
    assert release.counts_of('a"b').column_sums().tolist() == [2, 2, 2]


def test_a_table_without_quasi_identifiers_or_sensitive_values_is_refused_in_words():
    """Mondrian has nothing to cut by; Anatomy protects one value, not two and not none; a model needs values."""
    table = Table.of(
        {"age": [20, 21], "ill": ["flu", "cold"], "job": ["x", "y"]}, quasi=["age"], sensitive=["ill", "job"]
    )
    with pytest.raises(InvalidInputError, match="at least one quasi-identifier"):
        publish(Mondrian(k=1), table.only(["ill", "job"]))
    with pytest.raises(InvalidInputError, match="exactly one sensitive attribute; got 2"):
        publish(Anatomy(l=2), table)
    with pytest.raises(InvalidInputError, match="got 0"):
        publish(Anatomy(l=2), table.only(["age"]))
    with pytest.raises(InvalidInputError, match="distinct-l must have a sensitive attribute"):
        publish(Mondrian(k=1, models=(DistinctL(2),)), table.only(["age"]))


# --- sanitizers that publish counts with noise


AGES: dict[str, Sequence[object]] = {
    "age": [20, 20, 21, 24, 25, 25],
    "ill": ["flu", "flu", "cold", "cold", "hiv", "hiv"],
}


@pytest.mark.parametrize("sanitizer", NOISY)
def test_what_is_published_beside_counts_is_the_same_for_any_table(sanitizer):
    """Cells, values, scale and provenance are the same for one person, none or six."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    table = Table.of(AGES, quasi=["age"], sensitive=["ill"])
    some = [publish(sanitizer, table.take(np.arange(n))).release for n in (6, 1, 0)]
    for one in some:
        assert one.masked.shows_same(some[0].masked)
        assert one.schema["ill"].values == ("cold", "flu", "hiv")
        assert (one.noise, one.provenance, one.n_groups) == (some[0].noise, some[0].provenance, 2)
        assert (one.n_rows, one.columns, one.n_suppressed) == (0, {}, 0)


@pytest.mark.parametrize("sanitizer", NOISY)
def test_the_order_of_rows_leaves_no_trace_in_noisy_counts(sanitizer):
    """400 releases of each order, by one of their counts: chi-square at 1 in a million. The system draws."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    table = Table.of(AGES, quasi=["age"], sensitive=["ill"])
    seen = [
        Counter(int(np.clip(publish(sanitizer, one).release.counts_of("ill").dense()[1, 2], 1, 3)) for _ in range(400))
        for one in (table, table.take(np.arange(6)[::-1]))
    ]
    assert chi2_contingency([[one[count] for count in (1, 2, 3)] for one in seen]).pvalue > 1e-6


@pytest.mark.parametrize("sanitizer", NOISY)
def test_each_person_is_counted_in_a_cell_that_fits_them(sanitizer):
    """The publisher knows the group of each person, and so does an attacker who knows the age."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    published = publish(sanitizer, Table.of(AGES, quasi=["age"], sensitive=["ill"]))
    assert [0, 0, 0, 1, 1, 1] == published.group_of.tolist()
    assert published.row_of is None


# --- sanitizers that publish rows with noise


def noisy(publication: Publication) -> NoisyRows:
    """Return the mask of a release of rows with noise."""
    assert isinstance(publication.release.masked, NoisyRows)
    return publication.release.masked


@pytest.mark.parametrize("sanitizer", NOISY_ROWS)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_rows_with_noise_are_everybodys_with_all_else_in_clear(sanitizer, data):
    """Each person is published once, with the own values; a missing age is published as missing."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    table = data.draw(tables(min_rows=1))
    published = publish(sanitizer, table)
    release, row_of = published.release, row_numbers(published)
    assert sorted(row_of.tolist()) == list(range(table.n_rows))
    assert table["ill"].tolist() == release.columns["ill"][row_of].tolist()
    for i, cells in enumerate(noisy(published).lines.cells):
        shown = noisy(published).lines.cell[published.group_of, i]
        assert np.array_equal(table.missing(cells.attribute.name), cells.missing[shown])
        if cells.attribute.name != "age" and cells.attribute.is_numeric:
            assert np.array_equal(table[cells.attribute.name], cells.low[shown])


@pytest.mark.parametrize("sanitizer", NOISY_ROWS)
def test_the_order_of_rows_leaves_no_trace_in_noisy_rows(sanitizer):
    """400 releases of each order, by what is shown of the young: chi-square at 1 in a million. The system draws."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    table = Table.of(AGES, quasi=["age"], sensitive=["ill"])
    seen = [
        Counter(int(np.clip(noisy(publish(sanitizer, one)).lines.cells[0].low[0], 18, 20)) for _ in range(400))
        for one in (table, table.take(np.arange(6)[::-1]))
    ]
    found = sorted(seen[0] | seen[1])
    assert chi2_contingency([[one[age] for age in found] for one in seen]).pvalue > 1e-6


@pytest.mark.parametrize("sanitizer", NOISY_ROWS)
def test_what_stands_beside_noisy_rows_is_the_same_for_any_table(sanitizer):
    """Range, scale and how it was made: who is in the table makes no difference."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    table = Table.of(AGES, quasi=["age"], sensitive=["ill"])
    whole, one = (publish(sanitizer, table.take(np.arange(n))) for n in (6, 1))
    assert noisy(whole).noise == noisy(one).noise
    assert whole.release.schema["age"] == one.release.schema["age"]
    assert whole.release.provenance == one.release.provenance
