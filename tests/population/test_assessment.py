"""Population risk, all in one: what is estimated from which knowledge of the population, and counted by people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.population import samples
from tests.strategies import tables
from unmask.errors import InvalidInputError
from unmask.population.assessment import population_risk
from unmask.schema import Missing
from unmask.table import Table

FOUR = Table.of({"age": [20, 20, 30, 40]}, quasi=["age"])


def test_without_a_population_the_sample_is_taken_for_it():
    """Journalist and marketer are then the prosecutor; how many are unique in a population is not said."""
    found = population_risk(FOUR)
    assert found.risk.tolist() == [0.5, 0.5, 1, 1]
    assert found.prosecutor.average.value == found.journalist.average.value == found.marketer.value == 0.75
    assert found.journalist.average.why == ""
    assert found.population_size.value is None
    assert found.uniqueness.sample.value == 2
    assert found.uniqueness.believed is None
    assert found.uniqueness.value.value is None
    assert found.households is None


def test_weights_and_a_size_say_the_same_where_weights_are_equal():
    """Four people for four thousand: a thousand each."""
    weighted = population_risk(replace(FOUR, weight=np.full(4, 1000.0)))
    sized = population_risk(FOUR, population_size=4000)
    assert weighted.risk == pytest.approx(sized.risk)
    assert weighted.population_size.value == sized.population_size.value == 4000
    assert (weighted.journalist.average.source, weighted.prosecutor.average.source) == ("sample", "exact")
    assert weighted.journalist.average.low is None
    assert sized.notes == ()
    assert "weights are ignored" in weighted.notes[0]


def test_a_table_of_the_population_leaves_nothing_to_estimate():
    """Two more people of 20, and another one: the whole sample is in the population."""
    population = Table.of({"age": [20, 20, 20, 20, 30, 40, 90]}, quasi=["age"])
    found = population_risk(FOUR, population=population)
    assert found.risk.tolist() == [0.25, 0.25, 1, 1]
    assert found.marketer.value == found.marketer.low == 0.625
    assert found.uniqueness.counted is not None
    assert found.uniqueness.value.value == 3
    assert found.population_size.value == 7


def test_a_person_is_as_much_at_risk_as_the_riskiest_row():
    """Two people with two rows each: one row gives each away."""
    table = replace(Table.of({"age": [20, 30, 20, 40]}, quasi=["age"]), person_of=np.array([7, 7, 3, 3], np.int32))
    found = population_risk(table)
    assert found.n == 2
    assert found.risk.tolist() == [0.5, 1, 0.5, 1]
    assert found.prosecutor.average.value == 1


def test_households_are_found_by_any_member(data_folder):
    """Every person counts with the household's risk: the largest of its members', and 1 − Π (1 − r)."""
    found = population_risk(samples.households(data_folder))
    assert found.households is not None
    assert found.journalist.expected.value == pytest.approx(10.775525136282, rel=1e-12)
    each = (found.journalist, found.households.largest, found.households.any_member)
    alone, largest, any_member = (float(risk.expected.value or 0) for risk in each)
    assert 10.77 < alone < largest < any_member < 51.82


def test_five_keys_of_the_survey(data_folder):
    """SdcMicro's figures for fewer columns, in the true form: within a third of a percent of its approximation."""
    found = population_risk(samples.households(data_folder, samples.FIVE))
    assert found.prosecutor.expected.value == 93
    assert found.journalist.expected.value == pytest.approx(1.52720448852391, rel=0.003)


def test_adult_s_uniqueness_by_three_models():
    """Half of the population drawn: all are told, one is believed."""
    found = population_risk(samples.adults(quasi=samples.QI8), population_size=60_324).uniqueness
    assert found.sample.value == 8841
    values = {model: estimate.value for model, estimate in found.estimates.items()}
    assert values == pytest.approx({"pitman": 14335.2554, "zayatz": 13955.9562, "slide-negative-binomial": 13988.99},
                                   rel=4e-7)  # fmt: skip
    assert found.believed == "zayatz"
    assert found.value == found.estimates["zayatz"]


def test_who_is_left_out_is_counted_and_has_no_risk():
    """A value is missing that must not be: NaN, not 0."""
    found = population_risk(Table.of({"age": [20, None, 20]}, quasi=["age"], missing=Missing.EXCLUDED))
    assert found.n == 2
    assert found.risk[[0, 2]].tolist() == [0.5, 0.5]
    assert np.isnan(found.risk[1])
    assert found.notes == ("rows left out: 1; a value is missing that its column demands",)


def test_what_makes_no_sense_is_refused():
    """Fewer people in the population than in the sample; nothing to be found by."""
    with pytest.raises(InvalidInputError, match="at least the 4 people of the sample; got 3"):
        population_risk(FOUR, population_size=3)
    with pytest.raises(InvalidInputError, match="at least one quasi-identifier"):
        population_risk(FOUR.only([]))


def test_empty_sample_is_accepted():
    """An empty table has no risk to speak of: undefined, not 0."""
    found = population_risk(FOUR.take(np.zeros(0, int)), population_size=10)
    assert found.n == 0
    assert found.marketer.value is None


@given(table=tables(), size=st.integers(8, 10_000))
def test_journalist_risk_is_at_most_prosecutor_risk(table, size):
    """The journalist's risk is at most the prosecutor's, person by person, whatever the population."""
    alone = population_risk(table).risk
    assert (population_risk(table, population_size=size).risk <= alone + 1e-12).all()


@given(table=tables())
def test_a_table_stacked_on_itself_halves_the_risk(table):
    """Each person has twice as many equals; no person is unique or special any more."""
    twice = table.take(np.tile(np.arange(table.n_rows), 2))
    found = population_risk(twice, population_size=100)
    assert population_risk(twice).risk[: table.n_rows] == pytest.approx(population_risk(table).risk / 2)
    assert found.uniqueness.sample.value == 0
    assert found.uniqueness.value.value == 0
    assert not found.scores.any()
