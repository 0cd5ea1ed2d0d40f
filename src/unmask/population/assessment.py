"""Population risk: estimates of re-identification risk and uniqueness of a sample's people in the population."""
# Over 300 lines: the result classes and the one function that fills them from every estimator.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, frozen
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate, Source
from unmask.models.equivalence_classes import MissingAs, Units, fitting
from unmask.number_format import numeral
from unmask.population.attackers import RiskOfPeople, summed
from unmask.population.copula import copula
from unmask.population.dankar import Model, dankar
from unmask.population.household_risk import HouseholdRisk, household_risk
from unmask.population.individual_risk import individual_risk
from unmask.population.key_holders import KeyHolders
from unmask.population.keys import Keys
from unmask.population.pitman import pitman
from unmask.population.poisson_mixture import poisson_mixture
from unmask.population.published_people import people_table, unit_of_row
from unmask.population.slide_negative_binomial import slide_negative_binomial
from unmask.population.suda import SpecialUniques, suda
from unmask.population.zayatz import zayatz
from unmask.release import Release
from unmask.table import Table
from unmask.wording import marked, message

IGNORES_WEIGHTS = marked("weights are ignored: the sample is taken as drawn with equal chances")

_COUNTED: Source = "exact"

SUDA_LIMIT = 5e7
"""Limit of the SUDA2 search, in unique people × sets of attributes: about ten seconds."""

NOT_KNOWN = message(
    "needs to know what share of the population this is: a weight column, a table of the population, or a share"
)


@dataclass(frozen=True, slots=True, eq=False)
class UniquenessEstimates:
    """The number of unique people: in the sample, and by several estimators in the population."""

    sample: Estimate  # people of the sample
    estimates: Mapping[Model, Estimate]  # people of the population; they may differ by a factor: print all
    believed: Model | None  # by Dankar's rule; None where no estimate is defined
    mixture: (
        Estimate  # people of the population, by the best-fitting model: a check of the preferred one, with an interval
    )
    copula: Estimate  # people of the population, by the attributes' joint distribution: a second check
    counted: Estimate | None  # people of the population, if a table of it is given
    also_there: Estimate  # people unique in the sample and in the population; needs a table of the population

    @property
    def value(self) -> Estimate:
        """The preferred estimate."""
        if self.counted is not None:
            return self.counted
        if self.believed is None:
            why = next((one.why for one in self.estimates.values() if one.why), message("no model gives an estimate"))
            return Estimate.undefined(why)
        return self.estimates[self.believed]

    @property
    def doubtful(self) -> bool:
        """Whether the preferred estimate and the best-fitting mixture differ by more than a fifth."""
        if self.counted is not None or self.value.value is None or self.mixture.value is None:
            return False
        low, high = sorted((self.value.value, self.mixture.value))
        return high > 1.2 * low


@dataclass(frozen=True, slots=True, eq=False)
class Households:
    """The risk of each household, and of people who are identified if any member of their household is."""

    each: HouseholdRisk
    largest: RiskOfPeople  # every person at the largest risk of the household's members
    any_member: RiskOfPeople  # every person at 1 − Π (1 − r)


@dataclass(frozen=True, eq=False)
class PopulationRisk:
    """Estimates of a sample's population risk; people are counted, not rows.

    Rows with an equal key share their numbers.
    """

    n: int  # people of the sample
    population_size: Estimate
    keys: Keys
    risk_of_key: Float64  # (keys,) of re-identification in the population
    known_by: str  # the source of population counts; empty if the sample is taken as the population
    prosecutor: RiskOfPeople
    journalist: RiskOfPeople
    marketer: Estimate  # the expected share of people re-identified if all are attempted
    households: Households | None
    uniqueness: UniquenessEstimates
    special: SpecialUniques | None  # None: the search was over its limit
    scores_of_key: Float64  # (keys,) SUDA2; NaN where it was not searched
    disclosure_of_key: Float64  # (keys,) DIS-SUDA
    person: Int32  # (rows,) person of the row, numbered from 0; -1 where a row is left out
    notes: tuple[str, ...]

    @property
    def risk(self) -> Float64:
        """The risk of each row, (rows,); NaN where it is left out."""
        return self._of_rows(self.risk_of_key, np.nan)

    @property
    def alone(self) -> Float64:
        """1 / people of the sample with an equal key, (rows,); NaN where a row is left out."""
        return self._of_rows(1 / self.keys.sample, np.nan)

    @property
    def scores(self) -> Float64:
        """The SUDA2 score of each row, (rows,); NaN where it was not searched, 0 where a row is left out."""
        return self._of_rows(self.scores_of_key, np.nan if self.special is None else 0.0)

    @property
    def disclosure(self) -> Float64:
        """DIS-SUDA of each row, (rows,); NaN where it was not searched, 0 where a row is left out."""
        return self._of_rows(self.disclosure_of_key, np.nan if self.special is None else 0.0)

    def people(self, keys: Bool) -> int:
        """Count the people with a row of some of the keys, (keys,)."""
        if self.n == np.count_nonzero(self.keys.number >= 0):  # a row each
            return int(self.keys.people[keys].sum())
        return int(np.unique(self.person[np.append(keys, False)[self.keys.number]]).size)

    def worst(self, values: Float64) -> Float64:
        """Return the largest value of each person's rows, (people,), from values of rows, (rows,); NaN: unknown."""
        kept = self.person >= 0
        result = np.full(self.n, np.nan)
        np.fmax.at(result, self.person[kept], values[kept])
        return result

    def _of_rows(self, of_keys: Float64, left_out: float) -> Float64:
        return frozen(np.append(of_keys, left_out)[self.keys.number])


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
    """Estimate the re-identification risk of a sample's people in the population, by their quasi-identifiers.

    In a release, people are equal if their published cells are equal; `reading` gives the meaning of a missing or
    suppressed cell. In a table, each column declares it.

    Frequencies in the population come from a table of the population, else from the sampling weights, else from
    `population_size` or the share `sampled`, at equal weights; else the sample is taken as the population, which is
    the worst case. A size or share that is given beside weights is their total.

    Assumes
        In uniqueness and SUDA2 a missing value is one more value. The risk of a person with several rows is that of
        the riskiest row. SUDA2 is not searched beyond `suda_limit`.
    Fails
        With `InvalidInputError` without quasi-identifiers, for a population smaller than the sample, for a share
        outside (0, 1], for a size or share beside a table of the population, and for a release with noisy sizes.
    """
    _require_one_source(population_size, sampled, population)
    table, notes = sample if isinstance(sample, Table) else people_table(sample, reading), []
    gone = 0 if isinstance(sample, Table) else sample.n_suppressed
    if gone:
        notes.append(message("no figure counts suppressed people: {n}", n=numeral(gone)))
    if not table.schema.quasi:
        msg = message(
            "a table must have at least one quasi-identifier for people to be found by; got none. Name one with -q"
        )
        raise InvalidInputError(msg)
    keys = Keys.of(table)
    kept = np.flatnonzero(keys.number >= 0)
    person, rows = _people(table, kept)
    given = population_size if sampled is None else (rows.size + gone) / sampled
    size, why = _size(table, population, given, rows)
    if size is not None and size < rows.size:
        msg = message(
            "a population must have at least the {size} people of the sample; got {population}. Correct the size",
            size=rows.size,
            population=numeral(size, "g"),
        )
        raise InvalidInputError(msg)
    many: Float64 | None = None
    known_by: str = message("counted in the table of the population")
    if population is not None:
        many = keys.among(population) if isinstance(sample, Table) else _fitting(sample, population, keys, reading)
        of_key, source = 1 / many, _COUNTED
    else:
        of_key, source, known_by = _risk(keys, size, given)
    holders = KeyHolders(keys, rows.size, None if table.person_of is None else (keys.number[kept], person))
    prosecutor = holders.summary(1 / keys.sample)
    journalist = holders.summary(of_key, source, known_by)
    whose = person
    if kept.size < table.n_rows:
        whose = np.full(table.n_rows, -1, np.int32)
        whose[kept] = person
    alone = Estimate.exact(holders.count(keys.people == 1), rows.size)
    also_alone = Estimate.undefined(message("needs a table of the population"), rows.size)
    if many is not None:
        also_alone = Estimate.exact(holders.count(many <= 1), rows.size)
    special, scores, disclosure = _special(keys, suda_share, suda_limit)
    if special is None:
        notes.append(
            message("SUDA2 is not known: too many people are alone with too many attributes to search all their sets")
        )
    return PopulationRisk(
        n=rows.size,
        population_size=Estimate.undefined(why) if size is None else Estimate(size, n=rows.size, why=why),
        keys=keys,
        risk_of_key=frozen(of_key),
        known_by=known_by if size is not None else "",
        prosecutor=prosecutor,
        journalist=journalist,
        marketer=journalist.average,
        households=_households(table, holders, of_key, rows, source, known_by),
        uniqueness=_uniqueness(keys, size, population if isinstance(sample, Table) else None, alone, also_alone),
        special=special,
        scores_of_key=frozen(scores),
        disclosure_of_key=frozen(disclosure),
        person=frozen(whose),
        notes=(*notes, *_notes(table, kept)),
    )


def _require_one_source(size: float | None, sampled: float | None, population: Table | None) -> None:
    if sampled is not None and not 0 < sampled <= 1:
        msg = message(
            "the share of the population that was sampled must lie above 0 and be at most 1; got {sampled}",
            sampled=numeral(sampled, "g"),
        )
        raise InvalidInputError(msg)
    if sum(one is not None for one in (size, sampled, population)) > 1:
        msg = message(
            "the population must be known by one thing: its size, the share sampled, or a table of it; got several"
        )
        raise InvalidInputError(msg)


def _fitting(release: Release, population: Table, keys: Keys, reading: MissingAs) -> Float64:
    """Return the number of people of the population that match each key, (keys,)."""
    units = Units.of(release)
    fits, _ = fitting(units, population)[reading]
    of_row = fits[unit_of_row(release, units)]
    result = np.zeros(keys.people.size)
    np.maximum.at(result, keys.number[keys.number >= 0], of_row[keys.number >= 0])
    return np.maximum(result, keys.sample)


def _risk(keys: Keys, size: float | None, given: float | None) -> tuple[Float64, Source, str]:
    """Return the risk of each key, (keys,), the kind of its uncertainty, and its source in words."""
    if keys.population is not None and size is not None:
        scale = 1.0 if given is None else size / max(float(keys.weighed), 1e-300)
        among = np.maximum(keys.population * scale, keys.sample)
        return individual_risk(keys.sample, among), "sample", message("by sampling weights")
    if size is not None:
        return individual_risk(keys.sample, keys.spread(size)), "sample", message("by equal weights")
    return 1 / keys.sample, "exact", message("the sample is taken for the population")


def _special(keys: Keys, share: float, limit: float) -> tuple[SpecialUniques | None, Float64, Float64]:
    """Return the SUDA2 result, and each key's score and DIS; NaN where the search is over its limit."""
    if float((keys.people == 1).sum()) * 2.0 ** len(keys.profiles.schema.names) > limit:
        unknown = np.full(keys.people.size, np.nan)
        return None, unknown, unknown
    found = suda(keys)
    scores = found.scores_of_keys()
    return found, scores, found.disclosure_of_keys(scores, share)


def _people(table: Table, kept: Int64) -> tuple[Int32, Int64]:
    """Return the person of each kept row, numbered from 0, and a row of each person."""
    if table.person_of is None:
        return np.arange(kept.size, dtype=np.int32), kept
    person, first = distinct_rows(table.person_of[kept][:, None])
    return person, kept[first]


def _size(table: Table, population: Table | None, given: float | None, rows: Int64) -> tuple[float | None, str]:
    if population is not None:
        own = population.person_of
        n = population.n_rows if own is None else np.unique(own).size
        return float(n), message("people of the table of the population")
    if given is not None:
        return float(given), message("given")
    if table.weight is not None:
        return max(float(table.weight[rows].sum()), float(rows.size)), message("weights added up")
    return None, NOT_KNOWN


def _households(
    table: Table, holders: KeyHolders, of_key: Float64, rows: Int64, source: Source, why: str
) -> Households | None:
    if table.household_of is None:
        return None
    household, _ = distinct_rows(table.household_of[rows][:, None])
    each = household_risk(holders.largest(of_key), household)
    return Households(each, *(summed(r[household], source, why) for r in (each.largest, each.any_member)))


def _uniqueness(
    keys: Keys, size: float | None, population: Table | None, alone: Estimate, also_alone: Estimate
) -> UniquenessEstimates:
    sizes, counts = keys.sizes
    people = float(sizes @ counts)
    models: dict[Model, Estimate] = {}
    if size is None:
        none = Estimate.undefined(NOT_KNOWN, people)
        models = {"pitman": none, "zayatz": none, "slide-negative-binomial": none}
        believed, mixture, joint = None, none, none
    else:
        models["pitman"] = pitman(sizes, counts, size)
        models["zayatz"] = zayatz(sizes, counts, size)
        models["slide-negative-binomial"] = slide_negative_binomial(sizes, counts, size)
        believed = dankar(people / size, models["pitman"], models["zayatz"], models["slide-negative-binomial"])
        mixture, joint = poisson_mixture(sizes, counts, size), copula(keys, size)
    counted = None
    if population is not None:
        theirs = Keys.of(population.only(keys.profiles.schema.names).aligned(keys.profiles.schema)).people
        counted = Estimate.exact(float((theirs == 1).sum()), float(theirs.sum()))
    return UniquenessEstimates(alone, models, believed, mixture, joint, counted, also_alone)


def _notes(table: Table, kept: Int64) -> tuple[str, ...]:
    notes = []
    if table.weight is not None:
        below = int((table.weight[kept] < 1).sum())
        if below:
            notes.append(
                message("rows with a weight below 1: {n}; a row represents at least one person", n=numeral(below))
            )
        if table.weight[kept].sum() <= 1.01 * kept.size:
            notes.append(
                message(
                    "weights add up to no more than the people of the file: scaled to it? Then say what share it is"
                )
            )
        notes.append(message("uniqueness and SUDA2: {caveat}", caveat=message(IGNORES_WEIGHTS)))
    if kept.size < table.n_rows:
        notes.append(
            message(
                "rows left out: {n}; a value is missing that its column demands", n=numeral(table.n_rows - kept.size)
            )
        )
    return tuple(notes)
