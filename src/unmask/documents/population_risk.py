"""The population risk of a sample's people in documents."""

from __future__ import annotations

from typing_extensions import TypedDict

from unmask.estimate import Source
from unmask.population.dankar import Model
from unmask.unit import Unit


class CountEstimateJson(TypedDict):
    """A number of people or a risk, its 95 % interval, and where its uncertainty comes from."""

    value: float | None
    """The number; null where it is undefined, which is not zero: `why` has the reason."""
    low: float | None
    """Lower end of the 95 % interval; null where there is none."""
    high: float | None
    """Upper end of the 95 % interval; null where there is none."""
    of: float
    """Number of people, or rows where the unit is rows, that the number is about."""
    source: Source
    """Source of the uncertainty, as in the report."""
    why: str
    """Why `value` is null; empty where it is a number."""


class RiskLevelJson(TypedDict):
    """The people above a level of risk."""

    risk: str
    """Level, as a fraction: `1/11`."""
    people: float | None
    """People whose risk is above it."""


class PeopleRiskJson(TypedDict):
    """Re-identification risk of the people for one attacker: a probability; higher is worse."""

    highest: CountEstimateJson
    """Highest risk of a person."""
    average: CountEstimateJson
    """Mean risk over people."""
    expected: CountEstimateJson
    """Expected number of people identified correctly: the sum of risks."""
    at_highest: CountEstimateJson
    """Number of people with the highest risk."""
    above: list[RiskLevelJson]
    """Number of people above each level of risk."""


class HouseholdRiskJson(TypedDict):
    """Risk of people by their household."""

    households: int
    """Number of households."""
    largest: PeopleRiskJson
    """Largest risk of the household's members, for each person."""
    any_member: PeopleRiskJson
    """Probability that any member is identified if members are found one by one."""


class UniquenessJson(TypedDict):
    """Numbers of unique people in the sample and in the population; higher is worse."""

    sample: CountEstimateJson
    """People unique in the sample."""
    sample_and_population: CountEstimateJson
    """People unique in the sample and in the population table."""
    counted: CountEstimateJson | None
    """People unique in the population, counted; null without a table of it."""
    pitman: CountEstimateJson
    """People unique in the population, by Pitman's model."""
    zayatz: CountEstimateJson
    """The same by Zayatz's estimator."""
    slide_negative_binomial: CountEstimateJson
    """The same by the SNB model."""
    poisson_mixture: CountEstimateJson
    """The same by the best-fitting mixture of Poisson distributions: a check with an interval."""
    copula: CountEstimateJson
    """The same by a Gaussian copula of the attributes: a second check."""
    believed: Model | None
    """Estimator that Dankar's rule prefers; null where no estimate is defined."""
    doubtful: bool
    """Whether the preferred estimate and the mixture differ by more than a fifth."""


class DisScoreJson(TypedDict):
    """The people above a level of disclosure risk by DIS-SUDA."""

    dis: float
    """Level of the DIS score."""
    people: float
    """People above it."""


class SudaJson(TypedDict):
    """Special uniques by SUDA2: people unique by few attributes; higher is worse."""

    people: float
    """People with a score above 0."""
    highest_score: float
    """Highest SUDA2 score."""
    dis_above: list[DisScoreJson]
    """Numbers of people by DIS score."""
    contribution: dict[str, float]
    """Share of each attribute in the scores."""


class PopulationRiskJson(TypedDict):
    """Re-identification risk of the people of a release, as a sample of a population."""

    attributes: list[str]
    """Quasi-identifiers that the attacker knows."""
    unit: Unit
    """What numbers of people count: rows, where no person key says which rows are whose."""
    people: float
    """Number of people in the sample."""
    population: CountEstimateJson
    """Number of people in the population."""
    known_by: str | None
    """Where numbers of the population come from; null where nothing says what share of it the sample is."""
    prosecutor: PeopleRiskJson
    """Risk for an attacker who knows that a person is in the sample."""
    journalist: PeopleRiskJson | None
    """Risk for an attacker who knows the population only; null where the population is not known."""
    marketer: CountEstimateJson | None
    """Expected number of people identified correctly by one who tries everyone; null where the population is not
    known."""
    households: HouseholdRiskJson | None
    """Risk by household; null without a household column."""
    uniqueness: UniquenessJson
    """Numbers of unique people."""
    suda2: SudaJson | None
    """Special uniques; null where the search would take too long, which is not zero."""
    notes: list[str]
    """Assumptions of the estimates."""
