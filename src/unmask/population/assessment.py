"""Population risk: all that a sample says about how surely its people could be found in the population."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32, Int64, distinct_rows, frozen
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate, Source
from unmask.lookalikes import Reading
from unmask.population.attackers import RiskOfPeople, summed
from unmask.population.dankar import Model, dankar
from unmask.population.household_risk import HouseholdRisk, household_risk
from unmask.population.individual_risk import individual_risk
from unmask.population.keys import Keys
from unmask.population.pitman import pitman
from unmask.population.shown import shown
from unmask.population.slide_negative_binomial import slide_negative_binomial
from unmask.population.suda import SpecialUniques, suda
from unmask.population.zayatz import zayatz
from unmask.release import Release
from unmask.table import Table

IGNORES_WEIGHTS = "weights are ignored: the sample is taken as drawn with equal chances"


@dataclass(frozen=True, slots=True, eq=False)
class Uniqueness:
    """How many people are alone with their key: in the sample, and by several estimates in the population."""

    sample: Estimate  # people of the sample
    estimates: Mapping[Model, Estimate]  # people of the population; they may differ by a factor: print all
    believed: Model | None  # by Dankar's rule; None where no estimate is defined
    counted: Estimate | None  # people of the population, where a table of it is given

    @property
    def value(self) -> Estimate:
        """The estimate to believe."""
        if self.counted is not None:
            return self.counted
        return self.estimates[self.believed] if self.believed else Estimate.undefined("no model gives an estimate")


@dataclass(frozen=True, slots=True, eq=False)
class Households:
    """The risk of each household, and of people who are found once anybody of their household is."""

    each: HouseholdRisk
    largest: RiskOfPeople  # every person at the largest risk of the household's members
    any_member: RiskOfPeople  # every person at 1 − Π (1 − r)


@dataclass(frozen=True, slots=True, eq=False)
class PopulationRisk:
    """Estimates of a sample's risk; people are counted, not rows."""

    n: int  # people of the sample
    population_size: Estimate
    risk: Float64  # (rows,) of being named rightly among the population; NaN where a row is left out
    prosecutor: RiskOfPeople
    journalist: RiskOfPeople
    marketer: Estimate  # the share of people who would be named rightly if all were tried
    households: Households | None
    uniqueness: Uniqueness
    special: SpecialUniques
    scores: Float64  # (rows,) SUDA2
    disclosure: Float64  # (rows,) DIS-SUDA
    notes: tuple[str, ...]


def population_risk(
    sample: Table | Release,
    *,
    population_size: float | None = None,
    population: Table | None = None,
    suda_share: float = 0.01,
    reading: Reading = Reading.OWN,
) -> PopulationRisk:
    """Estimate how surely people of a sample could be found in the population, by their quasi-identifiers.

    Of a release, the published people are looked at, alike where they show the same cells; a missing or suppressed
    cell counts as `reading` says. Of a table, it counts as each column declares.

    How many people of the population look like somebody comes from a table of the population, else from the sampling
    weights, else from `population_size` spread evenly; else the sample is taken for the population, which is the
    worst case.

    Assumes
        In uniqueness and SUDA2, which ask who is alone, a missing value is one more value. Somebody with several rows
        is as much at risk as their riskiest row.
    Fails
        With `InvalidInputError` without quasi-identifiers, for a population smaller than the sample, for a release with
        noisy sizes, and for a release beside a table of the population.
    """
    table, notes = sample if isinstance(sample, Table) else shown(sample, reading), []
    if not isinstance(sample, Table):
        if population is not None:
            msg = "a table of the population must come with a table of people; got a release. Measure k-map instead"
            raise InvalidInputError(msg)
        if sample.n_suppressed:
            notes.append(f"{sample.n_suppressed} people are suppressed: no figure counts them")
    if not table.schema.quasi:
        msg = "a table must have at least one quasi-identifier for people to be found by; got none. Name one with -q"
        raise InvalidInputError(msg)
    keys = Keys.of(table)
    kept = np.flatnonzero(keys.number >= 0)
    person, first = _people(table, kept)
    size, why = _size(table, population, population_size, kept[first])
    if size is not None and size < first.size:
        msg = f"a population must have at least the {first.size} people of the sample; got {size:g}. Correct the size"
        raise InvalidInputError(msg)
    of_key, source, told = _risk(keys, size, population)
    risk = np.append(of_key, np.nan)[keys.number]
    each = _largest(risk[kept], person, first.size)
    journalist = summed(each, source, told)
    special = suda(keys)
    scores = special.scores()
    return PopulationRisk(
        n=first.size,
        population_size=Estimate.undefined(why) if size is None else Estimate(size, n=first.size, why=why),
        risk=frozen(risk),
        prosecutor=summed(_largest(1 / keys.sample[keys.number[kept]], person, first.size)),
        journalist=journalist,
        marketer=journalist.average,
        households=_households(table, each, kept[first], source, told),
        uniqueness=_uniqueness(keys, size, population),
        special=special,
        scores=frozen(scores),
        disclosure=frozen(special.disclosure(scores, suda_share)),
        notes=(*notes, *_notes(table, kept)),
    )


def _risk(keys: Keys, size: float | None, population: Table | None) -> tuple[Float64, Source, str]:
    """Return the risk of each key, (keys,), how uncertain it is, and what it was made of."""
    if population is not None:
        return 1 / keys.among(population), "exact", "counted in the table of the population"
    if keys.population is not None:
        return individual_risk(keys.sample, keys.population), "sample", "by sampling weights"
    if size is not None:
        return individual_risk(keys.sample, keys.spread(size)), "sample", "by equal weights"
    return 1 / keys.sample, "exact", "the sample is taken for the population"


def _people(table: Table, kept: Int64) -> tuple[Int32, Int64]:
    """Return the person of each kept row, numbered from 0, and a row of each."""
    if table.person_of is None:
        return np.arange(kept.size, dtype=np.int32), np.arange(kept.size)
    return distinct_rows(table.person_of[kept][:, None])


def _largest(risk: Float64, person: Int32, n: int) -> Float64:
    result = np.zeros(n)
    np.maximum.at(result, person, risk)
    return result


def _size(table: Table, population: Table | None, given: float | None, rows: Int64) -> tuple[float | None, str]:
    if population is not None:
        own = population.person_of
        return float(population.n_rows if own is None else np.unique(own).size), "people of the table of the population"
    if given is not None:
        return float(given), "given"
    if table.weight is not None:
        return max(float(table.weight[rows].sum()), float(rows.size)), "weights added up"
    return None, "needs a size of the population, a table of it, or sampling weights"


def _households(table: Table, risk: Float64, rows: Int64, source: Source, why: str) -> Households | None:
    if table.household_of is None:
        return None
    household, _ = distinct_rows(table.household_of[rows][:, None])
    each = household_risk(risk, household)
    return Households(each, *(summed(r[household], source, why) for r in (each.largest, each.any_member)))


def _uniqueness(keys: Keys, size: float | None, population: Table | None) -> Uniqueness:
    sizes, counts = keys.sizes
    people = float(sizes @ counts)
    ones = float(counts[sizes == 1].sum())
    models: dict[Model, Estimate] = {}
    if size is None:
        none = Estimate.undefined("needs a size of the population", people)
        models = {"pitman": none, "zayatz": none, "slide-negative-binomial": none}
        believed = None
    else:
        models["pitman"] = pitman(sizes, counts, size)
        models["zayatz"] = zayatz(sizes, counts, size)
        models["slide-negative-binomial"] = slide_negative_binomial(sizes, counts, size)
        believed = dankar(people / size, models["pitman"], models["zayatz"], models["slide-negative-binomial"])
    counted = None
    if population is not None:
        theirs = Keys.of(population.only(keys.profiles.schema.names).aligned(keys.profiles.schema)).people
        counted = Estimate.exact(float((theirs == 1).sum()), float(theirs.sum()))
    return Uniqueness(Estimate.exact(ones, people), models, believed, counted)


def _notes(table: Table, kept: Int64) -> tuple[str, ...]:
    notes = []
    if table.weight is not None:
        notes.append(f"uniqueness and SUDA2: {IGNORES_WEIGHTS}")
    if kept.size < table.n_rows:
        notes.append(f"{table.n_rows - kept.size} rows are left out: a value is missing that its column demands")
    return tuple(notes)
