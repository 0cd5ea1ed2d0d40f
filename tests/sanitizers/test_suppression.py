"""Suppression: stars where too few people look alike, as few as can be found, under the policy that is asked for."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.population import samples
from tests.strategies import tables
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.masks.lines import Lines
from unmask.models import release_assessment
from unmask.models.alpha_k import AlphaK
from unmask.models.average_risk import AverageRisk
from unmask.models.equivalence_classes import MissingAs
from unmask.models.k_anonymity import KAnonymity
from unmask.models.k_map import KMap
from unmask.models.l_diversity import DistinctL, EntropyL
from unmask.models.max_risk import MaxRisk
from unmask.models.t_closeness import TCloseness
from unmask.release import Publication, Sanitizer
from unmask.sanitizers.suppression import LocalSuppression, RecordSuppression
from unmask.schema import Missing
from unmask.table import Table

RNG = np.random.default_rng(0)  # nothing is drawn


def stars(published: Publication) -> np.ndarray:
    """Return where each published person has a star, (people, attributes)."""
    masked = published.release.masked
    assert isinstance(masked, Lines)
    group = published.group_of[published.group_of >= 0]
    return np.stack([c.anything[masked.cell_of(c.attribute.name)][group] for c in masked.cells], axis=1)


def published_rows(table: Table, hidden: np.ndarray) -> list[tuple[object, ...]]:
    """Return what each person shows; None is a star, and a missing value equals a missing value."""
    columns = [table[a.name].astype(float).tolist() for a in table.schema.quasi]
    rows = [tuple("?" if np.isnan(cell) else cell for cell in row) for row in zip(*columns, strict=True)]
    return [
        tuple(None if h else c for c, h in zip(row, own, strict=True)) for row, own in zip(rows, hidden, strict=True)
    ]


def least_alike(rows: list[tuple[object, ...]], policy: str) -> int:
    """Count who looks like whom, pair by pair, and return the fewest."""

    def alike(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
        if policy == "own":
            return one == other
        return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))

    return min(sum(alike(one, other) for other in rows) for one in rows)


def married() -> Table:
    """Return five people, one of them the only widow."""
    return Table.of({"status": ["single", "married", "married", "single", "widow"]}, quasi=["status"])


# --- the story


def test_as_a_wildcard_one_star_hides_the_widow():
    """Her star could be anything, so it matches all five, and every status keeps two people or more."""
    published = LocalSuppression(k=2, policy="wildcard").sanitize(married(), RNG)
    assert stars(published).ravel().tolist() == [False, False, False, False, True]


def test_as_a_value_of_its_own_the_star_would_give_her_away():
    """One star is a group of one: two others of equal status must lend her theirs."""
    published = LocalSuppression(k=2, policy="own").sanitize(married(), RNG)
    assert stars(published).sum() == 3
    assert sorted(published.release.size) == [2, 3]


def test_measuring_tells_the_two_policies_apart():
    """What was made under one policy is measured under both: the strict one finds the widow."""
    release = LocalSuppression(k=2, policy="wildcard").sanitize(married(), RNG).release
    readings = release_assessment.measure_release(release, KAnonymity(2)).readings
    assert readings[MissingAs.OWN].value == 1
    assert readings[MissingAs.WILDCARD].value == 3


def test_leaving_her_out_costs_a_person_instead():
    """Suppression of records is the blunt way; who is left out is counted."""
    published = RecordSuppression(k=2).sanitize(married(), RNG)
    assert published.row_of is not None
    assert (published.row_of < 0).tolist() == [False, False, False, False, True]
    assert published.release.n_suppressed == 1


def test_one_cell_is_hidden_where_one_is_enough():
    """Two pairs differ in age alone: the ages go, the sexes stay."""
    table = Table.of({"age": [20, 21, 30, 31], "sex": list("ffmm")}, quasi=["age", "sex"])
    for policy in ("own", "wildcard"):
        published = LocalSuppression(k=2, policy=policy).sanitize(table, RNG)
        assert stars(published).tolist() == [[True, False]] * 4


def test_what_is_important_goes_last():
    """Hiding either column makes four people alike in pairs: the important one stays, whatever it has of values."""
    table = Table.of({"zip": list("aabb"), "sex": list("fmfm")}, quasi=["zip", "sex"])
    for important, hidden in (("sex", [True, False]), ("zip", [False, True])):
        published = LocalSuppression(k=2, importance=(important,)).sanitize(table, RNG)
        assert stars(published).tolist() == [hidden] * 4


def test_many_cells_go_before_an_important_one():
    """Hiding the age would do for all; it is important, so the three other cells of each row go instead."""
    rows: dict[str, list[object]] = {"age": [20, 20, 30, 30], "a": list("abab"), "b": list("abab"), "c": list("abab")}
    table = Table.of(rows, quasi=list(rows))
    assert stars(LocalSuppression(k=2).sanitize(table, RNG)).sum() == 4
    kept = LocalSuppression(k=2, importance=("age",)).sanitize(table, RNG)
    assert stars(kept).tolist() == [[False, True, True, True]] * 4


def test_what_is_written_to_a_folder_reads_back_the_same(tmp_path):
    """Stars, missing values and suppressed people are distinguished on disk, under both policies."""
    columns: dict[str, list[object]] = {
        "age": [20, 20, 30, 31, None, None, 50],
        "sex": list("ffffmmx"),
        "ill": list("abababa"),
    }
    for missing in (Missing.OWN, Missing.WILDCARD):
        table = Table.of(columns, quasi=["age", "sex"], sensitive=["ill"], missing=missing)
        each: tuple[Sanitizer, ...] = (LocalSuppression(2), LocalSuppression(2, "wildcard"), RecordSuppression(2))
        for number, sanitizer in enumerate(each):
            release = sanitizer.sanitize(table, RNG).release
            folder = tmp_path / f"{missing}-{number}"
            write_release(release, folder)
            again = read_release(folder).release
            assert again.same_content(release)
            assert again.n_suppressed == release.n_suppressed


# --- laws


@pytest.mark.parametrize("policy", ["own", "wildcard"])
@given(table=tables(min_rows=4, max_rows=12), k=st.integers(1, 4))
def test_k_people_look_alike_under_the_policy_asked_for(policy, table, k):
    """Counted pair by pair, from the table and the places of the stars."""
    hidden = stars(LocalSuppression(k=k, policy=policy).sanitize(table, RNG))
    assert least_alike(published_rows(table, hidden), policy) >= k


@given(table=tables(min_rows=4, max_rows=12), k=st.integers(2, 4))
def test_a_record_with_enough_matches_keeps_every_cell_where_stars_are_wildcards(table, k):
    """All others hide at least one cell: stars of others alone do not protect a person known to be published."""
    hidden = stars(LocalSuppression(k=k, policy="wildcard").sanitize(table, RNG))
    rows = published_rows(table, np.zeros_like(hidden))
    assert hidden.any(axis=1).tolist() == [rows.count(row) < k for row in rows]


@given(table=tables(min_rows=2, max_rows=12), k=st.integers(1, 4))
def test_records_are_left_out_only_where_they_must_be(table, k):
    """Every person with k equals stays, no other person does."""
    rows = published_rows(table, np.zeros((table.n_rows, len(table.schema.quasi)), bool))
    enough = [rows.count(row) >= k for row in rows]
    assume(any(enough))
    row_of = RecordSuppression(k=k).sanitize(table, RNG).row_of
    assert row_of is not None
    assert (row_of >= 0).tolist() == enough


@pytest.mark.parametrize("policy", ["own", "wildcard"])
@pytest.mark.parametrize(("values", "k"), [(3, 2), (6, 3), (12, 5), (40, 8)])
def test_k_people_look_alike_on_larger_tables(policy, values, k):
    """400 people and four columns of few to many values: the stars of one row are company for another."""
    codes = np.random.default_rng(values).geometric(2 / values, (400, 4)).astype(float)
    table = Table.of({f"q{j}": column.tolist() for j, column in enumerate(codes.T)}, quasi=[f"q{j}" for j in range(4)])
    hidden = stars(LocalSuppression(k=k, policy=policy).sanitize(table, RNG))
    same = np.ones((400, 400), bool)
    for column, star in zip(codes.T, hidden.T, strict=True):
        if policy == "own":
            same &= np.where(star[:, None] | star, star[:, None] & star, column[:, None] == column)
        else:
            same &= star[:, None] | star | (column[:, None] == column)
    assert same.sum(axis=1).min() >= k


def test_two_pairs_hide_a_cell_each():
    """Four rows, k = 2: the first two differ in b, the others in c, and four of twelve cells are enough."""
    rows = {"a": list("ccbb"), "b": list("abbb"), "c": list("aaab")}
    table = Table.of(rows, quasi=list(rows))
    for policy in ("own", "wildcard"):
        assert stars(LocalSuppression(k=2, policy=policy).sanitize(table, RNG)).sum() == 4


def fewest_cells(table: Table, k: int, policy: str) -> int:
    """Try every way to hide cells, the same of equal rows, and return the fewest; wildcards hide one of every few."""
    number, profiles = table.profiles()
    rows = published_rows(table, np.zeros((table.n_rows, len(table.schema.quasi)), bool))
    few = [rows.count(row) < k for row in rows]
    least = table.n_rows * len(table.schema.quasi)
    sets = list(product([0, 1], repeat=len(table.schema.quasi)))
    for of_profile in product(sets, repeat=profiles.n_rows):
        cells = np.array(of_profile, bool)[number]
        if cells.sum() >= least or (policy == "wildcard" and cells.any(axis=1).tolist() != few):
            continue
        if least_alike(published_rows(table, cells), policy) >= k:
            least = int(cells.sum())
    return least


@pytest.mark.parametrize("policy", ["own", "wildcard"])
@settings(max_examples=20)
@given(data=st.data())
def test_of_small_tables_the_fewest_cells_go(policy, data):
    """Every way to hide cells of five people and two columns, or of four and three, is tried."""
    people, width = data.draw(st.sampled_from([(5, 2), (4, 3)]))
    column = st.lists(st.sampled_from("abc"), min_size=people, max_size=people)
    columns = {f"q{j}": data.draw(column) for j in range(width)}
    table, k = Table.of(columns, quasi=list(columns)), data.draw(st.integers(2, 3))
    found = stars(LocalSuppression(k=k, policy=policy).sanitize(table, RNG)).sum()
    assert found == fewest_cells(table, k, policy)


@pytest.mark.parametrize(("k", "least"), [(2, 119), (3, 186)])
def test_groups_of_larger_tables_are_divided_anew(data_folder, k, least):
    """Of 93 different people, 128 and 192 cells went before parts of the table were searched exactly."""
    assert stars(LocalSuppression(k=k).sanitize(samples.dwellings(data_folder), RNG)).sum() <= least


# --- Adult


def test_adult_needs_fewer_stars_than_sdcmicro():
    """15,753 for k = 5 as wildcards (5.8.0), in 13,657 rows; 2,405 rows are then too few where a star is a value.

    Here none are, if that is what was asked for.
    """
    table = samples.adults()
    wild = LocalSuppression(k=5, policy="wildcard").sanitize(table, RNG)
    own = LocalSuppression(k=5, policy="own").sanitize(table, RNG)
    assert stars(wild).sum() < 14_200  # fewer than 15,753
    assert stars(wild).any(axis=1).sum() == 13_657
    # each person needs 5 with equal published values in the table: the fewest cells by that alone are 16,069
    assert 16_069 <= stars(own).sum() < 17_800
    assert own.release.size.min() == 5
    assert RecordSuppression(k=5).sanitize(table, RNG).release.n_suppressed == 13_657
    readings = release_assessment.measure_release(wild.release, KAnonymity(5)).readings
    assert readings[MissingAs.WILDCARD].value == 5
    assert readings[MissingAs.OWN].value == 1


@pytest.mark.parametrize(
    ("table", "cells"),
    [
        (lambda _: samples.adults(quasi=samples.KV7[1:]), {2: 1651, 3: 2480, 5: 3638}),
        (samples.households, {2: 157, 3: 293, 5: 500}),
        (samples.francdat, {2: 4, 3: 9}),
        (samples.dwellings, {2: 97, 3: 117}),
    ],
    ids=["Adult without age", "households", "francdat", "dwellings"],
)
def test_other_tables_never_need_more_stars_than_sdcmicro(data_folder, table, cells):
    """Its counts for each k, by its own policy; both are heuristics."""
    people = table(data_folder)
    for k, theirs in cells.items():
        assert stars(LocalSuppression(k=k, policy="wildcard").sanitize(people, RNG)).sum() <= theirs


# --- edges


def test_too_few_to_join_anything_join_the_group_that_loses_least():
    """Six people of two kinds and a stranger, k = 3: the stranger's cells all go, and with them those of one group."""
    table = Table.of({"zip": list("aaabbbc"), "sex": list("fffmmmx")}, quasi=["zip", "sex"])
    published = LocalSuppression(k=3).sanitize(table, RNG)
    assert sorted(published.release.size) == [3, 4]
    assert stars(published).sum() == 8


def test_a_missing_value_is_no_star():
    """Unless it counts as a wildcard, it is written with its own mark, and is one more value."""
    columns: dict[str, list[object]] = {"age": [20, 20, None, None], "sex": list("ffmm")}
    for policy in (Missing.OWN, Missing.WILDCARD):
        table = Table.of(columns, quasi=["age", "sex"], missing=policy)
        hidden = stars(LocalSuppression(k=2).sanitize(table, RNG))
        assert hidden.any() == (policy is Missing.WILDCARD)


def test_what_cannot_be_done_is_reported():
    """More people than there are, an unknown column, a policy that does not exist, no quasi-identifier, no whole k."""
    table = married()
    with pytest.raises(InfeasibleError, match="at most the number of rows, 5; got 6"):
        LocalSuppression(k=6).sanitize(table, RNG)
    with pytest.raises(InfeasibleError, match="at most 2, the most people who look alike; got 3"):
        RecordSuppression(k=3).sanitize(table, RNG)
    with pytest.raises(InvalidInputError, match="Did you mean 'status'"):
        LocalSuppression(k=2, importance=("statis",)).sanitize(table, RNG)
    with pytest.raises(InvalidInputError, match="policy must be one of own, wildcard"):
        LocalSuppression(policy="exclude")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="at least one quasi-identifier"):
        RecordSuppression(k=1).sanitize(table.only([]), RNG)
    with pytest.raises(InvalidInputError, match="whole number of at least 1; got 0"):
        RecordSuppression(k=0)
    wide = Table.of({f"q{i}": [0, 1] for i in range(25)}, quasi=[f"q{i}" for i in range(25)])
    with pytest.raises(InvalidInputError, match="at most 24"):
        LocalSuppression(k=2).sanitize(wide, RNG)


def test_columns_of_too_many_values_to_be_numbered_together_are_no_trouble():
    """Eight columns of 500 values each: rows are then sorted column by column; four pairs differ in one column."""
    rng = np.random.default_rng(3)
    codes = rng.permuted(np.tile(np.arange(500.0), (8, 1)), axis=1)
    twins = codes[:, :500:2].copy()
    codes = np.concatenate([codes[:, ::2], twins], axis=1)
    codes[0, 250:] += 1000
    table = Table.of({f"q{i}": column.tolist() for i, column in enumerate(codes)}, quasi=[f"q{i}" for i in range(8)])
    for policy in ("own", "wildcard"):
        hidden = stars(LocalSuppression(k=2, policy=policy).sanitize(table, RNG))
        assert hidden[:, 0].all()
        assert hidden.sum() == 500


def test_whole_groups_are_left_out_until_a_model_holds():
    """Three of Ulm share one illness: they go under 2-diversity, the four of Bonn stay."""
    table = Table.of(
        {"town": ["Ulm"] * 3 + ["Bonn"] * 4, "ill": ["flu"] * 3 + ["flu", "cold"] * 2},
        quasi=["town"],
        sensitive=["ill"],
    )
    published = RecordSuppression(k=2, models=(DistinctL(2),)).sanitize(table, RNG)
    assert published.release.n_suppressed == 3
    assert release_assessment.measure_release(published.release, DistinctL(2)).holds
    assert published.release.provenance.parameters == {"k": 2, "distinct-l": 2}
    with pytest.raises(InfeasibleError, match=r"k and distinct-l must hold in at least one group"):
        RecordSuppression(k=2, models=(DistinctL(3),)).sanitize(table, RNG)
    with pytest.raises(InvalidInputError, match=r"must look at the table alone"):
        RecordSuppression(models=(KMap(3),))  # type: ignore[arg-type]


@pytest.mark.parametrize("model", [AverageRisk(0.4), MaxRisk(0.34), EntropyL(1.5), TCloseness(0.4), AlphaK(0.8)])
@given(table=tables())
def test_every_model_of_groups_is_met_by_who_is_left(model, table):
    """Averages too; models of values compare with all people, so those are checked group by group."""
    assume(table.schema.sensitive and table.schema.quasi)
    try:
        published = RecordSuppression(k=1, models=(model,)).sanitize(table, RNG)
    except InfeasibleError:
        return
    release = published.release
    assert release.n_people + release.n_suppressed == table.n_rows
    if not model.needs_values or isinstance(model, EntropyL | AlphaK):
        assert release_assessment.measure_release(release, model).holds
