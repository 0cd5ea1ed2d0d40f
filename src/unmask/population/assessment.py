"""Population risk: all that a sample says about how surely its people could be found in the population."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, frozen
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate, Source
from unmask.models.equivalence_classes import MissingAs, Units, fitting
from unmask.population.attackers import RiskOfPeople, summed
from unmask.population.dankar import Model, dankar
from unmask.population.household_risk import HouseholdRisk, household_risk
from unmask.population.individual_risk import individual_risk
from unmask.population.keys import Keys
from unmask.population.pitman import pitman
from unmask.population.poisson_mixture import poisson_mixture
from unmask.population.published_people import people_table, unit_of_row
from unmask.population.slide_negative_binomial import slide_negative_binomial
from unmask.population.suda import SpecialUniques, suda
from unmask.population.zayatz import zayatz
from unmask.release import Release
from unmask.table import Table

IGNORES_WEIGHTS = "weights are ignored: the sample is taken as drawn with equal chances"

_COUNTED: Source = "exact"

SUDA_LIMIT = 5e7
"""People who are alone, times sets of attributes: searching more than so many takes longer than about ten seconds."""

NOT_KNOWN = "needs to know what share of the population this is: a weight column, a table of the population, or a share"


@dataclass(frozen=True, slots=True, eq=False)
class UniquenessEstimates:
    """How many people are alone with their key: in the sample, and by several estimates in the population."""

    sample: Estimate  # people of the sample
    estimates: Mapping[Model, Estimate]  # people of the population; they may differ by a factor: print all
    believed: Model | None  # by Dankar's rule; None where no estimate is defined
    mixture: (
        Estimate  # people of the population, by the law that fits best: it checks the believed one, and has a range
    )
    counted: Estimate | None  # people of the population, where a table of it is given
    also_there: Estimate  # people of the sample who are alone there and in the population; needs a table of it

    @property
    def value(self) -> Estimate:
        """The estimate to believe."""
        if self.counted is not None:
            return self.counted
        if self.believed is None:
            why = next((one.why for one in self.estimates.values() if one.why), "no model gives an estimate")
            return Estimate.undefined(why)
        return self.estimates[self.believed]

    @property
    def doubtful(self) -> bool:
        """Say whether the estimate to believe and the mixture that fits best are more than a fifth apart."""
        if self.counted is not None or self.value.value is None or self.mixture.value is None:
            return False
        low, high = sorted((self.value.value, self.mixture.value))
        return high > 1.2 * low


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
    known_by: str  # what the population is known by; empty where the sample is taken for it
    alone: Float64  # (rows,) 1 / people of the sample who look alike; NaN where a row is left out
    prosecutor: RiskOfPeople
    journalist: RiskOfPeople
    marketer: Estimate  # the share of people who would be named rightly if all were tried
    households: Households | None
    uniqueness: UniquenessEstimates
    special: SpecialUniques | None  # None: the search would have been too long
    scores: Float64  # (rows,) SUDA2; NaN where it was not searched
    disclosure: Float64  # (rows,) DIS-SUDA
    person: Int32  # (rows,) whose row it is, numbered from 0; -1 where a row is left out
    notes: tuple[str, ...]

    def people(self, rows: Bool) -> int:
        """Count the people of some of the rows, (rows,)."""
        return int(np.unique(self.person[rows & (self.person >= 0)]).size)

    def worst(self, values: Float64) -> Float64:
        """Return for each person the largest value, of (rows,), that a row of theirs has, (people,); NaN: not known."""
        kept = self.person >= 0
        result = np.full(self.n, np.nan)
        np.fmax.at(result, self.person[kept], values[kept])
        return result


def population_risk(
    sample: Table | Release,
    *,
    population_size: float | None = None,
    sampled: float | None = None,
    population: Table | None = None,
    suda_share: float = 0.01,
    suda_limit: float = SUDA_LIMIT,
    reading: MissingAs = MissingAs.OWN,
) -> PopulationRisk:
    """Estimate how surely people of a sample could be found in the population, by their quasi-identifiers.

    Of a release, the published people are looked at, alike where they show the same cells; a missing or suppressed
    cell counts as `reading` says. Of a table, it counts as each column declares.

    How many people of the population look like somebody comes from a table of the population, else from the sampling
    weights, else from `population_size`, or the share `sampled`, spread evenly; else the sample is taken for the
    population, which is the worst case. With weights, a size or share that is given says what they add up to.

    Assumes
        In uniqueness and SUDA2, which ask who is alone, a missing value is one more value. Somebody with several rows
        is as much at risk as their riskiest row. SUDA2 is not searched beyond `suda_limit`.
    Fails
        With `InvalidInputError` without quasi-identifiers, for a population smaller than the sample, for a share that
        is none, for a size or share beside a table of the population, and for a release with noisy sizes.
    """
    _require_one_source(population_size, sampled, population)
    table, notes = sample if isinstance(sample, Table) else people_table(sample, reading), []
    gone = 0 if isinstance(sample, Table) else sample.n_suppressed
    if gone:
        notes.append(f"{gone} people are suppressed: no figure counts them")
    if not table.schema.quasi:
        msg = "a table must have at least one quasi-identifier for people to be found by; got none. Name one with -q"
        raise InvalidInputError(msg)
    keys = Keys.of(table)
    kept = np.flatnonzero(keys.number >= 0)
    person, first = _people(table, kept)
    given = population_size if sampled is None else (first.size + gone) / sampled
    size, why = _size(table, population, given, kept[first])
    if size is not None and size < first.size:
        msg = f"a population must have at least the {first.size} people of the sample; got {size:g}. Correct the size"
        raise InvalidInputError(msg)
    many: Float64 | None = None
    if population is not None:
        many = keys.among(population) if isinstance(sample, Table) else _fitting(sample, population, keys, reading)
        of_key, source, known_by = 1 / many, _COUNTED, "counted in the table of the population"
    else:
        of_key, source, known_by = _risk(keys, size, given)
    risk = np.append(of_key, np.nan)[keys.number]
    each = _largest(risk[kept], person, first.size)
    journalist = summed(each, source, known_by)
    number = keys.number[kept]
    whose = np.full(table.n_rows, -1, np.int32)
    whose[kept] = person
    alone = Estimate.exact(_who(keys.people[number] == 1, person, first.size), first.size)
    also_alone = Estimate.undefined("needs a table of the population", first.size)
    if many is not None:
        also_alone = Estimate.exact(_who(many[number] <= 1, person, first.size), first.size)
    special, scores, disclosure = _special(keys, suda_share, suda_limit)
    if special is None:
        notes.append("SUDA2 is not known: too many people are alone with too many attributes to search all their sets")
    return PopulationRisk(
        n=first.size,
        population_size=Estimate.undefined(why) if size is None else Estimate(size, n=first.size, why=why),
        risk=frozen(risk),
        known_by=known_by if size is not None else "",
        alone=frozen(np.append(1 / keys.sample, np.nan)[keys.number]),
        prosecutor=summed(_largest(1 / keys.sample[keys.number[kept]], person, first.size)),
        journalist=journalist,
        marketer=journalist.average,
        households=_households(table, each, kept[first], source, known_by),
        uniqueness=_uniqueness(keys, size, population if isinstance(sample, Table) else None, alone, also_alone),
        special=special,
        scores=frozen(scores),
        disclosure=frozen(disclosure),
        person=frozen(whose),
        notes=(*notes, *_notes(table, kept)),
    )


def _require_one_source(size: float | None, sampled: float | None, population: Table | None) -> None:
    if sampled is not None and not 0 < sampled <= 1:
        msg = f"the share of the population that was sampled must lie above 0 and be at most 1; got {sampled:g}"
        raise InvalidInputError(msg)
    if sum(one is not None for one in (size, sampled, population)) > 1:
        msg = "the population must be known by one thing: its size, the share sampled, or a table of it; got several"
        raise InvalidInputError(msg)


def _fitting(release: Release, population: Table, keys: Keys, reading: MissingAs) -> Float64:
    """Return how many people of the population fit what each key shows, (keys,)."""
    units = Units.of(release)
    fits, _ = fitting(units, population)[reading]
    of_row = fits[unit_of_row(release, units)]
    result = np.zeros(keys.people.size)
    np.maximum.at(result, keys.number[keys.number >= 0], of_row[keys.number >= 0])
    return np.maximum(result, keys.sample)


def _risk(keys: Keys, size: float | None, given: float | None) -> tuple[Float64, Source, str]:
    """Return the risk of each key, (keys,), how uncertain it is, and what it was made of."""
    if keys.population is not None and size is not None:
        scale = 1.0 if given is None else size / max(float(keys.weighed), 1e-300)
        among = np.maximum(keys.population * scale, keys.sample)
        return individual_risk(keys.sample, among), "sample", "by sampling weights"
    if size is not None:
        return individual_risk(keys.sample, keys.spread(size)), "sample", "by equal weights"
    return 1 / keys.sample, "exact", "the sample is taken for the population"


def _special(keys: Keys, share: float, limit: float) -> tuple[SpecialUniques | None, Float64, Float64]:
    """Return what SUDA2 finds, each row's score and its DIS; NaN where the search would take too long."""
    if float((keys.people == 1).sum()) * 2.0 ** len(keys.profiles.schema.names) > limit:
        unknown = np.full(keys.number.size, np.nan)
        return None, unknown, unknown
    found = suda(keys)
    scores = found.scores()
    return found, scores, found.disclosure(scores, share)


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
    return None, NOT_KNOWN


def _households(table: Table, risk: Float64, rows: Int64, source: Source, why: str) -> Households | None:
    if table.household_of is None:
        return None
    household, _ = distinct_rows(table.household_of[rows][:, None])
    each = household_risk(risk, household)
    return Households(each, *(summed(r[household], source, why) for r in (each.largest, each.any_member)))


def _who(rows: Bool, person: Int32, n: int) -> float:
    """Count the people of some of the rows: somebody who is alone with one row is alone."""
    return float(np.count_nonzero(np.bincount(person[rows], minlength=n)))


def _uniqueness(
    keys: Keys, size: float | None, population: Table | None, alone: Estimate, also_alone: Estimate
) -> UniquenessEstimates:
    sizes, counts = keys.sizes
    people = float(sizes @ counts)
    models: dict[Model, Estimate] = {}
    if size is None:
        none = Estimate.undefined(NOT_KNOWN, people)
        models = {"pitman": none, "zayatz": none, "slide-negative-binomial": none}
        believed, mixture = None, none
    else:
        models["pitman"] = pitman(sizes, counts, size)
        models["zayatz"] = zayatz(sizes, counts, size)
        models["slide-negative-binomial"] = slide_negative_binomial(sizes, counts, size)
        believed = dankar(people / size, models["pitman"], models["zayatz"], models["slide-negative-binomial"])
        mixture = poisson_mixture(sizes, counts, size)
    counted = None
    if population is not None:
        theirs = Keys.of(population.only(keys.profiles.schema.names).aligned(keys.profiles.schema)).people
        counted = Estimate.exact(float((theirs == 1).sum()), float(theirs.sum()))
    return UniquenessEstimates(alone, models, believed, mixture, counted, also_alone)


def _notes(table: Table, kept: Int64) -> tuple[str, ...]:
    notes = []
    if table.weight is not None:
        below = int((table.weight[kept] < 1).sum())
        if below:
            notes.append(f"{below} rows have a weight below 1: nobody can stand for fewer people than themselves")
        if table.weight[kept].sum() <= 1.01 * kept.size:
            notes.append(
                "weights add up to no more than the people of the file: scaled to it? Then say what share it is"
            )
        notes.append(f"uniqueness and SUDA2: {IGNORES_WEIGHTS}")
    if kept.size < table.n_rows:
        notes.append(f"{table.n_rows - kept.size} rows are left out: a value is missing that its column demands")
    return tuple(notes)
