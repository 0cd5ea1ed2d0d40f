"""Keys: people who look alike are counted once each, weighed by whom they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.population import samples
from tests.strategies import tables
from unmask.errors import InvalidInputError
from unmask.population.keys import Keys
from unmask.schema import Missing
from unmask.table import Table


def test_people_are_counted_not_rows():
    """Ann has three rows and two keys: in each she is one of two people."""
    table = Table.of({"age": [20, 20, 30, 20, 30]}, quasi=["age"])
    table = replace(table, person_of=np.array([0, 0, 0, 1, 2], np.int32), weight=np.array([5.0, 5, 5, 7, 1]))
    keys = Keys.of(table)
    assert keys.sample[keys.number].tolist() == [2, 2, 2, 2, 2]
    assert keys.population is not None
    assert keys.population[keys.number].tolist() == [12, 12, 6, 12, 6]


def test_a_missing_value_as_a_wildcard_looks_like_all_others():
    """Three people, one of unknown a: she looks like both others, who do not look like each other."""
    columns: dict[str, list[str | None]] = {"a": ["1", None, "2"], "b": ["x", "x", "x"]}
    own = Keys.of(Table.of(columns, quasi=["a", "b"]))
    wild = Keys.of(Table.of(columns, quasi=["a", "b"], missing=Missing.WILDCARD))
    assert own.sample[own.number].tolist() == [1, 1, 1]
    assert wild.sample[wild.number].tolist() == [2, 3, 2]
    assert wild.spread(30)[wild.number].tolist() == [20, 30, 20]  # each of the three people stands for ten


def test_francdat_with_missing_cells(data_folder):
    """Key1 of row 3 and Key3 of row 5 are blanked: row 2 and row 3 look alike still, and 84.5 people stand behind."""
    full = samples.francdat(data_folder)
    columns = samples.read(data_folder / "sdcmicro" / "francdat.csv")
    blanked: dict[str, list[str | None]] = {name: list(columns[name]) for name in samples.FRANCDAT}
    blanked["Key1"][2] = blanked["Key3"][4] = None
    table = replace(Table.of(blanked, quasi=samples.FRANCDAT, missing=Missing.WILDCARD), weight=full.weight)
    for one in (full, table):
        keys = Keys.of(one)
        assert keys.population is not None
        assert keys.sample[keys.number].tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
        assert keys.population[keys.number].tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]


def test_adult_has_as_many_keys_as_sdcmicro_says():
    """5.8.0: 7,653 uniques, 2,756 people in pairs, 11,089 keys, at most 137 people each."""
    keys = Keys.of(samples.adults(weight=0))
    size, n_keys = keys.sizes
    assert (n_keys[0], 2 * n_keys[1], n_keys.sum(), size[-1]) == (7653, 2756, 11089, 137)
    assert keys.sample[keys.number][:10].tolist() == [3, 8, 18, 2, 1, 1, 1, 7, 3, 43]
    assert keys.population is not None
    assert keys.population[keys.number][:4].tolist() == [363364, 1617238, 3329570, 325345]


def test_a_table_of_the_population_is_counted_by_label():
    """Its values may be coded otherwise; a key that it lacks is held by the people of the sample."""
    sample = Table.of({"sex": ["f", "m", "x"]}, quasi=["sex"])
    population = Table.of({"sex": ["m", "m", "f", "a"], "id": list("1234")}, quasi=["sex"], insensitive=["id"])
    keys = Keys.of(sample)
    assert keys.among(population)[keys.number].tolist() == [1, 2, 1]
    with pytest.raises(InvalidInputError, match="it lacks sex"):
        keys.among(population.only(["id"]))


def test_a_row_that_lacks_what_its_column_demands_has_no_key():
    """Under the policy of exclusion."""
    keys = Keys.of(Table.of({"age": [20, None, 20]}, quasi=["age"], missing=Missing.EXCLUDED))
    assert keys.number.tolist() == [0, -1, 0]
    assert keys.people.tolist() == [2]


def test_weights_below_one_never_leave_fewer_people_than_were_seen():
    """Two people of weight 1/4 each are two people at least."""
    table = replace(Table.of({"age": [20, 20]}, quasi=["age"]), weight=np.array([0.25, 0.25]))
    assert Keys.of(table).population == pytest.approx([2.0])
    with pytest.raises(InvalidInputError, match="at least 0"):
        Keys.of(replace(table, weight=np.array([1.0, -1.0])))
    with pytest.raises(InvalidInputError, match="at least 0"):
        Keys.of(replace(table, weight=np.array([1.0, np.nan])))


@given(table=tables(), seed=st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(table, seed):
    """Each person keeps the equal rows."""
    order = np.random.default_rng(seed).permutation(table.n_rows)
    one, two = Keys.of(table), Keys.of(table.take(order))
    assert np.array_equal(one.sample[one.number][order], two.sample[two.number])
