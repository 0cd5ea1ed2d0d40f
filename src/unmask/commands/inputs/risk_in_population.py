"""How surely the people of audited releases could be found in a population that a table tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unmask.errors import InvalidInputError
from unmask.files.raw import Raw
from unmask.findings import AuditReport, InPopulation
from unmask.population.assessment import population_risk
from unmask.release import Release
from unmask.table import Table


def with_population(report: AuditReport, releases: Sequence[Release], population: Table | None) -> AuditReport:
    """Return a report that also says how surely people could be found in the population, where one is given."""
    if population is None:
        return report
    found = {release.name: in_population(release, population) for release in releases if not release.is_synthetic}
    return replace(report, releases=tuple(replace(one, in_population=found.get(one.name)) for one in report.releases))


def in_population(release: Release, population: Table) -> InPopulation:
    """Sum up how surely the people whom a release shows could be found; who is alone is not searched for causes."""
    risk = population_risk(release, population=population, suda_limit=0)
    return InPopulation(
        risk.population_size,
        (risk.prosecutor.highest, risk.prosecutor.average),
        (risk.journalist.highest, risk.journalist.average),
        risk.journalist.expected,
    )


def require_told(population: Raw, release: Release) -> None:
    """Demand every quasi-identifier: one that is not told fits everything, and would make people look safer."""
    lacking = [a.name for a in release.schema.quasi if a.name not in population.columns]
    if lacking:
        msg = (
            f"{population.name!r} must have every quasi-identifier, being the population; it lacks "
            f"{', '.join(lacking)}. Add or rename columns, or leave these out of -q"
        )
        raise InvalidInputError(msg)
