"""SUDA2: the fewer attributes single a person out, the more special they are."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.population import samples
from unmask.compiled_code import interpreted
from unmask.errors import InvalidInputError
from unmask.population.keys import Keys
from unmask.population.suda import SpecialUniques, suda
from unmask.schema import Missing
from unmask.table import Table


def special(table: Table) -> SpecialUniques:
    """Return the special uniques of a table."""
    return suda(Keys.of(table))


def sets_of(found: SpecialUniques) -> set[tuple[int, tuple[int, ...]]]:
    """Return the rows and their sets of attributes; a key that is unique has one row."""
    width = len(found.attributes)
    row_of = {int(key): row for row, key in enumerate(found.number) if key >= 0}
    return {
        (row_of[int(key)], tuple(j for j in range(width) if bits >> j & 1))
        for key, bits in zip(found.key, found.bits.tolist(), strict=True)
    }


# --- the story


def test_a_sixteen_year_old_widow_is_special():
    """One person is sixteen, one a widow: two sets of one attribute. The others need two attributes."""
    rows = {"age": ["16", "60", "60", "30"], "status": ["widow", "married", "single", "single"], "sex": list("ffff")}
    found = special(Table.of(rows, quasi=list(rows)))
    assert sets_of(found) == {(0, (0,)), (0, (1,)), (1, (1,)), (2, (0, 1)), (3, (0,))}
    # of three attributes: a set of one counts 2!, a set of two 1!
    assert found.scores().tolist() == [4, 2, 1, 2]
    assert found.contribution() == pytest.approx({"age": 5 / 9, "status": 5 / 9, "sex": 0})


# --- laws


@given(rows=st.lists(st.tuples(*[st.sampled_from("abc")] * 4), max_size=14))
def test_it_finds_what_trying_every_set_finds(rows):
    """Four columns, up to fourteen rows, against a search without any pruning."""
    columns = {f"q{j}": [row[j] for row in rows] for j in range(4)}
    assert sets_of(special(Table.of(columns, quasi=list(columns)))) == samples.minimal_uniques(rows)


@pytest.mark.parametrize(("n", "width", "values", "seed"), [(60, 7, 3, 0), (40, 8, 2, 1), (200, 5, 6, 2)])
def test_it_finds_what_trying_every_set_finds_on_larger_tables(n, width, values, seed):
    """Up to 200 people or eight columns; columns of different numbers of values, in falling order."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, values + j % 3, n) for j in range(width)][::-1], axis=1)
    columns = {f"q{j}": codes[:, j].astype(float).tolist() for j in range(width)}
    compiled = special(Table.of(columns, quasi=list(columns)))
    assert sets_of(compiled) == samples.minimal_uniques(codes.tolist())
    with interpreted():  # as for small tables
        source = special(Table.of(columns, quasi=list(columns)))
    np.testing.assert_array_equal(source.key, compiled.key, strict=True)
    np.testing.assert_array_equal(source.bits, compiled.bits, strict=True)


@given(rows=st.lists(st.tuples(*[st.sampled_from("ab")] * 3), min_size=1, max_size=8))
def test_table_stacked_twice_has_no_special_uniques(rows):
    """Each person has a twin."""
    columns = {f"q{j}": [row[j] for row in rows] * 2 for j in range(3)}
    found = special(Table.of(columns, quasi=list(columns)))
    assert not found.scores().any()
    assert not found.disclosure(found.scores()).any()


# --- agreement with sdcMicro 5.8.0


def test_francdat(data_folder):
    """Scores; DIS; what each key contributes to all scores."""
    found = special(samples.francdat(data_folder))
    assert found.scores().tolist() == [0, 0, 0, 8, 6, 4, 8, 0]
    dis = [0, 0, 0, 0.0142134863, 0.0101060150, 0.00623684035, 0.0142134863, 0]
    assert found.disclosure(found.scores()) == pytest.approx(dis, rel=3e-7)  # sdcMicro rounds to single precision
    assert list(found.contribution().values()) == pytest.approx([0.538461538, 0.230769231, 0, 0.538461538], rel=1e-8)


def test_adult():
    """7,653 people are special; the two most special score 6!."""
    found = special(samples.adults())
    scores = found.scores()
    assert (scores.sum(), (scores > 0).sum(), scores.max()) == (336_634, 7653, 720)
    assert (np.flatnonzero(scores == 720) + 1).tolist() == [18176, 22268]
    assert scores[:10].tolist() == [0, 0, 0, 0, 120, 2, 228, 0, 0, 0]
    frequent = Counter(scores.tolist())
    expected = {1: 140, 2: 694, 3: 15, 4: 241, 5: 4, 6: 1196, 7: 8, 8: 172, 9: 3, 10: 40, 11: 2, 12: 604, 13: 3, 14: 64}
    assert {score: frequent[score] for score in expected} == expected
    percent = [80.1443110322, 27.2916580025, 49.5116357825, 30.6920869550, 19.1587896647, 13.6195393216, 58.0966271975]
    assert [100 * part for part in found.contribution().values()] == pytest.approx(percent, rel=1e-11)


def test_adult_s_disclosure_risk():
    """DIS at four sampling shares, by score; sdcMicro's are single precision."""
    found = special(samples.adults())
    scores = found.scores()
    dis = found.disclosure(scores)
    assert (dis.sum(), dis.max()) == pytest.approx((946.934855591, 0.765054322), rel=3e-7)
    assert dis[4:7] == pytest.approx([0.331644890, 0.00669407133, 0.493298327], rel=3e-7)
    bands = np.bincount(np.ceil(np.minimum(dis, 0.75) * 10).astype(int), minlength=9)
    assert bands.tolist() == [22509, 4775, 1241, 564, 649, 245, 151, 26, 2]
    for share, total in ((0.05, 2576.547387), (0.1, 3550.581261), (0.5, 6184.615726)):
        assert found.disclosure(scores, share).sum() == pytest.approx(total, rel=3e-7)


def test_households(data_folder):
    """157 of 4,580 people are special; the most special is the 3,825th."""
    found = special(samples.households(data_folder))
    scores = found.scores()
    assert (scores.sum(), (scores > 0).sum(), scores.max()) == (4890, 157, 720)
    assert (np.argsort(-scores, kind="stable")[:3] + 1).tolist() == [3825, 2507, 582]
    table = {1: 6, 2: 24, 4: 4, 6: 28, 8: 1, 12: 10, 14: 3, 18: 2, 24: 36, 30: 7, 36: 1, 48: 17, 60: 1, 72: 4, 96: 1,
             120: 9, 132: 1, 144: 1, 720: 1}  # fmt: skip
    assert Counter(scores[scores > 0].tolist()) == table
    dis = found.disclosure(scores)
    assert (dis.sum(), dis.max()) == pytest.approx((9.83109092127511, 0.678142553743), rel=3e-7)
    percent = [12.0449897751, 33.8650306748, 18.0981595092, 53.4151329243, 22.5153374233, 92.5971370143, 24.9488752556]
    assert [100 * part for part in found.contribution().values()] == pytest.approx(percent, rel=1e-11)


# --- edges


def test_empty_table_and_no_column_are_accepted():
    """Nothing is found where there is nothing to find; who is alone in the table is unique by each column."""
    empty = special(Table.of({"age": []}, quasi=["age"]))
    assert empty.scores().size == 0
    assert empty.contribution() == {"age": 0}
    alone = special(Table.of({"age": [20], "sex": ["f"]}, quasi=["age", "sex"]))
    assert alone.scores().tolist() == [2]


def test_a_missing_value_is_one_more_value_and_who_is_left_out_has_no_score():
    """The only person without a value is unique by that; under exclusion they are left out."""
    columns: dict[str, list[object]] = {"age": [20, 20, None], "sex": list("fff")}
    own = special(Table.of(columns, quasi=["age", "sex"]))
    assert own.scores().tolist() == [0, 0, 1]
    out = special(Table.of(columns, quasi=["age", "sex"], missing=Missing.EXCLUDED))
    assert out.scores().tolist() == [0, 0, 0]


def test_person_with_two_equal_rows_is_one_person():
    """People are counted: twice the same row of the same person is no company."""
    table = Table.of({"age": [20, 20, 30, 30]}, quasi=["age"])
    own = replace(table, person_of=np.array([0, 0, 1, 2], np.int32))
    assert special(table).scores().tolist() == [0, 0, 0, 0]
    assert special(own).scores().tolist() == [1, 1, 0, 0]


def test_many_columns_are_searched_without_trying_every_set():
    """Thirty columns have 10^9 sets; 100 people of random values are told apart by two or three."""
    rng = np.random.default_rng(0)
    columns = {f"q{j}": rng.integers(0, 30, 100).astype(float).tolist() for j in range(30)}
    found = special(Table.of(columns, quasi=list(columns)))
    size = np.bitwise_count(found.bits)
    assert size.max() <= 4
    assert found.scores().min() > math.factorial(26)


def test_too_many_attributes_are_refused():
    """A share beyond 0 and 1; more columns than bits."""
    found = special(Table.of({"age": [1, 2]}, quasi=["age"]))
    with pytest.raises(InvalidInputError, match="between 0 and 1; got 1"):
        found.disclosure(found.scores(), 1.0)
    wide = Table.of({f"q{i}": [0] for i in range(63)}, quasi=[f"q{i}" for i in range(63)])
    with pytest.raises(InvalidInputError, match="at most 62"):
        special(wide)
